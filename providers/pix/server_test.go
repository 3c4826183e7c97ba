package pix

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// credential is one that must be found where tokens are asked for and nowhere
// else; bearer is what it opens.
const (
	credential = "client-1:canary-51c0ffee-secret"
	bearer     = "canary-0ddba11-token"
	serverNow  = "Thu, 07 May 2026 12:00:00 GMT"
)

func now() time.Time { return time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC) }

// script is a participant on loopback: charges and Pix, which it lists and
// tells of as the API does.
type script struct {
	*httptest.Server
	providertest.Book
	t       testing.TB
	token   http.HandlerFunc // nil: gives bearer
	strange bool             // a test answers what no participant would

	mu     sync.Mutex
	asked  []string
	posted int
}

func serve(t testing.TB) *script {
	t.Helper()
	s := &script{t: t, Book: providertest.Book{Page: pageRows, Lists: map[string][]providertest.Row{}}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Date", serverNow)
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(r.URL.String(), "canary") {
		s.t.Errorf("a secret is in the URL %s", r.URL)
	}
	if r.Method == http.MethodPost && r.URL.Path == "/token" {
		s.posted++
		if s.token != nil {
			s.token(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, bearer)
		return
	}
	s.asked = append(s.asked, r.URL.Path)
	if r.Method != http.MethodGet || r.ContentLength != 0 || r.Header.Get("Authorization") != "Bearer "+bearer {
		s.t.Errorf("%s %s with %d bytes and %q", r.Method, r.URL, r.ContentLength, r.Header.Get("Authorization"))
	}
	status, body := s.Pix(r.URL.Path, r.URL.Query())
	providertest.Say(w, status, body)
	s.asPublished(r, status, body)
}

func places() []provider.Place {
	return []provider.Place{
		{Name: "try", There: PlaceTxID},
		{Name: "return", There: PlaceReturn},
		{Name: "sale", Scope: payment.ScopeCharge, There: PlaceReturned},
		{Name: "order", Scope: payment.ScopeCharge, There: PlaceExtra + "pedido"},
	}
}

func (s *script) options() Options {
	return Options{
		Name: "pix", Account: "loja", References: places(), Token: Token{URL: s.URL + "/token", Credential: credential}, Now: now,
	}
}

func clientOf(t testing.TB, url string) *httpx.Client {
	t.Helper()
	client, err := httpx.New(httpx.Options{BaseURL: url, Loopback: true, UserAgent: "desfecho/test", Retry: httpx.Retry{Tries: 1}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func (s *script) provider(t testing.TB, o Options) *Provider {
	t.Helper()
	p, err := New(o, clientOf(t, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reader is the adapter without a participant.
func reader(t testing.TB) *Provider {
	t.Helper()
	p, err := New(Options{Name: "pix", Account: "loja", References: places()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The ids that tests use.
const (
	tx1  = "order1001try1000000000000001"
	tx2  = "order1002try1000000000000002"
	e2e1 = "E1234567820260504143000000000001"
	e2e2 = "E1234567820260504143100000000002"
)

// cobOf is an immediate charge, with somebody's data; more stands at its end.
func cobOf(txid, status, more string) string {
	return fmt.Sprintf(`{"calendario":{"criacao":"2026-05-04T14:29:00.000Z","expiracao":3600},"txid":%q,"revisao":0,"status":%q,
		"devedor":{"cpf":"52998224725","nome":"Maria da Silva"},"valor":{"original":"110.00"},"chave":"maria@example.com",
		"solicitacaoPagador":"Maria da Silva","infoAdicionais":[{"nome":"pedido","valor":"1001"}]%s}`, txid, status, more)
}

// receiver is what only charges with a due date say.
const receiver = `,"recebedor":{"cnpj":"11222333000181","nome":"Loja"}`

// pixOf is a Pix that came in; more stands at its end.
func pixOf(endToEnd, txid, value, more string) string {
	return fmt.Sprintf(`{"endToEndId":%q,"txid":%q,"valor":%q,"chave":"maria@example.com","horario":"2026-05-04T14:30:05.123Z",
		"infoPagador":"Maria da Silva 529.982.247-25","pagador":{"cpf":"52998224725","nome":"Maria da Silva"}%s}`, endToEnd, txid, value, more)
}

// backOf is a return, of two days later.
func backOf(id, value, nature, status string) string {
	return fmt.Sprintf(`{"id":%q,"rtrId":"D12345678202605061000%s","valor":%q,"natureza":%q,"status":%q,"motivo":"Maria da Silva",
		"horario":{"solicitacao":"2026-05-06T10:00:00.000Z","liquidacao":"2026-05-06T10:00:03.000Z"}}`, id, strings.Repeat("0", 11-len(id))+id, value, nature, status)
}

func instant(d, hour int) payment.Instant {
	return payment.InstantOf(time.Date(2026, 5, d, hour, 0, 0, 0, time.UTC))
}

var wholeDay = payment.Interval{From: instant(4, 3), To: instant(5, 3)}
