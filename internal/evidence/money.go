package evidence

import (
	"cmp"
	"math"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Money is what a unit moved, in minor units of Currency, the payer's.
// Incoming and outgoing units are both counted positive in their own
// direction.
type Money struct {
	Currency money.Currency
	Moved    bool // money was captured or sent
	// Captured is the unit's captured amount: what the provider states, else
	// its lines with the parcels still to come; not known where neither tells.
	Captured payment.Stated
	// Booked is what lines show of it, less what was reversed.
	Booked int64
	// HasLines: at least one line moved this unit's own money.
	HasLines bool
	// Reversed is what charge_reversal lines undid; Refunded and ChargedBack
	// are net of what came back, over the unit and its followers and recorded
	// returns. Unbooked of them were recorded on no out attempt.
	Reversed, Refunded, ChargedBack     int64
	UnbookedRefund, UnbookedChargedBack int64
	// OnlyState: the unit's state alone tells of the refund.
	OnlyState       bool
	CameBack        int64 // of an outflow
	NotDue, Overdue int64 // parcels of the plan without a line yet
	Late            []payment.Parcel
	Share           bool // lines are one recipient's share: amounts are not compared
	WhollyReversed  bool
	Converted       bool // lines are in another currency and say nothing of the payer's
}

// count adds up what moved.
func (u *Unit) count(now payment.Instant) Money {
	m := Money{Currency: u.payerCurrency()}
	if u.Flow() == FlowOut {
		u.countOut(&m)
	} else {
		u.countIn(&m, now)
	}
	return m
}

// payerCurrency is what the unit states, else what its lines present.
func (u *Unit) payerCurrency() money.Currency {
	if !u.Currency.IsZero() {
		return u.Currency
	}
	for _, l := range u.Lines {
		if Moves(l.Kind) || l.Kind == payment.KindPayout {
			if l.Presented.Known {
				return l.PresentedCurrency
			}
			return l.Currency
		}
	}
	for _, c := range u.Children { // of a sale that only its returns tell of
		if currency := c.Currency; !currency.IsZero() {
			return currency
		}
		if len(c.Lines) > 0 {
			return cmp.Or(c.Lines[0].PresentedCurrency, c.Lines[0].Currency)
		}
	}
	return money.Currency{}
}

// Value is a line's amount in currency; ok is false where the line says
// nothing in it.
func Value(l *payment.Line, currency money.Currency) (minor int64, ok bool) {
	if l.Presented.Known && l.PresentedCurrency == currency {
		return l.Presented.Minor, true
	}
	if l.Currency == currency {
		return l.Gross, true
	}
	return 0, false
}

// sums adds the unit's lines by kind, those that moved money only.
func (u *Unit) sums(m *Money, of func(payment.Kind) *int64) {
	for _, l := range u.Lines {
		if l.Still {
			continue
		}
		into := of(l.Kind)
		m.Share = m.Share || l.Recipient != ""
		if v, ok := Value(l, m.Currency); ok {
			*into += v
		} else {
			m.Converted = true
		}
	}
}

func (u *Unit) countIn(m *Money, now payment.Instant) {
	var charged, reversed, refunds, disputes, ignored int64
	u.sums(m, func(k payment.Kind) *int64 {
		switch k { //nolint:exhaustive // only the kinds that move a sale's money
		case payment.KindCharge:
			m.HasLines = true
			return &charged
		case payment.KindChargeReversal:
			return &reversed
		case payment.KindRefund, payment.KindRefundReversal:
			return &refunds
		case payment.KindChargeback, payment.KindChargebackReversal:
			return &disputes
		default:
			return &ignored
		}
	})
	reversed += u.reversedApart(m.Currency)
	m.Reversed, m.Booked = -reversed, charged+reversed
	m.Refunded, m.ChargedBack = max(-refunds, 0), max(-disputes, 0)
	m.UnbookedRefund, m.UnbookedChargedBack = m.Refunded, m.ChargedBack
	m.Moved = u.State.Money() || m.HasLines
	if m.Moved {
		u.capturedAmount(m, charged, now)
	}
	u.countReturns(m)
}

// reversedApart adds capture reversals that the provider books as units of
// their own: they undo the capture and are no refund (RULES §1, line kinds).
func (u *Unit) reversedApart(currency money.Currency) int64 {
	var sum int64
	for _, c := range u.Children {
		for _, l := range c.Lines {
			if c.Link == Follower && l.Kind == payment.KindChargeReversal && !l.Still {
				if v, ok := Value(l, currency); ok {
					sum += v
				}
			}
		}
	}
	return sum
}

func (u *Unit) movedLine(k payment.Kind) bool {
	for _, l := range u.Lines {
		if l.Kind == k && !l.Still {
			return true
		}
	}
	return false
}

// capturedAmount follows RULES §3.1: the provider's word, else the lines if
// all parcels are there, else what is booked and what the plan still owes. A
// capture that was wholly reversed keeps the amount it had.
func (u *Unit) capturedAmount(m *Money, charged int64, now payment.Instant) {
	seen, of := u.booked()
	complete := len(seen) >= of
	if len(u.Plan) > 0 && m.HasLines && (of == 0 || !complete) {
		u.owed(m, seen, now)
		complete = true
	}
	if u.State == payment.StateNone || u.State.Money() {
		m.Captured = u.Captured
	}
	switch {
	case m.Captured.Known:
		if rest := m.Captured.Minor - m.Booked - m.NotDue - m.Overdue; m.HasLines && !complete && rest > 0 {
			m.NotDue += rest
		}
	case m.Converted:
	case m.HasLines && m.Booked == 0 && m.Reversed > 0:
		m.Captured = payment.Known(charged)
	case m.HasLines && complete:
		m.Captured = payment.Known(m.Booked + m.NotDue + m.Overdue)
	case !m.HasLines:
		m.Captured = u.Asked
	}
}

// owed splits the parcels without a line into those not due yet and those
// overdue.
func (u *Unit) owed(m *Money, seen map[int]bool, now payment.Instant) {
	for _, p := range u.Plan {
		switch {
		case seen[p.N]:
		case (u.Policy.Opens(p.Due) + 1).Start(u.Policy.Zone).Add(u.Policy.PublishLag) > now: // its day has not passed
			m.NotDue += p.Minor
		default:
			m.Overdue += p.Minor
			m.Late = append(m.Late, p)
		}
	}
}

// booked lists which n of the unit's parcels have a charge line, and N: as the
// line says it, else as the object that it names. A line that does not say of
// how many parcels it is leaves open whether others follow.
func (u *Unit) booked() (seen map[int]bool, of int) {
	for _, l := range u.Lines {
		if l.Kind != payment.KindCharge || l.Still {
			continue
		}
		p := parcel{int(l.N), int(l.Of)}
		switch {
		case p == (parcel{}):
			p = u.parcels[l.Unit]
		case p.of == 0:
			p.of = math.MaxInt
		}
		if p == (parcel{}) {
			continue
		}
		if seen == nil {
			seen = map[int]bool{}
		}
		seen[p.n] = true
		of = max(of, p.of)
	}
	return seen, of
}

// countReturns adds what followers and recorded returns gave back.
func (u *Unit) countReturns(m *Money) {
	for _, c := range u.Children {
		refund, chargeback := c.gaveBack(m.Currency)
		m.Refunded += refund
		m.ChargedBack += chargeback
		if c.Link == Follower {
			m.UnbookedRefund += refund
			m.UnbookedChargedBack += chargeback
		}
	}
	if !m.Captured.Known {
		return
	}
	// The state alone tells of a return that no line and no unit shows.
	switch {
	case u.State == payment.StateRefunded && m.Refunded == 0 && m.Reversed == 0 && m.ChargedBack == 0:
		m.Refunded, m.UnbookedRefund, m.OnlyState = m.Captured.Minor, m.Captured.Minor, true
	case u.State == payment.StateDisputed && m.ChargedBack == 0 && !u.movedLine(payment.KindChargeback):
		m.ChargedBack, m.UnbookedChargedBack = m.Captured.Minor, m.Captured.Minor
	}
}

// gaveBack is what a return took from its sale, in the sale's currency.
func (u *Unit) gaveBack(currency money.Currency) (refund, chargeback int64) {
	lines := false
	for _, l := range u.Lines {
		v, ok := Value(l, currency)
		if !ok || l.Still {
			continue
		}
		switch l.Kind { //nolint:exhaustive // only the kinds that give back
		case payment.KindRefund, payment.KindRefundReversal:
			refund, lines = refund-v, true
		case payment.KindChargeReversal: // see reversedApart
			lines = true
		case payment.KindChargeback, payment.KindChargebackReversal:
			chargeback, lines = chargeback-v, true
		}
	}
	if !lines && u.State == payment.StateCaptured && u.Captured.Known && len(u.Conflict) == 0 {
		refund = u.Captured.Minor
	}
	return max(refund, 0), max(chargeback, 0)
}

// countOut adds up an outflow: the lines' amounts with the sign turned.
func (u *Unit) countOut(m *Money) {
	var sent, back, ignored int64
	u.sums(m, func(k payment.Kind) *int64 {
		switch k { //nolint:exhaustive // only the kinds that move an outflow's money
		case payment.KindRefund, payment.KindTransferOut, payment.KindPayout, payment.KindChargeback:
			m.HasLines = true
			return &sent
		case payment.KindRefundReversal, payment.KindTransferReversal, payment.KindPayoutReversal, payment.KindChargebackReversal:
			return &back
		default:
			return &ignored
		}
	})
	m.Booked = -sent
	m.Moved = u.State.Money() || m.HasLines
	m.Captured = u.Captured
	switch {
	case !m.Moved:
		m.Captured = payment.Stated{}
	case !m.Captured.Known && m.HasLines && !m.Converted:
		m.Captured = payment.Known(-sent)
	case !m.Captured.Known:
		m.Captured = u.Asked
	}
	m.CameBack = max(back, 0)
	if m.CameBack == 0 && u.State == payment.StateRefunded && m.Captured.Known {
		m.CameBack = m.Captured.Minor
	}
}
