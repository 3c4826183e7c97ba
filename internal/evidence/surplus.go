package evidence

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Counts tells whether the unit counts in a charge's surplus: conflicting,
// unmapped and other-mode units do not (RULES §3.5), nor do those of another
// currency, of an amount that is not known, or of one recipient's share.
func (u *Unit) Counts(currency money.Currency) bool {
	return u.Money.Moved && u.Money.Captured.Known && !u.Other() && len(u.Conflict) == 0 && u.State != payment.StateUnmapped &&
		u.Money.Currency == currency && !u.Money.Share
}

// Surplus is what the units captured in all less what was returned of it and
// what is wanted, if positive and more than one unit counts (RULES §3.5). In
// minor units of currency.
func Surplus(units []*Unit, wanted int64, currency money.Currency) int64 {
	n, sum := 0, -wanted
	for _, u := range units {
		if u.Counts(currency) {
			n++
			sum += u.Money.Captured.Minor - u.Returned()
		}
	}
	if n < 2 {
		return 0
	}
	return max(sum, 0)
}
