package evidence

import "desfecho/internal/payment"

// Sorted is an attempt's units by what they say of its money. A unit may stand
// in several sorts; one of which nothing is known but its name stands in none
// but Stub.
type Sorted struct {
	Money, Open, Dead, Unmapped, Other, Conflict, Stub []*Unit
}

// Sort tells money that moved, units that may still move it, units that ended
// without it, and those that cannot be judged: of a state outside the map, of
// the other mode, of lines that contradict each other, or known by a return or
// a fee alone.
func Sort(units []*Unit) Sorted {
	var s Sorted
	for _, u := range units {
		if len(u.Conflict) > 0 {
			s.Conflict = append(s.Conflict, u)
		}
		switch {
		case u.Other():
			// A look-up alone that answers with the other mode is no answer
			// about this attempt (law 5); a file or a list tells of a mix-up.
			if !u.onlyLookedUp() {
				s.Other = append(s.Other, u)
			}
		case u.State == payment.StateUnmapped:
			s.Unmapped = append(s.Unmapped, u)
			if u.Money.HasLines {
				s.Money = append(s.Money, u)
			}
		case u.Stub:
			s.Stub = append(s.Stub, u)
		case u.Money.Moved:
			s.Money = append(s.Money, u)
		case u.State.Dead() && u.Final:
			s.Dead = append(s.Dead, u)
		case u.State != payment.StateNone || u.Moving():
			s.Open = append(s.Open, u)
		case u.Untyped() != "":
			s.Unmapped = append(s.Unmapped, u)
		case len(u.Lines) > 0: // a fee alone says that the provider knows it, and nothing of its money
			s.Stub = append(s.Stub, u)
		}
	}
	return s
}

// None tells whether there is no unit at all.
func (s *Sorted) None() bool {
	return len(s.Money)+len(s.Open)+len(s.Dead)+len(s.Unmapped)+len(s.Other)+len(s.Conflict)+len(s.Stub) == 0
}

// OnlyLookedUp tells whether no statement shows the units: they were found by
// look-ups alone.
func OnlyLookedUp(units []*Unit) bool {
	for _, u := range units {
		if !u.onlyLookedUp() {
			return false
		}
	}
	return true
}

func (u *Unit) onlyLookedUp() bool {
	return u.Source&(payment.FromList|payment.FromLedger) == 0 && len(u.Lines)+len(u.Conflict) == 0
}

// FulfilsOpen tells whether an object without captured money is all that
// `succeeded` promises (RULES §1, succeeded_means).
func FulfilsOpen(means Means, u *Unit) bool {
	return means == MeansCreated && u.State.Open() || means == MeansAuthorized && u.State == payment.StateAuthorized
}

// WrongSign lists the lines that give back and bring money in, or the other
// way round: what they did to the balance is not what they are called
// (RULES §3.1, a total with the sign of the other direction).
func WrongSign(units []*Unit) []string {
	var lines []string
	for _, u := range units {
		for _, l := range u.Lines {
			given := l.Kind == payment.KindRefund || l.Kind == payment.KindChargeback
			back := l.Kind == payment.KindRefundReversal || l.Kind == payment.KindChargebackReversal
			if !l.Still && (given && l.Gross > 0 || back && l.Gross < 0) {
				lines = append(lines, l.ID)
			}
		}
		lines = append(lines, WrongSign(u.Children)...)
	}
	return lines
}

// Returned is all that came back of the unit's money, in minor units of its
// currency.
func (u *Unit) Returned() int64 {
	m := &u.Money
	if u.Flow() == FlowOut {
		return m.CameBack
	}
	back := m.Refunded + m.ChargedBack
	if m.Booked == 0 && m.Reversed > 0 {
		back += m.Reversed
	}
	return back
}

// Contradicted tells whether a statement says captured, and the look-up absent, open,
// declined or nothing clear (RULES §6). A source that does not exist or no
// longer holds the period contradicts nothing.
func (a *Attempt) Contradicted(captured []*Unit) bool {
	answers := &a.Answers
	switch {
	case !answers.Asked || answers.PeriodNotHeld:
		return false
	case len(answers.Found) == 0:
		return true
	}
	for _, u := range answers.Found {
		if u.State.Money() || u.State == payment.StateNone { // no state of its own says nothing else
			return false
		}
		for _, c := range captured {
			if c == u {
				return true
			}
		}
	}
	return false
}

// LookAlike tells whether the unit may be an absent attempt's, and nothing but
// a person can tell: captured, and no key of it names an attempt. It blocks
// and never joins (law 9).
func (u *Unit) LookAlike() bool {
	return u.Link == Unlinked && u.Money.Moved && !u.Stub && !u.Other() && u.State != payment.StateUnmapped
}

// Near is when a look-alike of an attempt that was created and last sent at
// those instants may have been captured.
func (p *Policy) Near(created, sent payment.Instant) payment.Interval {
	return payment.Interval{From: created.Add(-p.LookAlikeWindow), To: max(created, sent).Add(p.LookAlikeWindow) + 1}
}
