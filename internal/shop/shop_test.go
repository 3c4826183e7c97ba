package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
)

// bench is a stage whose faults and steps a test steers.
type bench struct {
	*shop.Stage
	t      *testing.T
	db     *sql.DB
	seen   func() // called at each request of a provider
	silent bool   // no webhook comes; set before anything is sent
	step   func(shop.Step) error

	mu     sync.Mutex
	faults []fakepsp.Fault
}

// meets sets the faults of the next requests that would change something.
func (b *bench) meets(faults ...fakepsp.Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = faults
}

func (b *bench) fault(r fakepsp.Request) fakepsp.Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen != nil {
		b.seen()
	}
	if r.Method == http.MethodGet || len(b.faults) == 0 {
		return fakepsp.Fault{}
	}
	next := b.faults[0]
	b.faults = b.faults[1:]
	return next
}

func open(t *testing.T, db *sql.DB, dialect shop.Dialect, twin shop.Twin) *bench {
	t.Helper()
	b := &bench{t: t, db: db}
	stage, err := shop.OpenStage(t.Context(), shop.StageSettings{
		DB: db, Dialect: dialect, Twin: twin, Start: time.Date(2025, time.November, 28, 9, 0, 0, 0, time.UTC),
		Dice: rand.New(rand.NewPCG(1, 2)),
		Tune: func(_ string, s *fakepsp.Settings) {
			s.Faults = b.fault
			s.Webhooks = func(fakepsp.Event) []time.Duration {
				if b.silent {
					return nil
				}
				return []time.Duration{0}
			}
		},
		Step: func(_ context.Context, s shop.Step) error {
			if b.step == nil {
				return nil
			}
			return b.step(s)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Stage = stage
	t.Cleanup(func() {
		if err := stage.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) sale(token string) (charge int64) {
	b.t.Helper()
	order, err := b.Shop.Order(b.t.Context(), "pedido", 12990, "BRL")
	b.must(err)
	charge, err = b.Shop.AddCharge(b.t.Context(), shop.Charge{
		Payment: order, Provider: shop.Loja, Method: fakepsp.MethodCard, Token: token, Amount: 12990, Currency: "BRL",
	})
	b.must(err)
	return charge
}

func (b *bench) transfer(to string) (charge int64) {
	b.t.Helper()
	charge, err := b.Shop.AddCharge(b.t.Context(), shop.Charge{
		Provider: shop.Loja, Operation: payment.Transfer, Method: "ted", Token: to, Amount: 5000, Currency: "BRL",
	})
	b.must(err)
	return charge
}

// says is the one value that a query gives, as text.
func (b *bench) says(query string) string {
	b.t.Helper()
	var text string
	b.must(b.db.QueryRowContext(b.t.Context(), query).Scan(&text))
	return text
}

func TestTheOutcomeTable(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		token string
		fault fakepsp.Fault
		want  payment.Status
		class payment.CallError
	}{
		{"accepted", "tok_ok", fakepsp.Fault{}, payment.Succeeded, payment.ErrorNone},
		{"card refused", "tok_declined", fakepsp.Fault{}, payment.Failed, payment.ErrorCardRefused},
		{"timeout", "tok_ok", fakepsp.SlowAfter, payment.Unknown, payment.ErrorTimeout},
		{"reset", "tok_ok", fakepsp.DropBefore, payment.Unknown, payment.ErrorReset},
		{"cut body", "tok_ok", fakepsp.CutAfter, payment.Unknown, payment.ErrorReset},
		{"500", "tok_ok", fakepsp.ErrorAfter, payment.Unknown, payment.Error5xx},
		{"502 in HTML", "tok_ok", fakepsp.BadGatewayBefore, payment.Unknown, payment.Error5xx},
		{"429", "tok_ok", fakepsp.RateLimited, payment.Unknown, payment.Error429},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, memory(t), shop.SQLite, shop.Right)
			b.meets(row.fault)
			_, got, err := b.Shop.Submit(t.Context(), b.sale(row.token))
			b.must(err)
			attempts, err := b.Shop.Attempts(t.Context())
			b.must(err)
			a := attempts[0]
			if got != row.want || a.Status != row.want || a.LastError != row.class {
				t.Errorf("%s, stored as %s with %q, want %s with %q", got, a.Status, a.LastError, row.want, row.class)
			}
			if a.Status.Final() == a.ResolvedAt.IsZero() || (a.ProviderID != "") != (a.Status == payment.Succeeded) {
				t.Errorf("resolved at %s, object %q", a.ResolvedAt, a.ProviderID)
			}
			if n := len(b.Providers[shop.Loja].Requests()); n != 1 || b.says(`SELECT http_attempts FROM charge_attempts`) != "1" {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// The transport would send a request with an Idempotency-Key again by itself
// when a kept connection breaks.
func TestOneTryIsOneRequestOverAKeptConnectionToo(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	b.meets(fakepsp.Fault{}, fakepsp.DropBefore)
	_, _, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	_, got, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	if n := len(b.Providers[shop.Loja].Requests()); got != payment.Unknown || n != 2 {
		t.Errorf("%s after %d requests", got, n)
	}
}

// What comes back that is no answer of a payments API at all.
func TestOnlyAnObjectIsAYesAndOnlyARefusalIsANo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status int
		body   string
		want   payment.Status
		class  payment.CallError
	}{
		{200, `{"id":"pay_1","state":"paid"}`, payment.Succeeded, payment.ErrorNone},
		{200, `{}`, payment.Unknown, payment.ErrorOther},
		{201, `<html>`, payment.Unknown, payment.ErrorOther},
		{204, ``, payment.Unknown, payment.ErrorOther},
		{302, ``, payment.Unknown, payment.ErrorOther},
		{400, `{}`, payment.Failed, payment.Error4xx},
		{401, `{}`, payment.Failed, payment.Error4xx},
		{402, `{}`, payment.Failed, payment.ErrorCardRefused},
		{409, `{}`, payment.Unknown, payment.Error409},
		{422, `{}`, payment.Failed, payment.Error4xx},
		{429, `{}`, payment.Unknown, payment.Error429},
		{503, `{}`, payment.Unknown, payment.Error5xx},
	} {
		l, err := fakepsp.Listen(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/v1/elsewhere")
			w.WriteHeader(row.status)
			if row.status != http.StatusNoContent {
				_, _ = w.Write([]byte(row.body))
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		db := memory(t)
		if err := shop.Install(t.Context(), db, shop.SQLite, shop.Right); err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{}}
		s := shop.New(shop.Settings{
			DB: db, Clock: fakepsp.NewClock(time.Unix(1, 0)), NewKey: func() string { return "k" }, Client: client,
			Providers: []shop.Endpoint{{Name: "p", URL: l.URL}},
		})
		charge, err := s.AddCharge(t.Context(), shop.Charge{Provider: "p", Method: "card", Amount: 1, Currency: "BRL"})
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := s.Submit(t.Context(), charge)
		attempts, err2 := s.Attempts(t.Context())
		if err := errors.Join(err, err2); err != nil || got != row.want || attempts[0].LastError != row.class {
			t.Errorf("%d %s: %s with %q, %v; want %s with %q", row.status, row.body, got, attempts[0].LastError, err, row.want, row.class)
		}
		client.CloseIdleConnections()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The database has one connection here: a transaction that were open during a
// call would hold it.
func TestNoTransactionIsOpenWhileAProviderIsAsked(t *testing.T) {
	t.Parallel()
	for _, twin := range shop.Twins() {
		b := open(t, memory(t), shop.SQLite, twin)
		calls := 0
		b.seen = func() {
			calls++
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
			defer cancel()
			if err := b.db.PingContext(ctx); err != nil {
				t.Errorf("%s: a transaction is open: %v", twin, err)
			}
		}
		b.meets(fakepsp.DropAfter)
		_, _, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
		b.must(err)
		_, err = b.Shop.Resolve(t.Context())
		b.must(err)
		if calls < 2 && twin != shop.TimeoutAsFailed {
			t.Errorf("%s: %d calls", twin, calls)
		}
	}
}

func TestAChargeHasOneOpenAttemptAndEndsOnce(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	charge := b.sale("tok_ok")
	b.silent = true
	b.meets(fakepsp.DropAfter)
	_, _, err := b.Shop.Submit(t.Context(), charge)
	b.must(err)
	if _, _, err := b.Shop.Submit(t.Context(), charge); !errors.Is(err, shop.ErrOpen) {
		t.Errorf("while one is open: %v", err)
	}
	if n, err := b.Shop.Resolve(t.Context()); n != 1 || err != nil {
		t.Errorf("the resolver settled %d, %v", n, err)
	}
	if _, _, err := b.Shop.Submit(t.Context(), charge); !errors.Is(err, shop.ErrSettled) {
		t.Errorf("when it is paid: %v", err)
	}
	if _, _, err := b.Shop.Submit(t.Context(), 999); !errors.Is(err, shop.ErrNoCharge) {
		t.Errorf("without a charge: %v", err)
	}
	pix, err := b.Shop.AddCharge(t.Context(), shop.Charge{Provider: shop.Banco, Method: fakepsp.MethodPix, Amount: 500, Currency: "BRL"})
	b.must(err)
	_, _, err = b.Shop.Submit(t.Context(), pix)
	b.must(err)
	if _, _, err := b.Shop.Submit(t.Context(), pix); !errors.Is(err, shop.ErrSettled) {
		t.Errorf("while it waits for its payer: %v", err)
	}
	if n := b.says(`SELECT count(*) FROM ledger_entries`); n != "1" || len(b.Providers[shop.Loja].Objects()) != 1 {
		t.Errorf("%s entries", n)
	}
}

func TestAProcessThatDiesLeavesAnOrphanThatIsAdopted(t *testing.T) {
	t.Parallel()
	for step, want := range map[shop.Step]payment.Status{shop.AfterInsert: payment.Unknown, shop.AfterReply: payment.Succeeded} {
		b := open(t, memory(t), shop.SQLite, shop.Right)
		b.silent = true
		b.step = func(s shop.Step) error {
			if s == step {
				return errCrash
			}
			return nil
		}
		if _, status, err := b.Shop.Submit(t.Context(), b.sale("tok_ok")); !errors.Is(err, errCrash) || status != payment.Pending {
			t.Fatalf("%s, %v", status, err)
		}
		b.Clock.Advance(14 * time.Minute)
		if n, err := b.Shop.Resolve(t.Context()); n != 0 || err != nil || b.says(`SELECT status FROM charge_attempts`) != "pending" {
			t.Errorf("too early: %d, %v", n, err)
		}
		b.Clock.Advance(time.Minute)
		_, err := b.Shop.Resolve(t.Context())
		b.must(err)
		if got := b.says(`SELECT status FROM charge_attempts`); got != want.String() {
			t.Errorf("died at %d: %s, want %s", step, got, want)
		}
	}
}

func TestAReserveIsFreedByAProvenFailureAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		twin  shop.Twin
		to    string
		fault fakepsp.Fault
		want  string
	}{
		{shop.Right, "conta", fakepsp.Fault{}, "consumed"},
		{shop.Right, "blocked", fakepsp.Fault{}, "released"},
		{shop.Right, "conta", fakepsp.DropAfter, "held"},
		{shop.Right, "conta", fakepsp.ErrorBefore, "held"},
		{shop.ReserveFreed, "conta", fakepsp.DropAfter, "released"},
	} {
		b := open(t, memory(t), shop.SQLite, row.twin)
		b.meets(row.fault)
		_, _, err := b.Shop.Submit(t.Context(), b.transfer(row.to))
		b.must(err)
		if got := b.says(`SELECT status FROM reserves`); got != row.want {
			t.Errorf("%s to %s after %+v: %s, want %s", row.twin, row.to, row.fault, got, row.want)
		}
	}
}
