package reconcile

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// setting is what is the same for every component of a run.
type setting struct {
	now         payment.Instant
	window      payment.Interval
	ownSide     []payment.Interval
	ownGrade    payment.Grade
	policies    map[string]*Policy
	days        map[string]dayRange // the window in each provider's statement days
	fallback    *Policy
	coverage    *evidence.Coverage
	kept        map[string]bool // ids of subjects that stay in scope (RULES §8, 6 and 7)
	keptCharges map[string]bool // likewise, of charges
	balanced    bool            // some statement states a balance
}

func (s *setting) policy(provider string) *Policy {
	if len(s.policies) == 1 && s.fallback.Provider == provider { // nearly always
		return s.fallback
	}
	if p, ok := s.policies[provider]; ok {
		return p
	}
	return s.fallback
}

type dayRange struct{ first, last payment.Day }

func daysOf(w payment.Interval, zone *time.Location) dayRange {
	return dayRange{payment.DayOf(w.From, zone), payment.DayOf(w.To-1, zone)}
}

// judge concludes from the facts of one component. It sees nothing but them
// and the setting, so how components are gathered changes no rule.
type judge struct {
	*setting
	charges map[string]int64 // what the charges of this part want, where that is stated
	facts   *evidence.Facts
	out     *books
	first   int // of this component in out.divergences
	// split holds what of an attempt is surplus; most components have none.
	split map[*evidence.Attempt]split
}

// Everything a component holds gets its place: attempts, then the units that
// belong to none, then the charges, then every line.
func (j *judge) component() {
	j.first = len(j.out.divergences)
	groups := j.chargeGroups()
	for i := range groups {
		groups[i].settle(j)
	}
	for _, a := range j.facts.Attempts {
		if j.attemptInScope(a) {
			j.attempt(a)
		}
	}
	for _, u := range j.facts.Units {
		j.suspect(u)
		if j.unitInScope(u) {
			j.unit(u)
		}
	}
	for i := range groups {
		groups[i].report(j)
	}
	j.reusedKeys()
	j.lines()
	j.out.repeats += j.facts.Lines.Repeats
	j.out.judged.Units += len(j.facts.Units)
}

// attemptInScope follows RULES §8: created in the window, open, linked to a
// unit of the window, or kept from the last run.
func (j *judge) attemptInScope(a *evidence.Attempt) bool {
	if j.attemptStays(a) {
		return true
	}
	return slices.ContainsFunc(a.Units, j.touchesWindow) || slices.ContainsFunc(a.Doubtful, j.touchesWindow)
}

// unitInScope: a unit with a line or its creation in the window, of an
// attempt in scope, or a return of one. What a look-up alone tells is in scope
// by its attempt only.
func (j *judge) unitInScope(u *evidence.Unit) bool {
	if j.touchesWindow(u) || j.kept[u.ID] {
		return true
	}
	if u.Link == evidence.Follower && j.unitInScope(u.Parent) {
		return true
	}
	return slices.ContainsFunc(u.Attempts, j.attemptInScopeAlone)
}

func (j *judge) attemptInScopeAlone(a *evidence.Attempt) bool {
	return j.attemptStays(a) || slices.ContainsFunc(a.Units, j.touchesWindow)
}

func (j *judge) attemptStays(a *evidence.Attempt) bool {
	return a.Status.Open() || j.window.Contains(a.CreatedAt) || j.kept[a.ID] || j.keptCharges[a.Charge]
}

func (j *judge) touchesWindow(u *evidence.Unit) bool {
	if u.Source&(payment.FromList|payment.FromLedger) != 0 && j.window.Contains(u.CreatedAt) {
		return true
	}
	for _, l := range u.Lines {
		if j.lineInWindow(l) {
			return true
		}
	}
	for _, l := range u.Conflict {
		if j.lineInWindow(l) {
			return true
		}
	}
	return slices.ContainsFunc(u.Children, j.touchesWindow)
}

func (s *setting) lineInWindow(l *payment.Line) bool { return s.dayInWindow(l.Provider, l.Day) }

func (s *setting) dayInWindow(provider string, day payment.Day) bool {
	days, ok := s.days[provider]
	if !ok {
		days = daysOf(s.window, s.fallback.Zone)
	}
	return day >= days.first && day <= days.last
}

// finding is one class that applies to a subject, with what it has to say.
type finding = Divergence

// report makes one entry of all that applies to one subject: the worst class
// is primary, ties in the order of RULES §4, the others stay as attributes.
func (j *judge) report(subject Subject, found []finding) *Divergence {
	slices.SortStableFunc(found, func(x, y finding) int {
		return cmp.Or(cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Class, y.Class))
	})
	d := found[0]
	d.Subject = subject
	for _, f := range found[1:] {
		if f.Class != d.Class && !slices.Contains(d.Also, f.Class) {
			d.Also = append(d.Also, f.Class)
		}
		d.Raw = cmp.Or(d.Raw, f.Raw)
		d.Hint = cmp.Or(d.Hint, f.Hint)
		d.Expected, d.Actual = cmp.Or(d.Expected, f.Expected), cmp.Or(d.Actual, f.Actual)
		if len(d.Lines) == 0 {
			d.Lines = f.Lines
		}
	}
	d.ID = identity(&d)
	j.out.divergences = append(j.out.divergences, d)
	return &j.out.divergences[len(j.out.divergences)-1]
}

func minor(v int64) string { return strconv.FormatInt(v, 10) }

// about starts a finding about an attempt.
func (j *judge) about(a *evidence.Attempt, class Class, severity Severity) finding {
	return finding{
		Class: class, Severity: severity, Provider: a.Provider, Account: accountOf(a), Mode: a.Policy.Mode,
		Currency: a.Amount.Currency, Amount: a.Amount.Minor, Attempts: []string{a.ID}, Charge: a.Charge, Since: a.CreatedAt,
		Direction: a.Direction(),
	}
}

// accountOf is the attempt's account: where it names none, the provider's only
// one, with or without a unit that tells, so that a divergence keeps its id.
func accountOf(a *evidence.Attempt) string {
	if a.Account == "" && len(a.Policy.Accounts) == 1 {
		return a.Policy.Accounts[0]
	}
	return a.Account
}

// with names the unit of a finding, and its account where the attempt has none.
func with(f finding, units []*evidence.Unit) finding {
	if len(units) == 1 {
		f.Unit = units[0].ID
	}
	for _, u := range units {
		f.Units = append(f.Units, u.ID)
		f.Lines = u.LineIDs(f.Lines)
	}
	if len(units) > 0 {
		f.Account = cmp.Or(f.Account, units[0].Account)
		f.Provider = cmp.Or(f.Provider, units[0].Provider)
	}
	return f
}

// money is what a unit states or shows, in the payer's currency.
func stake(u *evidence.Unit) money.Amount {
	return money.Amount{Minor: money.Magnitude(u.Money.Captured.Minor), Currency: u.Money.Currency}
}
