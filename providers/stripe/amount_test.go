package stripe

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/money"
)

func TestAmountsAreReadInStripesOwnUnits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amount int64
		code   string
		want   string
	}{
		{500, "isk", "5 ISK"},
		{500, "ugx", "5 UGX"},
		{7, "mga", "7.00 MGA"},
		{50000, "huf", "500.00 HUF"},
		{80045, "twd", "800.45 TWD"},
		{1230, "kwd", "1.230 KWD"},
		{1230, "bhd", "1.230 BHD"},
		{10, "jod", "0.010 JOD"},
		{10, "omr", "0.010 OMR"},
		{10, "tnd", "0.010 TND"},
		{4999, "usd", "49.99 USD"},
		{12990, "brl", "129.90 BRL"},
		{-116, "eur", "-1.16 EUR"},
		{0, "mga", "0.00 MGA"},
		{999_999_999_999, "usd", "9,999,999,999.99 USD"},
		{5, "bif", "5 BIF"},
		{5, "clp", "5 CLP"},
		{5, "djf", "5 DJF"},
		{5, "gnf", "5 GNF"},
		{5, "jpy", "5 JPY"},
		{5, "kmf", "5 KMF"},
		{5, "krw", "5 KRW"},
		{5, "pyg", "5 PYG"},
		{5, "rwf", "5 RWF"},
		{5, "vnd", "5 VND"},
		{5, "vuv", "5 VUV"},
		{5, "xaf", "5 XAF"},
		{5, "xof", "5 XOF"},
		{5, "xpf", "5 XPF"},
	} {
		minor, currency, err := ownExponents().minor(test.amount, test.code)
		if got := (money.Amount{Minor: minor, Currency: currency}).String(); err != nil || got != test.want {
			t.Errorf("%d %s = %s, %v; want %s", test.amount, test.code, got, err, test.want)
		}
	}
}

func TestAmountsThatStripeDoesNotExplainAreRefused(t *testing.T) {
	t.Parallel()
	for _, code := range strings.Fields(unsure) {
		if _, _, err := ownExponents().minor(1, code); err == nil || !strings.Contains(err.Error(), "it is not known") {
			t.Errorf("%s: %v", code, err)
		}
		told := ownExponents()
		told[money.MustCurrency(code)] = 2
		if _, _, err := told.minor(100, code); err != nil {
			t.Errorf("%s with an exponent told: %v", code, err)
		}
	}
	for _, test := range []struct {
		amount int64
		code   string
	}{{101, "isk"}, {1, "ugx"}, {1 << 62, "mga"}, {-1 << 63, "usd"}, {1, "xyz"}, {1, ""}} {
		if minor, _, err := ownExponents().minor(test.amount, test.code); err == nil {
			t.Errorf("%d %s was read as %d", test.amount, test.code, minor)
		}
	}
}

func TestAmountsAddUpWhateverTheUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom([]string{"usd", "jpy", "kwd", "isk", "ugx", "mga", "huf"}).Draw(t, "currency")
		whole := rapid.Int64Range(-1e9, 1e9)
		a, b := whole.Draw(t, "a")*100, whole.Draw(t, "b")*100
		minor := func(amount int64) int64 {
			got, _, err := ownExponents().minor(amount, code)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if minor(a)+minor(b) != minor(a+b) {
			t.Fatalf("%d + %d %s", a, b, code)
		}
	})
}
