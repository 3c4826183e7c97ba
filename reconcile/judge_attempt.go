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
	s := sortUnits(a.Units)
	if len(a.Doubtful) > 0 && s.none() {
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
func (j *judge) always(a *evidence.Attempt, s *unitsOf) []finding {
	var found []finding
	otherEvent := func(e *payment.Event) bool { return e.Mode != a.Policy.Mode }
	if len(s.other) > 0 || slices.ContainsFunc(a.Events, otherEvent) {
		found = append(found, with(j.about(a, TestModeMismatch, P1), s.other))
	}
	if lines := wrongSign(a.Units); len(lines) > 0 && a.Direction() == payment.In {
		f := with(j.about(a, AmountMismatch, P2), a.Units)
		f.Hint, f.Lines, f.Actual = HintSign, lines, ""
		found = append(found, f)
	}
	if len(s.unmapped) > 0 {
		f := with(j.about(a, UnmappedStatus, P2), s.unmapped)
		f.Raw = cmp.Or(s.unmapped[0].RawState, s.unmapped[0].Untyped(), s.unmapped[0].Reason)
		found = append(found, f)
	}
	if len(s.conflict) > 0 {
		f := with(j.about(a, ConflictingLines, P2), s.conflict)
		f.Lines = conflictIDs(s.conflict)
		found = append(found, f)
	}
	return found
}

// HintSign marks a return whose amount has the sign of the other direction.
const HintSign = "sign"

// wrongSign lists the lines that give back and bring money in, or the other
// way round: what they did to the balance is not what they are called
// (RULES §3.1, a total with the sign of the other direction).
func wrongSign(units []*evidence.Unit) []string {
	var lines []string
	for _, u := range units {
		for _, l := range u.Lines {
			given := l.Kind == payment.KindRefund || l.Kind == payment.KindChargeback
			back := l.Kind == payment.KindRefundReversal || l.Kind == payment.KindChargebackReversal
			if !l.Still && (given && l.Gross > 0 || back && l.Gross < 0) {
				lines = append(lines, l.ID)
			}
		}
		lines = append(lines, wrongSign(u.Children)...)
	}
	return lines
}

// failed: the provider holds money, still works on it, or agrees.
func (j *judge) failed(a *evidence.Attempt, s *unitsOf, found []finding) ([]finding, Place) {
	switch {
	case len(s.money) > 0:
		f := with(j.about(a, FailedButCharged, P1), s.money)
		captured, returned := int64(0), int64(0)
		for _, u := range s.money {
			captured += u.Money.Captured.Minor
			returned += returnedOf(u)
		}
		if s.money[0].Money.Captured.Known {
			f.Amount, f.Currency = captured, s.money[0].Money.Currency
		}
		if f.Returned = returned; returned > 0 && returned >= captured {
			f.Severity = P3
		}
		found = append(found, f)
		if m := j.compare(a, s.money); m.class != NoClass && m.class != AmountAdjusted {
			found = append(found, j.mismatch(a, s.money, m, P2))
		}
	case len(s.unmapped)+len(s.conflict)+len(s.other) > 0:
	case len(s.open) > 0:
		severity := P2
		if a.Direction() == payment.Out {
			severity = P1
		}
		found = append(found, with(j.about(a, FailedButOpen, severity), s.open))
	}
	return found, Agreed
}

// returnedOf is all that came back of a unit's money.
func returnedOf(u *evidence.Unit) int64 {
	m := &u.Money
	if u.Flow() == evidence.FlowOut {
		return m.CameBack
	}
	back := m.Refunded + m.ChargedBack
	if m.Booked == 0 && m.Reversed > 0 {
		back += m.Reversed
	}
	return back
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
