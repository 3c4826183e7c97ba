package fakepsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/fakepsp"
)

// bench is a provider on loopback and a client with a timeout of ten seconds
// of the provider's clock.
type bench struct {
	*fakepsp.Provider
	t      testing.TB
	clock  *fakepsp.Clock
	url    string
	client *http.Client
}

func open(t testing.TB, tune func(*fakepsp.Settings)) *bench {
	t.Helper()
	clock := fakepsp.NewClock(time.Date(2025, time.November, 28, 9, 0, 0, 0, time.UTC))
	s := fakepsp.Settings{Clock: clock}
	if tune != nil {
		tune(&s)
	}
	p := fakepsp.New(s)
	l, err := fakepsp.Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bench{p, t, clock, l.URL, client}
}

// got is what a client saw of one request.
type got struct {
	status   int
	body     string
	replayed bool
	err      error
}

func (b *bench) send(method, path, key, body string) got {
	b.t.Helper()
	ctx, cancel := b.clock.WithTimeout(b.t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, b.url+"/v1/"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.GetBody = nil
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answered, err := b.client.Do(r)
	if err != nil {
		return got{err: err}
	}
	defer answered.Body.Close()
	text, err := io.ReadAll(answered.Body)
	return got{answered.StatusCode, string(text), answered.Header.Get("Idempotent-Replayed") == "true", err}
}

func (b *bench) post(key, body string) got { return b.send(http.MethodPost, "payments", key, body) }

const sale = `{"amount":12990,"currency":"BRL","method":"card","card":"tok_ok","reference":"r1","metadata":{"charge_id":"c1"}}`

func TestEveryFaultDoesWhatItsNameSays(t *testing.T) {
	t.Parallel()
	const nothing, timeout = -1, -2
	for _, row := range []struct {
		name   string
		fault  fakepsp.Fault
		status int // seen by the client
		held   int // objects right after it
		later  int // objects ten minutes after it
		again  int // status of the same request ten minutes later
	}{
		{"none", fakepsp.Fault{}, 201, 1, 1, 201},
		{"drop before", fakepsp.DropBefore, nothing, 0, 0, 201},
		{"drop after", fakepsp.DropAfter, nothing, 1, 1, 201},
		{"drop, carried out late", fakepsp.DropLate, nothing, 0, 1, 201},
		{"slow before", fakepsp.SlowBefore, timeout, 0, 0, 201},
		{"slow after", fakepsp.SlowAfter, timeout, 1, 1, 201},
		{"slow, carried out late", fakepsp.SlowLate, timeout, 0, 1, 201},
		{"500 before", fakepsp.ErrorBefore, 500, 0, 0, 500},
		{"500 after", fakepsp.ErrorAfter, 500, 1, 1, 500},
		{"500, carried out late", fakepsp.ErrorLate, 500, 0, 1, 500},
		{"502 before", fakepsp.BadGatewayBefore, 502, 0, 0, 201},
		{"502 after", fakepsp.BadGatewayAfter, 502, 1, 1, 201},
		{"cut body", fakepsp.CutAfter, nothing, 1, 1, 201},
		{"429", fakepsp.RateLimited, 429, 0, 0, 201},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, func(s *fakepsp.Settings) { s.Faults = fakepsp.OnOrder(row.fault) })
			first := b.post("k1", sale)
			switch {
			case row.status == timeout && !errors.Is(first.err, context.DeadlineExceeded),
				row.status == nothing && (first.err == nil || errors.Is(first.err, context.DeadlineExceeded)),
				row.status > 0 && first.status != row.status:
				t.Errorf("the client saw %+v", first)
			}
			if n := len(b.Objects()); n != row.held {
				t.Errorf("%d objects right after it, want %d", n, row.held)
			}
			b.clock.Advance(10 * time.Minute)
			if n := len(b.Objects()); n != row.later {
				t.Errorf("%d objects later, want %d", n, row.later)
			}
			again := b.post("k1", sale)
			if want := row.later > 0 || row.again == 500; again.status != row.again || again.replayed != want {
				t.Errorf("the same request again: %+v, want %d, replayed %t", again, row.again, want)
			}
			if n := len(b.Objects()); again.status == 201 && n != 1 {
				t.Errorf("%d objects in the end", n)
			}
		})
	}
}

// The transport of net/http sends a request with an Idempotency-Key again by
// itself when a kept connection breaks, if it can get the body back.
func TestADroppedRequestArrivesOnce(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.Faults = fakepsp.OnOrder(fakepsp.Fault{}, fakepsp.DropBefore) })
	b.post("k1", sale) // leaves a kept connection
	if dropped := b.post("k2", sale); dropped.err == nil {
		t.Fatalf("not dropped: %+v", dropped)
	}
	if n := len(b.Requests()); n != 2 {
		t.Errorf("%d requests arrived: %+v", n, b.Requests())
	}
}

func TestAKeyMeansOneRequestForADay(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) {
		s.Faults = fakepsp.OnOrder(fakepsp.Fault{}, fakepsp.Fault{}, fakepsp.SlowAfter)
	})
	declined := strings.Replace(sale, "tok_ok", "tok_declined", 1)
	if first := b.post("k1", declined); first.status != 402 || !strings.Contains(first.body, `"state":"declined"`) {
		t.Fatalf("declined: %+v", first)
	}
	if other := b.post("k1", sale); other.status != 422 {
		t.Errorf("the key with another card: %+v", other)
	}
	b.post("k2", sale) // the client gives up before the request is done
	if running := b.post("k2", sale); running.status != 409 {
		t.Errorf("before the slow answer: %+v", running)
	}
	b.clock.Advance(2 * time.Minute)
	if done := b.post("k2", sale); !done.replayed || done.status != 201 {
		t.Errorf("after the slow answer: %+v", done)
	}
	b.clock.Advance(24*time.Hour - 5*time.Minute)
	if kept := b.post("k1", declined); !kept.replayed || kept.status != 402 {
		t.Errorf("just under a day later: %+v", kept)
	}
	b.clock.Advance(5 * time.Minute)
	if forgotten := b.post("k1", sale); forgotten.status != 201 || forgotten.replayed {
		t.Errorf("a day later: %+v", forgotten)
	}
}

func TestAKeyAnswers409WhileItsRequestRuns(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.Faults = fakepsp.OnOrder(fakepsp.DropLate) })
	b.post("k1", sale)
	if running := b.post("k1", sale); running.status != 409 || len(b.Objects()) != 0 {
		t.Errorf("while it runs: %+v", running)
	}
	b.clock.Advance(5 * time.Minute)
	if done := b.post("k1", sale); done.status != 201 || !done.replayed || len(b.Objects()) != 1 {
		t.Errorf("when it is done: %+v", done)
	}
}

func TestARefusedParameterLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for _, bad := range []string{`{`, `{"amount":-1,"currency":"BRL","method":"card"}`, `{"amount":5,"currency":"BRL","method":"shells"}`} {
		if refused := b.post("k1", bad); refused.status != 400 {
			t.Errorf("%s: %+v", bad, refused)
		}
	}
	if fine := b.post("k1", sale); fine.status != 201 || len(b.Objects()) != 1 {
		t.Errorf("the key after a refusal: %+v, %d objects", fine, len(b.Objects()))
	}
}

func TestEachViewShowsAnObjectAfterItsOwnDelay(t *testing.T) {
	t.Parallel()
	delays := map[fakepsp.View]time.Duration{
		fakepsp.ByID: time.Minute, fakepsp.ByKey: 2 * time.Minute, fakepsp.ByReference: 3 * time.Minute, fakepsp.InList: 4 * time.Minute,
		fakepsp.InLedger: 5 * time.Minute,
	}
	b := open(t, func(s *fakepsp.Settings) { s.Delay = delays })
	b.post("k1", sale)
	id := b.Objects()[0].ID
	window := "from=2025-11-28T00:00:00Z&to=2025-11-29T00:00:00Z"
	shown := func(path string) bool {
		answered := b.send(http.MethodGet, path, "", "")
		return answered.status == 200 && strings.Contains(answered.body, id)
	}
	for minute := range 7 {
		for view, path := range map[fakepsp.View]string{
			fakepsp.ByID: "objects/" + id, fakepsp.ByKey: "objects?key=k1", fakepsp.ByReference: "objects?reference=r1",
			fakepsp.InList: "objects?" + window, fakepsp.InLedger: "ledger?" + window,
		} {
			due := time.Duration(minute)*time.Minute >= delays[view]
			if view == fakepsp.InList || view == fakepsp.InLedger { // shown once its instant lies before `through`
				due = time.Duration(minute)*time.Minute > delays[view]
			}
			if shown(path) != due {
				t.Errorf("minute %d: %s shows it: %t", minute, path, !due)
			}
		}
		if b.send(http.MethodGet, "objects?metadata.charge_id=c1", "", "").status != 200 {
			t.Error("a look-up by metadata is refused")
		}
		b.clock.Advance(time.Minute)
	}
}

func TestPayersAndPeopleChangeWhatIsHeld(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.FeePoints, s.Payouts = 200, true })
	created := func(path, body string) string {
		answered := b.send(http.MethodPost, path, "", body)
		var o fakepsp.Object
		if err := json.Unmarshal([]byte(answered.body), &o); err != nil || o.ID == "" {
			t.Fatalf("%s %s: %+v", path, body, answered)
		}
		return o.ID
	}
	card := created("payments", sale)
	held := created("payments", `{"amount":9000,"currency":"BRL","method":"card","capture":false}`)
	created("payments/"+held+"/capture", `{"amount":4000}`)
	let := created("payments", `{"amount":9000,"currency":"BRL","method":"card","capture":false}`)
	created("payments/"+let+"/cancel", "")
	boleto := created("payments", `{"amount":7000,"currency":"BRL","method":"boleto"}`)
	unpaid := created("payments", `{"amount":7100,"currency":"BRL","method":"boleto"}`)
	lost := created("payments", `{"amount":3300,"currency":"BRL","method":"card"}`)
	created("refunds", `{"payment":"`+card+`","amount":990}`)
	sent := created("transfers", `{"amount":2000,"currency":"BRL","to":"conta"}`)
	for _, err := range []error{b.Pay(boleto), b.Expire(unpaid), b.RefundByHand(card, 12_000), b.ChargeBack(lost), b.Return(sent)} {
		if err != nil {
			t.Error(err)
		}
	}
	b.ReceiveStatic(500, "BRL")
	for what, err := range map[string]error{
		"paid twice": b.Pay(boleto), "expired after it was paid": b.Expire(boleto), "refunded beyond": b.RefundByHand(card, 1),
		"charged back a refund": b.ChargeBack(card), "returned twice": b.Return(sent), "nothing": b.Pay("pay_none"),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	b.states(map[string]string{
		card: fakepsp.Refunded, held: fakepsp.Paid, let: fakepsp.Canceled, boleto: fakepsp.Paid, unpaid: fakepsp.Expired,
		lost: fakepsp.ChargedBack, sent: fakepsp.Returned,
	})
	b.clock.Advance(24 * time.Hour)
	sums := map[string]int64{}
	var balance int64
	for _, e := range b.Entries() {
		sums[e.Type] += e.Amount
		if balance += e.Amount; balance != e.Balance {
			t.Errorf("%s: the balance is %d, not %d", e.ID, balance, e.Balance)
		}
	}
	const fees = 259 + 80 + 140 + 66 + 10
	if diff := cmp.Diff(map[string]int64{
		"charge": 12990 + 4000 + 7000 + 3300 + 500, "fee": -fees, "refund": -12990, "chargeback": -3300, "transfer": -2000,
		"transfer_return": 2000, "payout": -(4000 + 7000 + 500 - fees),
	}, sums); diff != "" {
		t.Errorf("the ledger's sums (-want +got):\n%s", diff)
	}
	if balance != 0 {
		t.Errorf("after the payout the balance is %d", balance)
	}
}

// states demands the state of some objects.
func (b *bench) states(want map[string]string) {
	b.t.Helper()
	for _, o := range b.Objects() {
		if state := want[o.ID]; state != "" && state != o.State {
			b.t.Errorf("%s is %s, want %s", o.ID, o.State, state)
		}
	}
}

func TestTheProviderIsReachedOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	host, _, err := net.SplitHostPort(strings.TrimPrefix(b.url, "http://"))
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s", b.url)
	}
}

// A slow answer to a client without a timeout ends with the listener, and then
// nothing of ours runs any more. Not parallel: it looks at the whole process.
func TestClosingLeavesNothingRunning(t *testing.T) {
	arrived := make(chan bool, 1)
	p := fakepsp.New(fakepsp.Settings{
		Clock:  fakepsp.NewClock(time.Unix(1, 0)),
		Faults: func(fakepsp.Request) fakepsp.Fault { arrived <- true; return fakepsp.SlowAfter },
	})
	l, err := fakepsp.Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := http.Post(l.URL+"/v1/payments", "application/json", strings.NewReader(sale)) //nolint:bodyclose // there is none
		failed <- err
	}()
	<-arrived
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("the slow answer came")
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, ours := range []string{"fakepsp.(*Provider)", "fakepsp.(*Listener)"} {
		if bytes.Contains(stacks, []byte(ours)) {
			t.Errorf("%s still runs:\n%s", ours, stacks)
		}
	}
}

func TestAWrongCredentialIsRefused(t *testing.T) {
	t.Parallel()
	b := open(t, func(s *fakepsp.Settings) { s.Token = "right" })
	if refused := b.post("k1", sale); refused.status != 401 || len(b.Objects()) != 0 {
		t.Errorf("without a credential: %+v", refused)
	}
}

func TestASnapshotGoesOnWhereItWasTaken(t *testing.T) {
	t.Parallel()
	tune := func(s *fakepsp.Settings) {
		s.Faults, s.Payouts = fakepsp.OnOrder(fakepsp.Fault{}, fakepsp.DropLate), true
	}
	a, b := open(t, tune), open(t, nil)
	a.post("k1", sale)
	a.post("k2", strings.Replace(sale, "12990", "100", 1))
	saved, err := a.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Restore(saved); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*bench{a, b} {
		p.clock.Advance(10 * time.Minute)
		p.post("k3", sale)
	}
	if diff := cmp.Diff(a.Objects(), b.Objects()); diff != "" || len(a.Objects()) != 3 {
		t.Errorf("objects (-first +restored):\n%s", diff)
	}
	if replayed := b.post("k1", sale); !replayed.replayed {
		t.Errorf("the restored provider forgot a key: %+v", replayed)
	}
	for _, bad := range []string{"", "{", "{}"} {
		if b.Restore([]byte(bad)) == nil {
			t.Errorf("%q is taken for a snapshot", bad)
		}
	}
}
