package evidence

import (
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// FeeRule is what was agreed that the provider keeps of a sale, taxes on it
// included: a share of its gross and a fixed amount.
type FeeRule struct {
	Method     string // "": any, also one that is not known
	From, To   int    // number of parcels of the sale; 0: any
	Currency   money.Currency
	Millionths int64 // of the gross
	Fixed      int64 // minor units
	EachParcel bool  // Fixed is kept of each parcel, not once
}

// applies tells whether the rule is about a sale.
func (r *FeeRule) applies(method string, parcels int, currency money.Currency) bool {
	return (r.Method == "" || r.Method == method) && r.Currency == currency &&
		(r.From == 0 || parcels >= r.From) && (r.To == 0 || parcels <= r.To)
}

// Fee is what was kept of a sale beside what was agreed, in minor units.
type Fee struct {
	Agreed, Kept int64
	Currency     money.Currency
	Until        payment.Instant // of the last line that it rests on
	rounding     int64
}

// Off tells whether they differ by more than each line's rounding.
func (f Fee) Off() bool { return money.Magnitude(f.Kept-f.Agreed) > f.rounding }

// Fee compares what the lines of a sale say that was kept with the first rule
// that is about it. ok is false where nothing can be said: no rule, no line, no
// whole sale (one recipient's share), several currencies, or money that went
// back, with which each provider returns another part of its fee.
func (u *Unit) Fee() (fee Fee, ok bool) {
	if len(u.Policy.Fees) == 0 || u.Flow() == FlowOut || u.Money.Share || u.Returned() != 0 || u.Money.Reversed != 0 {
		return Fee{}, false
	}
	var gross int64
	parcels, booked := u.Of, int64(0)
	for _, l := range u.Lines {
		if l.Still {
			continue
		}
		switch l.Kind { //nolint:exhaustive // all other kinds are no fee
		case payment.KindCharge:
			gross += l.Gross
			fee.Kept += l.Gross - l.Net
			parcels = max(parcels, int(l.Of))
			booked++
		case payment.KindFee, payment.KindFeeReversal, payment.KindTax:
			fee.Kept -= l.Net
		case payment.KindAdjustment:
			return Fee{}, false
		default:
			continue
		}
		if !fee.Currency.IsZero() && fee.Currency != l.Currency {
			return Fee{}, false
		}
		fee.Currency, fee.Until = l.Currency, max(fee.Until, l.At)
	}
	at := slices.IndexFunc(u.Policy.Fees, func(r FeeRule) bool { return r.applies(u.Method, max(parcels, 1), fee.Currency) })
	if booked == 0 || at < 0 {
		return Fee{}, false
	}
	rule := &u.Policy.Fees[at]
	fee.Agreed, ok = money.Share(gross, rule.Millionths)
	if fee.Agreed += rule.Fixed; rule.EachParcel {
		fee.Agreed += rule.Fixed * (booked - 1)
	}
	fee.rounding = booked
	return fee, ok
}
