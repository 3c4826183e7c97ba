package check_test

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/shop"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
	"desfecho/reconcile"
)

// asOf is the moment of all looks.
var asOf = payment.InstantOf(time.Date(2025, time.November, 30, 12, 0, 0, 0, time.UTC))

// sound is a small shop in which nothing is wrong: a refused card and a second
// one, a timeout that waits for its outcome, one that was settled late, one
// that was proven absent, transfers with their reserves.
const sound = `
INSERT INTO charges (id, provider, operation, method, token, amount_cents, currency, status, created_at, updated_at) VALUES
 (1, 'loja', 'charge', 'card', 't', 1000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (2, 'loja', 'charge', 'card', 't', 2000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (3, 'loja', 'charge', 'card', 't', 3000, 'BRL', 'open', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (4, 'loja', 'transfer', 'ted', 't', 4000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (5, 'loja', 'transfer', 'ted', 't', 5000, 'BRL', 'open', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (6, 'loja', 'charge', 'card', 't', 6000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (7, 'loja', 'charge', 'card', 't', 7000, 'BRL', 'open', '2025-11-29 10:00:00', '2025-11-29 10:00:00');
INSERT INTO charge_attempts (id, charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, last_error, resolved_at, created_at, updated_at) VALUES
 (1, 1, '5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01', 'loja', 'succeeded', 'pay_1', 'h1', NULL, '2025-11-29 10:00:01', '2025-11-29 10:00:00', '2025-11-29 10:00:01'),
 (2, 2, 'c1d7a0e9-4c55-4f9f-8a52-5b0e4a526b02', 'loja', 'failed', NULL, 'h2', '{"class":"card_refused","status":402}', '2025-11-29 10:00:01', '2025-11-29 10:00:00', '2025-11-29 10:00:01'),
 (3, 2, '0a5cf1de-39a1-4e5f-b2b1-77d1d3b04e03', 'loja', 'succeeded', 'pay_3', 'h3', NULL, '2025-11-29 10:05:01', '2025-11-29 10:05:00', '2025-11-29 10:05:01'),
 (4, 3, '91f5de0a-e539-4b2b-8177-d1d3b04e0c04', 'loja', 'unknown', NULL, 'h4', '{"class":"timeout"}', NULL, '2025-11-30 11:50:00', '2025-11-30 11:50:10'),
 (5, 4, 'f5de0a5c-9a1e-45fb-9b17-7d1d3b04e005', 'loja', 'succeeded', 'trf_5', 'h5', NULL, '2025-11-29 10:00:01', '2025-11-29 10:00:00', '2025-11-29 10:00:01'),
 (6, 5, 'e0a5cf1d-a1e5-4fb2-8b77-1d3b04e0c906', 'loja', 'failed', NULL, 'h6', '{"class":"http_4xx","status":422}', '2025-11-29 10:00:01', '2025-11-29 10:00:00', '2025-11-29 10:00:01'),
 (7, 6, 'a5cf1de3-1e5f-4b2b-b177-d3b04e0c9f07', 'loja', 'succeeded', 'pay_7', 'h7', NULL, '2025-11-29 10:20:00', '2025-11-29 10:00:00', '2025-11-29 10:20:00'),
 (8, 7, '3b04e0c9-5cf1-4e39-a1e5-fb2b177d1d08', 'loja', 'failed', NULL, 'h8', '{"class":"timeout"}', '2025-11-29 11:00:00', '2025-11-28 10:00:00', '2025-11-29 11:00:00'),
 (9, 7, '77d1d3b0-e39a-4e5f-8b2b-14e0c9f5cf09', 'loja', 'pending', NULL, 'h9', NULL, NULL, '2025-11-30 11:59:50', '2025-11-30 11:59:50');
INSERT INTO reserves (attempt_id, amount_cents, status, created_at, updated_at) VALUES
 (5, 4000, 'consumed', '2025-11-29 10:00:00', '2025-11-29 10:00:01'), (6, 5000, 'released', '2025-11-29 10:00:00', '2025-11-29 10:00:01');
INSERT INTO ledger_entries (entry_key, charge_id, kind, amount_cents, currency, created_at) VALUES
 ('charge:1', 1, 'credit', 1000, 'BRL', '2025-11-29 10:00:01'), ('charge:2', 2, 'credit', 2000, 'BRL', '2025-11-29 10:05:01'),
 ('charge:4', 4, 'debit', 4000, 'BRL', '2025-11-29 10:00:01'), ('charge:6', 6, 'credit', 6000, 'BRL', '2025-11-29 10:20:00');
INSERT INTO webhook_events (provider, external_id, type, payload, status, processed_at, created_at) VALUES
 ('loja', 'evt_1', 'payment.paid', '{"id":"evt_1","object":{"id":"pay_1","metadata":{"idempotency_key":"5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01"}}}', 'processed', '2025-11-29 10:00:02', '2025-11-29 10:00:02'),
 ('loja', 'evt_2', 'payment.paid', '{"id":"evt_2","object":{"id":"pay_9","metadata":{"idempotency_key":"77d1d3b0-e39a-4e5f-8b2b-14e0c9f5cf09"}}}', 'pending', NULL, '2025-11-30 11:59:55');
`

// looker is a role that may do what desfecho needs and no more.
const looker = `DO $$ BEGIN CREATE ROLE looker LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker; GRANT UPDATE ON charge_attempts TO looker;`

// place is a database under test.
type place struct {
	dialect shop.Dialect
	address string
	run     func(testing.TB, string) // SQL, as its owner
}

func sqliteFile(t testing.TB) place {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	return place{shop.SQLite, "sqlite://" + path, func(t testing.TB, statements string) {
		t.Helper()
		db, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}}
}

func postgresDatabase(t testing.TB) place {
	t.Helper()
	address := pgtest.Database(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	return place{shop.PostgreSQL, strings.Replace(address, "postgres://postgres@", "postgres://looker@", 1), func(t testing.TB, statements string) {
		t.Helper()
		pgtest.Server(t).SQL(t, name, statements)
	}}
}

func (p place) open(t testing.TB) catalog.Database {
	t.Helper()
	if p.dialect == shop.SQLite {
		r, err := sqlite.OpenRows(t.Context(), p.address, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return catalog.Database{Asker: r, Dialect: catalog.SQLite}
	}
	r, err := postgres.OpenRows(t.Context(), p.address, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return catalog.Database{Asker: r, Dialect: catalog.PostgreSQL}
}

// attempts describes the shop's table.
func attempts() *store.Description {
	return &store.Description{
		Read: "charge_attempts", Timezone: "UTC",
		Joins: []store.Join{{Table: "charges", Here: "charge_id", There: "id"}, {Table: "reserves", Here: "id", There: "attempt_id"}},
		Columns: store.Columns{
			ID: "id", Charge: "charge_id", Key: "idempotency_key", Provider: "provider", Status: "status", ProviderChargeID: "provider_charge_id",
			Amount: "charges.amount_cents", Unit: "minor", Currency: "charges.currency", Operation: "charges.operation", CreatedAt: "created_at",
			UpdatedAt: "updated_at", ResolvedAt: "resolved_at", LastError: "last_error", PayloadHash: "payload_hash", Reserve: "reserves.status",
		},
		References: []store.ReferenceAt{
			{Here: "charge_id", There: "metadata.charge_id", Scope: "charge"},
			{Here: "idempotency_key", There: "metadata.idempotency_key", Scope: "attempt"},
		},
		Status: store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
	}
}

func events() *store.EventsTable {
	return &store.EventsTable{
		Read: "webhook_events", Pending: []string{"pending"}, Processed: []string{"processed"}, Unit: "object.id",
		Columns: store.EventColumns{
			ID: "id", Provider: "provider", ExternalID: "external_id", Type: "type", Status: "status", Payload: "payload",
			CreatedAt: "created_at", ProcessedAt: "processed_at",
		},
		References: []store.EventReference{{Path: "object.metadata.idempotency_key", Here: "idempotency_key"}},
		Settles:    []string{"payment.paid", "payment.declined", "payment.expired"},
	}
}

func business() *check.BusinessTable {
	return &check.BusinessTable{
		Read: "ledger_entries", Credits: []string{"credit"},
		Columns: check.BusinessColumns{ID: "id", Charge: "charge_id", Kind: "kind", Key: "entry_key"},
	}
}

// pairs are six attempts and objects that were made a second later.
func pairs(apart time.Duration) []check.Pair {
	var all []check.Pair
	for _, id := range []string{"1", "3", "5", "7", "11", "12"} {
		a := &payment.Attempt{ID: id, Key: "key-" + id, CreatedAt: asOf.Add(-time.Hour)}
		all = append(all, check.Pair{Attempt: a, Unit: "pay_" + id, UnitKey: a.Key, UnitMade: a.CreatedAt.Add(time.Second - apart), UnitIsPaid: true})
	}
	return all
}

func input(db catalog.Database) check.Input {
	policy := reconcile.NewPolicy("loja")
	return check.Input{
		Database: db, Attempts: attempts(), Events: events(), Business: business(), AsOf: asOf, Pairs: check.PairsOf(pairs(0)),
		Links:     []check.Link{{Provider: "loja", Reference: "charge_id", Lines: 100, Carrying: 100, Linked: 99}},
		Providers: []check.Provider{{Policy: policy, KeyRetention: 24 * time.Hour, MovesMoney: check.No}},
		Clock:     clockOf(db), Configured: []string{"loja"},
	}
}

// clockOf is the database's own clock.
func clockOf(db catalog.Database) func() time.Time {
	return func() time.Time {
		query := `SELECT clock_timestamp()::text`
		if db.Dialect == catalog.SQLite {
			query = `SELECT strftime('%Y-%m-%d %H:%M:%fZ', 'now')`
		}
		rows, err := db.Rows(context.Background(), query)
		if err != nil {
			return time.Time{}
		}
		at, _, _ := catalog.Moment(rows[0][0].Value, time.UTC)
		return at.Time()
	}
}

func look(t testing.TB, in check.Input) *check.Report {
	t.Helper()
	r, err := check.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// soundPlace is a database with the sound shop, its schema changed as told.
func (p place) sound(t testing.TB, changes ...string) place {
	t.Helper()
	ddl := shop.Schema(p.dialect, shop.Right)
	for i := 0; i < len(changes); i += 2 {
		changed := strings.Replace(ddl, changes[i], changes[i+1], 1)
		if changed == ddl {
			t.Fatalf("the schema has no %q", changes[i])
		}
		ddl = changed
	}
	p.run(t, ddl+sound)
	if p.dialect == shop.PostgreSQL {
		p.run(t, looker)
	}
	return p
}
