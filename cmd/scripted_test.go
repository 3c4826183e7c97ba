//go:build unix

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/ui"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// played is one provider that is being played.
type played struct {
	psp
	t      *testing.T
	name   string
	secret string // that must be found in headers only, or in the form for a token
	server *httptest.Server
	date   time.Time
	book   providertest.Book

	mu    sync.Mutex
	asked int
	// wrong is told the number of each request, from 1, what was asked and what
	// the good answer is. nil, and where it gives nil: the good one is given.
	wrong  func(n int, r *http.Request, good providertest.Exchange) http.HandlerFunc
	others []string // requests that no provider may get
}

// goesWrong changes what goes wrong, and counts requests anew.
func (p *played) goesWrong(wrong func(int, *http.Request, providertest.Exchange) http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked, p.wrong = 0, wrong
}

// holds changes what the provider has.
func (p *played) holds(lists map[string][]providertest.Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book.Lists = lists
}

func (p *played) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *played) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", p.date.UTC().Format(http.TimeFormat))
	p.mu.Lock()
	token := p.name == "pix" && r.URL.Path == "/token" && r.Method == http.MethodPost
	if r.Method != http.MethodGet && !token || strings.Contains(r.URL.String(), p.secret) {
		p.others = append(p.others, r.Method+" "+r.URL.String())
	}
	if token {
		p.mu.Unlock()
		providertest.Say(w, http.StatusOK, providertest.Row{"access_token": bearerCanary, "token_type": "Bearer", "expires_in": 3600})
		return
	}
	p.mu.Unlock()
	n, wrong, status, body := p.next(r)
	if wrong != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		if handler := wrong(n, r, providertest.Exchange{Status: status, Body: string(text)}); handler != nil {
			handler(w, r)
			return
		}
	}
	providertest.Say(w, status, body)
}

// next is the number of the request, what goes wrong, and the good answer.
func (p *played) next(r *http.Request) (n int, wrong func(int, *http.Request, providertest.Exchange) http.HandlerFunc, status int, body any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	status, body = p.answer(r)
	return p.asked, p.wrong, status, body
}

func (p *played) answer(r *http.Request) (int, any) {
	switch r.URL.Path {
	case "/v1/account":
		return http.StatusOK, providertest.Row{"id": "acct_1", "object": "account"}
	case "/v1/balance":
		return http.StatusOK, providertest.Row{"object": "balance", "livemode": true}
	case "/wallets/":
		return (&providertest.Book{Page: 1, Lists: map[string][]providertest.Row{"wallets": {{"object": "wallet", "id": "wallet-1"}}}}).Asaas("wallets", nil)
	}
	return p.says(&p.book)(r.URL.Path, r.URL.Query())
}

// stand is a merchant with an account at each provider.
type stand struct {
	*shop
	at     time.Time // of the first sale: noon, which is one day in every zone here
	plays  map[string]*played
	silent []string // hosts that are not waited for
}

// Sales of each provider: agreed ones, one whose outcome nobody knows, and one
// that the provider never saw.
const agreedSales = 4

// openStand gives a shop an account at the named providers, with sales of three days
// ago that its attempts know of. clean: nothing is wrong with any of them.
func openStand(t *testing.T, s *shop, clean bool, names ...string) *stand {
	t.Helper()
	st := &stand{shop: s, at: time.Now().Truncate(24 * time.Hour).Add(-60 * time.Hour), plays: map[string]*played{}}
	s.exec("DROP TABLE attempts; CREATE TABLE attempts (id text PRIMARY KEY, charge_id text, provider text, status text, ref text, provider_charge_id text, amount_cents integer, created_at text, last_error text)")
	text := `attempts:
  read: attempts
  currency: BRL
  columns: {id: id, charge: charge_id, provider: provider, status: status, provider_charge_id: provider_charge_id, amount: amount_cents, unit: minor, created_at: created_at, last_error: last_error}
  references: [{name: try, here: ref, there: metadata.try, scope: attempt}]
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
providers:
`
	for _, name := range names {
		p := st.play(name)
		s.file(name+".key", p.key+"\n")
		text += fmt.Sprintf("  - {name: %s, key_file: %q, succeeded_means: {charge: captured}, %s}\n", name, filepath.Join(s.folder, name+".key"),
			strings.NewReplacer("$FOLDER", s.folder, "$PIX", p.server.URL).Replace(p.entry))
		for n := range agreedSales {
			st.sell(p, n, "succeeded")
		}
		if !clean {
			st.sell(p, agreedSales, "unknown")
			st.try(p, agreedSales+1, "succeeded")
		}
	}
	s.file("desfecho.yaml", text)
	s.must(int(exitDone), "schema", "--apply")
	return st
}

func (st *stand) play(name string) *played {
	st.t.Helper()
	p := &played{psp: psps()[name], t: st.t, name: name, secret: "canary-" + name + "-0c9d4e1b77aa", date: time.Now(), book: providertest.Book{Page: 2, Lists: map[string][]providertest.Row{}}}
	p.key = strings.ReplaceAll(p.key, "CANARY", p.secret)
	for _, list := range p.lists {
		p.book.Lists[list] = []providertest.Row{}
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections are cut on purpose here
	if name == "pix" {
		p.server.StartTLS()
		st.file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})))
	} else {
		p.server.Start()
	}
	st.t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
		if len(p.others) > 0 {
			st.t.Errorf("%s was sent %q", name, p.others)
		}
	})
	st.plays[name] = p
	return p
}

// reference is one that every provider takes.
func reference(name string, n int) string { return fmt.Sprintf("pedido%019d%s", n, name[:1]) }

// sell makes a sale at the provider, and the attempt that made it.
func (st *stand) sell(p *played, n int, status string) {
	st.t.Helper()
	for list, text := range p.sale(n, st.at.Add(time.Duration(n)*time.Minute), reference(p.name, n)) {
		p.book.Lists[list] = append(p.book.Lists[list], providertest.Object(text))
	}
	st.try(p, n, status)
}

func (st *stand) try(p *played, n int, status string) {
	st.t.Helper()
	at := st.at.Add(time.Duration(n)*time.Minute - time.Second).UTC().Format("2006-01-02 15:04:05Z")
	st.exec(fmt.Sprintf("INSERT INTO attempts VALUES ('%s-%d', 'c-%s-%d', '%s', '%s', '%s', NULL, 10000, '%s', NULL)", p.name, n, p.name, n, p.name, status, reference(p.name, n), at))
}

// command is one command line whose questions go to the players, at once.
func (st *stand) command(args ...string) (stdout, stderr string, code exitCode) {
	st.t.Helper()
	var out, told bytes.Buffer
	d := &deps{program: "desfecho", env: environmentOf(st.env()), global: &globalOptions{}, now: time.Now, asking: sentTo(st.addresses(), st.silent...)}
	d.Streams = ui.Detect(strings.NewReader(""), &out, &told, d.env.get)
	code = d.execute(context.WithoutCancel(st.t.Context()), args)
	return out.String(), told.String(), code
}

// wants is a command line that ends with a code, and what it printed.
func (st *stand) wants(code exitCode, args ...string) (stdout, stderr string) {
	st.t.Helper()
	out, told, got := st.command(args...)
	if got != code {
		st.t.Fatalf("desfecho %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, told)
	}
	return out, told
}

// addresses are those of the players, by the host that they stand for.
func (st *stand) addresses() map[string]string {
	all := map[string]string{}
	for _, p := range st.plays {
		all[p.host] = p.server.URL
	}
	return all
}

// sentTo sends what is asked to the players; no limit is kept, and nothing is
// waited for but a player that does not answer, and for that one not long.
func sentTo(addresses map[string]string, silent ...string) func(*httpx.Options) {
	return func(o *httpx.Options) {
		patience := 10 * time.Second
		for host, url := range addresses {
			if strings.HasPrefix(o.BaseURL, host) {
				if slices.Contains(silent, host) {
					patience = 100 * time.Millisecond
				}
				o.BaseURL = url
			}
		}
		o.Loopback, o.Rate = true, provider.Rate{}
		o.Deadlines, o.Retry, o.Caps = httpx.Deadlines{Headers: patience, Body: patience}, httpx.Retry{Tries: 2}, httpx.Caps{Body: 1 << 20}
		o.Wait = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	}
}

// bearerCanary is what the credential of Pix opens.
const bearerCanary = "canary-bearer-1f0ba77e"

// askedAt is the environment variable in which a process of its own finds the
// players.
const askedAt = "FAULT_PROVIDERS"

// apart is the program in a process of its own, whose questions go to the
// players.
type apart struct {
	*exec.Cmd
	started chan struct{}
	told    bytes.Buffer // on both streams
}

func (st *stand) apart(args ...string) *apart {
	st.t.Helper()
	addresses, err := json.Marshal(st.addresses())
	if err != nil {
		st.t.Fatal(err)
	}
	a := &apart{Cmd: exec.CommandContext(context.WithoutCancel(st.t.Context()), "desfecho", args...), started: make(chan struct{})}
	a.Env = append(os.Environ(), append(st.env(), askedAt+"="+string(addresses))...)
	a.Stdout, a.Stderr = &a.told, &a.told
	return a
}

func (a *apart) run() error {
	err := a.Start()
	close(a.started)
	if err != nil {
		return err
	}
	return a.Wait()
}

// pid is the running process's, for those that it asks.
func (a *apart) pid() int {
	<-a.started
	return a.Process.Pid
}

// asPlayed is the program in a process of its own, whose questions go to the
// players.
func asPlayed(addresses string) int {
	var all map[string]string
	if err := json.Unmarshal([]byte(addresses), &all); err != nil {
		panic(err)
	}
	d := &deps{program: "desfecho", env: environmentOf(os.Environ()), global: &globalOptions{}, now: time.Now, asking: sentTo(all)}
	d.Streams = ui.Detect(os.Stdin, os.Stdout, os.Stderr, d.env.get)
	return int(d.execute(context.Background(), os.Args[1:]))
}

// kept is what the store holds of a provider: its lines, its units, and how far
// each statement is covered.
func (st *stand) kept(names ...string) string {
	st.t.Helper()
	var rows []string
	for _, name := range names {
		rows = append(rows, st.query(
			fmt.Sprintf("SELECT 'line', provider, account, identity, content FROM %s WHERE provider = '%s'", st.own("lines"), name),
			fmt.Sprintf("SELECT 'unit', provider, account, fingerprint FROM %s WHERE provider = '%s'", st.own("units"), name),
			fmt.Sprintf("SELECT 'coverage', provider, account, statement, grade, min(from_at), max(through_at) FROM %s WHERE provider = '%s' GROUP BY provider, account, statement, grade", st.own("coverage"), name),
		)...)
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}
