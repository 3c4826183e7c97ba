package cmd

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
)

// keyCanary is a credential that may be found in headers only.
const keyCanary = "canary-0c9d4e1b77aa"

// wire is the loopback provider of a shop, and what goes wrong in front of it.
type wire struct {
	*fakepsp.Provider
	url string

	mu     sync.Mutex
	wrong  func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	others []string                                          // requests that were no GET, or held the key in the URL
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	wrong := w.wrong
	if r.Method != http.MethodGet || strings.Contains(r.URL.String(), keyCanary) {
		w.others = append(w.others, r.Method+" "+r.URL.String())
	}
	w.mu.Unlock()
	if wrong == nil || !wrong(out, r) {
		w.Provider.ServeHTTP(out, r)
	}
}

func (w *wire) goesWrong(wrong func(http.ResponseWriter, *http.Request) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = wrong
}

// wired gives a shop a loopback provider with payments that its attempts know
// of, but for one, and configures it.
func (s *shop) wired(name string) *wire {
	s.t.Helper()
	clock := fakepsp.NewClock(time.Now().Add(-2 * time.Hour))
	w := &wire{Provider: fakepsp.New(fakepsp.Settings{Account: "acct_1", Token: keyCanary, Clock: clock})}
	made, err := fakepsp.Listen(w.Provider)
	if err != nil {
		s.t.Fatal(err)
	}
	defer made.Close()
	for i := range 5 {
		pay(s.t, made.URL, fmt.Sprintf(`{"amount":%d,"currency":"BRL","method":"card","metadata":{"charge":"c%d"}}`, 1000+i, i))
		clock.Advance(time.Minute)
	}
	clock.Set(time.Now())
	listener, err := fakepsp.Listen(w)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = listener.Close()
		if len(w.others) > 0 {
			s.t.Errorf("the provider was sent %q", w.others)
		}
	})
	w.url = listener.URL + "/v1"
	s.file(name+".key", keyCanary+"\n")
	return w
}

func pay(t *testing.T, url, body string) {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/payments", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("Authorization", "Bearer "+keyCanary)
	got, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", got.StatusCode)
	}
}

// configure writes the entries of the providers, all of one table of attempts.
func (s *shop) configure(wires map[string]*wire) {
	s.t.Helper()
	text := `attempts:
  read: attempts
  provider: one
  currency: BRL
  columns: {id: id, charge: charge_id, status: status, provider_charge_id: provider_charge_id, amount: amount_cents, unit: minor, created_at: created_at}
  references: [{here: charge_id, there: metadata.charge, scope: charge}]
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
providers:
`
	for _, name := range []string{"one", "two"} {
		if w := wires[name]; w != nil {
			text += fmt.Sprintf("  - {name: %s, account: acct_1, mode: live, type: loopback, base_url: %q, key_file: %q, succeeded_means: {charge: captured}}\n",
				name, w.url, filepath.Join(s.folder, name+".key"))
		}
	}
	s.file("desfecho.yaml", text)
}

// TestPullAsksTheProvider: what it says is stored and covered, once, and
// compared with the attempts.
func TestPullAsksTheProvider(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.t = t
			w := s.wired("one")
			s.configure(map[string]*wire{"one": w})
			s.exec("DELETE FROM attempts")
			at := time.Now().Add(-2 * time.Hour).UTC().Format("2006-01-02 15:04:05Z")
			for i := range 4 { // the fifth payment has no attempt
				s.exec(fmt.Sprintf("INSERT INTO attempts VALUES (%d, 'c%d', 'succeeded', NULL, %d, '%s')", 10+i, i, 1000+i, at))
			}
			s.must(int(exitDone), "schema", "--apply")
			told := s.must(int(exitDone), "pull")
			for _, want := range []string{"one acct_1 live", "10 rows: 5 lines new", "5 objects", "ledger to 20", "objects to 20", "proven"} {
				if !strings.Contains(told, want) {
					t.Errorf("pull does not say %q:\n%s", want, told)
				}
			}
			if again := s.must(int(exitDone), "pull", "one"); !strings.Contains(again, "0 lines new, 0 later, 0 restated, 5 repeated") {
				t.Errorf("a second pull: %s", again)
			}
			if told := s.must(int(exitDone), "pull", "-q"); told != "" {
				t.Errorf("-q says %q", told)
			}
			report := s.must(int(exitDivergences), "reconcile")
			if !strings.Contains(report, "unrecorded_charge") || strings.Contains(report, "missing_at_provider") {
				t.Errorf("the report:\n%s", report)
			}
		})
	}
}

// TestPullOfOneProviderLeavesTheOthersUntouched, and says which was not read.
func TestPullOfOneProviderLeavesTheOthersUntouched(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	one, two := s.wired("one"), s.wired("two")
	s.configure(map[string]*wire{"one": one, "two": two})
	s.must(int(exitDone), "schema", "--apply")
	two.goesWrong(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/ledger") {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>\x1b[31m" + keyCanary))
		return true
	})
	told := s.must(int(exitIncomplete), "pull")
	for _, want := range []string{"one acct_1 live · 10 rows", "two acct_1 live · 5 rows", "ledger read to nowhere", "incomplete", "content type", "unparsable"} {
		if !strings.Contains(told, want) {
			t.Errorf("pull does not say %q:\n%s", want, told)
		}
	}
	if strings.Contains(told, keyCanary) || strings.Contains(told, "\x1b") {
		t.Errorf("the key or an escape is told:\n%q", told)
	}
	two.goesWrong(nil)
	if told := s.must(int(exitDone), "pull", "two", "--json"); !strings.Contains(told, `"new":5,`) || !strings.Contains(told, `"failures":[]`) {
		t.Errorf("later: %s", told)
	}
}

// TestPullEndsWithItsOwnCodes: 8 for a refused key of the only provider asked,
// 4 for it among others, 2 for another account than before, 75 for another
// pull at work.
func TestPullEndsWithItsOwnCodes(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	one, two := s.wired("one"), s.wired("two")
	s.configure(map[string]*wire{"one": one, "two": two})
	s.must(int(exitDone), "schema", "--apply")
	s.file("two.key", "another-key-than-that")
	if told := s.must(int(exitCredentials), "pull", "two"); !strings.Contains(told, "credentials") {
		t.Errorf("a refused key: %s", told)
	}
	s.must(int(exitIncomplete), "pull")
	s.file("two.key", keyCanary)
	s.must(int(exitDone), "pull")
	two.goesWrong(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/account") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"account":"acct_1","mode":"test"}`))
		return true
	})
	if told := s.must(int(exitIncomplete), "pull", "two"); !strings.Contains(told, "wrong mode") {
		t.Errorf("another mode: %s", told)
	}
	database, err := s.open(s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if _, err := database.Acquire(t.Context(), "one", "acct_1", "somebody", time.Minute); err != nil {
		t.Fatal(err)
	}
	if told := s.must(int(exitLeased), "pull", "one"); !strings.Contains(told, "somebody") {
		t.Errorf("another at work: %s", told)
	}
}

// TestAProvidersKeyIsReadWithCare: from one place, that others cannot read, and
// never told.
func TestAProvidersKeyIsReadWithCare(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	w := s.wired("one")
	s.configure(map[string]*wire{"one": w})
	s.must(int(exitDone), "schema", "--apply")
	path := filepath.Join(s.folder, "one.key")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if told := s.must(int(exitNotUsable), "pull"); !strings.Contains(told, "chmod 600") {
		t.Errorf("a key that others may read: %s", told)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s.file("one.key", "a\nb"+keyCanary)
	if told := s.must(int(exitNotUsable), "pull"); strings.Contains(told, keyCanary) {
		t.Errorf("a key that cannot be sent is told: %s", told)
	}
	s.file("one.key", " \n")
	if told := s.must(int(exitNotUsable), "pull"); !strings.Contains(told, "empty") {
		t.Errorf("an empty key: %s", told)
	}
}

// TestOnlyTheLoopbackProviderIsOnThisMachine: no other entry can name an
// address.
func TestOnlyTheLoopbackProviderIsOnThisMachine(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	s.file("stripe.key", "rk_live_"+keyCanary)
	s.file("desfecho.yaml", strings.Replace(shopConfig, "timezone:", `type: stripe, base_url: "http://127.0.0.1:1", key_file: `+
		fmt.Sprintf("%q", filepath.Join(s.folder, "stripe.key"))+", timezone:", 1))
	if told := s.must(int(exitNotUsable), "pull"); !strings.Contains(told, "base_url") || strings.Contains(told, keyCanary) {
		t.Errorf("%s", told)
	}
	s.file("desfecho.yaml", strings.Replace(shopConfig, "timezone:", "type: strype, timezone:", 1))
	if told := s.must(int(exitNotUsable), "pull"); !strings.Contains(told, "loopback") {
		t.Errorf("%s", told)
	}
	s.file("desfecho.yaml", shopConfig)
	for _, args := range [][]string{{"pull"}, {"pull", "stripe"}, {"pull", "strype"}, {"pull", "--covers", "2025-01-01..2025-01-02"}, {"pull", "stripe", "--file", "x", "--since", "2025-01-01"}} {
		s.must(int(exitNotUsable), args...)
	}
}
