package reconcile

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// unit judges a unit that is not simply one attempt's: unlinked, named by
// several, or recorded twice.
func (j *judge) unit(u *evidence.Unit) {
	switch u.Link {
	case evidence.Linked, evidence.Follower:
	case evidence.LinkedTwice:
		f := j.aboutUnit(u, RecordedTwice, P2)
		f.Charge = u.Attempts[0].Charge
		j.report(attemptsSubject(u.Attempts), []finding{f})
	case evidence.Ambiguous:
		f := j.aboutUnit(u, AmbiguousMatch, P1)
		f.Charge = u.Attempts[0].Charge
		j.report(attemptsSubject(u.Attempts), []finding{f})
	case evidence.Collision:
		j.collision(u)
	case evidence.Unlinked:
		j.unlinked(u)
	}
}

func attemptsSubject(attempts []*evidence.Attempt) Subject {
	ids := make([]string, len(attempts))
	for i, a := range attempts {
		ids[i] = a.ID
	}
	slices.Sort(ids)
	return Subject{SubjectAttempts, slices.Compact(ids)}
}

func (j *judge) aboutUnit(u *evidence.Unit, class Class, severity Severity) finding {
	s := stake(u)
	f := finding{
		Class: class, Severity: severity, Provider: u.Provider, Account: u.Account, Mode: u.Mode, Unit: u.ID,
		Currency: s.Currency, Amount: s.Minor, Since: u.Since(),
	}
	if u.Flow() == evidence.FlowOut {
		f.Direction = payment.Out
	}
	for _, a := range u.Attempts {
		f.Attempts = append(f.Attempts, a.ID)
	}
	return f
}

// collision makes one entry per reference, however many units carry it.
func (j *judge) collision(u *evidence.Unit) {
	for i := j.first; i < len(j.out.divergences); i++ {
		d := &j.out.divergences[i]
		if d.Class == ReferenceCollision && d.Reference == u.Shared && d.Provider == u.Provider && sameAttempts(d, u) {
			d.Amount += stake(u).Minor
			return
		}
	}
	f := j.aboutUnit(u, ReferenceCollision, P1)
	f.Reference = u.Shared
	j.report(attemptsSubject(u.Attempts), []finding{f})
}

func sameAttempts(d *Divergence, u *evidence.Unit) bool {
	return len(d.Attempts) == len(u.Attempts) &&
		(len(u.Attempts) > manyAttempts || d.Subject.String() == attemptsSubject(u.Attempts).String())
}

// manyAttempts: from here one entry per reference is not compared id by id.
const manyAttempts = 100

// unlinked judges a unit that belongs to no attempt.
func (j *judge) unlinked(u *evidence.Unit) {
	if u.Stub || !u.Moving() {
		return
	}
	subject := Subject{SubjectUnit, []string{u.ID}}
	if u.Nameless {
		subject.Kind = SubjectLine
	}
	var found []finding
	if u.Other() {
		f := j.aboutUnit(u, TestModeMismatch, P1)
		j.report(subject, []finding{f})
		return
	}
	if len(u.Conflict) > 0 {
		f := j.aboutUnit(u, ConflictingLines, P2)
		f.Lines = conflictIDs([]*evidence.Unit{u})
		found = append(found, f)
	}
	if u.State == payment.StateUnmapped {
		f := j.aboutUnit(u, UnmappedStatus, P2)
		f.Raw = u.RawState
		found = append(found, f)
	}
	switch {
	case j.expected(u):
		j.out.places[ExpectedWithoutAttempt]++
	case !u.Money.Moved && !u.Returns():
		if len(found) == 0 {
			j.out.places[NoMoney]++
		}
	case !j.own(u):
		j.out.places[OwnSideNotCovered]++
	case !j.coverage.NamesTold(u):
		j.out.places[NotCovered]++
	default:
		f := j.unrecorded(u)
		f.Grade = j.ownGrade
		found = append(found, f)
	}
	if len(found) > 0 {
		j.report(subject, found)
	}
}

// unrecorded words money of the provider's that no attempt asked for.
func (j *judge) unrecorded(u *evidence.Unit) finding {
	if u.Flow() == evidence.FlowOut {
		refund, chargeback := u.GaveBack()
		switch {
		case u.Money.Booked > 0 && chargeback == 0, refund > 0:
			f := j.aboutUnit(u, UnrecordedOutflow, P1)
			f.Amount = max(u.Money.Booked, refund)
			if f.Amount == 0 {
				f.Amount = stake(u).Minor
			}
			return f
		case chargeback == 0 && !u.Money.HasLines && u.Money.Moved:
			return j.aboutUnit(u, UnrecordedOutflow, P1)
		}
		f := j.aboutUnit(u, UnlinkedReversal, P2)
		f.Amount = max(chargeback, u.Money.CameBack)
		return f
	}
	if !u.Money.HasLines && !u.State.Money() {
		f := j.aboutUnit(u, UnlinkedReversal, P2)
		f.Amount = u.Money.Reversed
		return f
	}
	f := j.aboutUnit(u, UnrecordedCharge, P1)
	f.LinkedCharge, f.Returned = u.ForeignCharge, u.Returned()
	return f
}

// expected tells whether the profile expects the unit without an attempt: by
// its method, or by the words of all its lines.
func (j *judge) expected(u *evidence.Unit) bool {
	if u.Method != "" && u.Policy.Expects(u.Method) {
		return true
	}
	moved := false
	for _, l := range u.Lines {
		if evidence.Moves(l.Kind) {
			if !u.Policy.Expects(l.Raw) {
				return false
			}
			moved = true
		}
	}
	return moved || len(u.Lines) == 0 && u.RawState != "" && u.Policy.Expects(u.RawState)
}

// own tells whether our own side was loaded where the unit's attempt would
// stand: by the unit's creation, else its first line (RULES §4).
func (j *judge) own(u *evidence.Unit) bool {
	if j.ownSide == nil {
		return true
	}
	at := u.Since()
	return slices.ContainsFunc(j.ownSide, func(w payment.Interval) bool { return w.Contains(at) })
}

func conflictIDs(units []*evidence.Unit) []string {
	var ids []string
	for _, u := range units {
		for _, l := range u.Conflict {
			if !slices.Contains(ids, l.ID) {
				ids = append(ids, l.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}
