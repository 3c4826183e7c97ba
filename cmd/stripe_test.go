package cmd

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/providers/stripe"
)

// TestAnEntryOfStripeSaysWhatNoDocumentDoes: each key reaches the adapter, and
// what cannot be meant is refused.
func TestAnEntryOfStripeSaysWhatNoDocumentDoes(t *testing.T) {
	t.Parallel()
	var told stripe.Options
	c := StripeConfig{CreatedBefore: "1h", CreatedAfter: "2h", Reread: "30d", Decimals: []DecimalsConfig{{"IQD", 3}, {"ISK", 0}}}
	if err := c.fill(&told); err != nil {
		t.Fatal(err)
	}
	want := stripe.Options{
		Before: time.Hour, After: 2 * time.Hour, Reread: 30 * 24 * time.Hour,
		Exponents: map[money.Currency]int{money.MustCurrency("IQD"): 3, money.MustCurrency("ISK"): 0},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +told)\n%s", diff)
	}
	p, err := stripeAdapter().build(buildOptions{entry: &ProviderConfig{Stripe: c}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Capabilities().Statements {
		if s.Reread != 30*24*time.Hour {
			t.Errorf("%s is read again for %s", s.Name, s.Reread)
		}
	}
	for _, bad := range []StripeConfig{
		{CreatedBefore: "long"}, {CreatedAfter: "0s"}, {Reread: "-1h"}, {Decimals: []DecimalsConfig{{"XYZ", 2}}}, {Decimals: []DecimalsConfig{{"IQD", 9}}},
	} {
		if _, err := stripeAdapter().build(buildOptions{entry: &ProviderConfig{Stripe: bad}}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestAnEntryOfZoopSaysWhatAmountsWithoutAPointAre(t *testing.T) {
	t.Parallel()
	for whole, good := range map[string]bool{"": true, "refused": true, "centavos": true, "reais": false} {
		entry := &ProviderConfig{Account: "market", Zoop: ZoopConfig{Whole: whole}}
		if _, err := zoopAdapter().build(buildOptions{entry: entry}); (err == nil) != good {
			t.Errorf("%q: %v", whole, err)
		}
	}
}
