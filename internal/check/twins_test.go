package check_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"desfecho/internal/check"
	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
)

// scene is a shop that meets a lost answer, a double click, a refused card,
// webhooks that come twice and a transfer that never arrived.
type scene struct {
	*shop.Stage
	t      *testing.T
	mutex  sync.Mutex // a connection that is cut orders nothing
	faults []fakepsp.Fault
	click  func() // the second click, between the look and the insert
}

func play(t *testing.T, p place, twin shop.Twin) *scene {
	t.Helper()
	db, err := sql.Open("sqlite", p.address[len("sqlite://"):]+"?_txlock=immediate&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	s := &scene{t: t}
	s.Stage, err = shop.OpenStage(t.Context(), shop.StageSettings{
		DB: db, Dialect: shop.SQLite, Twin: twin, Start: time.Date(2025, time.November, 28, 9, 0, 0, 0, time.UTC), Dice: rand.New(rand.NewPCG(1, 2)),
		Tune: func(_ string, set *fakepsp.Settings) {
			set.Faults = s.fault
			set.Webhooks = func(fakepsp.Event) []time.Duration { return []time.Duration{0, time.Minute} }
		},
		Step: func(_ context.Context, step shop.Step) error {
			if click := s.click; step == shop.BeforeInsert && click != nil {
				s.click = nil
				click()
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.tell()
	return s
}

func (s *scene) fault(r fakepsp.Request) fakepsp.Fault {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r.Method == "GET" || len(s.faults) == 0 {
		return fakepsp.Fault{}
	}
	next := s.faults[0]
	s.faults = s.faults[1:]
	return next
}

func (s *scene) charge(c shop.Charge) int64 {
	s.t.Helper()
	c.Provider, c.Amount, c.Currency = shop.Loja, 12990, "BRL"
	id, err := s.Shop.AddCharge(s.t.Context(), c)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *scene) submit(charge int64, faults ...fakepsp.Fault) {
	s.t.Helper()
	s.meet(faults)
	_, _, err := s.Shop.Submit(s.t.Context(), charge)
	if err != nil && !errors.Is(err, shop.ErrOpen) && !errors.Is(err, shop.ErrSettled) {
		s.t.Fatal(err)
	}
	s.meet(nil)
}

func (s *scene) meet(faults []fakepsp.Fault) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = faults
}

func (s *scene) pass(d time.Duration) {
	s.t.Helper()
	s.Clock.Advance(d)
	if err := s.DeliverAll(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) tell() {
	sale := shop.Charge{Method: fakepsp.MethodCard, Token: "tok_ok"}
	for range 3 {
		s.submit(s.charge(sale))
		s.pass(10 * time.Minute)
	}
	s.submit(s.charge(sale), fakepsp.DropAfter)
	s.pass(10 * time.Minute)
	twice := s.charge(sale)
	s.click = func() { s.submit(twice) }
	s.submit(twice)
	s.pass(10 * time.Minute)
	refused := s.charge(shop.Charge{Method: fakepsp.MethodCard, Token: "tok_declined"})
	s.submit(refused)
	if err := s.Shop.ChangeToken(s.t.Context(), refused, "tok_ok"); err != nil {
		s.t.Fatal(err)
	}
	s.submit(refused)
	s.submit(s.charge(shop.Charge{Operation: payment.Transfer, Method: "ted", Token: "fornecedor"}), fakepsp.DropBefore, fakepsp.DropBefore, fakepsp.DropBefore)
	s.pass(time.Hour)
	if _, err := s.Shop.Resolve(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Shop.Sweep(s.t.Context(), 10*time.Minute); err != nil {
		s.t.Fatal(err)
	}
}

// pairs links objects to attempts by the key in their metadata.
func (s *scene) pairs() []check.Pair {
	s.t.Helper()
	books, err := s.Books(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	var all []check.Pair
	for i := range books.Attempts {
		a := &books.Attempts[i]
		for _, u := range books.Units {
			if slices.Contains(u.References, payment.Reference{Name: shop.RefKey, Scope: payment.ScopeAttempt, Value: a.Key}) {
				all = append(all, check.Pair{Attempt: a, Unit: u.ID, UnitKey: u.Key, UnitMade: u.CreatedAt, UnitIsPaid: u.State.Money()})
			}
		}
	}
	return all
}

// TestEachTwinIsNamedAndTheRightShopIsNot: what a broken rule leaves behind in
// the tables, after the same accidents.
func TestEachTwinIsNamedAndTheRightShopIsNot(t *testing.T) {
	t.Parallel()
	for twin, names := range map[shop.Twin][]string{
		shop.Right:           nil,
		shop.KeyPerCall:      {"key_per_call"},
		shop.TimeoutAsFailed: {"failed_on_doubt"},
		shop.CheckThenAct:    {"open_index", "several_succeeded"},
		shop.CreditPerEvent:  {"double_credit"},
		shop.ReserveFreed:    {"reserve_freed"},
		shop.KeyFromOrder:    {"key_from_order"},
	} {
		t.Run(twin.String(), func(t *testing.T) {
			t.Parallel()
			p := sqliteFile(t)
			s := play(t, p, twin)
			in := input(p.open(t))
			in.Pairs, in.AsOf = check.PairsOf(s.pairs()), payment.InstantOf(s.Clock.Now())
			r := look(t, in)
			for _, name := range names {
				if f := r.Find(name); f.Level != check.Fault {
					t.Errorf("%+v", f)
				}
			}
			if len(names) == 0 && r.Worst() != check.OK {
				t.Error("the right shop is blamed")
			}
			t.Log("\n" + show(r))
		})
	}
}

func TestALargeTableWithoutIndexesIsTold(t *testing.T) {
	t.Parallel()
	p := sqliteFile(t).sound(t)
	p.run(t, `WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 10200)
		INSERT INTO charge_attempts (id, charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, resolved_at, created_at, updated_at)
		SELECT i, 1, lower(hex(randomblob(16))), 'loja', 'failed', NULL, 'h', '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00' FROM n`)
	in := input(p.open(t))
	in.Sample = 50
	r := look(t, in)
	for name, rows := range map[string]int64{"window_index": 1, "reference_index": 1} {
		if f := r.Find(name); f.Level != check.Warning || f.Rows != rows {
			t.Errorf("%+v", f)
		}
	}
	if f := r.Find("description"); f.Says != "50 rows read among the newest 50" {
		t.Errorf("%+v", f)
	}
	p.run(t, `CREATE INDEX by_time ON charge_attempts (created_at); CREATE INDEX by_charge ON charge_attempts (charge_id)`)
	r = look(t, in)
	for _, name := range []string{"window_index", "reference_index"} {
		if f := r.Find(name); f.Level != check.OK {
			t.Errorf("%+v", f)
		}
	}
}

// TestNoDescriptionIsAnError and so is half of one.
func TestNoDescriptionIsAnError(t *testing.T) {
	t.Parallel()
	db := sqliteFile(t).sound(t).open(t)
	for name, change := range map[string]func(*check.Input){
		"none":             func(in *check.Input) { in.Attempts = nil },
		"no status":        func(in *check.Input) { in.Attempts.Columns.Status = "" },
		"half of events":   func(in *check.Input) { in.Events.Columns.ExternalID = "" },
		"half of business": func(in *check.Input) { in.Business.Columns.Charge = "" },
	} {
		in := input(db)
		change(&in)
		if r, err := check.Run(t.Context(), in); err == nil {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// TestNothingIsWritten: the role could not, and the connection would not.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	for _, p := range []place{sqliteFile(t).sound(t), postgresDatabase(t).sound(t)} {
		db := p.open(t)
		if _, err := db.Rows(t.Context(), `UPDATE charge_attempts SET status = 'failed'`); err == nil {
			t.Error("an UPDATE went through")
		}
		rows, err := db.Rows(t.Context(), `SELECT CAST(count(*) AS text) FROM charge_attempts WHERE status = 'succeeded'`)
		if err != nil || fmt.Sprint(rows[0][0].Value) != "4" {
			t.Error(rows, err)
		}
	}
}

// TestAnEndedContextIsAnError: half of a report would look like a whole one.
func TestAnEndedContextIsAnError(t *testing.T) {
	t.Parallel()
	in := input(sqliteFile(t).sound(t).open(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := check.Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Error(r, err)
	}
}
