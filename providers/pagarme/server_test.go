package pagarme

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

const serverNow = "Fri, 01 Jan 2027 12:00:00 GMT"

func now() time.Time { return time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC) }

// script is a Pagar.me on loopback: rows by list, which it filters and pages as
// the API does.
type script struct {
	*httptest.Server
	providertest.Book
}

func serve(t testing.TB) *script {
	t.Helper()
	s := &script{Book: providertest.Book{Page: pageRows, Lists: map[string][]providertest.Row{}}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.ContentLength != 0 {
			t.Errorf("%s %s with %d bytes reached the provider", r.Method, r.URL, r.ContentLength)
		}
		w.Header().Set("Date", serverNow)
		status, body := s.Pagarme(r.URL.Path, r.URL.Query())
		providertest.Say(w, status, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func places() []provider.Place {
	return []provider.Place{
		{Name: "try", There: PlaceCode},
		{Name: "order", Scope: payment.ScopeCharge, There: PlaceOrder},
		{Name: "sale", Scope: payment.ScopeCharge, There: PlaceRefunded},
		{Name: "meta", There: "metadata.attempt"},
	}
}

func reader(t testing.TB, client *httpx.Client) *Provider {
	t.Helper()
	p, err := New(Options{Name: "pagarme", Account: "loja", References: places()}, client)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func clientOf(t testing.TB, url string) *httpx.Client {
	t.Helper()
	client, err := httpx.New(httpx.Options{
		BaseURL: url, Loopback: true, UserAgent: "desfecho/test", Secrets: map[string]secret.Secret{"Authorization": "Basic x"}, Retry: httpx.Retry{Tries: 1}, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// fixed answers every question so.
func fixed(t *testing.T, status int, body string) *Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return reader(t, clientOf(t, s.URL))
}

// chargeOf is a charge, with somebody's data; more stands before all else and
// replaces nothing.
func chargeOf(id, status, more string) string {
	return fmt.Sprintf(`{"id":%q,%s"code":"order-1","gateway_id":"7","amount":10000,"status":%q,"currency":"BRL","payment_method":"credit_card",
		"created_at":"2026-05-04T11:58:00Z","updated_at":"2026-05-04T12:00:02Z","customer":{"name":"Maria da Silva","document":"52998224725"},
		"order":{"id":"or_1","code":"order-1","metadata":{"attempt":"a-1"}},"metadata":[]}`, id, more, status)
}

// paid is what stands in a charge whose money came.
const paid = `"paid_amount":10000,"paid_at":"2026-05-04T12:00:00Z","last_transaction":{"status":"captured","success":true,"card":{"holder_name":"Maria da Silva"}},`

// payableOf is a receivable of a card.
func payableOf(id int, kind, status, amount, day string, installment int) string {
	return fmt.Sprintf(`{"id":%d,"status":%q,"amount":%s,"fee":"127","anticipation_fee":0,"fraud_coverage_fee":null,"installment":%d,"gateway_id":7,
		"charge_id":"ch_1","split_id":null,"recipient_id":"re_1","payment_date":"%sT03:00:00.000Z","original_payment_date":null,"type":%q,
		"payment_method":"credit_card","created_at":"2026-05-04T14:00:00Z"}`, id, status, amount, installment, day, kind)
}

// operationOf is a row of the balance.
func operationOf(id int, kind, status, amount string) string {
	return fmt.Sprintf(`{"id":%d,"status":%q,"balance_amount":0,"balance_old_amount":null,"type":%q,"amount":%s,"fee":0,"created_at":"2026-05-07T09:00:00Z",
		"movement_object":{"object":%q,"id":"60","status":"paid","amount":1,"type":"ted","bank_account":{"holder_name":"Maria da Silva"}}}`, id, status, kind, amount, kind)
}

func instant(d, hour int) payment.Instant {
	return payment.InstantOf(time.Date(2026, 5, d, hour, 0, 0, 0, time.UTC))
}
