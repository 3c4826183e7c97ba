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
func (j *judge) open(a *evidence.Attempt, s *evidence.Sorted, found []finding) ([]finding, Place) {
	orphan := a.Status == payment.Pending
	if orphan && !a.Policy.Orphan(a.Attempt, j.now) {
		if len(s.Money) > 0 { // a mismatch stands whatever the status is
			if m := j.compare(a, s.Money); m.class != NoClass && m.class != AmountAdjusted {
				found = append(found, j.mismatch(a, s.Money, m, P1))
			}
		}
		return found, InFlight
	}
	switch {
	case a.Answers.Lapsed && evidence.OnlyLookedUp(a.Units):
		return append(found, j.inconclusive(a, orphan, ReasonContradiction)), ""
	case len(s.Money) > 0:
		return append(found, j.openCharged(a, s, orphan)...), ""
	case len(s.Unmapped)+len(s.Conflict)+len(s.Other) > 0:
		return found, ""
	case orphan:
		return append(found, with(j.about(a, PendingStale, P3), append(s.Open, s.Dead...))), ""
	case len(s.Open) > 0:
		f := with(j.about(a, UnknownOpen, P3), s.Open)
		if j.now.Sub(a.CreatedAt) > a.Policy.OpenLimit {
			f.Severity = P2
		}
		if a.Answers.Negative {
			f.Reason = ReasonContradiction
		}
		return append(found, f), ""
	case len(s.Dead) > 0:
		f := with(j.about(a, UnknownDeclined, P2), s.Dead)
		if a.Answers.Negative {
			f.Reason = ReasonContradiction
		}
		return append(found, f), ""
	case len(s.Stub) > 0:
		return append(found, j.inconclusive(a, false, evidence.ReasonOnlyReturn)), ""
	default:
		return append(found, j.absent(a)), ""
	}
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
func (j *judge) openCharged(a *evidence.Attempt, s *evidence.Sorted, orphan bool) []finding {
	m := j.compare(a, s.Money)
	if m.class != NoClass && m.class != AmountAdjusted {
		return []finding{j.mismatch(a, s.Money, m, P1)}
	}
	class := UnknownCharged
	if orphan {
		class = PendingCharged
	}
	f := with(j.about(a, class, P1), s.Money)
	if a.Contradicted(s.Money) {
		f.Reason = ReasonContradiction
	}
	if m.class == AmountAdjusted {
		return []finding{f, j.mismatch(a, s.Money, m, P4)}
	}
	return []finding{f}
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
