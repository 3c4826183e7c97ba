package pagarme

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

const serverNow = "Fri, 01 Jan 2027 12:00:00 GMT"

func now() time.Time { return time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC) }

// script is a Pagar.me on loopback: rows by list, which it filters and pages as
// the API does.
type script struct {
	*httptest.Server
	rows  int // of a page at most, however many are asked for
	lists map[string][]map[string]any
}

func serve(t testing.TB) *script {
	t.Helper()
	s := &script{rows: pageRows, lists: map[string][]map[string]any{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.ContentLength != 0 {
			t.Errorf("%s %s with %d bytes reached the provider", r.Method, r.URL, r.ContentLength)
		}
		w.Header().Set("Date", serverNow)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		s.list(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *script) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	fits := slices.DeleteFunc(append([]map[string]any{}, s.lists[strings.TrimPrefix(r.URL.Path, "/")]...), func(row map[string]any) bool {
		for name, want := range query {
			value, _ := row[strings.TrimSuffix(strings.TrimSuffix(name, "_since"), "_until")].(string)
			if strings.HasPrefix(name, "created_") {
				value, _ = row["created_at"].(string)
			}
			switch {
			case name == "page" || name == "size":
			case strings.HasSuffix(name, "_since"):
				if at(value) < at(want[0]) {
					return true
				}
			case strings.HasSuffix(name, "_until"):
				if at(value) > at(want[0]) {
					return true
				}
			case value != want[0]:
				return true
			}
		}
		return false
	})
	page, _ := strconv.Atoi(query.Get("page"))
	size, _ := strconv.Atoi(query.Get("size"))
	size = min(size, s.rows)
	from, to := min((page-1)*size, len(fits)), min(page*size, len(fits))
	var next any
	if to < len(fits) {
		next = fmt.Sprintf("http://elsewhere.example/?page=%d&size=%d", page+1, size)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": fits[from:to], "paging": map[string]any{"total": 1, "previous": nil, "next": next}})
}

func at(text string) payment.Instant {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err) // the test's own text, or a request without its time
	}
	return payment.InstantOf(t)
}

// row is an object as the API sends it.
func row(fields string) map[string]any {
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(fields))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(fields) // the test's own text
	}
	return v
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

// readAll reads a slice to its end.
func readAll(t testing.TB, p *Provider, statement string, slice payment.Interval) (pages []provider.Page) {
	t.Helper()
	for cursor := ""; ; {
		page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: slice, Cursor: cursor})
		if err != nil {
			t.Fatalf("%s from %q: %v", statement, cursor, err)
		}
		pages = append(pages, page)
		if cursor = page.Next; cursor == "" {
			return pages
		}
	}
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
