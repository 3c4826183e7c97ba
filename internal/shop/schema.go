package shop

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Dialect is the SQL that a database speaks.
type Dialect uint8

// The two databases of the house.
const (
	SQLite Dialect = iota
	PostgreSQL
)

// The tables as a PostgreSQL merchant would write them. charge_attempts,
// webhook_events and cobranca stand for what is out there: no amount on the
// attempt, times without zone, a table with no word for unknown.
const schema = `
CREATE TABLE payments (id bigserial PRIMARY KEY, reference text NOT NULL, amount_cents bigint NOT NULL, currency char(3) NOT NULL,
  state text NOT NULL DEFAULT 'awaiting', created_at timestamp NOT NULL, updated_at timestamp NOT NULL);
CREATE TABLE charges (id bigserial PRIMARY KEY, payment_id bigint REFERENCES payments (id), parent_id bigint REFERENCES charges (id),
  provider text NOT NULL, operation text NOT NULL, method text NOT NULL, token text NOT NULL, amount_cents bigint NOT NULL,
  currency char(3) NOT NULL, status text NOT NULL DEFAULT 'open', created_at timestamp NOT NULL, updated_at timestamp NOT NULL);
CREATE TABLE charge_attempts (id bigserial PRIMARY KEY, charge_id bigint NOT NULL, idempotency_key uuid NOT NULL UNIQUE, provider text NOT NULL,
  status text NOT NULL, provider_charge_id text UNIQUE, payload_hash char(64) NOT NULL, http_attempts smallint NOT NULL DEFAULT 0,
  last_error json, resolved_at timestamp, created_at timestamp, updated_at timestamp);
CREATE UNIQUE INDEX charge_attempts_one_open_per_charge ON charge_attempts (charge_id) WHERE status IN ('pending','unknown');
CREATE TABLE webhook_events (id bigserial PRIMARY KEY, provider text, external_id text, type text, payload jsonb, status text DEFAULT 'pending',
  attempts int DEFAULT 0, last_error text, processed_at timestamp, created_at timestamp, updated_at timestamp, UNIQUE (provider, external_id));
CREATE TABLE ledger_entries (id bigserial PRIMARY KEY, entry_key text NOT NULL UNIQUE, payment_id bigint, charge_id bigint NOT NULL,
  kind text NOT NULL, amount_cents bigint NOT NULL, currency char(3) NOT NULL, created_at timestamp NOT NULL);
CREATE TABLE reserves (id bigserial PRIMARY KEY, attempt_id bigint NOT NULL UNIQUE, amount_cents bigint NOT NULL, status text NOT NULL,
  created_at timestamp NOT NULL, updated_at timestamp NOT NULL);
CREATE TABLE cobranca (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, idempotency_key text NOT NULL, pedido_id bigint NOT NULL,
  valor_centavos bigint NOT NULL, status text NOT NULL, resposta_http int, resposta_corpo jsonb, criada_em timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_cobranca_idempotency_key UNIQUE (idempotency_key));
`

// sqlite says the same to SQLite.
var sqlite = strings.NewReplacer(
	"bigserial PRIMARY KEY", "INTEGER PRIMARY KEY",
	"bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "INTEGER PRIMARY KEY",
	"bigint", "INTEGER", "smallint", "INTEGER", " int,", " INTEGER,", " int ", " INTEGER ",
	"jsonb", "TEXT", " json", " TEXT", "uuid", "TEXT", "char(3)", "TEXT", "char(64)", "TEXT", " text", " TEXT",
	"timestamptz NOT NULL DEFAULT now()", "TEXT NOT NULL", "timestamp", "TEXT",
)

// Schema is the shop's tables in a dialect. The twin that looks before it
// leaps has no index that would catch it.
func Schema(d Dialect, t Twin) string {
	ddl := schema
	if t == CheckThenAct {
		ddl = strings.Replace(ddl, "CREATE UNIQUE INDEX charge_attempts_one_open_per_charge", "CREATE INDEX charge_attempts_open", 1)
		ddl = strings.Replace(ddl, ",\n  CONSTRAINT uq_cobranca_idempotency_key UNIQUE (idempotency_key)", "", 1)
	}
	if d == SQLite {
		ddl = sqlite.Replace(ddl)
	}
	return ddl
}

// Install creates the shop's tables, all or none.
func Install(ctx context.Context, db *sql.DB, d Dialect, t Twin) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("install the shop: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	for statement := range strings.SplitSeq(Schema(d, t), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("install the shop: %w", err)
		}
	}
	return tx.Commit()
}

// locked ends a SELECT that must keep its row to itself. SQLite has one writer
// at a time; open it with _txlock=immediate.
func (s *Shop) locked() string {
	if s.Dialect == PostgreSQL {
		return " FOR UPDATE"
	}
	return ""
}
