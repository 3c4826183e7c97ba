package reconcile

import (
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// comparison is how the captured amount stands to the attempt's.
type comparison struct {
	class  Class // NoClass: equal; AmountAdjusted, AmountMismatch, CurrencyMismatch
	unit   *evidence.Unit
	actual int64
}

// compare holds an attempt against its captured units: one of them equal, or
// together equal, is equal (RULES §3.1, §4).
func (j *judge) compare(a *evidence.Attempt, captured []*evidence.Unit) comparison {
	best := comparison{class: CurrencyMismatch}
	var sum int64
	known := true
	for i, u := range captured {
		c := compareOne(a, u)
		if i == 0 || rank(c.class) < rank(best.class) {
			best = c
		}
		sum += u.Money.Captured.Minor
		known = known && u.Money.Captured.Known && u.Money.Currency == a.Amount.Currency
	}
	if best.class == AmountMismatch && len(captured) > 1 && known {
		if sum == a.Amount.Minor {
			return comparison{class: NoClass}
		}
		best.actual = sum
	}
	return best
}

func rank(c Class) int {
	switch c { //nolint:exhaustive // the outcomes of a comparison only
	case NoClass:
		return 0
	case AmountAdjusted:
		return 1
	case AmountMismatch:
		return 2
	default:
		return 3
	}
}

func compareOne(a *evidence.Attempt, u *evidence.Unit) comparison {
	m := &u.Money
	c := comparison{unit: u, actual: m.Captured.Minor}
	switch {
	case !m.Currency.IsZero() && m.Currency != a.Amount.Currency:
		c.class = CurrencyMismatch
	case m.Share, !m.Captured.Known, m.Captured.Minor == a.Amount.Minor:
		c.class = NoClass
	case shortfall(a, u) > 0 && m.Captured.Minor+shortfall(a, u) == a.Amount.Minor:
		c.class = NoClass // what is missing is a reversal, which has a class of its own
	case adjusted(a, u):
		c.class = AmountAdjusted
	default:
		c.class = AmountMismatch
	}
	return c
}

// adjusted: interest, fine or discount within the method's allowed variation,
// the principal agreeing (RULES §4, amount_adjusted).
func adjusted(a *evidence.Attempt, u *evidence.Unit) bool {
	allowed, ok := u.Policy.Variation[u.Method]
	principal := a.Amount.Minor
	if u.Principal.Known && u.Principal.Minor != principal {
		return false
	}
	difference := money.Magnitude(u.Money.Captured.Minor - principal)
	return ok && difference <= principal/10000*allowed+principal%10000*allowed/10000
}

// shortfall is what charge_reversal lines took from a succeeded attempt's
// amount: only by what the captured amount falls short of it (RULES §4,
// chargeback_unrecorded).
func shortfall(a *evidence.Attempt, u *evidence.Unit) int64 {
	if a.Status != payment.Succeeded || u.Flow() == evidence.FlowOut || u.Money.Reversed <= 0 || u.Money.Currency != a.Amount.Currency {
		return 0
	}
	return min(u.Money.Reversed, max(a.Amount.Minor-u.Money.Booked-u.Money.NotDue-u.Money.Overdue, 0))
}

// mismatch words a comparison that is not equal.
func (j *judge) mismatch(a *evidence.Attempt, captured []*evidence.Unit, c comparison, severity Severity) finding {
	f := with(j.about(a, c.class, severity), captured)
	if f.Unit == "" && c.unit != nil {
		f.Unit = c.unit.ID
	}
	if c.class == CurrencyMismatch {
		f.Expected, f.Actual = a.Amount.Currency.String(), c.unit.Money.Currency.String()
		f.Amount, f.Currency = stake(c.unit).Minor, c.unit.Money.Currency
		return f
	}
	f.Expected, f.Actual = minor(a.Amount.Minor), minor(c.actual)
	f.Amount = money.Magnitude(c.actual - a.Amount.Minor)
	for _, factor := range [...]int64{10, 100, 1000} {
		if times(c.actual, a.Amount.Minor, factor) || times(a.Amount.Minor, c.actual, factor) {
			f.Hint = "factor_" + minor(factor)
		}
	}
	return f
}

// times tells whether a is factor times b, without a product that could wrap.
func times(a, b, factor int64) bool { return b != 0 && a%factor == 0 && a/factor == b }
