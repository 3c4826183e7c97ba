package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/audit"
	"desfecho/internal/store"
)

// auditLock is an arbitrary number: one writer of the chain at a time, until
// its transaction ends.
const auditLock = 7_340_032_602

const auditColumns = `seq, format, op_id, kind, at, attempt, provider, account, mark, transition, unit, amount, currency,
	before, after, digest, evidence, reason, operator, login, program, prev_hash, hash`

func entryTargets(e *audit.Entry) []any {
	return []any{
		&e.Seq, &e.Format, &e.OpID, &e.Kind, (*instant)(&e.At), &e.Attempt, &e.Provider, &e.Account, &e.Mark, &e.Transition, &e.Unit,
		&e.Amount, &e.Currency, &e.Before, &e.After, &e.Digest, &e.Evidence, &e.Reason, &e.Operator, &e.Login, &e.Program, &e.PrevHash, &e.Hash,
	}
}

// link adds the entry to the end of the chain. It is the last statement of its
// transaction, for the chain waits for its commit.
func link(ctx context.Context, tx *transaction, e *audit.Entry) error {
	if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", int64(auditLock))); err != nil {
		return err
	}
	// A statement of its own: it must see what the holder of the lock committed.
	err := tx.QueryRow(ctx, `SELECT coalesce(max(seq), 0) + 1, coalesce((SELECT hash FROM desfecho.audit ORDER BY seq DESC LIMIT 1), ''),
		clock_timestamp(), session_user::text FROM desfecho.audit`).Scan(&e.Seq, &e.PrevHash, (*instant)(&e.At), &e.Login)
	if err != nil {
		return err
	}
	e.Hash = e.Sum()
	_, err = tx.Exec(ctx, `INSERT INTO desfecho.audit (`+auditColumns+`) VALUES ($1::bigint, $2::int, $3::text, $4::text, $5, $6::text, $7::text,
		$8::text, $9::text, $10::text, $11::text, $12::bigint, $13::text, $14::text, $15::text, $16::text, $17::text, $18::text, $19::text,
		$20::text, $21::text, $22::text, $23::text)`,
		e.Seq, e.Format, e.OpID, string(e.Kind), instant(e.At), e.Attempt, e.Provider, e.Account, e.Mark, e.Transition, e.Unit,
		e.Amount, e.Currency, e.Before, e.After, e.Digest, e.Evidence, e.Reason, e.Operator, e.Login, e.Program, e.PrevHash, e.Hash)
	return err
}

// Ready tells who is logged in, if the server takes writes.
func (s *Store) Ready(ctx context.Context) (login string, err error) {
	err = s.readOnly(ctx, "ask who is logged in", func(tx *transaction) error {
		var standby bool
		var byDefault string
		if err := tx.QueryRow(ctx, "SELECT session_user::text, pg_is_in_recovery(), current_setting('default_transaction_read_only')").
			Scan(&login, &standby, &byDefault); err != nil {
			return err
		}
		switch {
		case standby:
			return fmt.Errorf("%w: the server is a standby", store.ErrReadOnly)
		case byDefault == "on":
			return fmt.Errorf("%w: default_transaction_read_only is on", store.ErrReadOnly)
		}
		return nil
	})
	return login, err
}

// Append adds what a person decided.
func (s *Store) Append(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	err := s.write(ctx, "add to the audit", func(tx *transaction) error { return link(ctx, tx, &e) })
	return e, err
}

// Intend records what is about to be written.
func (s *Store) Intend(ctx context.Context, i store.Intent) error {
	return s.write(ctx, "record the intent", func(tx *transaction) error {
		_, err := tx.Exec(ctx, `INSERT INTO desfecho.intents (op_id, attempt, mark, digest, operator)
			VALUES ($1::text, $2::text, $3::text, $4::text, $5::text)`, i.OpID, i.Attempt, i.Mark, i.Digest, i.Operator)
		return err
	})
}

// Claim ends an operation. Its insert waits for one of the same op_id that is
// in flight; where it succeeds, that one can never be written any more. A
// plain read would not do: the old transaction may not have begun.
func (s *Store) Claim(ctx context.Context, i store.Intent, program string) (audit.Entry, error) {
	e := i.Abandonment(program)
	err := s.write(ctx, "claim the operation", func(tx *transaction) error {
		err := link(ctx, tx, &e)
		if told, ok := errors.AsType[*pgconn.PgError](err); ok && told.Code == uniqueViolation && told.ConstraintName == "audit_op_id_key" {
			return errLanded
		}
		return err
	})
	if !errors.Is(err, errLanded) {
		return e, err
	}
	return s.landed(ctx, i.OpID)
}

var errLanded = errors.New("the operation has its entry")

const uniqueViolation = "23505"

// landed is the entry of an operation.
func (s *Store) landed(ctx context.Context, opID string) (e audit.Entry, err error) {
	err = s.readOnly(ctx, "read the audit", func(tx *transaction) error {
		return tx.QueryRow(ctx, "SELECT "+auditColumns+" FROM desfecho.audit WHERE op_id = $1::text", opID).Scan(entryTargets(&e)...)
	})
	return e, err
}

// Unsettled lists intents without an entry.
func (s *Store) Unsettled(ctx context.Context, age time.Duration) (intents []store.Intent, err error) {
	err = s.readOnly(ctx, "read the intents", func(tx *transaction) error {
		rows, err := tx.Query(ctx, `SELECT op_id, attempt, mark, digest, operator, login, intended_at FROM desfecho.intents i
			WHERE intended_at < clock_timestamp() - make_interval(secs => $1::bigint)
			AND NOT EXISTS (SELECT FROM desfecho.audit a WHERE a.op_id = i.op_id) ORDER BY intended_at, op_id`, int64(age/time.Second))
		if err != nil {
			return err
		}
		intents, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (i store.Intent, err error) {
			return i, row.Scan(&i.OpID, &i.Attempt, &i.Mark, &i.Digest, &i.Operator, &i.Login, (*instant)(&i.At))
		})
		return err
	})
	return intents, err
}

// Audit gives the entries in order.
func (s *Store) Audit(ctx context.Context, attempt string, each func(*audit.Entry) error) error {
	return s.readOnly(ctx, "read the audit", func(tx *transaction) error {
		rows, err := tx.Query(ctx, "SELECT "+auditColumns+" FROM desfecho.audit WHERE $1::text = '' OR attempt = $1::text ORDER BY seq", attempt)
		if err != nil {
			return err
		}
		var e audit.Entry
		_, err = pgx.ForEachRow(rows, entryTargets(&e), func() error { return each(&e) })
		return err
	})
}

// Head is the end of the audit.
func (s *Store) Head(ctx context.Context) (head audit.Head, err error) {
	err = s.readOnly(ctx, "read the audit", func(tx *transaction) error {
		err := tx.QueryRow(ctx, "SELECT seq, hash FROM desfecho.audit ORDER BY seq DESC LIMIT 1").Scan(&head.Count, &head.Hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return head, err
}

// readOnly runs one read-only transaction on the primary.
func (s *Store) readOnly(ctx context.Context, what string, do func(*transaction) error) error {
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	defer tx.rollback(ctx)
	if err := do(tx); err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	return nil
}
