package reconcile

import (
	"slices"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// AttributeAgingOut marks an open attempt whose evidence disappears within
// seven days.
const AttributeAgingOut = "aging_out"

const agingOut = 7 * 24 * time.Hour

// The reasons that reconcile gives (besides those of an inconclusive look-up).
const (
	ReasonContradiction = "contradiction"
	ReasonNotAsked      = "not_asked"
	ReasonLookAlike     = "look_alike"
	ReasonStoredEvent   = "stored_event"
	ReasonNotCovered    = "not_covered"
	ReasonBefore        = "before_horizon"
)

// open judges a pending or unknown attempt.
func (j *judge) open(a *evidence.Attempt, s *unitsOf, found []finding) ([]finding, Place) {
	orphan := a.Status == payment.Pending
	if orphan && !a.Policy.Orphan(a.Attempt, j.now) {
		if len(s.money) > 0 { // a mismatch stands whatever the status is
			if m := j.compare(a, s.money); m.class != NoClass && m.class != AmountAdjusted {
				found = append(found, j.mismatch(a, s.money, m, P1))
			}
		}
		return found, InFlight
	}
	switch {
	case a.Answers.Lapsed && onlyLookedUp(a.Units):
		return append(found, j.inconclusive(a, orphan, ReasonContradiction)), ""
	case len(s.money) > 0:
		return append(found, j.openCharged(a, s, orphan)...), ""
	case len(s.unmapped)+len(s.conflict)+len(s.other) > 0:
		return found, ""
	case orphan:
		return append(found, with(j.about(a, PendingStale, P3), append(s.open, s.dead...))), ""
	case len(s.open) > 0:
		f := with(j.about(a, UnknownOpen, P3), s.open)
		if j.now.Sub(a.CreatedAt) > a.Policy.OpenLimit {
			f.Severity = P2
		}
		if a.Answers.Negative {
			f.Reason = ReasonContradiction
		}
		return append(found, f), ""
	case len(s.dead) > 0:
		f := with(j.about(a, UnknownDeclined, P2), s.dead)
		if a.Answers.Negative {
			f.Reason = ReasonContradiction
		}
		return append(found, f), ""
	case len(s.stub) > 0:
		return append(found, j.inconclusive(a, false, evidence.ReasonOnlyReturn)), ""
	default:
		return append(found, j.absent(a)), ""
	}
}

// onlyLookedUp tells whether no statement shows the units: they were found by
// look-ups alone.
func onlyLookedUp(units []*evidence.Unit) bool {
	for _, u := range units {
		if u.Source&(payment.FromList|payment.FromLedger) != 0 || len(u.Lines)+len(u.Conflict) > 0 {
			return false
		}
	}
	return true
}

func (j *judge) inconclusive(a *evidence.Attempt, orphan bool, reason string) finding {
	class := UnknownInconclusive
	if orphan {
		class = PendingStale
	}
	f := j.about(a, class, P3)
	f.Reason = reason
	return f
}

// openCharged: captured, amount and currency equal (or several captured, one
// of them equal), else a mismatch that pages while the attempt is open.
func (j *judge) openCharged(a *evidence.Attempt, s *unitsOf, orphan bool) []finding {
	m := j.compare(a, s.money)
	if m.class != NoClass && m.class != AmountAdjusted {
		return []finding{j.mismatch(a, s.money, m, P1)}
	}
	class := UnknownCharged
	if orphan {
		class = PendingCharged
	}
	f := with(j.about(a, class, P1), s.money)
	if j.contradicted(a, s.money) {
		f.Reason = ReasonContradiction
	}
	if m.class == AmountAdjusted {
		return []finding{f, j.mismatch(a, s.money, m, P4)}
	}
	return []finding{f}
}

// contradicted: a statement says captured, and the look-up says absent, open,
// declined or nothing clear (RULES §6). A source that does not exist or no
// longer holds the period contradicts nothing.
func (j *judge) contradicted(a *evidence.Attempt, captured []*evidence.Unit) bool {
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

// absent judges an unknown attempt that no unit is linked to.
func (j *judge) absent(a *evidence.Attempt) finding {
	answers := &a.Answers
	switch {
	case answers.Asked && answers.Reason != "":
		return j.inconclusive(a, false, answers.Reason)
	case !answers.Asked && a.Policy.Looks():
		f := j.about(a, UnknownWaiting, P4)
		f.Reason = ReasonNotAsked
		return f
	}
	absence := j.coverage.Open(a, j.now)
	switch {
	case !absence.Over:
		f := j.about(a, UnknownWaiting, P4)
		f.Until, f.Reason = absence.Until, ReasonBefore
		return f
	case !absence.Read:
		f := j.about(a, UnknownWaiting, P4)
		f.Reason = ReasonNotCovered
		return f
	}
	f := j.about(a, UnknownNotFound, P2)
	f.Grade = absence.Grade
	switch {
	case slices.ContainsFunc(a.Events, func(e *payment.Event) bool { return e.Mode == a.Policy.Mode }):
		f.Reason = ReasonStoredEvent
	case absence.Grade < payment.Proven:
		f.Reason = "coverage_" + absence.Grade.String()
	}
	return f
}
