package zoop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

var brl = money.MustCurrency("BRL")

func reader(t testing.TB, client *httpx.Client) *Provider {
	t.Helper()
	p, err := New(Options{Name: "zoop", Account: "mkt_1/seller1", References: []provider.Place{
		{Name: "try", There: "reference_id"}, {Name: "sale", Scope: payment.ScopeCharge, There: "metadata.charge"},
	}}, client)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sold is a transaction as the API sends it, with somebody's data; more stands
// before all else and replaces nothing.
func sold(id, status, more string) string {
	return fmt.Sprintf(`{"id":%q,"resource":"transaction","status":%q,%s"confirmed":"1","amount":"108.00","original_amount":"108.00","currency":"BRL",
		"description":"Maria da Silva 529.982.247-25","payment_type":"credit","customer":"cus1","on_behalf_of":"seller1",
		"payment_method":{"resource":"card","holder_name":"Maria da Silva","last4_digits":"0000"},"installment_plan":{"number_installments":"3"},
		"fees":"4.80","metadata":{"charge":"c-1"},"expected_on":"1970-01-01T00:00:00+00:00","created_at":"2026-05-05T14:00:00+00:00","reference_id":"order-1"}`,
		id, status, more)
}

func transactionOf(t testing.TB, text string) *transaction {
	t.Helper()
	var v transaction
	if err := httpx.Decode([]byte(text), &v); err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	return &v
}

func TestEveryStatusIsMapped(t *testing.T) {
	t.Parallel()
	paid := payment.Known(10800)
	for _, c := range []struct {
		status, more string
		state        payment.State
		final        bool
		captured     payment.Stated
	}{
		{"new", "", payment.StateProcessing, false, payment.Stated{}},
		{"pending", "", payment.StateProcessing, false, payment.Stated{}},
		{"pre_authorized", `"captured":false,`, payment.StateAuthorized, false, payment.Stated{}},
		{"succeeded", `"captured":true,`, payment.StateCaptured, true, paid},
		{"succeeded", "", payment.StateCaptured, true, paid},
		{"succeeded", `"captured":false,`, payment.StateAuthorized, false, payment.Stated{}},
		{"failed", "", payment.StateDeclined, true, payment.Stated{}},
		{"canceled", `"captured":false,`, payment.StateCanceled, true, payment.Stated{}},
		{"canceled", `"captured":true,`, payment.StateRefunded, true, paid},
		{"canceled", `"history":[{"operation_type":"capture","status":"succeeded"},{"operation_type":"void","status":"succeeded"}],`, payment.StateRefunded, true, paid},
		{"canceled", `"history":[{"operation_type":"capture","status":"failed"}],`, payment.StateCanceled, true, payment.Stated{}},
		{"reversed", "", payment.StateDeclined, true, payment.Stated{}},
		{"refunded", "", payment.StateRefunded, true, paid},
		{"partial_refunded", "", payment.StateCaptured, true, paid},
		{"dispute", "", payment.StateDisputed, false, paid},
		{"charged_back", "", payment.StateDisputed, true, paid},
		{"tomorrow", "", payment.StateUnmapped, false, payment.Stated{}},
		{"", "", payment.StateUnmapped, false, payment.Stated{}},
	} {
		u, err := reader(t, nil).unit(transactionOf(t, sold("t1", c.status, c.more)))
		if err != nil || u.State != c.state || u.Final != c.final || u.Captured != c.captured || u.RawState != c.status {
			t.Errorf("%s %s is %s, final %v, %v, %v; want %s, %v, %v", c.status, c.more, u.State, u.Final, u.Captured, err, c.state, c.final, c.captured)
		}
	}
	u, err := reader(t, nil).unit(transactionOf(t, strings.Replace(sold("t1", "pending", ""), `"credit"`, `"boleto"`, 1)))
	if err != nil || u.State != payment.StateRequiresAction || u.Method != "boleto" {
		t.Errorf("an unpaid boleto is %s by %s, %v", u.State, u.Method, err)
	}
}

func TestATransactionSaysWhatIsKnownOfASale(t *testing.T) {
	t.Parallel()
	u, err := reader(t, nil).unit(transactionOf(t, sold("t1", "failed", `"history":[{"operation_type":"authorization","status":"failed","response_message":"cartão de 529.982.247-25 recusado"}],`)))
	if err != nil {
		t.Fatal(err)
	}
	want := payment.Unit{
		ID: "t1", Provider: "zoop", Account: "mkt_1/seller1", State: payment.StateDeclined, RawState: "failed", Final: true, Currency: brl, Method: "card",
		References: []payment.Reference{{Name: "try", Value: "order-1"}, {Name: "sale", Scope: payment.ScopeCharge, Value: "c-1"}},
		Asked:      payment.Known(10800), CreatedAt: payment.InstantOf(time.Date(2026, 5, 5, 14, 0, 0, 0, time.UTC)), Precision: time.Second,
		Reason: "cartão de ***.***.***-25 recusado",
	}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Error(diff)
	}
	kept, _ := json.Marshal(u)
	if strings.Contains(string(kept), "Maria") || strings.Contains(string(kept), "529.982") {
		t.Errorf("somebody's data is kept: %s", kept)
	}
}

func TestAmountsAreReaisOrSaidToBeCentavos(t *testing.T) {
	t.Parallel()
	plain, centavos := &Provider{}, &Provider{o: Options{Centavos: true}}
	for text, want := range map[string][2]int64{ // reais, where centavos are said; -1: refused
		"29.90": {2990, 2990}, "29.9": {2990, 2990}, "0": {0, 0}, "0.00": {0, 0}, "2990": {-1, 2990}, "-1.00": {-1, -1}, "-100": {-1, -1},
		"1.999": {-1, -1}, "1e3": {-1, -1}, "": {-1, -1}, "29,90": {-1, -1}, "99999999999999.00": {-1, -1},
	} {
		for i, p := range []*Provider{plain, centavos} {
			got, err := p.minor(json.Number(text), brl)
			if (err != nil) != (want[i] < 0) || err == nil && got != want[i] {
				t.Errorf("%q, centavos %v: %d, %v; want %d", text, i == 1, got, err, want[i])
			}
		}
	}
}

func TestATransactionThatSaysTooLittleIsRefused(t *testing.T) {
	t.Parallel()
	whole := sold("t1", "succeeded", "")
	for _, change := range []string{
		`"id":"t1"|"id":null`, `"amount":"108.00"|"amount":null`, `"amount":"108.00"|"amount":"108"`, `"currency":"BRL"|"currency":null`,
		`"currency":"BRL"|"currency":"reais"`, `"original_amount":"108.00"|"original_amount":"-1.00"`, `"2026-05-05T14:00:00+00:00"|"1970-01-01T00:00:00+00:00"`,
		`"2026-05-05T14:00:00+00:00"|"2026-05-05 14:00:00"`, `"2026-05-05T14:00:00+00:00"|null`,
	} {
		from, to, _ := strings.Cut(change, "|")
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		if u, err := reader(t, nil).unit(transactionOf(t, strings.Replace(whole, from, to, 1))); err == nil {
			t.Errorf("%s: taken as %+v", change, u)
		}
	}
	for _, metadata := range []string{`[]`, `null`, `"x"`, `{"charge":1}`, `{"charge":null}`, `{}`} {
		u, err := reader(t, nil).unit(transactionOf(t, strings.Replace(whole, `{"charge":"c-1"}`, metadata, 1)))
		if err != nil || len(u.References) != 1 {
			t.Errorf("metadata %s: %v, %v; want the reference_id alone", metadata, u.References, err)
		}
	}
}

func TestAKeyIsSentOnlyInItsOwnMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		account string
		mode    payment.Mode
		key     secret.Secret
		want    string
	}{
		{"mkt_1", payment.Live, "zpk_prod_canary", "https://api.zoop.ws/v1/marketplaces/mkt_1"},
		{"mkt_1/s1", payment.Test, "zpk_test_canary", "https://api.zoop.ws/v1/marketplaces/mkt_1"},
		{"mkt_1", payment.Live, "zpk_test_canary", ""},
		{"mkt_1", payment.Test, "zpk_prod_canary", ""},
		{"mkt_1", payment.Live, "", ""},
		{"", payment.Live, "zpk_prod_canary", ""},
		{"../x", payment.Live, "zpk_prod_canary", ""},
	} {
		url, headers, err := Connection(c.account, c.mode, c.key)
		if url != c.want || (err == nil) != (c.want != "") || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s %s: %q, %v; want %q", c.account, c.mode, url, err, c.want)
		}
		if err == nil && !strings.HasPrefix(headers["Authorization"].Reveal(), "Basic ") {
			t.Errorf("the key is sent as %v", headers)
		}
	}
	for _, o := range []Options{{Account: "a/b/c"}, {Account: "m/"}, {References: []provider.Place{{There: "metadata."}}}, {References: []provider.Place{{There: "description"}}}} {
		if _, err := New(o, nil); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
