package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the embedded database

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
)

var errCrash = errors.New("the process died")

func saoPaulo(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func memory(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file::memory:?_txlock=immediate&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // each connection would be a database of its own
	t.Cleanup(func() { db.Close() })
	return db
}

// traffic is a few days of a shop under faults, all decisions from a seed:
// customers who click twice, come back, change cards; processes that die.
type traffic struct {
	t     testing.TB
	dice  *rand.Rand
	stage *shop.Stage
	db    *sql.DB
	step  atomic.Pointer[func(context.Context, shop.Step) error]

	closed    bool
	outage    bool // the first day no job runs, and no webhook comes
	charges   []sale
	waiting   []string // objects at Banco that their payers may still pay
	bancoSeen int
	cobrancas int
	watch     func() // called between customers; nil: nothing
}

type sale struct {
	charge, payment int64
	cents           int64
	operation       payment.Operation
	paid            bool
}

func newTraffic(t testing.TB, db *sql.DB, dialect shop.Dialect, twin shop.Twin, seed uint64) *traffic {
	t.Helper()
	zone := saoPaulo(t)
	tr := &traffic{t: t, db: db, dice: rand.New(rand.NewPCG(seed, 7))}
	tr.outage = tr.oneIn(2)
	faults := fakepsp.Locked(rand.New(rand.NewPCG(seed, 8))) // of their own, so that the right shop and its twins meet the same
	stage, err := shop.OpenStage(t.Context(), shop.StageSettings{
		DB: db, Dialect: dialect, Twin: twin, Start: time.Date(2025, time.November, 28, 8, 0, 0, 0, zone), Zone: zone,
		Dice: rand.New(rand.NewPCG(seed, 9)),
		Tune: func(name string, s *fakepsp.Settings) {
			s.Faults, s.Webhooks = fakepsp.Roughly(faults, 3), tr.webhooks(fakepsp.RoughWebhooks(faults))
			s.FeePoints, s.Payouts = 199, true
			s.Delay = map[fakepsp.View]time.Duration{fakepsp.ByKey: time.Minute, fakepsp.InList: 2 * time.Minute}
			if name == shop.Banco {
				s.BooksAfter = map[string]time.Duration{fakepsp.MethodBoleto: 12 * time.Hour}
			}
		},
		Step: func(ctx context.Context, s shop.Step) error {
			if step := tr.step.Load(); step != nil {
				return (*step)(ctx, s)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.stage = stage
	t.Cleanup(tr.close)
	return tr
}

// close ends the providers and the database; once is enough.
func (tr *traffic) close() {
	if tr.closed {
		return
	}
	tr.closed = true
	tr.must(tr.stage.Close())
	tr.must(tr.db.Close())
}

// webhooks holds back what an outage holds back.
func (tr *traffic) webhooks(plan func(fakepsp.Event) []time.Duration) func(fakepsp.Event) []time.Duration {
	return func(e fakepsp.Event) []time.Duration {
		times := plan(e)
		for i := range times {
			if tr.outage {
				times[i] += 40 * time.Hour
			}
		}
		return times
	}
}

func (tr *traffic) on(step func(context.Context, shop.Step) error) { tr.step.Store(&step) }

func (tr *traffic) oneIn(n int) bool { return tr.dice.IntN(n) == 0 }

func (tr *traffic) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *traffic) pass(d time.Duration) {
	tr.stage.Clock.Advance(d)
	tr.must(tr.stage.Deliver(tr.t.Context()))
}

// play lets n customers come, one after another, and then everything settle.
// It returns what both sides show in the end.
func (tr *traffic) play(n int) *shop.Books {
	ctx := tr.t.Context()
	for range n {
		tr.pass(time.Duration(1+tr.dice.IntN(40)) * time.Minute)
		tr.customer()
		tr.payWaiting()
		if !tr.outage && tr.oneIn(3) {
			tr.jobs()
		}
		tr.look()
	}
	tr.pass(25 * time.Hour) // keys are forgotten; who has not paid comes back
	tr.look()
	for i := range tr.charges {
		if !tr.charges[i].paid {
			tr.submit(tr.charges[i].charge)
		}
	}
	tr.step.Store(nil)
	tr.must(tr.stage.DeliverAll(ctx))
	tr.pass(time.Hour)
	tr.jobs()
	tr.pass(30 * time.Hour) // all horizons pass
	tr.jobs()
	books, err := tr.stage.Books(ctx)
	tr.must(err)
	return books
}

func (tr *traffic) look() {
	if tr.watch != nil {
		tr.watch()
	}
}

func (tr *traffic) jobs() {
	ctx := tr.t.Context()
	_, err := tr.stage.Shop.Resolve(ctx)
	tr.must(err)
	_, err = tr.stage.Shop.Sweep(ctx, 10*time.Minute)
	tr.must(err)
	_, err = tr.stage.Shop.ResolveCobrancas(ctx)
	tr.must(err)
}

func (tr *traffic) customer() {
	switch tr.dice.IntN(9) {
	case 8:
		tr.cobranca()
	case 0:
		tr.order(shop.Charge{Provider: shop.Banco, Method: fakepsp.MethodPix})
	case 1:
		tr.order(shop.Charge{Provider: shop.Banco, Method: fakepsp.MethodBoleto})
	case 2:
		tr.refund()
	case 3:
		to := "conta-1"
		if tr.oneIn(4) {
			to = "blocked"
		}
		tr.charge(shop.Charge{Provider: shop.Loja, Operation: payment.Transfer, Method: "ted", Token: to})
	default:
		token := "tok_ok"
		if tr.oneIn(4) {
			token = "tok_declined"
		}
		tr.order(shop.Charge{Provider: shop.Loja, Method: fakepsp.MethodCard, Token: token})
	}
}

func (tr *traffic) order(c shop.Charge) {
	c.Amount = int64(500 + tr.dice.IntN(100_000))
	id, err := tr.stage.Shop.Order(tr.t.Context(), fmt.Sprintf("pedido %d", len(tr.charges)+1), c.Amount, "BRL")
	tr.must(err)
	c.Payment = id
	tr.charge(c)
}

func (tr *traffic) charge(c shop.Charge) {
	if c.Amount == 0 {
		c.Amount = int64(500 + tr.dice.IntN(100_000))
	}
	c.Currency = "BRL"
	id, err := tr.stage.Shop.AddCharge(tr.t.Context(), c)
	tr.must(err)
	tr.charges = append(tr.charges, sale{charge: id, payment: c.Payment, cents: c.Amount, operation: c.Operation})
	s := &tr.charges[len(tr.charges)-1]
	for range 3 { // a customer tries three times
		status := tr.submit(id)
		if status == payment.Succeeded {
			s.paid = true
			return
		}
		tr.pass(time.Duration(1+tr.dice.IntN(20)) * time.Minute)
		if status == payment.Failed && c.Token == "tok_declined" {
			tr.must(tr.stage.Shop.ChangeToken(tr.t.Context(), id, "tok_ok"))
		}
		if tr.oneIn(2) {
			return
		}
	}
}

// cobranca asks for one over the service, and again with the same key while
// there is no answer.
func (tr *traffic) cobranca() {
	key, pedido, cents, card := fmt.Sprintf("app-%d", tr.dice.Int64()), 900+tr.cobrancas, 500+tr.dice.IntN(100_000), "tok_ok"
	tr.cobrancas++
	if tr.oneIn(4) {
		card = "tok_declined"
	}
	body := fmt.Sprintf(`{"pedido_id":%d,"valor_centavos":%d,"cartao":%q}`, pedido, cents, card)
	press := func() int { return post(tr.t, tr.stage.Shop, "/cobrancas", key, body).Code }
	var twice atomic.Bool
	twice.Store(tr.oneIn(4))
	tr.on(func(_ context.Context, s shop.Step) error {
		if s == shop.BeforeInsert && twice.CompareAndSwap(true, false) {
			press()
		}
		return nil
	})
	for range 3 {
		if status := press(); status != http.StatusAccepted && status != http.StatusConflict {
			return
		}
		tr.pass(time.Duration(1+tr.dice.IntN(20)) * time.Minute)
	}
}

func post(t testing.TB, h http.Handler, path, key, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// submit presses the button, now and then twice, and now and then the process
// dies on the way.
func (tr *traffic) submit(charge int64) payment.Status {
	ctx := tr.t.Context()
	var twice, dead atomic.Bool
	twice.Store(tr.oneIn(6))
	dies := shop.Step(tr.dice.IntN(30))
	tr.on(func(ctx context.Context, s shop.Step) error {
		if s == shop.BeforeInsert && twice.CompareAndSwap(true, false) {
			_, _, err := tr.stage.Shop.Submit(ctx, charge)
			tr.expected(err)
		}
		if s == dies && s != shop.BeforeInsert && dead.CompareAndSwap(false, true) {
			return errCrash
		}
		return nil
	})
	_, status, err := tr.stage.Shop.Submit(ctx, charge)
	tr.expected(err)
	return status
}

func (tr *traffic) expected(err error) {
	tr.t.Helper()
	if err != nil && !errors.Is(err, shop.ErrOpen) && !errors.Is(err, shop.ErrSettled) && !errors.Is(err, errCrash) {
		tr.t.Fatal(err)
	}
}

// refund gives a paid sale back, in whole or in part.
func (tr *traffic) refund() {
	for i := range tr.charges {
		s := &tr.charges[i]
		if !s.paid || s.payment == 0 || s.operation != payment.Charge {
			continue
		}
		s.payment = 0 // once
		cents := s.cents
		if tr.oneIn(2) {
			cents /= 2
		}
		var provider string
		for _, o := range tr.stage.Providers[shop.Loja].Objects() {
			if o.Metadata[shop.RefCharge] == fmt.Sprint(s.charge) {
				provider = shop.Loja
			}
		}
		if provider == "" {
			return
		}
		tr.charge(shop.Charge{
			Provider: provider, Parent: s.charge, Operation: payment.Refund, Method: fakepsp.MethodCard, Amount: cents,
			Payment: 0,
		})
		return
	}
}

// payWaiting lets some payers pay what waits at Banco.
func (tr *traffic) payWaiting() {
	objects := tr.stage.Providers[shop.Banco].Objects()
	for _, o := range objects[tr.bancoSeen:] {
		tr.waiting = append(tr.waiting, o.ID)
	}
	tr.bancoSeen = len(objects)
	for i := len(tr.waiting) - 1; i >= 0; i-- {
		if !tr.oneIn(3) {
			continue
		}
		if tr.oneIn(4) {
			tr.must(tr.stage.Providers[shop.Banco].Expire(tr.waiting[i]))
		} else {
			tr.must(tr.stage.Providers[shop.Banco].Pay(tr.waiting[i]))
		}
		tr.waiting = append(tr.waiting[:i], tr.waiting[i+1:]...)
	}
}
