package evidence

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Difference says how a unit's amount stands to its attempt's, from nearest to
// farthest.
type Difference uint8

// Adjusted differs within the method's allowed variation, the principal
// agreeing (RULES §4, amount_adjusted).
const (
	Equal Difference = iota
	Adjusted
	OtherAmount
	OtherCurrency
)

// Compare holds what the unit captured against the attempt's amount. An amount
// that cannot be known yet, or that is one recipient's share, is no difference
// (RULES §3.1).
func (a *Attempt) Compare(u *Unit) Difference {
	m := &u.Money
	switch {
	case !m.Currency.IsZero() && m.Currency != a.Amount.Currency:
		return OtherCurrency
	case m.Share, !m.Captured.Known, m.Captured.Minor == a.Amount.Minor:
		return Equal
	case a.Shortfall(u) > 0 && m.Captured.Minor+a.Shortfall(u) == a.Amount.Minor:
		return Equal // what is missing is a reversal, which has a class of its own
	case a.adjusted(u):
		return Adjusted
	default:
		return OtherAmount
	}
}

// CompareAsked holds the amount that an open unit asks for against the
// attempt's, where the provider states it.
func (a *Attempt) CompareAsked(u *Unit) Difference {
	switch {
	case !u.Asked.Known:
		return Equal
	case !u.Currency.IsZero() && u.Currency != a.Amount.Currency:
		return OtherCurrency
	case u.Asked.Minor == a.Amount.Minor:
		return Equal
	}
	return OtherAmount
}

// adjusted: interest, fine or discount within the method's allowed variation.
func (a *Attempt) adjusted(u *Unit) bool {
	allowed, ok := u.Policy.Variation[u.Method]
	principal := a.Amount.Minor
	if u.Principal.Known && u.Principal.Minor != principal {
		return false
	}
	difference := money.Magnitude(u.Money.Captured.Minor - principal)
	return ok && difference <= principal/10000*allowed+principal%10000*allowed/10000
}

// Shortfall is what charge_reversal lines took from a succeeded attempt's
// amount: only by what the captured amount falls short of it (RULES §4,
// chargeback_unrecorded).
func (a *Attempt) Shortfall(u *Unit) int64 {
	if a.Status != payment.Succeeded || u.Flow() == FlowOut || u.Money.Reversed <= 0 || u.Money.Currency != a.Amount.Currency {
		return 0
	}
	return min(u.Money.Reversed, max(a.Amount.Minor-u.Money.Booked-u.Money.NotDue-u.Money.Overdue, 0))
}
