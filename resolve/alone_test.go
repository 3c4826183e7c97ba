package resolve_test

import (
	"testing"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// Each of these facts alone closes a mark that is offered without it.
func TestOneFactAloneClosesAMark(t *testing.T) {
	t.Parallel()
	absent := row{status: unknown, means: evidence.MeansCaptured, asked: noTwice, statement: emptyList}
	captured := row{status: unknown, means: evidence.MeansCaptured, asked: foundNow, statement: listed, state: payment.StateCaptured}
	booked := row{status: unknown, means: evidence.MeansCaptured, asked: foundNow, statement: provenLine, state: payment.StateCaptured}
	declined := row{status: unknown, means: evidence.MeansCaptured, asked: foundNow, statement: listed, state: payment.StateDeclined}
	for _, c := range []struct {
		fact   string
		base   row
		mark   resolve.Mark
		change func(*row)
	}{
		{"the list's end is an operator's word", absent, resolve.Failed, func(r *row) { r.statement = claimedList }},
		{"the list was not read so far", absent, resolve.Failed, func(r *row) { r.statement = unreadList }},
		{"a stored event names it", absent, resolve.Failed, func(r *row) { r.extra = capturedEvent }},
		{"the look-up denies what the list shows", captured, resolve.Succeeded, func(r *row) { r.asked = noTwice }},
		{"the look-up denies what a line says", booked, resolve.Succeeded, func(r *row) { r.state = payment.StateAuthorized }},
		{"a second captured object", captured, resolve.Succeeded, func(r *row) { r.extra = secondCapture }},
		{"another amount", captured, resolve.Succeeded, func(r *row) { r.amount = other }},
		{"a reference of the charge alone ties the declined object", declined, resolve.Failed, func(r *row) { r.byCharge = true }},
	} {
		before := resolve.Decide(c.base.caseOf())
		if o := before.Offers(c.mark); !o.Allowed {
			t.Errorf("%s: %s is refused without it: %s", c.fact, c.mark, o.Sentence)
		}
		changed := c.base
		c.change(&changed)
		after := resolve.Decide(changed.caseOf())
		if o := after.Offers(c.mark); o.Allowed {
			t.Errorf("%s: %s is offered all the same: %s", c.fact, c.mark, o.Sentence)
		}
	}
}
