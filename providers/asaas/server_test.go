package asaas

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// key is a credential that must be found in one header and nowhere else.
const key = "$aact_prod_canary-51c0ffee"

// script is an Asaas on loopback: rows by list, and answers by path that come
// before them. It fails the test on anything but a GET without body that
// carries the key.
type script struct {
	*httptest.Server
	providertest.Book
	paths map[string]http.HandlerFunc
	mu    sync.Mutex
	asked []string
}

// serverNow is what the provider's clock shows.
const serverNow = "Thu, 07 May 2026 12:00:00 GMT"

func serve(t testing.TB) *script {
	t.Helper()
	s := &script{Book: providertest.Book{Page: pageRows, Lists: map[string][]providertest.Row{}}, paths: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.URL.Path)
		if r.Method != http.MethodGet || r.ContentLength != 0 {
			t.Errorf("%s %s with %d bytes reached the provider", r.Method, r.URL, r.ContentLength)
		}
		if r.Header.Get("access_token") != key || r.Header.Get("User-Agent") == "" || strings.Contains(r.URL.String(), "canary") {
			t.Errorf("%s was asked with the headers %v", r.URL, r.Header)
		}
		w.Header().Set("Date", serverNow)
		if h, ok := s.paths[r.URL.Path]; ok {
			h(w, r)
			return
		}
		rows, ok := s.Lists[strings.Trim(r.URL.Path, "/")]
		if !ok {
			t.Errorf("%s was not expected", r.URL)
		}
		s.list(w, r.URL.Query(), rows)
	}))
	t.Cleanup(s.Close)
	return s
}

// list answers with the rows that fit a query.
func (s *script) list(w http.ResponseWriter, query url.Values, rows []map[string]any) {
	book := providertest.Book{Page: s.Page, Lists: map[string][]providertest.Row{"rows": rows}}
	status, body := book.Asaas("rows", query)
	providertest.Say(w, status, body)
}

// says answers with a fixed body.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func (s *script) provider(t testing.TB) *Provider {
	t.Helper()
	client, err := httpx.New(httpx.Options{
		BaseURL: s.URL, Loopback: true, UserAgent: "desfecho/test", Secrets: map[string]secret.Secret{"access_token": key},
		Retry: httpx.Retry{Tries: 1}, Now: func() time.Time { return time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	p, err := New(Options{Name: "asaas", Account: "wallet-1", Mode: payment.Live, References: []provider.Place{
		{Name: "try", Scope: payment.ScopeAttempt, There: PlaceReference},
		{Name: "sale", Scope: payment.ScopeCharge, There: PlaceRefunded},
	}}, client)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sale is a paid payment of one day.
func sale(id, day, reference, more string) map[string]any {
	return providertest.Object(fmt.Sprintf(`{"object":"payment","id":%q,"dateCreated":%q,"customer":"cus_1","value":10.5,"netValue":9.5,
		"billingType":"PIX","status":"RECEIVED","externalReference":%q,"deleted":false%s}`, id, day, reference, more))
}

// days is the slice of whole days in São Paulo.
func days(t testing.TB, first, last string) payment.Interval {
	t.Helper()
	from, err := dayOf(first)
	if err != nil {
		t.Fatal(err)
	}
	to, err := dayOf(last)
	if err != nil {
		t.Fatal(err)
	}
	return payment.Interval{From: from.Start(saoPaulo(t)), To: (to + 1).Start(saoPaulo(t))}
}
