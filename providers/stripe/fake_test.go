package stripe

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
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
	t       testing.TB
	openapi publication

	mu       sync.Mutex
	lists    map[string][]thing  // by path
	members  map[string][]string // transactions by payout
	indexed  bool                // searches find what is there
	pageRows int                 // at most, whatever the request says
	now      time.Time
	lenient  bool // a test asks for a path that is none
	asked    []providertest.Exchange
	answer   func(w http.ResponseWriter, r *http.Request) bool // before anything else
}

func serve(t testing.TB) *fake {
	t.Helper()
	f := &fake{
		t: t, openapi: published(t), lists: map[string][]thing{}, members: map[string][]string{}, indexed: true, pageRows: pageRows,
		now: time.Date(2026, time.October, 30, 12, 0, 0, 0, time.UTC),
	}
	files, err := filepath.Glob("testdata/account/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f.lists["/v1/"+strings.TrimSuffix(filepath.Base(file), ".json")] = things(t, string(text))
	}
	for _, o := range f.lists["/v1/balance_transactions"] {
		if po, ok := o["_payout"].(string); ok {
			f.members[po] = append(f.members[po], o["id"].(string))
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
		f.asked = append(f.asked, providertest.Exchange{Path: r.URL.EscapedPath(), Query: r.URL.Query(), Status: kept.status, Body: kept.body.String()})
	}()
	w = kept
	if f.answer != nil && f.answer(w, r) {
		return
	}
	q := r.URL.Query()
	switch path := r.URL.Path; {
	case path == "/v1/account" || path == "/v1/balance":
		f.say(w, f.lists[path][0])
	case strings.HasSuffix(path, "/search"):
		f.say(w, f.search(strings.TrimSuffix(path, "/search"), q))
	case f.lists[path] != nil:
		f.list(w, path, q)
	default:
		f.single(w, path, q)
	}
}

func (f *fake) say(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Errorf("answer: %v", err)
	}
}

func (f *fake) refuse(w http.ResponseWriter, status int, fields thing) {
	w.WriteHeader(status)
	f.say(w, thing{"error": fields})
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

func (f *fake) list(w http.ResponseWriter, path string, q url.Values) {
	all := slices.DeleteFunc(slices.Clone(f.lists[path]), func(o thing) bool { return !f.within(o, q) })
	slices.SortStableFunc(all, func(a, b thing) int { return int(number(b["created"]) - number(a["created"])) })
	if after := q.Get("starting_after"); after != "" {
		i := slices.IndexFunc(all, func(o thing) bool { return o["id"] == after })
		if i < 0 {
			f.refuse(w, http.StatusBadRequest, thing{"type": "invalid_request_error", "code": "resource_missing", "param": "starting_after", "message": "No such object"})
			return
		}
		all = all[i+1:]
	}
	f.say(w, f.paged(all, "list", path, q))
}

func (f *fake) paged(all []thing, kind, path string, q url.Values) thing {
	limit, _ := strconv.Atoi(q.Get("limit"))
	limit = min(limit, f.pageRows)
	out := thing{"object": kind, "url": path, "has_more": len(all) > limit}
	all = all[:min(limit, len(all))]
	data := make([]thing, 0, len(all))
	for _, o := range all {
		data = append(data, f.expanded(o, q["expand[]"], "data."))
	}
	out["data"] = data
	return out
}

// within applies the filters that Stripe has.
func (f *fake) within(o thing, q url.Values) bool {
	for name, values := range q {
		v := values[0]
		switch name {
		case "created[gte]":
			if n, _ := strconv.ParseInt(v, 10, 64); number(o["created"]) < n {
				return false
			}
		case "created[lt]":
			if n, _ := strconv.ParseInt(v, 10, 64); number(o["created"]) >= n {
				return false
			}
		case "charge", "payment_intent":
			if o[name] != v {
				return false
			}
		case "payout":
			if !slices.Contains(f.members[v], o["id"].(string)) {
				return false
			}
		case "types[]":
			if !slices.Contains(values, o["type"].(string)) {
				return false
			}
		case "limit", "starting_after", "expand[]":
		default:
			f.t.Errorf("the fake has no filter %q", name)
		}
	}
	return true
}

var searched = regexp.MustCompile(`^metadata\['((?:[^'\\]|\\.)*)'\]:'((?:[^'\\]|\\.)*)'$`)

// search compares as Stripe does: without regard to case.
func (f *fake) search(path string, q url.Values) thing {
	m := searched.FindStringSubmatch(q.Get("query"))
	if m == nil {
		f.t.Errorf("query %q", q.Get("query"))
		return thing{}
	}
	plain := strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)
	all := slices.DeleteFunc(slices.Clone(f.lists[path]), func(o thing) bool {
		metadata, _ := o["metadata"].(thing)
		value, _ := metadata[plain.Replace(m[1])].(string)
		return !f.indexed || !strings.EqualFold(value, plain.Replace(m[2]))
	})
	delete(q, "page")
	out := f.paged(all, "search_result", path+"/search", q)
	out["next_page"] = nil
	return out
}

func (f *fake) single(w http.ResponseWriter, path string, q url.Values) {
	m := idInPath.FindStringSubmatch(path)
	if m != nil {
		for _, o := range f.lists[m[1]] {
			if o["id"] == m[2] {
				f.say(w, f.expanded(o, q["expand[]"], ""))
				return
			}
		}
	}
	f.refuse(w, http.StatusNotFound, thing{
		"type": "invalid_request_error", "code": "resource_missing", "param": "id", "message": "No such object: '" + path + "'",
	})
}

// expanded replaces ids by the objects they name, along the paths that are
// asked for. A path that is published as no field is a mistake.
func (f *fake) expanded(o thing, paths []string, prefix string) thing {
	out := maps.Clone(o)
	for _, path := range paths {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			f.t.Errorf("expand %q of a list", path)
			continue
		}
		field, deeper, more := strings.Cut(rest, ".")
		kind, _ := o["object"].(string)
		if f.openapi.Expandable[kind][field] == "" {
			f.t.Errorf("%s has no field %q to expand", kind, field)
		}
		id, ok := o[field].(string)
		if !ok {
			continue
		}
		for _, list := range f.lists {
			for _, full := range list {
				if full["id"] == id {
					if more {
						full = f.expanded(full, []string{deeper}, "")
					}
					out[field] = full
				}
			}
		}
	}
	return out
}

func number(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

// cap makes pages shorter than what is asked for.
func (f *fake) cap(rows int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pageRows = rows
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
func slice(t testing.TB, p *Provider, statement string, from, to time.Time) (pages []provider.Page) {
	t.Helper()
	r := provider.Request{Statement: statement, Slice: payment.Interval{From: payment.InstantOf(from), To: payment.InstantOf(to)}}
	for range 1000 {
		got, err := p.Page(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, got)
		if r.Cursor = got.Next; r.Cursor == "" {
			return pages
		}
	}
	t.Fatal("the slice has no end")
	return nil
}

var _ provider.Provider = (*Provider)(nil)

func attempt(o payment.Operation, at time.Time) *payment.Attempt {
	return &payment.Attempt{ID: "1", Operation: o, CreatedAt: payment.InstantOf(at), LastSent: payment.InstantOf(at)}
}
