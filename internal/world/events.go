package world

import (
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// deed is one kind of thing that happens at a provider.
type deed uint8

const (
	waits      deed = iota // the payer or the provider must act
	works                  // the provider works on it
	authorizes             // the amount is held
	declines
	cancels
	expires
	captures
	refunds   // the merchant gives money back
	disputes  // the payer's bank takes it back
	wins      // the dispute was won
	reverses  // a capture is undone by the provider
	comesBack // an outflow returns
	mystifies // a state that no map knows
)

// event is one deed at an object: when it happened, when the ledger shows it,
// how much it moves (minor units of the payer's currency).
type event struct {
	deed   deed
	at     payment.Instant
	booked payment.Instant
	minor  int64
	n, of  int
	line   string // the line's id, where something here stored it
	row    string // its bridge row, where it is not its object's
}

// purpose is what an object is for.
type purpose uint8

const (
	sale purpose = iota
	transfer
	giveBack // a refund with an object of its own
)

// object is what the provider holds: an identity, the keys it was sent, and
// everything that happened to it.
type object struct {
	provider  string
	purpose   purpose
	id        string
	alias     string
	parent    string
	group     string
	n, of     int
	refs      []payment.Reference
	key       string
	metadata  string // our charge's id where no reference is configured
	created   payment.Instant
	events    []event
	plan      []payment.Parcel
	method    string
	recipient string
	currency  money.Currency // the payer's
	asked     int64
	fixed     payment.Stated // the principal
	mode      payment.Mode
	raw       string
	unstated  bool  // the provider does not state what was captured
	dayOnly   bool  // it tells the day of creation only
	gaveBack  int64 // by refunds with objects of their own

	row  string // bridge row of what it moved
	back string // bridge row of what came back
}

// happens adds an event that the ledger, if it moves money, shows at once.
func (o *object) happens(d deed, at payment.Instant, minor int64) *object {
	o.events = append(o.events, event{deed: d, at: at, booked: at, minor: minor})
	return o
}

// state folds the events into what the provider says of the object now.
func (o *object) state() payment.State {
	state := payment.StateNone
	for _, e := range o.events {
		switch e.deed {
		case waits:
			state = payment.StateRequiresAction
		case works:
			state = payment.StateProcessing
		case authorizes:
			state = payment.StateAuthorized
		case declines:
			state = payment.StateDeclined
		case cancels:
			state = payment.StateCanceled
		case expires:
			state = payment.StateExpired
		case captures, wins:
			state = payment.StateCaptured
		case disputes:
			state = payment.StateDisputed
		case mystifies:
			state = payment.StateUnmapped
		case refunds, reverses, comesBack:
			state = o.afterReturn(state)
		}
	}
	if o.gaveBack > 0 {
		state = o.afterReturn(state)
	}
	return state
}

// afterReturn is refunded once all that was captured has gone back.
func (o *object) afterReturn(state payment.State) payment.State {
	if o.total(captures) <= o.total(refunds)+o.total(reverses)+o.total(comesBack)+o.gaveBack {
		return payment.StateRefunded
	}
	return state
}

func (o *object) total(d deed) int64 {
	var sum int64
	for _, e := range o.events {
		if e.deed == d {
			sum += e.minor
		}
	}
	return sum
}

// captured is what the provider states as captured in all: what was taken less
// what was undone of it; a capture wholly undone is stated as it had been.
func (o *object) captured() payment.Stated {
	if o.unstated {
		return payment.Stated{}
	}
	taken, undone := o.total(captures), o.total(reverses)
	if undone < taken {
		taken -= undone
	}
	return payment.Known(taken)
}

// unit is the object as the provider shows it.
func (o *object) unit(account string) payment.Unit {
	state := o.state()
	u := payment.Unit{
		ID: o.id, Group: o.group, N: o.n, Of: o.of, Provider: o.provider, Account: account, Mode: o.mode,
		Key: o.key, References: o.refs, ForeignCharge: o.metadata, Parent: o.parent,
		State: state, RawState: o.raw, Final: state == payment.StateCaptured || state == payment.StateRefunded || state.Dead(),
		Captured: o.captured(), Principal: o.fixed, Currency: o.currency, Method: o.method,
		CreatedAt: o.created, Precision: time.Second, Plan: o.plan,
	}
	if o.asked != 0 {
		u.Asked = payment.Known(o.asked)
	}
	for _, alias := range []string{o.alias, o.group} {
		if alias != "" {
			u.Aliases = append(u.Aliases, alias)
		}
	}
	if o.dayOnly {
		u.Precision = 24 * time.Hour
	}
	return u
}

// lineOf says how the ledger shows an event: kind, sign of the money, and
// whether it is money that came back.
func (o *object) lineOf(d deed) (kind payment.Kind, sign int64, back bool) {
	switch d { //nolint:exhaustive // the others change nothing here
	case captures:
		switch o.purpose { //nolint:exhaustive // the others change nothing here
		case transfer:
			return payment.KindTransferOut, -1, false
		case giveBack:
			return payment.KindRefund, -1, false
		default:
			return payment.KindCharge, 1, false
		}
	case refunds:
		return payment.KindRefund, -1, true
	case disputes:
		return payment.KindChargeback, -1, true
	case wins:
		return payment.KindChargebackReversal, 1, true
	case reverses:
		return payment.KindChargeReversal, -1, true
	case comesBack:
		if o.purpose == giveBack {
			return payment.KindRefundReversal, 1, true
		}
		return payment.KindTransferReversal, 1, true
	default:
		return payment.KindOther, 0, false
	}
}
