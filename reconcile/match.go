// Package reconcile compares the merchant's attempts with the provider's
// statements and says, of every line and every attempt, where it stands.
//
// Match is total, deterministic and pure: values in, values out, no clock, no
// I/O. It writes nothing, asks nobody and joins nothing by amount, date or
// name (RULES §2, law 9). RULES is its specification and the cases under
// testdata/cases its examples.
package reconcile

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// Match judges everything in scope (RULES §8) and returns the divergences, the
// places, the bridge and the verdict. Result.Defect is set where equations
// that only a bug can break do not hold, or where amounts add up beyond 64
// bits of minor units.
func Match(in Input) Result {
	if in.Window.Empty() {
		in.Window = wholeWindow(in.Statements)
	}
	r := Result{Now: in.Now, Window: in.Window, Places: map[Place]int{}}
	if !fits(&in) {
		r.Verdict, r.Defect = Incomplete, "the amounts of this input add up beyond 64 bits of minor units: nothing was judged"
		return r
	}
	s := newSetting(&in)
	out := judgeAll(gather(&in), s)
	out.lookAlikes(s, &in)
	r.Bridges = out.bridgesOf(s)
	r.Divergences = slices.Concat(out.divergences, s.incomplete(&in), out.accounting(s, r.Bridges))
	slices.SortFunc(r.Divergences, compareDivergences)
	r.Places, r.Transit, r.Repeats = out.places, out.transit, out.repeats
	slices.SortFunc(r.Transit, compareTransit)
	r.Counts = Counts{
		Attempts: len(in.Attempts), Units: out.judged.Units, Lines: len(in.Lines), Lookups: len(in.Lookups),
		OutsideAttempts: len(in.Attempts) - out.judged.Attempts, OutsideLines: out.outside,
	}
	r.Statements = s.statements(&in)
	r.remember(&in, s, out)
	r.Groups = groups(r.Divergences)
	r.Verdict = verdict(&r)
	r.Defect = defect(&r, out)
	return r
}

// wholeWindow is the default of RULES §8 in file mode: from the earliest From
// to the latest Through.
func wholeWindow(statements []payment.Statement) payment.Interval {
	var w payment.Interval
	for i, s := range statements {
		if i == 0 || s.From < w.From {
			w.From = s.From
		}
		w.To = max(w.To, s.Through)
	}
	return w
}

func newSetting(in *Input) *setting {
	s := &setting{
		now: in.Now, window: in.Window, ownSide: in.OwnSide, ownGrade: in.OwnGrade, policies: map[string]*Policy{}, days: map[string]dayRange{},
		coverage: evidence.NewCoverage(in.Statements), charges: map[string]int64{}, kept: map[string]bool{},
	}
	for i := range in.Policies {
		s.policies[in.Policies[i].Provider] = &in.Policies[i]
		s.days[in.Policies[i].Provider] = daysOf(in.Window, in.Policies[i].Zone)
	}
	unstated := NewPolicy("")
	s.fallback = &unstated
	if len(in.Policies) == 1 {
		s.fallback = &in.Policies[0]
	}
	for _, c := range in.Charges {
		s.charges[c.ID] = c.Minor
	}
	for _, st := range in.Statements {
		s.balanced = s.balanced || st.Opening.Known && st.Closing.Known
	}
	if in.Previous != nil {
		for _, item := range in.Previous.Items {
			for _, id := range item.Subject.IDs {
				s.kept[id] = s.kept[id] || !item.State.Ended()
			}
		}
		for _, t := range in.Previous.Transit {
			s.kept[t.Attempt] = true
		}
	}
	return s
}

// fits tells whether every sum of the input's amounts is far from the limits
// of int64, so that sums need no further check.
func fits(in *Input) bool {
	const limit = 1 << 60
	total := uint64(0)
	add := func(amounts ...int64) bool {
		for _, a := range amounts {
			if a < -limit || a > limit {
				return false
			}
			if a < 0 {
				a = -a
			}
			total += uint64(a)
		}
		return total < limit
	}
	for i := range in.Attempts {
		if !add(in.Attempts[i].Amount.Minor) {
			return false
		}
	}
	for i := range in.Lines {
		l := &in.Lines[i]
		if !add(l.Gross, l.Fee, l.Tax, l.Net, l.Presented.Minor) {
			return false
		}
	}
	unit := func(u *payment.Unit) bool {
		for _, p := range u.Plan {
			if !add(p.Minor) {
				return false
			}
		}
		return add(u.Asked.Minor, u.Captured.Minor, u.Principal.Minor)
	}
	for i := range in.Units {
		if !unit(&in.Units[i]) {
			return false
		}
	}
	for i := range in.Lookups {
		for k := range in.Lookups[i].Units {
			if !unit(&in.Lookups[i].Units[k]) {
				return false
			}
		}
	}
	for _, s := range in.Statements {
		if !add(s.Opening.Minor, s.Closing.Minor) {
			return false
		}
	}
	for _, c := range in.Charges {
		if !add(c.Minor) {
			return false
		}
	}
	return true
}
