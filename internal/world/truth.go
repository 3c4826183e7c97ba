package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"desfecho/internal/payment"
)

// Finding is one divergence that a reconciliation must list: the words of
// RULES §4. An empty Severity is not compared.
type Finding struct {
	Class    string
	Severity string
	Subject  string // "attempt:a1", "attempts:a1+a2", "unit:p1", …

	// What follows is compared only where the truth says something.
	Unit      string // the provider's object
	Minor     int64  // at stake: the surplus of a doubled charge, the excess of a refund, else the amount
	SameMoney string // the subject whose divergence counts the money already
	Expected  string // minor units, or a currency
	Actual    string
	Hint      string
}

// but says what was expected and what is there.
func (f *Finding) but(expected, actual string) *Finding {
	f.Expected, f.Actual = expected, actual
	return f
}

// of names the object and the money at stake.
func (f *Finding) of(unit string, minor int64) *Finding {
	f.Unit, f.Minor = unit, minor
	return f
}

// Truth is what a reconciliation of the world must conclude.
type Truth struct {
	Findings []Finding
	// Places are counts by the words of RULES §4. An attempt that agrees is
	// counted as agreed though its charge is listed.
	Places map[string]int
	// Lines is equation 1 and Succeeded equation 2 of RULES §5, in minor units
	// by "provider currency row".
	Lines     map[string]int64
	Succeeded map[string]int64
	// Days is the whole of equation 1 by statement day, all providers.
	Days    map[payment.Day]int64
	Repeats int
	Verdict string
}

func newTruth() Truth {
	return Truth{
		Places: map[string]int{}, Lines: map[string]int64{}, Succeeded: map[string]int64{},
		Days: map[payment.Day]int64{},
	}
}

// expect adds a divergence; ids name the subject. What it returns is for
// saying more at once.
func (s *scene) expect(class, severity, kind string, ids ...string) *Finding {
	slices.Sort(ids)
	s.w.Truth.Findings = append(s.w.Truth.Findings, Finding{Class: class, Severity: severity, Subject: kind + ":" + strings.Join(ids, "+")})
	return &s.w.Truth.Findings[len(s.w.Truth.Findings)-1]
}

// found is expect for the commonest subject, one attempt.
func (s *scene) found(class, severity string, a payment.Attempt) *Finding {
	return s.expect(class, severity, "attempt", a.ID)
}

func (s *scene) place(word string, n int) { s.w.Truth.Places[word] += n }

// stock puts a succeeded attempt into a row of equation 2; money out counts
// negative.
func (s *scene) stock(row string, attempts ...payment.Attempt) {
	for _, a := range attempts {
		minor := a.Amount.Minor
		if a.Direction() == payment.Out {
			minor = -minor
		}
		s.w.Truth.Succeeded[a.Provider+" "+a.Amount.Currency.String()+" "+row] += minor
	}
}

// agree places succeeded attempts that nothing is wrong with.
func (s *scene) agree(attempts ...payment.Attempt) {
	s.place("agreed", len(attempts))
	s.stock("matched", attempts...)
}

// moved puts a line's money into its row of equation 1.
func (s *scene) moved(l payment.Line, row string) {
	s.w.Truth.Lines[l.Provider+" "+l.Currency.String()+" "+row] += l.Gross
	s.w.Truth.Days[l.Day] += l.Gross
}

// settle finishes the truth: order, and the verdict of RULES §4.
func (t *Truth) settle() {
	slices.SortFunc(t.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Severity, b.Severity))
	})
	maps.DeleteFunc(t.Lines, func(_ string, minor int64) bool { return minor == 0 })
	maps.DeleteFunc(t.Succeeded, func(_ string, minor int64) bool { return minor == 0 })
	maps.DeleteFunc(t.Days, func(_ payment.Day, minor int64) bool { return minor == 0 })
	t.Verdict = t.verdict()
}

func (t *Truth) verdict() string {
	worst, waits := "P9", false
	for _, f := range t.Findings {
		if f.Class == "coverage_incomplete" {
			return "incomplete"
		}
		worst = min(worst, f.Severity)
		waits = waits || f.Class == "unknown_waiting"
	}
	waits = waits || t.Places["in_flight"]+t.Places["in_transit"]+t.Places["not_covered"] > 0
	switch {
	case worst <= "P2":
		return "breaks"
	case worst == "P3":
		return "notices"
	case waits:
		return "pending"
	default:
		return "clean"
	}
}
