package cmd

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestLinesThatNeedNoAttemptOweNoReference: neither do fees.
func TestLinesThatNeedNoAttemptOweNoReference(t *testing.T) {
	t.Parallel()
	policy := reconcile.NewPolicy("pix")
	policy.Expected = []string{"static_qr"}
	ref := func(value string) []payment.Reference { return []payment.Reference{{Name: "order", Value: value}} }
	known := &knowledge{names: []string{"order"}, policies: []reconcile.Policy{policy}, links: map[[2]string]*check.Link{}}
	known.add(&reconcile.Part{
		Attempts: []payment.Attempt{{Provider: "pix", References: ref("o-1")}},
		Lines: []payment.Line{
			{Provider: "pix", Kind: payment.KindCharge, Raw: "charge", References: ref("o-1")},
			{Provider: "pix", Kind: payment.KindCharge, Raw: "charge", References: ref("o-9")},
			{Provider: "pix", Kind: payment.KindCharge, Raw: "static_qr"},
			{Provider: "pix", Kind: payment.KindFee},
			{Provider: "other", Kind: payment.KindCharge, Raw: "static_qr", References: ref("o-1")},
		},
	})
	want := []check.Link{{Provider: "other", Reference: "order", Lines: 1, Carrying: 1}, {Provider: "pix", Reference: "order", Lines: 2, Carrying: 2, Linked: 1}}
	if diff := cmp.Diff(want, known.linked()); diff != "" {
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

// TestAnObjectOfTwoAttemptsMakesNoPair, nor one of another provider that has
// the same id.
func TestAnObjectOfTwoAttemptsMakesNoPair(t *testing.T) {
	t.Parallel()
	at := payment.InstantOf(time.Date(2025, 11, 29, 12, 0, 0, 0, time.UTC))
	attempt := func(provider, id string) payment.Attempt {
		return payment.Attempt{ID: provider + id, Provider: provider, ProviderID: id, CreatedAt: at, Key: "k"}
	}
	known := &knowledge{}
	known.add(&reconcile.Part{
		Attempts: []payment.Attempt{attempt("pix", "one"), attempt("psp", "one"), attempt("pix", "shared"), attempt("pix", "shared"), attempt("pix", ""), attempt("pix", "day")},
		Units: []payment.Unit{
			{Provider: "pix", ID: "x", Aliases: []string{"one"}, CreatedAt: at.Add(-3 * time.Hour), Key: "other"},
			{Provider: "pix", ID: "shared", CreatedAt: at},
		},
		Lines: []payment.Line{{Provider: "pix", Kind: payment.KindCharge, Unit: "day", At: at, DayOnly: true}, {Provider: "pix", Kind: payment.KindCharge, At: at}},
	})
	known.add(&reconcile.Part{
		Attempts: []payment.Attempt{attempt("pix", "line")},
		Lines:    []payment.Line{{Provider: "pix", Kind: payment.KindCharge, Unit: "line", At: at}, {Provider: "pix", Kind: payment.KindCharge, Unit: "line", At: at.Add(time.Hour)}},
	})
	if o := known.pairs.ZoneOffset("UTC"); o.Pairs != 2 || o.Off != 1 || o.Example != "pixone" {
		t.Errorf("%+v", o)
	}
}
