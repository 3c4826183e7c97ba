package reconcile_test

import (
	"testing"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestAFeeIsHeldAgainstWhatWasAgreed: what the lines of a sale say that was
// kept, in the sale's own line or in one of its own, against the first rule
// that is about it; and nothing where it cannot be known.
func TestAFeeIsHeldAgainstWhatWasAgreed(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	rules := []evidence.FeeRule{
		{Method: "card", From: 2, To: 6, Currency: brl, Millionths: 34_900, Fixed: 39},
		{Method: "card", From: 7, Currency: brl, Millionths: 40_000, Fixed: 10, EachParcel: true},
		{Currency: brl, Millionths: 10_000},
	}
	sale := func(net ...int64) (lines []payment.Line) { // 50.00 each
		for i, n := range net {
			lines = append(lines, payment.Line{Kind: payment.KindCharge, Gross: 5000, Fee: 5000 - n, Net: n, N: int16(i + 1), Of: int16(len(net))})
		}
		return lines
	}
	for name, c := range map[string]struct {
		method string
		lines  []payment.Line
		rules  []evidence.FeeRule
		kept   string // "": nothing is said
		agreed string
	}{
		"as agreed":                         {"pix", sale(4950), rules, "", ""},
		"a cent of rounding":                {"pix", sale(4951), rules, "", ""},
		"two cents":                         {"pix", sale(4948), rules, "52", "50"},
		"nothing was kept":                  {"pix", sale(5000), rules, "0", "50"},
		"no rule":                           {"pix", sale(4000), nil, "", ""},
		"no rule of the method":             {"", sale(4000, 4000), rules[:1], "", ""},
		"two parcels":                       {"card", sale(4806, 4806), rules, "", ""}, // 349 + 39
		"two parcels, each rounded":         {"card", sale(4805, 4805), rules, "", ""},
		"two parcels, too much":             {"card", sale(4804, 4804), rules, "392", "388"},
		"a rule of one is none of two":      {"card", sale(4950), rules, "", ""},
		"kept of each parcel":               {"card", sale(4790, 4790, 4790, 4790, 4790, 4790, 4790), rules, "", ""},
		"kept of each parcel, and too much": {"card", sale(4700, 4790, 4790, 4790, 4790, 4790, 4790), rules, "1560", "1470"},
		"in a line of its own":              {"pix", append(sale(5000), payment.Line{Kind: payment.KindFee, Gross: -50, Net: -50}), rules, "", ""},
		"and given back":                    {"pix", append(sale(4950), payment.Line{Kind: payment.KindFeeReversal, Gross: 50, Net: 50}), rules, "0", "50"},
		"with a tax on it":                  {"pix", append(sale(4955), payment.Line{Kind: payment.KindTax, Gross: -8, Net: -8}), rules, "53", "50"},
		"money went back":                   {"pix", append(sale(4900), payment.Line{Kind: payment.KindRefund, Gross: -5000, Net: -5000}), rules, "", ""},
		"adjusted by hand":                  {"pix", append(sale(4900), payment.Line{Kind: payment.KindAdjustment, Gross: 50, Net: 50}), rules, "", ""},
		"in two currencies":                 {"pix", append(sale(5000), payment.Line{Kind: payment.KindFee, Gross: -9, Net: -9, Currency: money.MustCurrency("USD")}), rules, "", ""},
		"of one recipient's share":          {"pix", []payment.Line{{Kind: payment.KindCharge, Gross: 2500, Net: 2000, Recipient: "re_1"}}, rules, "", ""},
	} {
		got := fees(c.method, c.lines, c.rules, 24*time.Hour)
		switch {
		case c.kept == "" && len(got) == 0:
		case c.kept != "" && len(got) == 1 && got[0].Actual == c.kept && got[0].Expected == c.agreed && got[0].Severity == reconcile.P3:
		default:
			t.Errorf("%s: want %q of %q, got %+v", name, c.kept, c.agreed, got)
		}
	}
	if got := fees("pix", sale(4000), rules, time.Minute); len(got) != 0 {
		t.Errorf("before a line of the fee's own could be published: %+v", got)
	}
}

// fees are the divergences about what was kept of one sale that is recorded
// rightly, so long after its lines.
func fees(method string, lines []payment.Line, rules []evidence.FeeRule, later time.Duration) (found []reconcile.Divergence) {
	const at = payment.Instant(1_000_000_000_000)
	brl := money.MustCurrency("BRL")
	gross := int64(0)
	for i := range lines {
		l := &lines[i]
		l.ID, l.Provider, l.Unit, l.Statement, l.At, l.Day = string(rune('a'+i)), "psp", "u1", "ledger", at, payment.DayOf(at, time.UTC)
		if l.Currency.IsZero() {
			l.Currency = brl
		}
		if l.Kind == payment.KindCharge {
			gross += l.Gross
		}
	}
	policy := reconcile.NewPolicy("psp")
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	policy.Fees = rules
	whole := payment.Statement{Provider: "psp", Grade: payment.Proven, From: at - 1, Through: at.Add(48 * time.Hour)}
	list, ledger := whole, whole
	list.Name, list.Sort, ledger.Name, ledger.Sort = "objects", payment.ObjectList, "ledger", payment.Ledger
	r := reconcile.Match(reconcile.Input{
		Now: at.Add(later), Policies: []reconcile.Policy{policy}, Statements: []payment.Statement{list, ledger},
		Attempts: []payment.Attempt{{
			ID: "1", Charge: "c1", Provider: "psp", ProviderID: "u1", Status: payment.Succeeded, CreatedAt: at, LastSent: at,
			Amount: money.Amount{Minor: gross, Currency: brl},
		}},
		Units: []payment.Unit{{
			ID: "u1", Provider: "psp", State: payment.StateCaptured, Final: true, Captured: payment.Known(gross), Currency: brl, Method: method,
			CreatedAt: at, ObservedAt: at, Source: payment.FromList, Statement: "objects",
		}},
		Lines: lines,
	})
	if r.Defect != "" {
		panic(r.Defect)
	}
	for _, d := range r.Divergences {
		if d.Class == reconcile.FeeMismatch {
			found = append(found, d)
		}
	}
	return found
}
