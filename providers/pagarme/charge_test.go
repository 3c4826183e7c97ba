package pagarme

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := httpx.Decode([]byte(text), &v); err != nil {
		t.Fatalf("the test's own JSON: %v: %s", err, text)
	}
	return &v
}

func TestEveryStatusOfAChargeIsMapped(t *testing.T) {
	t.Parallel()
	transaction := func(status string) string { return fmt.Sprintf(`"last_transaction":{"status":%q},`, status) }
	whole := payment.Known(10000)
	for _, c := range []struct {
		status, more, method string
		state                payment.State
		final                bool
		captured             payment.Stated
	}{
		{"pending", "", "credit_card", payment.StateProcessing, false, payment.Stated{}},
		{"pending", "", "boleto", payment.StateRequiresAction, false, payment.Stated{}},
		{"pending", "", "pix", payment.StateRequiresAction, false, payment.Stated{}},
		{"pending", transaction("authorized_pending_capture"), "credit_card", payment.StateAuthorized, false, payment.Stated{}},
		{"pending", transaction("authorizedPendingCapture"), "credit_card", payment.StateAuthorized, false, payment.Stated{}},
		{"pending", transaction("waiting_capture"), "credit_card", payment.StateAuthorized, false, payment.Stated{}},
		{"processing", "", "credit_card", payment.StateProcessing, false, payment.Stated{}},
		{"paid", "", "credit_card", payment.StateCaptured, true, whole},
		{"paid", `"paid_amount":9000,`, "credit_card", payment.StateCaptured, true, payment.Known(9000)},
		{"paid", transaction("error_on_refunding"), "credit_card", payment.StateCaptured, true, whole},
		{"overpaid", `"paid_amount":"10200",`, "boleto", payment.StateCaptured, true, payment.Known(10200)},
		{"underpaid", `"paid_amount":9800,`, "boleto", payment.StateCaptured, true, payment.Known(9800)},
		{"failed", "", "credit_card", payment.StateDeclined, true, payment.Stated{}},
		{"failed", transaction("not_authorized"), "credit_card", payment.StateDeclined, true, payment.Stated{}},
		{"failed", transaction("with_error"), "credit_card", payment.StateProcessing, false, payment.Stated{}},
		{"failed", transaction("withError"), "credit_card", payment.StateProcessing, false, payment.Stated{}},
		{"canceled", "", "credit_card", payment.StateCanceled, true, payment.Stated{}},
		{"canceled", `"canceled_amount":10000,` + transaction("voided"), "credit_card", payment.StateCanceled, true, payment.Stated{}},
		{"canceled", transaction("error_on_voiding"), "credit_card", payment.StateProcessing, false, payment.Stated{}},
		{"canceled", `"canceled_amount":10000,` + transaction("refunded"), "credit_card", payment.StateRefunded, true, whole},
		{"canceled", `"canceled_amount":10000,"paid_at":"2026-05-04T12:00:00Z",` + transaction("voided"), "credit_card", payment.StateRefunded, true, whole},
		{"canceled", `"paid_amount":10000,`, "pix", payment.StateRefunded, true, whole},
		{"chargedback", paid, "credit_card", payment.StateDisputed, false, whole},
		{"tomorrow", "", "credit_card", payment.StateUnmapped, false, payment.Stated{}},
		{"", "", "credit_card", payment.StateUnmapped, false, payment.Stated{}},
	} {
		text := strings.Replace(chargeOf("ch_1", c.status, c.more), `"credit_card"`, fmt.Sprintf("%q", c.method), 1)
		units, err := reader(t, nil).charge(decoded[charge](t, text))
		if err != nil || units[0].State != c.state || units[0].Final != c.final || units[0].Captured != c.captured || units[0].RawState != c.status {
			t.Errorf("%s %s by %s: %+v, %v; want %s, final %v, %v", c.status, c.more, c.method, units, err, c.state, c.final, c.captured)
		}
	}
}

func TestAChargeSaysWhatIsKnownOfASale(t *testing.T) {
	t.Parallel()
	more := `"paid_amount":10230,"interest_and_fine_paid":230,"canceled_amount":"2500","paid_at":"2026-05-04T12:00:00Z","canceled_at":"2026-05-06T12:00:00Z",
		"last_transaction":{"status":"partial_refunded","acquirer_message":"cartão de 529.982.247-25"},`
	units, err := reader(t, nil).charge(decoded[charge](t, chargeOf("ch_1", "paid", more)))
	if err != nil {
		t.Fatal(err)
	}
	known := func(u payment.Unit) payment.Unit {
		u.Provider, u.Account, u.Currency, u.Final, u.State = "pagarme", "loja", brl, true, payment.StateCaptured
		return u
	}
	want := []payment.Unit{
		known(payment.Unit{
			ID: "ch_1", RawState: "paid", Method: "card", Asked: payment.Known(10000), Captured: payment.Known(10230), Principal: payment.Known(10000),
			CreatedAt: providertest.At("2026-05-04T11:58:00Z"), Precision: time.Second,
			References: []payment.Reference{{Name: "try", Value: "order-1"}, {Name: "order", Scope: payment.ScopeCharge, Value: "or_1"}, {Name: "meta", Value: "a-1"}},
		}),
		known(payment.Unit{
			ID: "ch_1/refunds", Parent: "ch_1", RawState: "partial_refunded", Asked: payment.Known(2500), Captured: payment.Known(2500), Principal: payment.Known(2500),
			CreatedAt:  providertest.At("2026-05-06T12:00:00Z"),
			References: []payment.Reference{{Name: "sale", Scope: payment.ScopeCharge, Value: "ch_1"}, {Name: "sale", Scope: payment.ScopeCharge, Value: "ch_1/refunds"}},
		}),
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Error(diff)
	}
	pending, err := reader(t, nil).charge(decoded[charge](t, strings.Replace(chargeOf("ch_1", "paid", more), "partial_refunded", "pending_refund", 1)))
	if err != nil || pending[1].State != payment.StateProcessing || pending[1].Final || pending[1].Captured.Known {
		t.Errorf("a refund on its way: %+v, %v", pending, err)
	}
	if disputed, err := reader(t, nil).charge(decoded[charge](t, chargeOf("ch_1", "chargedback", more))); err != nil || len(disputed) != 1 {
		t.Errorf("a dispute is no refund: %+v, %v", disputed, err)
	}
	failed, err := reader(t, nil).charge(decoded[charge](t, chargeOf("ch_1", "failed", `"last_transaction":{"acquirer_message":"cartão de 529.982.247-25"},`)))
	if err != nil || failed[0].Reason != "cartão de ***.***.***-25" {
		t.Errorf("%+v, %v", failed, err)
	}
	own := strings.Replace(chargeOf("ch_1", "paid", paid), `"code":"order-1","gateway_id"`, `"code":"own","gateway_id"`, 1)
	if units, err := reader(t, nil).charge(decoded[charge](t, own)); err != nil || units[0].References[0].Value != "own" || units[0].References[1].Value != "order-1" {
		t.Errorf("a charge of its own code: %+v, %v", units, err)
	}
}

func TestWhatSaysTooLittleIsRefused(t *testing.T) {
	t.Parallel()
	whole := chargeOf("ch_1", "paid", paid+`"canceled_amount":1,"canceled_at":"2026-05-06T12:00:00Z",`)
	for _, change := range []string{
		`"id":"ch_1"|"id":null`, `"amount":10000|"amount":null`, `"amount":10000|"amount":100.5`, `"amount":10000|"amount":-1`, `"amount":10000|"amount":"1e3"`,
		`"paid_amount":10000|"paid_amount":-1`, `"canceled_amount":1|"canceled_amount":0.5`, `"currency":"BRL"|"currency":"USD"`, `"currency":"BRL"|"currency":null`,
		`"created_at":"2026-05-04T11:58:00Z"|"created_at":"2026-05-04T11:58:00"`, `"created_at":"2026-05-04T11:58:00Z"|"created_at":null`,
		`"canceled_at":"2026-05-06T12:00:00Z"|"canceled_at":"never"`, `"amount":10000|"amount":1000000000000000`,
	} {
		from, to, _ := strings.Cut(change, "|")
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		if units, err := reader(t, nil).charge(decoded[charge](t, strings.Replace(whole, from, to, 1))); err == nil {
			t.Errorf("%s: taken as %+v", change, units)
		}
	}
	for _, metadata := range []string{`[]`, `null`, `"x"`, `{"attempt":1}`, `{"attempt":null}`, `{}`} {
		units, err := reader(t, nil).charge(decoded[charge](t, strings.Replace(whole, `{"attempt":"a-1"}`, metadata, 1)))
		if err != nil || len(units[0].References) != 2 {
			t.Errorf("metadata %s: %+v, %v; want code and order alone", metadata, units, err)
		}
	}
}

// TestNothingOfAnybodyIsKept: names, documents, cards and accounts are in no
// unit and no line, and no hostile text changes whose they are.
func TestNothingOfAnybodyIsKept(t *testing.T) {
	t.Parallel()
	p := reader(t, nil)
	units, err := p.charge(decoded[charge](t, chargeOf("ch_1", "paid", paid)))
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := p.moved(decoded[operation](t, operationOf(1, "transfer", "transferred", "-1")))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal([]any{units, l})
	if err != nil || strings.Contains(string(kept), "Maria") || strings.Contains(string(kept), "52998") {
		t.Errorf("somebody's data is kept: %s, %v", kept, err)
	}
	for _, hostile := range []string{"\x1b[2J", "\u202e", "\x00", "=cmd|'", "../../x", "'; DROP TABLE attempts; --", strings.Repeat("A", 1<<16)} {
		quoted, _ := json.Marshal(hostile)
		text := strings.NewReplacer(`"order-1"`, string(quoted), `"ch_1"`, string(quoted), `"captured"`, string(quoted)).Replace(chargeOf("ch_1", "paid", paid))
		units, err := p.charge(decoded[charge](t, text))
		if err != nil || units[0].ID != hostile || units[0].Captured != payment.Known(10000) || units[0].Account != "loja" || units[0].Mode != payment.Live {
			t.Errorf("%q: %+v, %v", hostile, units, err)
		}
		if _, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: hostile}}); err == nil {
			t.Errorf("%q was asked for", hostile)
		}
	}
}

func TestAKeyIsSentOnlyInItsOwnMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode payment.Mode
		key  secret.Secret
		good bool
	}{
		{payment.Live, "sk_canary", true},
		{payment.Test, "sk_test_canary", true},
		{payment.Live, "sk_test_canary", false},
		{payment.Test, "sk_canary", false},
		{payment.Live, "pk_canary", false},
		{payment.Live, "ak_live_canary", false},
		{payment.Live, "", false},
	} {
		url, headers, err := Connection(c.mode, c.key)
		if (err == nil) != c.good || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s %s: %v", c.mode, c.key.Reveal(), err)
		}
		if c.good && (url != "https://api.pagar.me/core/v5" || !strings.HasPrefix(headers["Authorization"].Reveal(), "Basic ")) {
			t.Errorf("%s, %v", url, headers)
		}
	}
	for _, there := range []string{"metadata.", "external_id", ""} {
		if _, err := New(Options{References: []provider.Place{{There: there}}}, nil); err == nil {
			t.Errorf("the place %q was taken", there)
		}
	}
}
