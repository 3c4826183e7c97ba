package shop_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/shop"
)

func postgres(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(10)
	t.Cleanup(func() { db.Close() })
	return db
}

// Every twin does the same on PostgreSQL as on SQLite, row for row.
func TestBothDatabasesTellTheSame(t *testing.T) {
	t.Parallel()
	for _, twin := range shop.Twins() {
		seed := uint64(twin) + 1
		a := newTraffic(t, memory(t), shop.SQLite, twin, seed).play(customers)
		b := newTraffic(t, postgres(t), shop.PostgreSQL, twin, seed).play(customers)
		if diff := cmp.Diff(renumbered(a), renumbered(b)); diff != "" {
			t.Errorf("seed %d of %s (-SQLite +PostgreSQL):\n%s", seed, twin, diff)
		}
	}
}

// renumbered gives attempts their place for an id: a sequence of PostgreSQL
// leaves gaps where a row was refused.
func renumbered(b *shop.Books) *shop.Books {
	ids := map[string]string{}
	for i := range b.Attempts {
		ids[b.Attempts[i].ID] = fmt.Sprint(i + 1)
		b.Attempts[i].ID = ids[b.Attempts[i].ID]
	}
	for i := range b.Lookups {
		b.Lookups[i].Attempt = ids[b.Lookups[i].Attempt]
	}
	return b
}

func TestTheStoryIsTheSameOnPostgreSQL(t *testing.T) {
	t.Parallel()
	story, err := shop.TellStory(t.Context(), postgres(t), shop.PostgreSQL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer story.Close()
	books, err := story.Books(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judgeStory(t, story, books)
}

// Eight buttons pressed at once: one attempt is made, whoever wins.
func TestRacingSubmitsMakeOneAttempt(t *testing.T) {
	t.Parallel()
	b := open(t, postgres(t), shop.PostgreSQL, shop.Right)
	for range 10 {
		charge := b.sale("tok_ok")
		var racers sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			racers.Go(func() { _, _, results[i] = b.Shop.Submit(t.Context(), charge) })
		}
		racers.Wait()
		won := 0
		for _, err := range results {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, shop.ErrOpen) && !errors.Is(err, shop.ErrSettled):
				t.Error(err)
			}
		}
		if n := b.says(fmt.Sprintf(`SELECT count(*)::text FROM charge_attempts WHERE charge_id = %d`, charge)); won != 1 || n != "1" {
			t.Errorf("%d won, %s attempts", won, n)
		}
	}
}

// The same events from eight sides at once, while the resolver asks and the
// sweeper sweeps: one credit a charge, and nobody waits for ever.
func TestRacingWebhooksGiveOneCredit(t *testing.T) {
	t.Parallel()
	b := open(t, postgres(t), shop.PostgreSQL, shop.Right)
	for range 10 {
		b.meets(fakepsp.DropAfter)
		_, status, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
		if err != nil || status != payment.Unknown {
			t.Fatalf("%s, %v", status, err)
		}
	}
	var bodies []string
	for _, e := range b.Providers[shop.Loja].Events() {
		bodies = append(bodies, fmt.Sprintf(`{"id":%q,"type":%q,"object":{"id":%q,"state":"paid","metadata":{"idempotency_key":%q}}}`,
			e.ID, e.Type, e.Object.ID, e.Object.Metadata[shop.RefKey]))
	}
	var racers sync.WaitGroup
	for range 8 {
		racers.Go(func() {
			for _, body := range bodies {
				if got := post(t, b.Shop, "/webhooks/loja", "", body).Code; got != http.StatusOK {
					t.Errorf("an event is answered %d", got)
				}
			}
		})
	}
	racers.Go(func() {
		_, err1 := b.Shop.Resolve(t.Context())
		_, err2 := b.Shop.Sweep(t.Context(), 0)
		if err := errors.Join(err1, err2); err != nil {
			t.Error(err)
		}
	})
	racers.Wait()
	for query, want := range map[string]string{
		`SELECT count(*)::text FROM ledger_entries`: "10", `SELECT count(*)::text FROM charge_attempts WHERE status = 'succeeded'`: "10",
		`SELECT count(*)::text FROM payments WHERE state = 'paid'`:                              "10",
		`SELECT count(*)::text FROM webhook_events WHERE status = 'processed' AND attempts = 1`: "20",
	} {
		if got := b.says(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
