// Package reconcile compares the merchant's attempts with the provider's
// statements and says, of every line and every attempt, where it stands.
//
// Match is total, deterministic and pure: values in, values out, no clock, no
// I/O. It writes nothing, asks nobody and joins nothing by amount, date or
// name (RULES §2, law 9). RULES is its specification and the cases under
// testdata/cases its examples.
package reconcile

import (
	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// Match judges everything in scope (RULES §8) and returns the divergences, the
// places, the bridge and the verdict. Result.Defect is set where equations
// that only a bug can break do not hold, or where amounts add up beyond 64
// bits of minor units.
func Match(in Input) Result { return MatchBeside(in, nil) }

// MatchBeside is Match of the input and of sales that AddSales takes.
func MatchBeside(in Input, sales []Sales) Result {
	m := Open(in)
	m.AddSales(sales)
	m.Add(Part{
		Attempts: in.Attempts, Charges: in.Charges, Units: in.Units, Lines: in.Lines,
		Lookups: in.Lookups, Events: in.Events, Dismissed: in.Dismissed,
	})
	return m.Result()
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
		coverage: evidence.NewCoverage(in.Statements), kept: map[string]bool{}, keptCharges: map[string]bool{},
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
	for _, st := range in.Statements {
		s.balanced = s.balanced || st.Opening.Known && st.Closing.Known
	}
	if in.Previous != nil {
		for _, item := range in.Previous.Items {
			for _, id := range item.Subject.IDs {
				if item.Subject.Kind == SubjectCharge && id != "" && !item.State.Ended() {
					s.keptCharges[id] = true
				}
				s.kept[id] = s.kept[id] || !item.State.Ended()
			}
		}
		for _, t := range in.Previous.Transit {
			s.kept[t.Attempt] = true
		}
	}
	return s
}
