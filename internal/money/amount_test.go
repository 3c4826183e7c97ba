package money

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSumAndDifferenceNeverWrap(t *testing.T) {
	t.Parallel()
	edges := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64())
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		for name, op := range map[string]struct {
			got func(int64, int64) (int64, bool)
			big func(z, x, y *big.Int) *big.Int
		}{
			"sum":        {Sum, (*big.Int).Add},
			"difference": {Difference, (*big.Int).Sub},
		} {
			exact := op.big(new(big.Int), big.NewInt(a), big.NewInt(b))
			got, ok := op.got(a, b)
			if ok != exact.IsInt64() || ok && got != exact.Int64() {
				t.Fatalf("%s of %d and %d is %d, %v; exact %s", name, a, b, got, ok, exact)
			}
		}
	})
}

func TestAddRefusesOverflowAndMixedCurrencies(t *testing.T) {
	t.Parallel()
	brl, usd := MustCurrency("BRL"), MustCurrency("USD")
	if got, err := (Amount{math.MaxInt64, brl}).Add(Amount{1, brl}); !errors.Is(err, ErrOverflow) || got != (Amount{}) {
		t.Errorf("over the top: %v, %v", got, err)
	}
	if got, err := (Amount{math.MinInt64, brl}).Add(Amount{-1, brl}); !errors.Is(err, ErrOverflow) || got != (Amount{}) {
		t.Errorf("below the bottom: %v, %v", got, err)
	}
	if _, err := (Amount{1, brl}).Add(Amount{1, usd}); !errors.Is(err, ErrMixed) {
		t.Errorf("two currencies: %v", err)
	}
	if got, err := (Amount{1, brl}).Add(Amount{2, brl}); err != nil || got != (Amount{3, brl}) {
		t.Errorf("1 + 2 is %v, %v", got, err)
	}
}

func TestMagnitudeIsNeverNegative(t *testing.T) {
	t.Parallel()
	for value, want := range map[int64]int64{0: 0, 5: 5, -5: 5, math.MaxInt64: math.MaxInt64, math.MinInt64: math.MaxInt64} {
		if got := Magnitude(value); got != want {
			t.Errorf("Magnitude(%d) is %d, want %d", value, got, want)
		}
	}
}

func TestAmountsPrintWithTheirCurrencysDecimals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		minor                             int64
		code, decimal, grouped, localized string
	}{
		{0, "BRL", "0.00", "0.00", "0,00"},
		{5, "BRL", "0.05", "0.05", "0,05"},
		{50, "BRL", "0.50", "0.50", "0,50"},
		{-5, "BRL", "-0.05", "-0.05", "-0,05"},
		{99999, "BRL", "999.99", "999.99", "999,99"},
		{100000, "BRL", "1000.00", "1,000.00", "1.000,00"},
		{-123456789, "BRL", "-1234567.89", "-1,234,567.89", "-1.234.567,89"},
		{5000, "JPY", "5000", "5,000", "5.000"},
		{1234567, "KWD", "1234.567", "1,234.567", "1.234,567"},
		{12345, "CLF", "1.2345", "1.2345", "1,2345"},
		{7, "CLF", "0.0007", "0.0007", "0,0007"},
		{math.MaxInt64, "BRL", "92233720368547758.07", "92,233,720,368,547,758.07", "92.233.720.368.547.758,07"},
		{math.MinInt64, "JPY", "-9223372036854775808", "-9,223,372,036,854,775,808", "-9.223.372.036.854.775.808"},
	} {
		a := Amount{row.minor, MustCurrency(row.code)}
		if a.Decimal() != row.decimal || a.Grouped() != row.grouped || a.Localized(".", ",") != row.localized {
			t.Errorf("%d %s prints %s, %s, %s", row.minor, row.code, a.Decimal(), a.Grouped(), a.Localized(".", ","))
		}
		if want := row.grouped + " " + row.code; a.String() != want {
			t.Errorf("String is %q, want %q", a, want)
		}
	}
}

func TestCurrenciesAreOfISO4217(t *testing.T) {
	t.Parallel()
	for code, exponent := range map[string]int{
		"BRL": 2, "USD": 2, "EUR": 2, "MXN": 2, "COP": 2, "MGA": 2, "JPY": 0, "CLP": 0, "KRW": 0, "PYG": 0, "ISK": 0,
		"UGX": 0, "BHD": 3, "KWD": 3, "TND": 3, "JOD": 3, "CLF": 4, "UYW": 4,
	} {
		c, err := ParseCurrency(strings.ToLower(" " + code + " "))
		if err != nil || c.Exponent() != exponent || c.String() != code {
			t.Errorf("%s is %v with exponent %d, %v; want %d", code, c, c.Exponent(), err, exponent)
		}
	}
	for _, code := range []string{"", "BR", "BRLX", "XXX", "USDC", "R$", "ÄÖÜ", "B L"} {
		if c, err := ParseCurrency(code); err == nil || !c.IsZero() {
			t.Errorf("%q is taken for %v", code, c)
		}
	}
}

func TestNoCodeHasTwoExponents(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for exponent, codes := range exponents {
		for code := range strings.FieldsSeq(codes) {
			if other, twice := seen[code]; twice || len(code) != 3 {
				t.Errorf("%s stands under %d and %d", code, other, exponent)
			}
			seen[code] = exponent
		}
	}
}

func TestAmountsKeepEveryDigitInJSON(t *testing.T) {
	t.Parallel()
	want := Amount{9007199254740993, MustCurrency("BRL")}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"minor":9007199254740993,"currency":"BRL"}` {
		t.Fatalf("%s, %v", text, err)
	}
	var got Amount
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	var none Currency
	if err := none.UnmarshalText(nil); err != nil || !none.IsZero() {
		t.Errorf("an empty text is %v, %v", none, err)
	}
	if err := none.UnmarshalText([]byte("XXX")); err == nil {
		t.Error("XXX is taken for a currency")
	}
}

func TestAShareIsExactAndRoundedOnce(t *testing.T) {
	t.Parallel()
	edges := []int64{math.MinInt64 + 1, -500_000, -1, 0, 1, 499_999, 500_000, math.MaxInt64 / 1_000_000, math.MaxInt64}
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64()).Draw(t, "minor")
		millionths := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64Range(-1_000_000, 1_000_000)).Draw(t, "millionths")
		minor = max(minor, math.MinInt64+1) // the one value without a positive twin
		million, two := big.NewInt(1_000_000), big.NewInt(2)
		want, rest := new(big.Int).QuoRem(new(big.Int).Mul(big.NewInt(minor), big.NewInt(millionths)), million, new(big.Int))
		if sign := rest.Sign(); new(big.Int).Mul(rest.Abs(rest), two).Cmp(million) >= 0 {
			want.Add(want, big.NewInt(int64(sign)))
		}
		got, ok := Share(minor, millionths)
		if fits := new(big.Int).Abs(want).IsInt64(); ok != fits || ok && got != want.Int64() {
			t.Fatalf("%d millionths of %d: got %d, %t; want %s", millionths, minor, got, ok, want)
		}
	})
}
