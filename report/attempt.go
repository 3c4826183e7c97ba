package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// Attempt is one attempt on one screen: what stands here, at the provider and
// in the business, what may be done about it and what that would write.
type Attempt struct {
	Now     payment.Instant
	Zone    *time.Location
	Word    string // of the status, as it stands in the table
	Case    *resolve.Case
	Verdict *resolve.Verdict
	// Effects are what each mark would write besides the attempt's own row, in
	// the order of the statements.
	Effects map[resolve.Mark][]Effect
	// Offline: nobody was asked for this screen.
	Offline bool
	// NoLogins: the database is a file and cannot tell two people apart, so that
	// nobody can approve.
	NoLogins bool
	// Business is what the merchant's own orders say, as label and text.
	Business []Stated
	Links    []Stated
	Manuals  []Stated // who saw what, where
}

// Effect is one declared follow-up with its values.
type Effect struct {
	Statement string
	Optional  string // what it means that no row is touched, "" where one must be
}

// Stated is one fact with its name.
type Stated struct{ Name, Text string }

// self is the attempt's own row in the case.
func (a *Attempt) self() *payment.Attempt {
	for i := range a.Case.Attempts {
		if a.Case.Attempts[i].ID == a.Case.Attempt {
			return &a.Case.Attempts[i]
		}
	}
	return &payment.Attempt{ID: a.Case.Attempt}
}

func (a *Attempt) zone() *time.Location {
	if a.Zone == nil {
		return time.UTC
	}
	return a.Zone
}

// provider is the name of who was or would be asked.
func (a *Attempt) provider() string { return cmp.Or(a.self().Provider, "the provider") }

// lookups are the observations of the attempt, newest first.
func (a *Attempt) lookups() []payment.Lookup {
	var all []payment.Lookup
	for _, l := range a.Case.Lookups {
		if l.Attempt == a.Case.Attempt {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(x, y payment.Lookup) int { return cmp.Compare(y.At, x.At) })
	return all
}

// units are what the provider shows of the attempt: by the newest look-up that
// found something, else what its lists say under the attempt's own keys.
func (a *Attempt) units() (units []payment.Unit, at payment.Instant, by string) {
	for _, l := range a.lookups() {
		if l.Outcome == payment.Found && len(l.Units) > 0 {
			return l.Units, l.At, "asked by " + keyWords(l.Key)
		}
	}
	self := a.self()
	for _, u := range a.Case.Units {
		if u.ID != "" && u.ID == self.ProviderID || u.Key != "" && u.Key == self.Key || sharesReference(self, &u) {
			units = append(units, u)
			at = max(at, u.ObservedAt)
		}
	}
	return units, at, "by its list"
}

func sharesReference(a *payment.Attempt, u *payment.Unit) bool {
	return slices.ContainsFunc(a.References, func(r payment.Reference) bool {
		return r.Scope == payment.ScopeAttempt && slices.ContainsFunc(u.References, func(o payment.Reference) bool { return o.Name == r.Name && o.Value == r.Value })
	})
}

// keyWords says by which key was asked.
func keyWords(k payment.LookupKey) string {
	switch k.Kind {
	case payment.KeyUnit:
		return "id"
	case payment.KeyIdempotency:
		return "key"
	case payment.KeyReference:
		return k.Name
	}
	return ""
}

// ago is how long before now something was, in seconds where it is that young.
func ago(now, then payment.Instant) string {
	if d := now.Sub(then); !then.IsZero() && d >= 0 && d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return age(now, then)
}

func stateText(u *payment.Unit) string {
	text := strings.ReplaceAll(u.State.String(), "_", " ")
	if u.State == payment.StateUnmapped {
		text = "unmapped: " + u.RawState
	}
	if u.Final {
		text += ", final"
	}
	return text
}

// unitAmount is what the provider says was captured, else asked for.
func unitAmount(u *payment.Unit) string {
	switch {
	case u.Captured.Known && (u.State.Money() || u.Captured.Minor != 0):
		return money.Amount{Minor: u.Captured.Minor, Currency: u.Currency}.String()
	case u.Asked.Known:
		return money.Amount{Minor: u.Asked.Minor, Currency: u.Currency}.String()
	}
	return "not stated"
}

// WriteAttempt draws the attempt: for a person at a terminal of some width, or
// plain; whole is all that is known, else what a decision needs.
func WriteAttempt(w io.Writer, a *Attempt, o Options, whole bool) error {
	s := attemptScreen{screen: newScreen(o, voice{dot: dot(o)}), voice: voice{zone: a.zone(), dot: dot(o)}, Attempt: a}
	blocks := []func() ([]string, error){s.head, s.sides, s.rivals, s.marks, s.effects}
	if whole {
		blocks = []func() ([]string, error){s.head, s.sides, s.marks, s.effects, s.history, s.siblings, s.facts}
	}
	out := bufio.NewWriter(w)
	written := false
	for _, block := range blocks {
		lines, err := block()
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue
		}
		if written {
			lines = append([]string{""}, lines...)
		}
		written = true
		for _, line := range lines {
			if _, err := out.WriteString(line + "\n"); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func dot(o Options) string {
	if o.ASCII {
		return " | "
	}
	return " · "
}

// Typed is what a person types to confirm a mark: the mark, and the amount as
// the screen shows it, without currency and grouping.
func Typed(o *resolve.Offer) string {
	if o.Mark == resolve.Unknown {
		return o.Mark.String()
	}
	return o.Mark.String() + " " + o.Amount.Decimal()
}

// safe turns texts into cells.
func safe(texts ...string) []ui.Safe {
	cells := make([]ui.Safe, len(texts))
	for i, t := range texts {
		cells[i] = ui.Clean(t)
	}
	return cells
}
