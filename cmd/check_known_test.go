package cmd

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// TestLinesThatNeedNoAttemptOweNoReference: neither do fees.
func TestLinesThatNeedNoAttemptOweNoReference(t *testing.T) {
	t.Parallel()
	policy := reconcile.NewPolicy("pix")
	policy.Expected = []string{"static_qr"}
	ref := func(value string) []payment.Reference { return []payment.Reference{{Name: "order", Value: value}} }
	in := &reconcile.Input{
		Policies: []reconcile.Policy{policy},
		Attempts: []payment.Attempt{{References: ref("o-1")}},
		Lines: []payment.Line{
			{Provider: "pix", Kind: payment.KindCharge, Raw: "charge", References: ref("o-1")},
			{Provider: "pix", Kind: payment.KindCharge, Raw: "charge", References: ref("o-9")},
			{Provider: "pix", Kind: payment.KindCharge, Raw: "static_qr"},
			{Provider: "pix", Kind: payment.KindFee},
			{Provider: "other", Kind: payment.KindCharge, Raw: "static_qr"},
		},
	}
	want := []check.Link{{Provider: "other", Reference: "order", Lines: 1}, {Provider: "pix", Reference: "order", Lines: 2, Carrying: 2, Linked: 1}}
	got := linksOf(in, &store.Description{References: []store.ReferenceAt{{Here: "order", There: "metadata.order"}}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOfSeveralAccountsTheWorstCounts: the shortest retention, and the key that
// may do most.
func TestOfSeveralAccountsTheWorstCounts(t *testing.T) {
	t.Parallel()
	entry := func(retention, access string) ProviderConfig {
		return ProviderConfig{Name: "psp", KeyRetention: retention, KeyAccess: access}
	}
	for _, test := range []struct {
		name      string
		entries   []ProviderConfig
		retention time.Duration
		moves     check.Seen
		bad       bool
	}{
		{name: "nothing said", entries: []ProviderConfig{entry("", "")}},
		{name: "said", entries: []ProviderConfig{entry("24h", "read")}, retention: 24 * time.Hour, moves: check.No},
		{name: "one says nothing", entries: []ProviderConfig{entry("2d", "read"), entry("", "")}, retention: 48 * time.Hour},
		{name: "the other says nothing", entries: []ProviderConfig{entry("", ""), entry("2d", "read")}, retention: 48 * time.Hour},
		{name: "one may do all", entries: []ProviderConfig{entry("2d", "full"), entry("1d", "read")}, retention: 24 * time.Hour, moves: check.Yes},
		{name: "another provider's", entries: []ProviderConfig{{Name: "other", KeyAccess: "full"}}},
		{name: "no length", entries: []ProviderConfig{entry("a day", "")}, bad: true},
		{name: "no access", entries: []ProviderConfig{entry("", "write")}, bad: true},
	} {
		config := Config{Providers: test.entries}
		got, err := config.audited(reconcile.NewPolicy("psp"))
		policy := reconcile.NewPolicy("psp")
		if refused := test.entries[0].apply(&policy); (err != nil) != test.bad || (refused != nil) != test.bad {
			t.Errorf("%s: %v, %v", test.name, err, refused)
		}
		if err == nil && (got.KeyRetention != test.retention || got.MovesMoney != test.moves) {
			t.Errorf("%s: %v, %v", test.name, got.KeyRetention, got.MovesMoney)
		}
	}
}
