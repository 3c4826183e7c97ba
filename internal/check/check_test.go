package check_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// damage is one thing that is wrong, and every audit that must name it; all
// others must say what they say of the sound shop.
type damage struct {
	name    string
	only    string                    // "postgres": SQLite has no such thing
	schema  map[shop.Dialect][]string // old, new
	sql     string                    // in both databases
	change  func(*check.Input)        // of what was given
	names   map[string]check.Level    // audits that must differ
	example string                    // of the first that is a fault or warning
}

func levels(r *check.Report) map[string]string {
	all := map[string]string{}
	for _, f := range r.Findings {
		all[f.Name] = f.Level.String()
	}
	return all
}

func (d damage) test(t *testing.T, fresh func(testing.TB) place, base map[string]string) {
	p := fresh(t)
	if d.only == "postgres" && p.dialect == shop.SQLite {
		return
	}
	p.sound(t, d.schema[p.dialect]...)
	if d.sql != "" {
		p.run(t, d.sql)
	}
	in := input(p.open(t))
	if d.change != nil {
		d.change(&in)
	}
	r := look(t, in)
	want := map[string]string{}
	for name, level := range base {
		want[name] = level
	}
	for name, level := range d.names {
		if want[name] == level.String() {
			t.Errorf("%s is %s in the sound shop too", name, level)
		}
		want[name] = level.String()
	}
	if diff := cmp.Diff(want, levels(r)); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, show(r))
	}
	for name, level := range d.names {
		f := r.Find(name)
		if level != check.Unknown && level != check.OK && (f.Do == "" || f.Says == "" || d.example != "" && f.Example != d.example) {
			t.Errorf("%+v, want example %q", f, d.example)
		}
	}
}

func show(r *check.Report) string {
	out := ""
	for _, f := range r.Findings {
		out += fmt.Sprintf("%-7s %-22s %3d %-8s %s\n", f.Level, f.Name, f.Rows, f.Example, f.Says)
	}
	for _, a := range r.Answers {
		out += fmt.Sprintf("%s %s\n", a.Question, a)
	}
	return out
}

func TestEachAuditNamesItsDamageAndIsSilentOtherwise(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) place{"sqlite": sqliteFile, "postgres": postgresDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := look(t, input(fresh(t).sound(t).open(t)))
			base := levels(r)
			for audit, level := range base {
				if level == "fault" || level == "warning" {
					t.Errorf("%s: %+v", audit, r.Find(audit))
				}
			}
			t.Log("\n" + show(r))
			fired := map[string]bool{}
			for _, d := range damages() {
				for audit, level := range d.names {
					fired[audit] = fired[audit] || level == check.Fault || level == check.Warning
				}
				t.Run(d.name, func(t *testing.T) { d.test(t, fresh, base) })
			}
			for _, a := range check.Audits() {
				if !fired[a.Name] && !alone[a.Name] {
					t.Errorf("no damage makes %s fire", a.Name)
				}
			}
		})
	}
}

// alone are the audits with a test of their own.
var alone = map[string]bool{"window_index": true, "reference_index": true, "own_size": true, "replica_lag": true, "write_function": true, "status_guard": true}

func both(before, after string) map[shop.Dialect][]string {
	return map[shop.Dialect][]string{shop.SQLite: {before, after}, shop.PostgreSQL: {before, after}}
}

func damages() []damage {
	return slices.Concat(tableDamages(), attemptDamages(), otherDamages())
}

type l = map[string]check.Level

const insert = `INSERT INTO charge_attempts (id, charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, last_error, resolved_at, created_at, updated_at) VALUES `

func tableDamages() []damage {
	return []damage{
		{name: "no unique key", names: l{"unique_key": check.Fault}, schema: map[shop.Dialect][]string{
			shop.SQLite:     {"idempotency_key TEXT NOT NULL UNIQUE", "idempotency_key TEXT NOT NULL"},
			shop.PostgreSQL: {"idempotency_key uuid NOT NULL UNIQUE", "idempotency_key uuid NOT NULL"},
		}},
		{name: "index for pending only", names: l{"open_index": check.Fault}, schema: both("WHERE status IN ('pending','unknown')", "WHERE status = 'pending'")},
		{name: "index that negates", schema: both("WHERE status IN ('pending','unknown')", "WHERE status NOT IN ('succeeded','failed')")},
		{name: "index that negates too much", names: l{"open_index": check.Fault}, schema: both("WHERE status IN ('pending','unknown')", "WHERE status NOT IN ('succeeded','failed','unknown')")},
		{name: "index for a word more", names: l{"open_index": check.Warning}, schema: both("WHERE status IN ('pending','unknown')", "WHERE status IN ('pending','unknown','failing')")},
		{name: "index of another condition", names: l{"open_index": check.Warning}, schema: both("WHERE status IN ('pending','unknown')", "WHERE resolved_at IS NULL")},
		{name: "no open index", names: l{"open_index": check.Fault}, sql: "DROP INDEX charge_attempts_one_open_per_charge"},
		{
			name: "invalid open index", only: "postgres", names: l{"open_index": check.Fault},
			sql: "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'charge_attempts_one_open_per_charge'::regclass",
		},
		{name: "no unique provider id", names: l{"unique_provider_id": check.Fault}, schema: map[shop.Dialect][]string{
			shop.SQLite: {"provider_charge_id TEXT UNIQUE", "provider_charge_id TEXT"}, shop.PostgreSQL: {"provider_charge_id text UNIQUE", "provider_charge_id text"},
		}},
		{
			name: "strange word", names: l{"status_words": check.Fault}, example: "30",
			sql: insert + `(30, 1, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a30', 'loja', 'paused', NULL, 'h30', NULL, NULL, '2025-11-29 10:00:00', '2025-11-29 10:00:00')`,
		},
		{
			name: "provider that is not configured", names: l{"provider_words": check.Warning}, example: "35",
			sql: insert + `(35, 1, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a35', 'lojas', 'failed', NULL, 'h35', '{"class":"card_refused"}', '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00')`,
		},
		{name: "join that multiplies", names: l{"joined_rows": check.Fault}, schema: map[shop.Dialect][]string{
			shop.SQLite: {"attempt_id INTEGER NOT NULL UNIQUE", "attempt_id INTEGER NOT NULL"}, shop.PostgreSQL: {"attempt_id bigint NOT NULL UNIQUE", "attempt_id bigint NOT NULL"},
		}},
	}
}

func attemptDamages() []damage {
	return []damage{
		{name: "two open", names: l{"two_open_attempts": check.Fault, "open_index": check.Fault}, sql: "DROP INDEX charge_attempts_one_open_per_charge;" +
			insert + `(31, 3, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a31', 'loja', 'pending', NULL, 'h31', NULL, NULL, '2025-11-30 11:59:00', '2025-11-30 11:59:00')`},
		{
			name: "paid twice", names: l{"several_succeeded": check.Fault}, example: "1",
			sql: insert + `(32, 1, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a32', 'loja', 'succeeded', 'pay_32', 'h32', NULL, '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00')`,
		},
		{
			name: "sent twice", names: l{"several_succeeded": check.Fault}, example: "4",
			sql: insert + `(34, 4, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a34', 'loja', 'succeeded', 'trf_34', 'h34', NULL, '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00')`,
		},
		{name: "key with two payloads", names: l{"key_reused": check.Fault, "unique_key": check.Fault}, schema: map[shop.Dialect][]string{
			shop.SQLite: {"idempotency_key TEXT NOT NULL UNIQUE", "idempotency_key TEXT NOT NULL"}, shop.PostgreSQL: {"idempotency_key uuid NOT NULL UNIQUE", "idempotency_key uuid NOT NULL"},
		}, sql: insert + `(33, 3, '5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01', 'loja', 'failed', NULL, 'h33', '{"class":"card_refused"}', '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00')`},
		{
			name: "key from the order", names: l{"key_from_order": check.Fault}, example: "7",
			sql: `UPDATE charge_attempts SET idempotency_key = '00000000-0000-4000-8000-000000000001' WHERE id = 1;
				UPDATE charge_attempts SET idempotency_key = '00000000-0000-4000-8000-000000000006' WHERE id = 7`,
		},
		{
			name: "key by a name", names: l{"key_from_order": check.Warning}, example: "1",
			sql: `UPDATE charge_attempts SET idempotency_key = '5b0e4a52-6b5d-5c55-9f52-0e9a4c1d7a01' WHERE id = 1`,
		},
		{name: "key of a call", names: l{"key_per_call": check.Fault}, example: "5", change: func(in *check.Input) {
			all := pairs(0)
			all[2].UnitKey = "another"
			in.Pairs = check.PairsOf(all)
		}},
		{
			name: "sent again", names: l{"resend_after_retention": check.Fault}, example: "9",
			sql: `UPDATE charge_attempts SET created_at = '2025-11-29 11:00:00' WHERE id = 9`, change: func(in *check.Input) { in.Providers[0].OrphanAfter = 48 * time.Hour },
		},
		{name: "timeout as failed", names: l{"failed_on_doubt": check.Fault}, example: "2", sql: `UPDATE charge_attempts SET last_error = '{"class":"timeout"}' WHERE id = 2`},
		{name: "failed by a job", names: l{"failed_on_doubt": check.Fault, "failed_too_early": check.Fault}, example: "8", sql: `UPDATE charge_attempts SET resolved_at = '2025-11-28 10:30:00' WHERE id = 8`},
		{name: "failed without a reason", names: l{"failed_too_early": check.Warning}, example: "8", sql: `UPDATE charge_attempts SET resolved_at = '2025-11-28 10:30:00', last_error = NULL WHERE id = 8`},
		{name: "open again", names: l{"reopened": check.Fault}, example: "4", sql: `UPDATE charge_attempts SET resolved_at = '2025-11-30 11:55:00' WHERE id = 4`},
		{name: "success without id", names: l{"finals_incomplete": check.Warning}, example: "3", sql: `UPDATE charge_attempts SET provider_charge_id = NULL WHERE id = 3`},
		{name: "final without time", names: l{"finals_incomplete": check.Warning}, example: "3", sql: `UPDATE charge_attempts SET resolved_at = NULL WHERE id = 3`},
		{name: "orphan", names: l{"orphans": check.Warning}, example: "9", sql: `UPDATE charge_attempts SET created_at = '2025-11-30 10:00:00' WHERE id = 9`},
		{name: "no charge", names: l{"missing_charge": check.Fault, "description": check.Fault}, sql: `DELETE FROM charges WHERE id = 6`, example: "7"},
		{name: "reserve freed", names: l{"reserve_freed": check.Fault}, example: "5", sql: `UPDATE reserves SET status = 'released' WHERE attempt_id = 5`},
		{
			name: "short timeout", names: l{"read_timeout": check.Warning}, example: "7",
			sql: `UPDATE charge_attempts SET last_error = '{"class":"timeout"}', resolved_at = '2025-11-29 10:00:40' WHERE id IN (1, 5, 7)`,
		},
	}
}

func otherDamages() []damage {
	return []damage{
		{name: "events not unique", names: l{"events_unique": check.Fault}, schema: both(", UNIQUE (provider, external_id))", ")")},
		{name: "stale event", names: l{"events_stale": check.Warning}, example: "2", sql: `UPDATE webhook_events SET created_at = '2025-11-30 09:00:00' WHERE id = 2`},
		{name: "event without its effect", names: l{"events_unsettled": check.Fault}, example: "2", sql: `UPDATE webhook_events SET status = 'processed' WHERE id = 2`},
		{
			name: "credited twice", names: l{"double_credit": check.Fault}, example: "1",
			sql: `INSERT INTO ledger_entries (entry_key, charge_id, kind, amount_cents, currency, created_at) VALUES ('event:1', 1, 'credit', 1000, 'BRL', '2025-11-29 10:00:01')`,
		},
		{
			name: "credited for nothing", names: l{"credit_without_payment": check.Fault}, example: "5",
			sql: `INSERT INTO ledger_entries (id, entry_key, charge_id, kind, amount_cents, currency, created_at) VALUES (5, 'charge:3', 3, 'credit', 3000, 'BRL', '2025-11-29 10:00:01')`,
		},
		{name: "no key of an entry", names: l{"credit_key": check.Fault}, schema: map[shop.Dialect][]string{
			shop.SQLite: {"entry_key TEXT NOT NULL UNIQUE", "entry_key TEXT NOT NULL"}, shop.PostgreSQL: {"entry_key text NOT NULL UNIQUE", "entry_key text NOT NULL"},
		}},
		{name: "another zone", names: l{"zone_offset": check.Fault}, example: "1", change: func(in *check.Input) { in.Pairs = check.PairsOf(pairs(3 * time.Hour)) }},
		{name: "no reference", names: l{"link_rate": check.Warning}, change: func(in *check.Input) { in.Links[0].Linked = 59 }},
		{name: "too many grants", only: "postgres", names: l{"grants": check.Warning}, sql: `GRANT DELETE ON charge_attempts TO looker`},
		{name: "hidden rows", only: "postgres", names: l{"row_security": check.Fault}, sql: `ALTER TABLE reserves ENABLE ROW LEVEL SECURITY; CREATE POLICY all_of_it ON reserves USING (true)`},
		{name: "clock", names: l{"clock": check.Fault}, change: func(in *check.Input) {
			now := clockOf(in.Database)
			in.Clock = func() time.Time { return now().Add(time.Hour) }
		}},
		{name: "dangerous key", names: l{"provider_key": check.Fault}, change: func(in *check.Input) { in.Providers[0].MovesMoney = check.Yes }},
		{name: "missing column", names: gone(), change: func(in *check.Input) { in.Attempts.Columns.LastError = "no_such_column" }},
	}
}

// gone is what there is to say where a described column is not there: nothing
// of the attempts.
func gone() map[string]check.Level {
	all := map[string]check.Level{"description": check.Fault}
	for _, name := range []string{
		"unique_key", "open_index", "unique_provider_id", "status_words", "provider_words", "joined_rows", "two_open_attempts", "several_succeeded", "key_reused", "key_from_order",
		"failed_on_doubt", "failed_too_early", "reopened", "finals_incomplete", "orphans", "missing_charge", "reserve_freed", "read_timeout",
		"events_unsettled", "credit_without_payment", "window_index", "reference_index",
	} {
		all[name] = check.Unknown
	}
	return all
}

// TestAViewIsLookedBehind where the table behind it is named, and else it is
// said that it is not.
func TestAViewIsLookedBehind(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) place{"sqlite": sqliteFile, "postgres": postgresDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fresh(t).sound(t)
			p.run(t, `CREATE VIEW attempts_with_amounts AS SELECT a.*, c.amount_cents, c.currency, c.operation FROM charge_attempts a JOIN charges c ON c.id = a.charge_id`)
			if p.dialect == shop.PostgreSQL {
				p.run(t, looker)
			}
			in := input(p.open(t))
			a := in.Attempts
			a.Read, a.Write, a.Joins = "attempts_with_amounts", "charge_attempts", nil
			a.Columns.Amount, a.Columns.Currency, a.Columns.Operation, a.Columns.Reserve = "amount_cents", "currency", "operation", ""
			r := look(t, in)
			if r.Worst() != check.OK || r.Find("unique_key").Level != check.OK || r.Find("open_index").Level != check.OK || r.Find("reserve_freed").Level != check.Unknown {
				t.Error(show(r))
			}
			a.Write = ""
			r = look(t, in)
			if r.Worst() != check.OK || r.Find("unique_key").Level != check.Unknown || r.Find("open_index").Level != check.Unknown {
				t.Error(show(r))
			}
		})
	}
}

// TestATableWithoutWordsForItIsNotBlamedForThem: no word for unknown, no
// provider, no provider's id; only the index that is missing is a fault.
func TestATableWithoutWordsForItIsNotBlamedForThem(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) place{"sqlite": sqliteFile, "postgres": postgresDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fresh(t).sound(t)
			p.run(t, `INSERT INTO cobranca (idempotency_key, pedido_id, valor_centavos, status, resposta_http, criada_em) VALUES
				('0a5cf1de-39a1-4e5f-b2b1-77d1d3b04e03', 1, 100, 'paga', 201, '2025-11-29 10:00:00+00:00'), ('91f5de0a-e539-4b2b-8177-d1d3b04e0c04', 2, 100, 'recusada', 402, '2025-11-29 10:00:00+00:00'),
				('c1d7a0e9-4c55-4f9f-8a52-5b0e4a526b02', 3, 100, 'pendente', NULL, '2025-11-30 11:50:00+00:00')`)
			in := input(p.open(t))
			in.Attempts = &store.Description{
				Read: "cobranca", Provider: "caixa", Currency: "BRL",
				Columns: store.Columns{
					ID: "id", Charge: "pedido_id", Key: "idempotency_key", Status: "status", Amount: "valor_centavos", Unit: "minor", CreatedAt: "criada_em",
					LastError: "resposta_http",
				},
				Status: store.StatusWords{Pending: []string{"pendente"}, Succeeded: []string{"paga"}, Failed: []string{"recusada"}},
			}
			in.Events, in.Business = nil, nil
			r := look(t, in)
			for _, f := range r.Findings {
				if f.Level == check.Fault && f.Name != "open_index" || f.Level == check.Warning && f.Name != "grants" {
					t.Errorf("%+v", f)
				}
			}
			for _, name := range []string{"unique_provider_id", "key_reused", "reopened", "finals_incomplete", "failed_too_early", "events_unique", "double_credit"} {
				if f := r.Find(name); f.Level != check.Unknown {
					t.Errorf("%+v", f)
				}
			}
			in.AsOf = asOf.Add(48 * time.Hour)
			if f := look(t, in).Find("orphans"); f.Level != check.Warning || f.Example != "3" {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestTwoAcceptedBoletosAreNoTwoPayments(t *testing.T) {
	t.Parallel()
	p := sqliteFile(t).sound(t)
	p.run(t, `INSERT INTO charge_attempts (id, charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, resolved_at, created_at, updated_at) VALUES
		(40, 1, '6b5d5b0e-4a52-4c55-9f52-0e9a4c1d7a40', 'loja', 'succeeded', 'pay_40', 'h40', '2025-11-29 10:00:00', '2025-11-29 10:00:00', '2025-11-29 10:00:00')`)
	in := input(p.open(t))
	for means, want := range map[reconcile.Means]check.Level{0: check.Fault, reconcile.MeansCreated: check.OK, reconcile.MeansCaptured: check.Fault} {
		in.Providers[0].SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: means}
		if f := look(t, in).Find("several_succeeded"); f.Level != want {
			t.Errorf("means %d: %+v", means, f)
		}
	}
}
