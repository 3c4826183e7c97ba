package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/shop"
)

// accident is what goes wrong on the way, the same for the right shop and for
// every twin.
type accident struct {
	name string
	// fault is what the first call meets of each flow that is struck.
	fault fakepsp.Fault
	// webhooks says when events come; nil: once, after the customer's return.
	webhooks func(fakepsp.Event) []time.Duration
	// back is when a customer without an answer presses the button again for
	// the first time; he does so once more on the next day.
	back time.Duration
}

func accidents() []accident {
	return []accident{
		{name: "the connection breaks before the request arrives", fault: fakepsp.DropBefore, back: 10 * time.Minute},
		{name: "the connection breaks after it was carried out", fault: fakepsp.DropAfter, back: 10 * time.Minute},
		{name: "the answer takes too long", fault: fakepsp.SlowAfter, back: 10 * time.Minute},
		{name: "a 5xx after it was carried out", fault: fakepsp.ErrorAfter, back: 10 * time.Minute},
		{name: "a 5xx, and it is carried out later", fault: fakepsp.ErrorLate, back: 10 * time.Minute},
		{name: "webhooks come twice and out of order", webhooks: disorder, back: 10 * time.Minute},
		{name: "a 409 while the first request runs", fault: fakepsp.SlowLate, back: time.Minute},
		{name: "the provider forgets the key after 24 h", fault: fakepsp.DropAfter, back: 25 * time.Hour},
	}
}

// disorder sends what was updated before what was paid, and each twice.
func disorder(e fakepsp.Event) []time.Duration {
	if e.Type == "payment.updated" {
		return []time.Duration{time.Minute, 3 * time.Minute}
	}
	return []time.Duration{2 * time.Minute, 4 * time.Minute}
}

// afterTheReturn is when events come where nothing else is said: a shop that
// must do without them for a day.
func afterTheReturn(fakepsp.Event) []time.Duration { return []time.Duration{31 * time.Hour} }

// drama is the days of one shop that meets one accident.
type drama struct {
	*shop.Stage
	t        testing.TB
	db       *sql.DB
	accident accident
	charges  []int64 // that were struck
	orders   []order
	dice     *rand.Rand // draws the app's keys
	refused  int64

	mu    sync.Mutex
	next  fakepsp.Fault
	click func() // the second click, between the look and the insert
}

// order is one request of the app for a cobrança.
type order struct {
	pedido int
	key    string
}

// day is an instant of November 2025 in São Paulo.
func day(t testing.TB, number, hour, minute int) time.Time {
	t.Helper()
	return time.Date(2025, time.November, number, hour, minute, 0, 0, saoPaulo(t))
}

func stageDrama(t testing.TB, db *sql.DB, dialect shop.Dialect, twin shop.Twin, a accident) *drama {
	t.Helper()
	d := &drama{t: t, db: db, accident: a, dice: rand.New(rand.NewPCG(uint64(twin), 12))}
	stage, err := shop.OpenStage(t.Context(), shop.StageSettings{
		DB: db, Dialect: dialect, Twin: twin, Start: day(t, 28, 9, 0), Zone: saoPaulo(t), Columns: saoPaulo(t),
		Dice: rand.New(rand.NewPCG(uint64(twin), 11)),
		Tune: func(_ string, s *fakepsp.Settings) {
			s.Faults, s.Webhooks, s.FeePoints = d.fault, afterTheReturn, 299
			if a.webhooks != nil {
				s.Webhooks = a.webhooks
			}
		},
		Step: func(_ context.Context, s shop.Step) error {
			if click := d.click; s == shop.BeforeInsert && click != nil {
				d.click = nil
				click()
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Stage = stage
	return d
}

// fault strikes the next call that would change something, once.
func (d *drama) fault(r fakepsp.Request) fakepsp.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Method == "GET" {
		return fakepsp.Fault{}
	}
	next := d.next
	d.next = fakepsp.Fault{}
	return next
}

func (d *drama) struck() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = d.accident.fault
}

func (d *drama) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// until lets time pass; events come when they are due.
func (d *drama) until(at time.Time) {
	d.t.Helper()
	d.Clock.Set(at)
	d.must(d.Deliver(d.t.Context()))
}

func (d *drama) charge(operation payment.Operation, token string) int64 {
	d.t.Helper()
	c := shop.Charge{Provider: shop.Loja, Operation: operation, Method: "ted", Token: token, Amount: 12990, Currency: "BRL"}
	if operation == payment.Charge {
		order, err := d.Shop.Order(d.t.Context(), "pedido", c.Amount, c.Currency)
		d.must(err)
		c.Payment, c.Method = order, fakepsp.MethodCard
	}
	id, err := d.Shop.AddCharge(d.t.Context(), c)
	d.must(err)
	return id
}

// press submits a charge; that it is open or settled already is an answer.
func (d *drama) press(charge int64) {
	d.t.Helper()
	_, _, err := d.Shop.Submit(d.t.Context(), charge)
	if err != nil && !errors.Is(err, shop.ErrOpen) && !errors.Is(err, shop.ErrSettled) {
		d.t.Fatal(err)
	}
}

func (d *drama) newOrder() order {
	o := order{501 + len(d.orders), fmt.Sprintf("%016x", d.dice.Uint64())}
	d.orders = append(d.orders, o)
	return o
}

func (d *drama) order(o order) {
	post(d.t, d.Shop, "/cobrancas", o.key, fmt.Sprintf(`{"pedido_id":%d,"valor_centavos":9990,"cartao":"tok_ok"}`, o.pedido))
}

// firstDay: six ordinary sales, one with a second card, then a sale, a sale on
// which somebody clicks twice, a transfer and a cobrança that are struck. Each
// customer presses again after a while.
func (d *drama) firstDay() {
	for i := range 6 {
		d.until(day(d.t, 28, 9, 10*i))
		d.press(d.charge(payment.Charge, "tok_ok"))
	}
	d.order(d.newOrder())
	d.refused = d.charge(payment.Charge, "tok_declined")
	d.press(d.refused)
	d.must(d.Shop.ChangeToken(d.t.Context(), d.refused, "tok_ok"))
	d.press(d.refused)
	for i, flow := range []func(){
		func() { d.strike(d.charge(payment.Charge, "tok_ok"), false) },
		func() { d.strike(d.charge(payment.Charge, "tok_ok"), true) },
		func() { d.strike(d.charge(payment.Transfer, "fornecedor"), false) },
		func() { d.strikeOrder(d.newOrder()) },
	} {
		d.until(day(d.t, 28, 11+i, 0))
		flow()
	}
	d.until(day(d.t, 29, 6, 30))
}

func (d *drama) strike(charge int64, twice bool) {
	d.charges = append(d.charges, charge)
	if twice {
		d.click = func() { d.press(charge) }
	}
	d.struck()
	d.press(charge)
	d.later(func() { d.press(charge) })
}

// strikeOrder: the app sends the same request twice at once.
func (d *drama) strikeOrder(o order) {
	d.click = func() { d.order(o) }
	d.struck()
	d.order(o)
	d.later(func() { d.order(o) })
}

func (d *drama) later(again func()) {
	if d.accident.back < 24*time.Hour {
		d.until(d.Clock.Now().Add(d.accident.back))
		again()
	}
}

// secondDay: whoever has no answer comes back more than a day later; then the
// events come and the shop's jobs run again.
func (d *drama) secondDay() {
	d.until(day(d.t, 29, 15, 30))
	for _, charge := range append(d.charges, d.refused) {
		d.press(charge)
	}
	for _, o := range d.orders {
		d.order(o)
	}
	d.until(day(d.t, 29, 23, 30))
	ctx := d.t.Context()
	_, err := d.Shop.Resolve(ctx)
	d.must(err)
	_, err = d.Shop.Sweep(ctx, 10*time.Minute)
	d.must(err)
	_, err = d.Shop.ResolveCobrancas(ctx)
	d.must(err)
	d.must(d.DeliverAll(ctx))
	d.until(day(d.t, 33, 6, 30)) // all horizons have passed
}

// file is a SQLite file that the program can open too.
func file(t testing.TB) (db *sql.DB, url string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db, "sqlite://" + path
}

// servers are a few databases of PostgreSQL that serve one drama after the
// other.
func servers(t testing.TB) chan string {
	t.Helper()
	free := make(chan string, 3)
	for range cap(free) {
		free <- pgtest.Database(t)
	}
	return free
}

// server is one of them, emptied.
func server(t testing.TB, free chan string) (db *sql.DB, url string) {
	t.Helper()
	url = <-free
	t.Cleanup(func() { free <- url })
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	t.Cleanup(func() { db.Close() })
	const empty = `SET client_min_messages = error; DROP SCHEMA IF EXISTS desfecho CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC`
	if _, err := db.ExecContext(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	return db, url
}
