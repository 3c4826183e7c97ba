package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// attempt gives one attempt its place: listed with its classes, or counted.
func (j *judge) attempt(a *evidence.Attempt) {
	j.out.judged.Attempts++
	s := evidence.Sort(a.Units)
	if len(a.Doubtful) > 0 && s.None() {
		j.attemptRow(a, a.Units, rowCannotBeJudged)
		return // listed by the entry of the unit that cannot be told apart
	}
	found := j.always(a, &s)
	var place Place
	var row string
	switch a.Status {
	case payment.Pending, payment.Unknown:
		found, place = j.open(a, &s, found)
		row = string(place)
	case payment.Succeeded:
		found, place, row = j.succeeded(a, &s, found)
	case payment.Failed:
		found, place = j.failed(a, &s, found)
		row = string(place)
	case payment.StatusNone:
		f := j.about(a, UnmappedStatus, P2)
		f.Raw = a.RawStatus
		found = append(found, f)
	}
	if len(found) == 0 {
		if place != "" && !twice(a) {
			j.out.places[place]++
		}
		j.attemptRow(a, a.Units, row)
		return
	}
	for i := range found {
		found[i].Reserve = a.Reserve
		if a.Status.Open() {
			j.ripen(a, &found[i])
		}
	}
	d := j.report(Subject{SubjectAttempt, []string{a.ID}}, found)
	if a.Status != payment.Succeeded {
		row = d.Class.String()
	}
	if d.Class == UnknownNotFound && d.Reason != ReasonStoredEvent {
		j.out.absent = append(j.out.absent, absent{divergence: len(j.out.divergences) - 1, sent: a.LastSent})
	}
	j.attemptRow(a, a.Units, row)
}

// twice tells whether an entry for several attempts lists this one.
func twice(a *evidence.Attempt) bool {
	for _, u := range a.Units {
		if u.Link == evidence.LinkedTwice {
			return true
		}
	}
	return false
}

// always finds the classes that stand whatever the status is (RULES §4).
func (j *judge) always(a *evidence.Attempt, s *evidence.Sorted) []finding {
	var found []finding
	otherEvent := func(e *payment.Event) bool { return e.Mode != a.Policy.Mode }
	if len(s.Other) > 0 || slices.ContainsFunc(a.Events, otherEvent) {
		found = append(found, with(j.about(a, TestModeMismatch, P1), s.Other))
	}
	if lines := evidence.WrongSign(a.Units); len(lines) > 0 && a.Direction() == payment.In {
		f := with(j.about(a, AmountMismatch, P2), a.Units)
		f.Hint, f.Lines, f.Actual = HintSign, lines, ""
		found = append(found, f)
	}
	if len(s.Unmapped) > 0 {
		f := with(j.about(a, UnmappedStatus, P2), s.Unmapped)
		f.Raw = cmp.Or(s.Unmapped[0].RawState, s.Unmapped[0].Untyped(), s.Unmapped[0].Reason)
		found = append(found, f)
	}
	if len(s.Conflict) > 0 {
		f := with(j.about(a, ConflictingLines, P2), s.Conflict)
		f.Lines = conflictIDs(s.Conflict)
		found = append(found, f)
	}
	return found
}

// HintSign marks a return whose amount has the sign of the other direction.
const HintSign = "sign"

// returned is what was given back of the units.
func returned(units []*evidence.Unit) (minor int64) {
	for _, u := range units {
		minor += u.Returned()
	}
	return minor
}

// failed: the provider holds money, still works on it, or agrees.
func (j *judge) failed(a *evidence.Attempt, s *evidence.Sorted, found []finding) ([]finding, Place) {
	switch {
	case len(s.Money) > 0:
		f := with(j.about(a, FailedButCharged, P1), s.Money)
		captured := int64(0)
		for _, u := range s.Money {
			captured += u.Money.Captured.Minor
		}
		if s.Money[0].Money.Captured.Known {
			f.Amount, f.Currency = captured, s.Money[0].Money.Currency
		}
		if f.Returned = returned(s.Money); f.Returned > 0 && f.Returned >= captured {
			f.Severity = P3
		}
		found = append(found, f)
		if m := j.compare(a, s.Money); m.class != NoClass && m.class != AmountAdjusted {
			found = append(found, j.mismatch(a, s.Money, m, P2))
		}
	case len(s.Unmapped)+len(s.Conflict)+len(s.Other) > 0:
	case a.Direction() == payment.In && returned(s.Stub) > 0: // what went back had come in
		f := with(j.about(a, FailedButCharged, P1), s.Stub)
		f.Returned = returned(s.Stub)
		found = append(found, f)
	default:
		severity := P2
		if a.Direction() == payment.Out {
			severity = P1
		}
		if open := mayStillMove(s.Open); len(open) > 0 {
			found = append(found, with(j.about(a, FailedButOpen, severity), open))
		}
	}
	return found, Agreed
}

// mayStillMove leaves out what was declined and could be tried again, as by
// another card: the merchant's failed says just that.
func mayStillMove(units []*evidence.Unit) (open []*evidence.Unit) {
	for _, u := range units {
		if !u.State.Dead() {
			open = append(open, u)
		}
	}
	return open
}

// ripen raises what has been open too long and names evidence that is about
// to disappear (RULES §4, review_after and aging_out).
func (j *judge) ripen(a *evidence.Attempt, f *finding) {
	age := j.now.Sub(a.CreatedAt)
	if age > a.Policy.Review(a.Attempt) {
		f.Severity = min(f.Severity, P2)
	}
	if held := a.Policy.HeldFor; held > 0 && age < held && age > held-agingOut {
		f.Attributes = append(f.Attributes, AttributeAgingOut)
		f.Severity = min(f.Severity, P2)
	}
}
