package asaas

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// key is a credential that must be found in one header and nowhere else.
const key = "$aact_prod_canary-51c0ffee"

// script is an Asaas on loopback: rows by list, and answers by path that come
// before them. It fails the test on anything but a GET without body that
// carries the key.
type script struct {
	*httptest.Server
	rows  int // of a page at most, however many are asked for
	lists map[string][]map[string]any
	paths map[string]http.HandlerFunc
	mu    sync.Mutex
	asked []string
}

// serverNow is what the provider's clock shows.
const serverNow = "Thu, 07 May 2026 12:00:00 GMT"

func serve(t testing.TB) *script {
	t.Helper()
	s := &script{rows: pageRows, lists: map[string][]map[string]any{}, paths: map[string]http.HandlerFunc{}}
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
		path := strings.TrimPrefix(r.URL.Path, "/")
		rows, ok := s.lists[path]
		if !ok {
			t.Errorf("%s was not expected", r.URL)
		}
		s.list(w, r.URL.Query(), rows)
	}))
	t.Cleanup(s.Close)
	return s
}

// list answers as the API does: the rows that fit the filters, from an offset.
func (s *script) list(w http.ResponseWriter, query url.Values, rows []map[string]any) {
	fits := slices.DeleteFunc(append([]map[string]any{}, rows...), func(row map[string]any) bool {
		for name, want := range query {
			field, operator, _ := strings.Cut(name, "[")
			value, _ := row[field].(string)
			switch {
			case name == "startDate" && row["date"].(string) < want[0], name == "finishDate" && row["date"].(string) > want[0],
				operator == "ge]" && value < want[0], operator == "le]" && value > want[0],
				(name == "installment" || name == "externalReference" || name == "endToEndIdentifier") && value != want[0]:
				return true
			}
		}
		return false
	})
	offset, _ := strconv.Atoi(query.Get("offset"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	if limit == 0 {
		limit = 10
	}
	limit = min(limit, s.rows)
	from, to := min(offset, len(fits)), min(offset+limit, len(fits))
	reply(w, map[string]any{
		"object": "list", "hasMore": to < len(fits), "totalCount": len(fits), "limit": limit, "offset": offset, "data": fits[from:to],
	})
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	_ = json.NewEncoder(w).Encode(v)
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

// row is an object as the API sends it.
func row(fields string) map[string]any {
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(fields))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err) // the test's own text
	}
	return v
}

// sale is a paid payment of one day.
func sale(id, day, reference, more string) map[string]any {
	return row(fmt.Sprintf(`{"object":"payment","id":%q,"dateCreated":%q,"customer":"cus_1","value":10.5,"netValue":9.5,
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
