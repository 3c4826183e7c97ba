package stripe

import (
	"cmp"
	"fmt"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// account is whose objects are read, and how: all that makes Stripe's JSON
// into units and lines. It does no I/O.
type account struct {
	name      string // of the configuration
	id        string
	mode      payment.Mode
	zone      *time.Location
	places    []provider.Place
	exponents exponents
}

// standing is what Stripe says of one object in the words of RULES §1.
type standing struct {
	state payment.State
	raw   string
	final bool
}

// blank is a unit of the object that states nothing but what it is called.
func (a *account) blank(o *object) payment.Unit {
	return payment.Unit{
		ID: o.ID, Provider: a.name, Account: a.id, Mode: a.mode, References: a.references(o, ""),
	}
}

// stand enters state and amounts. What cannot be counted in its currency is
// unmapped: told, and no mark is built on it.
func (a *account) stand(u *payment.Unit, s standing, currency string, asked, captured *int64) {
	u.State, u.RawState, u.Final = s.state, s.raw, s.final
	var err error
	read := func(amount *int64) payment.Stated {
		if amount == nil || err != nil {
			return payment.Stated{}
		}
		var minor int64
		if minor, u.Currency, err = a.exponents.minor(*amount, currency); err == nil && minor < 0 {
			err = fmt.Errorf("negative amount %d", *amount)
		}
		return payment.Known(minor)
	}
	u.Asked = read(asked)
	if s.state.Money() || s.state == payment.StateNone {
		u.Captured = read(captured)
	}
	if err != nil {
		u.State, u.RawState, u.Final = payment.StateUnmapped, s.raw+": "+err.Error(), false
		u.Asked, u.Captured, u.Currency = payment.Stated{}, payment.Stated{}, money.Currency{}
	}
}

// intentUnit is the unit of a payment intent, its latest charge expanded.
// disputes are those of that charge, asked for where it is disputed.
func (a *account) intentUnit(o *object, disputes []row) payment.Unit {
	u := a.blank(o)
	u.CreatedAt = instant(o.Created)
	if len(o.MethodTypes) == 1 {
		u.Method = o.MethodTypes[0]
	}
	if o.LastError != nil {
		u.Reason = cmp.Or(o.LastError.DeclineCode, o.LastError.Code)
	}
	u.Reason = cmp.Or(o.CancellationReason, u.Reason)
	c := o.LatestCharge.full(kindCharge)
	if c == nil || c.Status == "failed" {
		if c != nil && moved(c) || c == nil && o.LatestCharge.ID != "" && o.LastError == nil {
			u.Aliases = []string{o.LatestCharge.ID}
		}
		a.stand(&u, intentStanding(o, c, nil), o.Currency, o.Amount, o.AmountReceived)
		return u
	}
	u.Aliases = []string{c.ID}
	u.Method = cmp.Or(c.Method.Type, u.Method)
	s, captured := intentStanding(o, c, disputes), o.AmountReceived
	if c.AmountCaptured != nil {
		if captured != nil && *captured != *c.AmountCaptured {
			s = standing{payment.StateUnmapped, fmt.Sprintf("%s, received %d, captured %d", o.Status, *captured, *c.AmountCaptured), false}
		}
		captured = c.AmountCaptured
	}
	a.stand(&u, s, o.Currency, o.Amount, captured)
	return u
}

// chargeUnit is the unit of a charge. One of a payment intent is a try of it:
// what takes money is the intent's unit and named by both, and a try that
// failed at once is a unit of its own, so that it stands for nothing but
// itself.
func (a *account) chargeUnit(o *object, disputes []row) payment.Unit {
	u := a.blank(o)
	u.Method, u.Reason = o.Method.Type, o.FailureCode
	if intent := o.PaymentIntent.ID; intent != "" && (o.Status != "failed" || moved(o)) {
		u.ID, u.Aliases = intent, []string{o.ID}
		s := chargeStanding(o, disputes)
		if o.Status == "failed" || s.state == payment.StateCanceled { // the intent says how it ended
			return u
		}
		a.stand(&u, s, o.Currency, o.Amount, o.AmountCaptured)
		return u
	}
	u.CreatedAt = instant(o.Created)
	a.stand(&u, chargeStanding(o, disputes), o.Currency, o.Amount, o.AmountCaptured)
	return u
}

// moved tells whether a charge that failed was in the balance before.
func moved(o *object) bool { return o.Transaction.ID != "" || o.FailedBy.ID != "" }

// refundUnit is the unit of a refund, its balance transaction expanded. ok is
// false for the rest of a partial capture that Stripe gave back: it is no
// refund, and the ledger books it with the sale (RULES §1, charge_reversal).
func (a *account) refundUnit(o *object) (u payment.Unit, ok bool) {
	if isRest(o) {
		return u, false
	}
	u = a.blank(o)
	u.CreatedAt, u.Parent, u.Reason = instant(o.Created), parentOf(o), o.FailureReason
	a.stand(&u, refundStanding(o), o.Currency, o.Amount, o.Amount)
	return u, true
}

// isRest tells the rest of a partial capture from a refund.
func isRest(o *object) bool {
	t := o.Transaction.full(kindTransaction)
	return t != nil && t.Category == "partial_capture_reversal"
}

// disputeUnit ties a dispute to its sale. It states nothing: the sale's unit
// does, and the lines. ok is false for an inquiry, which takes no money.
func (a *account) disputeUnit(o *object) (u payment.Unit, ok bool) {
	if taken := disputeEffect(o.Status); taken == none && len(o.Transactions) == 0 {
		return u, false
	}
	u = a.blank(o)
	u.Parent, u.RawState = parentOf(o), o.Status
	return u, true
}

// transferUnit is the unit of a transfer to a connected account.
func (a *account) transferUnit(o *object) payment.Unit {
	u := a.blank(o)
	u.CreatedAt = instant(o.Created)
	s := standing{payment.StateCaptured, "created", true}
	if o.Reversed {
		s = standing{payment.StateRefunded, "reversed", true}
	}
	a.stand(&u, s, o.Currency, o.Amount, o.Amount)
	return u
}

// payoutUnit is the unit of a payout that an attempt may be about.
func (a *account) payoutUnit(o *object) payment.Unit {
	u := a.blank(o)
	u.CreatedAt, u.Reason = instant(o.Created), o.FailureCode
	a.stand(&u, payoutStanding(o), o.Currency, o.Amount, o.Amount)
	return u
}

// parentOf names the sale that a refund or dispute gives back.
func parentOf(o *object) string { return cmp.Or(o.PaymentIntent.ID, o.Charge.ID) }

// instant of Stripe's seconds; 0 is not stated.
func instant(seconds int64) payment.Instant { return payment.Instant(seconds * 1_000_000) }
