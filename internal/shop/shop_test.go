package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
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
	faults []fakepsp.Fault
	seen   func() // called at each request of a provider
	silent bool
	step   func(shop.Step) error
}

func open(t *testing.T, db *sql.DB, dialect shop.Dialect, twin shop.Twin) *bench {
	t.Helper()
	b := &bench{t: t, db: db}
	stage, err := shop.OpenStage(t.Context(), shop.StageSettings{
		DB: db, Dialect: dialect, Twin: twin, Start: time.Date(2025, time.November, 28, 9, 0, 0, 0, time.UTC),
		Dice: rand.New(rand.NewPCG(1, 2)),
		Tune: func(_ string, s *fakepsp.Settings) {
			s.Faults = func(r fakepsp.Request) fakepsp.Fault {
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
			b.faults = []fakepsp.Fault{row.fault}
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
		b.faults = []fakepsp.Fault{fakepsp.DropAfter}
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
	b.faults, b.silent = []fakepsp.Fault{fakepsp.DropAfter}, true
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
		b.faults = []fakepsp.Fault{row.fault}
		_, _, err := b.Shop.Submit(t.Context(), b.transfer(row.to))
		b.must(err)
		if got := b.says(`SELECT status FROM reserves`); got != row.want {
			t.Errorf("%s to %s after %+v: %s, want %s", row.twin, row.to, row.fault, got, row.want)
		}
	}
}

func TestAnEventIsTakenOnceAndSweptWhenItsProcessDied(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	b.faults = []fakepsp.Fault{fakepsp.DropAfter}
	_, _, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	b.step = func(s shop.Step) error {
		if s == shop.AfterEvent {
			return errCrash
		}
		return nil
	}
	b.must(b.Deliver(t.Context()))
	b.step = nil
	b.must(b.DeliverAll(t.Context())) // they come again: told before
	if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'pending'`); got != "2" {
		t.Fatalf("%s events are pending", got)
	}
	if got := b.says(`SELECT status FROM charge_attempts`); got != "unknown" {
		t.Errorf("the attempt is %s", got)
	}
	for range 2 {
		_, err = b.Shop.Sweep(t.Context(), time.Minute)
		b.must(err)
		if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'processed'`); got != "2" {
			t.Errorf("%s events are processed", got)
		}
		if got := b.says(`SELECT status FROM charge_attempts`); got != "succeeded" {
			t.Errorf("the attempt is %s", got)
		}
		if got := b.says(`SELECT count(*) FROM ledger_entries`); got != "1" {
			t.Errorf("%s credits", got)
		}
	}
}

func TestAFailedAttemptStaysFailedWhateverAnEventSays(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.TimeoutAsFailed)
	b.faults = []fakepsp.Fault{fakepsp.SlowAfter}
	_, status, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	b.must(b.DeliverAll(t.Context()))
	if got := b.says(`SELECT status FROM charge_attempts`); status != payment.Failed || got != "failed" {
		t.Errorf("%s, then %s", status, got)
	}
	if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'processed'`); got != "2" {
		t.Errorf("%s events are processed", got)
	}
}

func TestNonsenseAtTheDoorIsRefused(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	for _, row := range []struct {
		path, key, body string
		want            int
	}{
		{"/webhooks/loja", "", `{`, 400}, {"/webhooks/loja", "", `{}`, 400}, {"/nowhere", "", `{}`, 404}, {"/cobrancas", "", `{}`, 400},
		{"/cobrancas", "k", `{"pedido_id":0}`, 400}, {"/webhooks/loja", "", `{"id":"e","object":{"id":"pay_none","state":"paid"}}`, 200},
	} {
		if got := post(t, b.Shop, row.path, row.key, row.body).Code; got != row.want {
			t.Errorf("%s %s: %d, want %d", row.path, row.body, got, row.want)
		}
	}
}

func TestACobrancaIsMadeOncePerKey(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	body := `{"pedido_id":7,"valor_centavos":9900,"cartao":"tok_ok"}`
	first := post(t, b.Shop, "/cobrancas", "k1", body)
	again := post(t, b.Shop, "/cobrancas", "k1", body)
	if first.Code != 201 || again.Code != 201 || first.Body.String() != again.Body.String() || again.Header().Get("Idempotent-Replayed") == "" {
		t.Errorf("first %d %s, again %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if got := post(t, b.Shop, "/cobrancas", "k1", strings.Replace(body, "9900", "9901", 1)).Code; got != 422 {
		t.Errorf("the key with another amount: %d", got)
	}
	declined := strings.Replace(body, "tok_ok", "tok_declined", 1)
	for range 2 {
		if got := post(t, b.Shop, "/cobrancas", "k2", declined).Code; got != 402 {
			t.Errorf("declined: %d", got)
		}
	}
	b.faults = []fakepsp.Fault{fakepsp.DropAfter}
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 202 {
		t.Errorf("without an answer: %d", got)
	}
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 409 {
		t.Errorf("while nothing is known: %d", got)
	}
	b.Clock.Advance(15 * time.Minute)
	if n, err := b.Shop.ResolveCobrancas(t.Context()); n != 1 || err != nil {
		t.Errorf("%d settled, %v", n, err)
	}
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 201 {
		t.Errorf("after it was looked up: %d", got)
	}
	if n := len(b.Providers[shop.Caixa].Objects()); n != 3 {
		t.Errorf("%d objects", n)
	}
	during := 0
	b.step = func(s shop.Step) error {
		if s == shop.AfterInsert && during == 0 {
			during = post(t, b.Shop, "/cobrancas", "k4", body).Code
		}
		return nil
	}
	if got := post(t, b.Shop, "/cobrancas", "k4", body).Code; got != 201 || during != 409 {
		t.Errorf("%d, and %d meanwhile", got, during)
	}
}

func TestACobrancasTwinDoesItsHarm(t *testing.T) {
	t.Parallel()
	body := `{"pedido_id":7,"valor_centavos":9900,"cartao":"tok_ok"}`
	for twin, harm := range map[shop.Twin]func(*bench) string{
		shop.KeyPerCall: func(b *bench) string {
			b.faults = []fakepsp.Fault{fakepsp.DropAfter}
			post(t, b.Shop, "/cobrancas", "k", body)
			return fmt.Sprint(len(b.Providers[shop.Caixa].Objects()), " objects")
		},
		shop.TimeoutAsFailed: func(b *bench) string {
			b.faults = []fakepsp.Fault{fakepsp.SlowAfter}
			return fmt.Sprint(post(t, b.Shop, "/cobrancas", "k", body).Code, b.says(` SELECT ' ' || status FROM cobranca`))
		},
		shop.CheckThenAct: func(b *bench) string {
			b.step = func(s shop.Step) error {
				if s == shop.BeforeInsert {
					b.step = nil
					post(t, b.Shop, "/cobrancas", "k", body)
				}
				return nil
			}
			post(t, b.Shop, "/cobrancas", "k", body)
			return b.says(`SELECT count(*) || ' rows' FROM cobranca`)
		},
		shop.KeyFromOrder: func(b *bench) string {
			post(t, b.Shop, "/cobrancas", "k", body)
			return fmt.Sprint(post(t, b.Shop, "/cobrancas", "another", strings.Replace(body, "9900", "100", 1)).Code)
		},
	} {
		want := map[shop.Twin]string{
			shop.KeyPerCall: "2 objects", shop.TimeoutAsFailed: "402 recusada", shop.CheckThenAct: "2 rows", shop.KeyFromOrder: "422",
		}[twin]
		if got := harm(open(t, memory(t), shop.SQLite, twin)); got != want {
			t.Errorf("%s: %s, want %s", twin, got, want)
		}
	}
}
