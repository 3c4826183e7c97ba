package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/fakepsp/likeness"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	merchant "desfecho/internal/shop"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/providers/httpx"
)

// The credentials of the two accounts; they have the form of real ones and are
// none.
const (
	stripeKey = "rk_live_51canary7d20aa"
	asaasKey  = "$aact_prod_canary-93fe11"
)

// market is a shop that submits through two providers, of which the program is
// told by the adapters of Stripe and Asaas. One clock is everybody's.
type market struct {
	t      *testing.T
	seed   uint64
	twin   merchant.Twin
	dice   *rand.Rand
	stage  *merchant.Stage
	folder string
	url    string
	fronts map[string]*front           // by provider
	judged bool                        // a run has seen something
	heard  map[string][]payment.Lookup // about open attempts
	customers
}

// marketConfig describes the shop's tables to the program.
const marketConfig = `attempts:
  read: charge_attempts
  joins:
    - {table: charges, here: charge_id, there: id}
  timezone: UTC
  columns:
    id: id
    charge: charge_id
    key: idempotency_key
    provider: provider
    status: status
    provider_charge_id: provider_charge_id
    operation: charges.operation
    amount: charges.amount_cents
    unit: minor
    currency: charges.currency
    created_at: created_at
    updated_at: updated_at
    resolved_at: resolved_at
    last_error: last_error
    payload_hash: payload_hash
  references:
    - {name: charge_id, here: charge_id, there: metadata.charge_id, scope: charge}
    - {name: idempotency_key, here: idempotency_key, there: metadata.idempotency_key, scope: attempt}
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
  transitions:
    - {to: succeeded, follow_up: []}
    - {to: succeeded_duplicate, follow_up: []}
    - {to: succeeded_reversed, follow_up: []}
    - {to: failed, follow_up: []}
    - {to: unknown, follow_up: []}
providers:
  - name: loja
    type: stripe
    account: acct_loja
    mode: live
    timezone: America/Sao_Paulo
    key_file: ${FOLDER}/loja.key
    succeeded_means: {charge: captured, refund: captured, transfer: captured}
  - name: banco
    type: asaas
    account: acct_banco
    mode: live
    key_file: ${FOLDER}/banco.key
    succeeded_means: {charge: created, transfer: captured}
    references: [{name: idempotency_key, there: externalReference}]
`

// openMarket opens a market on an empty database of which url is the name.
func openMarket(t *testing.T, db *sql.DB, speaks merchant.Dialect, url string, seed uint64) *market {
	t.Helper()
	m := &market{t: t, seed: seed, dice: rand.New(rand.NewPCG(seed, 21)), folder: t.TempDir(), url: url, fronts: map[string]*front{}}
	twins := []merchant.Twin{merchant.Right, merchant.KeyPerCall, merchant.TimeoutAsFailed, merchant.CheckThenAct, merchant.KeyFromOrder}
	m.twin = twins[seed%uint64(len(twins))]
	m.outage = m.dice.IntN(2) == 0
	var err error
	m.zone, err = time.LoadLocation("America/Sao_Paulo")
	m.must(err)
	m.stage, err = merchant.OpenStage(t.Context(), merchant.StageSettings{
		DB: db, Dialect: speaks, Twin: m.twin, Start: time.Date(2025, time.November, 27, 8, 0, 0, 0, m.zone), Zone: m.zone,
		Dice: rand.New(rand.NewPCG(seed, 22)), Tune: m.tune, Step: m.step,
	})
	m.must(err)
	t.Cleanup(func() { m.must(m.stage.Close()) })
	m.front(merchant.Loja, stripeKey, likeness.Stripe(m.stage.Providers[merchant.Loja], likeness.Options{Key: stripeKey, Rows: 4}))
	m.front(merchant.Banco, asaasKey, likeness.Asaas(m.stage.Providers[merchant.Banco], likeness.Options{Key: asaasKey, Rows: 4, Reference: merchant.RefKey}))
	m.must(os.WriteFile(filepath.Join(m.folder, "desfecho.yaml"), []byte(marketConfig), 0o600))
	m.run(exitDone, "schema", "--apply")
	return m
}

// tune makes one provider like Stripe and the other like Asaas: what their ids
// look like, how late their views are, that Asaas knows no idempotency.
func (m *market) tune(name string, s *fakepsp.Settings) {
	faults := fakepsp.Roughly(fakepsp.Locked(rand.New(rand.NewPCG(m.seed, 23))), 3)
	s.Faults = func(r fakepsp.Request) fakepsp.Fault {
		if next := m.next.Load(); next != nil && r.Method == http.MethodPost {
			m.next.Store(nil)
			return *next
		}
		if m.calm.Load() {
			return fakepsp.Fault{}
		}
		return faults(r)
	}
	s.Webhooks = func(fakepsp.Event) []time.Duration {
		if m.outage {
			return []time.Duration{60 * time.Hour}
		}
		return []time.Duration{0, 7 * time.Minute}
	}
	s.Delay = map[fakepsp.View]time.Duration{
		fakepsp.ByID: 2 * time.Minute, fakepsp.ByKey: 3 * time.Hour, fakepsp.ByReference: time.Hour, fakepsp.InList: 8 * time.Minute, fakepsp.InLedger: 9 * time.Minute,
	}
	if name == merchant.Banco {
		s.KeyRetention, s.FeePoints = time.Nanosecond, 99
		s.BooksAfter = map[string]time.Duration{fakepsp.MethodBoleto: 26 * time.Hour}
		s.NewID = func(prefix string, n int) string {
			if prefix == "trf" {
				return fmt.Sprintf("7f3e0000-0000-4000-8000-%012d", n)
			}
			return fmt.Sprintf("%s_%06d", prefix, n)
		}
		return
	}
	s.FeePoints, s.Payouts = 299, true
	prefixes := map[string]string{"pay": "pi", "ref": "re", "trf": "tr", "bt": "txn"}
	s.NewID = func(prefix string, n int) string {
		if known, ok := prefixes[prefix]; ok {
			prefix = known
		}
		return fmt.Sprintf("%s_%06d", prefix, n)
	}
}

func (m *market) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("seed %d of %s: %v", m.seed, m.twin, err)
	}
}

func (m *market) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("seed %d of %s at %s: %s\nagain: go test ./cmd -run TestAShop -market-seed %d",
		m.seed, m.twin, m.stage.Clock.Now().UTC().Format(time.RFC3339), fmt.Sprintf(format, args...), m.seed)
}

// deps is the program in this market: its database's clock is the market's, and
// what would go to Stripe and Asaas goes to the fronts, at once.
func (m *market) deps(out, told *bytes.Buffer) *deps {
	environment := environmentOf([]string{
		"DESFECHO_CONFIG=" + filepath.Join(m.folder, "desfecho.yaml"), "DESFECHO_DATABASE_URL=" + m.url, "FOLDER=" + m.folder, "USER=cron",
	})
	d := &deps{program: "desfecho", env: environment, global: &globalOptions{logFormat: "text"}, now: m.stage.Clock.Now}
	d.database = func(s store.Store) store.Store { return timed{s, m.stage.Clock} }
	d.asking = func(o *httpx.Options) {
		for name, there := range map[string]string{merchant.Loja: "https://api.stripe.com", merchant.Banco: "https://api.asaas.com"} {
			if path, ok := strings.CutPrefix(o.BaseURL, there); ok {
				o.BaseURL = m.fronts[name].url + path
			}
		}
		o.Loopback, o.Rate = true, provider.Rate{}
		o.Wait = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	}
	d.Streams = ui.Detect(strings.NewReader(""), out, told, d.env.get)
	return d
}

// run is one command line as cron would run it; it must end with one of the
// codes, unless it found or missed something.
func (m *market) run(most exitCode, args ...string) string {
	m.t.Helper()
	var out, told bytes.Buffer
	code := m.deps(&out, &told).execute(context.WithoutCancel(m.t.Context()), args)
	for _, fine := range []exitCode{exitDone, exitDivergences, most} {
		if code == fine {
			return out.String()
		}
	}
	m.fail("desfecho %s: exit %d\n%s%s", strings.Join(args, " "), code, out.String(), told.String())
	return ""
}

// timed is a database whose clock is another.
type timed struct {
	store.Store
	clock *fakepsp.Clock
}

func (t timed) View(ctx context.Context) (store.View, error) {
	v, err := t.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	return timedView{v, payment.InstantOf(t.clock.Now())}, nil
}

func (t timed) See(ctx context.Context, id string) (*store.Seen, error) {
	seen, err := t.Store.See(ctx, id)
	if err == nil {
		seen.At = payment.InstantOf(t.clock.Now())
	}
	return seen, err
}

type timedView struct {
	store.View
	now payment.Instant
}

func (v timedView) Now() payment.Instant { return v.now }

// weather is what the way to a provider is like during one run.
type weather string

const (
	fine   weather = "fine"
	lossy  weather = "pages are lost"
	denied weather = "the key is wrong"
	down   weather = "it is down"
)

// front stands between the program and a provider.
type front struct {
	api http.Handler
	url string

	mu      sync.Mutex
	weather weather
	round   uint64 // of the weather: a page that is lost in it stays lost
	others  []string
}

func (m *market) front(name, key string, api http.Handler) {
	m.t.Helper()
	f := &front{api: api, weather: fine}
	l, err := fakepsp.Listen(f)
	m.must(err)
	f.url = l.URL
	m.fronts[name] = f
	m.must(os.WriteFile(filepath.Join(m.folder, name+".key"), []byte(key), 0o600))
	m.t.Cleanup(func() {
		m.must(l.Close())
		if len(f.others) > 0 {
			m.t.Errorf("%s was sent %q", name, f.others)
		}
	})
}

// turns sets the weather, and the key that the program has.
func (m *market) turns(name string, to weather) {
	key := map[string]string{merchant.Loja: stripeKey, merchant.Banco: asaasKey}[name]
	if to == denied {
		key += "0"
	}
	m.must(os.WriteFile(filepath.Join(m.folder, name+".key"), []byte(key), 0o600))
	f := m.fronts[name]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.weather, f.round = to, m.dice.Uint64()
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	weather, round := f.weather, f.round
	if r.Method != http.MethodGet || strings.Contains(r.URL.String(), "canary") {
		f.others = append(f.others, r.Method+" "+r.URL.String())
	}
	f.mu.Unlock()
	switch {
	case weather == down && round%2 == 0:
		panic(http.ErrAbortHandler)
	case weather == down:
		say(w, http.StatusServiceUnavailable, "text/html", "<html>maintenance")
	case weather == lossy:
		f.lose(w, r, round)
	default:
		f.api.ServeHTTP(w, r)
	}
}

// lose answers one of four questions wrongly, and the same one again whenever
// it is asked in this weather.
func (f *front) lose(w http.ResponseWriter, r *http.Request, round uint64) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", round, r.URL))
	luck := binary.BigEndian.Uint64(sum[:])
	if luck%4 != 0 {
		f.api.ServeHTTP(w, r)
		return
	}
	switch luck >> 8 % 7 {
	case 0:
		panic(http.ErrAbortHandler)
	case 1:
		say(w, http.StatusInternalServerError, "application/json", `{"error":{"type":"api_error"},"errors":[{"code":"internal"}]}`)
	case 2:
		say(w, http.StatusBadGateway, "text/html", "<html>bad gateway")
	case 3:
		say(w, http.StatusTooManyRequests, "application/json", `{"error":{"type":"rate_limit"},"errors":[{"code":"rate"}]}`)
	case 4:
		say(w, http.StatusOK, "application/json", `{}`)
	case 5:
		f.torn(w, r)
	default:
		say(w, http.StatusNotFound, "text/html", "<html>no such page")
	}
}

func say(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// torn lets the first half of an answer through.
func (f *front) torn(w http.ResponseWriter, r *http.Request) {
	kept := &answered{header: http.Header{}, status: http.StatusOK}
	f.api.ServeHTTP(kept, r)
	for name, values := range kept.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(kept.body.Len()))
	w.WriteHeader(kept.status)
	_, _ = w.Write(kept.body.Bytes()[:kept.body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answered) Header() http.Header            { return a.header }
func (a *answered) WriteHeader(status int)         { a.status = status }
func (a *answered) Write(text []byte) (int, error) { return a.body.Write(text) }

var errDies = errors.New("the process died")
