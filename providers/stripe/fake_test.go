package stripe

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// key is a secret that must be found nowhere but in a header. It has the form
// of a restricted test key and is none.
const key = secret.Secret("rk_test_canary7f3a9c51e2")

type thing = map[string]any

// fake is a Stripe of our own making: objects of testdata/account in their
// lists, newest first. It fails the test on anything but GET, on a parameter
// that Stripe does not publish, on a secret in a URL, on an expansion that is
// no field.
type fake struct {
	*httptest.Server
	providertest.Stripe
	t       testing.TB
	openapi publication

	mu      sync.Mutex
	now     time.Time
	lenient bool // a test asks for a path that is none
	strange bool // a test answers what Stripe would not
	asked   []providertest.Exchange
	answer  func(w http.ResponseWriter, r *http.Request) bool // before anything else
}

func serve(t testing.TB) *fake {
	t.Helper()
	f := &fake{
		Stripe: providertest.Stripe{Book: providertest.Book{Page: pageRows, Lists: map[string][]thing{}}, Members: map[string][]string{}, Wrong: t.Errorf},
		t:      t, openapi: published(t), now: time.Date(2026, time.October, 30, 12, 0, 0, 0, time.UTC),
	}
	f.Expands = func(kind, field string) bool { return f.openapi.Expandable[kind][field] != "" }
	files, err := filepath.Glob("testdata/account/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f.Lists["/v1/"+strings.TrimSuffix(filepath.Base(file), ".json")] = things(t, string(text))
	}
	for _, o := range f.Lists["/v1/balance_transactions"] {
		if po, ok := o["_payout"].(string); ok {
			f.Members[po] = append(f.Members[po], o["id"].(string))
			delete(o, "_payout")
		}
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// things are the objects of a fixture, one to a line.
func things(t testing.TB, text string) []thing {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all []thing
	for d.More() {
		var o thing
		if err := d.Decode(&o); err != nil {
			t.Fatalf("fixture: %v", err)
		}
		all = append(all, o)
	}
	return all
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", f.now.UTC().Format(http.TimeFormat))
	f.checkRequest(r)
	kept := &recorder{ResponseWriter: w}
	defer func() {
		f.asked = append(f.asked, kept.exchange(r))
	}()
	w = kept
	if f.answer != nil && f.answer(w, r) {
		return
	}
	status, body := f.Answer(r.URL.Path, r.URL.Query())
	providertest.Say(w, status, body)
	f.asPublished(kept.exchange(r))
}

var idInPath = regexp.MustCompile(`^(/v1/[a-z_]+)/([^/]+)$`)

// checkRequest holds a request against what Stripe publishes.
func (f *fake) checkRequest(r *http.Request) {
	if r.Method != http.MethodGet {
		f.t.Errorf("%s %s reached Stripe", r.Method, r.URL)
	}
	if r.Header.Get("Authorization") != "Bearer "+key.Reveal() || r.Header.Get("Stripe-Version") != Version {
		f.t.Errorf("%s without its credential or version", r.URL)
	}
	if strings.Contains(r.URL.String(), "canary") {
		f.t.Errorf("the URL %s holds the secret", r.URL)
	}
	if f.lenient {
		return
	}
	path := r.URL.Path
	if m := idInPath.FindStringSubmatch(path); m != nil && m[2] != "search" {
		for published := range f.openapi.Endpoints {
			if strings.HasPrefix(published, m[1]+"/{") {
				path = published
			}
		}
	}
	allowed, ok := f.openapi.Endpoints[path]
	if !ok {
		f.t.Errorf("Stripe has no endpoint %s", path)
	}
	for name := range r.URL.Query() {
		if !slices.Contains(allowed, name) {
			f.t.Errorf("%s has no parameter %q", path, name)
		}
	}
}

// cap makes pages shorter than what is asked for.
func (f *fake) cap(rows int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Page = rows
}

// requests are what was asked since the last call, and answered.
func (f *fake) requests() []providertest.Exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.asked
	f.asked = nil
	return all
}

// recorder keeps what is answered.
type recorder struct {
	http.ResponseWriter
	status int
	body   strings.Builder
}

func (r *recorder) exchange(asked *http.Request) providertest.Exchange {
	return providertest.Exchange{Path: asked.URL.EscapedPath(), Query: asked.URL.Query(), Status: r.status, Body: r.body.String()}
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(text []byte) (int, error) {
	r.body.Write(text)
	return r.ResponseWriter.Write(text)
}

// provider reads the fake; connected may be empty.
func (f *fake) provider(o Options) *Provider {
	f.t.Helper()
	_, headers, err := Connection(payment.Test, key)
	if err != nil {
		f.t.Fatal(err)
	}
	client, err := httpx.New(httpx.Options{
		BaseURL: f.URL, Loopback: true, UserAgent: "desfecho/test", Secrets: headers, Retry: httpx.Retry{Tries: 1},
		Now: func() time.Time { return f.now },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(client.Close)
	o.Name, o.Account, o.Mode = "stripe", "acct_1", payment.Test
	if o.References == nil {
		o.References = testAccount().places
	}
	p, err := New(o, client)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

// slice reads a slice of a statement to its end.
func slice(t testing.TB, p *Provider, statement string, from, to time.Time) []provider.Page {
	t.Helper()
	return providertest.Pages(t, p, statement, payment.Interval{From: payment.InstantOf(from), To: payment.InstantOf(to)})
}

var _ provider.Provider = (*Provider)(nil)

func attempt(o payment.Operation, at time.Time) *payment.Attempt {
	return &payment.Attempt{ID: "1", Operation: o, CreatedAt: payment.InstantOf(at), LastSent: payment.InstantOf(at)}
}
