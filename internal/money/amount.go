package money

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// ErrOverflow says that a sum does not fit in 64 bits of minor units. Nothing
// wraps: the operation that met it has no result.
var ErrOverflow = errors.New("amount does not fit in 64 bits of minor units")

// ErrMixed says that two currencies met in one operation.
var ErrMixed = errors.New("amounts of two currencies cannot be added")

// Amount is a signed number of minor units of one currency: 129.90 BRL is
// {12990, BRL}.
type Amount struct {
	Minor    int64    `json:"minor"`
	Currency Currency `json:"currency"`
}

// Add is the exact sum, ErrMixed where the currencies differ, or ErrOverflow.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrMixed, a.Currency, b.Currency)
	}
	sum, ok := Sum(a.Minor, b.Minor)
	if !ok {
		return Amount{}, ErrOverflow
	}
	return Amount{sum, a.Currency}, nil
}

// Sum adds minor units of one currency; ok is false where the result would wrap.
func Sum(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (a >= 0) != (b >= 0) || (sum >= 0) == (a >= 0)
}

// Difference subtracts minor units of one currency; ok is false where the
// result would wrap.
func Difference(a, b int64) (difference int64, ok bool) {
	difference = a - b
	return difference, (a >= 0) == (b >= 0) || (difference >= 0) == (a >= 0)
}

// Share is so many millionths of minor units, rounded half away from zero; ok is
// false where the result would wrap.
func Share(minor, millionths int64) (share int64, ok bool) {
	high, low := bits.Mul64(uint64(Magnitude(minor)), uint64(Magnitude(millionths)))
	low, carry := bits.Add64(low, 500_000, 0)
	if high += carry; high >= 1_000_000 {
		return 0, false
	}
	whole, _ := bits.Div64(high, low, 1_000_000)
	if whole > math.MaxInt64 {
		return 0, false
	}
	if share = int64(whole); (minor < 0) != (millionths < 0) {
		share = -share
	}
	return share, true
}

// Magnitude is |minor|. The one value without a positive twin gives MaxInt64;
// parsers refuse it before it can get here.
func Magnitude(minor int64) int64 {
	switch {
	case minor == math.MinInt64:
		return math.MaxInt64
	case minor < 0:
		return -minor
	default:
		return minor
	}
}

// Decimal prints the amount with a dot and the currency's decimals, no
// grouping: "-1234.50". It is the form of csv and json texts.
func (a Amount) Decimal() string { return a.decimal("", ".") }

// Grouped prints the amount for people: "1,234.50".
func (a Amount) Grouped() string { return a.decimal(",", ".") }

// String is Grouped with the currency's code: "1,234.50 BRL".
func (a Amount) String() string { return a.Grouped() + " " + a.Currency.String() }

// Localized prints the amount with the given marks, for csv-br and pages for
// people: Localized(".", ",") gives "1.234,50".
func (a Amount) Localized(group, mark string) string { return a.decimal(group, mark) }

func (a Amount) decimal(group, mark string) string {
	digits := strconv.FormatInt(a.Minor, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	exponent := a.Currency.Exponent()
	if pad := exponent + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	whole, fraction := digits[:len(digits)-exponent], digits[len(digits)-exponent:]
	if group != "" {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + group + whole[i:]
		}
	}
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + mark + fraction
}
