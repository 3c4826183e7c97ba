package reconcile

import (
	"desfecho/internal/evidence"
	"desfecho/internal/money"
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
		c := comparison{class: classOf(a.Compare(u)), unit: u, actual: u.Money.Captured.Minor}
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

// classOf names how an amount stands to the attempt's.
func classOf(d evidence.Difference) Class {
	switch d {
	case evidence.Adjusted:
		return AmountAdjusted
	case evidence.OtherAmount:
		return AmountMismatch
	case evidence.OtherCurrency:
		return CurrencyMismatch
	case evidence.Equal:
	}
	return NoClass
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
