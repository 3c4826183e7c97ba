package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/planted"
	"desfecho/internal/store"
)

const auditColumns = `seq, format, op_id, kind, at, attempt, provider, account, mark, transition, unit, amount, currency,
	before, after, digest, evidence, reason, operator, login, program, prev_hash, hash`

func entryTargets(e *audit.Entry) []any {
	return []any{
		&e.Seq, &e.Format, &e.OpID, &e.Kind, (*instant)(&e.At), &e.Attempt, &e.Provider, &e.Account, &e.Mark, &e.Transition, &e.Unit,
		&e.Amount, &e.Currency, &e.Before, &e.After, &e.Digest, &e.Evidence, &e.Reason, &e.Operator, &e.Login, &e.Program, &e.PrevHash, &e.Hash,
	}
}

// link adds the entry to the end of the chain; its transaction is the only one
// that writes.
func link(ctx context.Context, tx *transaction, e *audit.Entry) error {
	err := tx.one(ctx, []any{&e.Seq, &e.PrevHash, (*instant)(&e.At)}, "SELECT coalesce(max(seq), 0) + 1, "+
		"coalesce((SELECT hash FROM desfecho_audit ORDER BY seq DESC LIMIT 1), ''), "+clock+" FROM desfecho_audit")
	if err != nil {
		return err
	}
	e.Login = "" // a file knows no logins
	e.Hash = e.Sum()
	_, err = tx.exec(ctx, "INSERT INTO desfecho_audit ("+auditColumns+") VALUES (?"+strings.Repeat(", ?", 22)+")",
		e.Seq, e.Format, e.OpID, string(e.Kind), value(e.At), e.Attempt, e.Provider, e.Account, e.Mark, e.Transition, e.Unit,
		e.Amount, e.Currency, e.Before, e.After, e.Digest, e.Evidence, e.Reason, e.Operator, e.Login, e.Program, e.PrevHash, e.Hash)
	return err
}

// Ready tells that a file has no logins, and whether it can be written.
func (s *Store) Ready(ctx context.Context) (login string, err error) {
	return "", s.write(ctx, "try to write", func(*transaction) error { return nil })
}

// Append adds what a person decided.
func (s *Store) Append(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	err := s.write(ctx, "add to the audit", func(tx *transaction) error { return link(ctx, tx, &e) })
	return e, err
}

// Intend records what is about to be written.
func (s *Store) Intend(ctx context.Context, i store.Intent) error {
	return s.write(ctx, "record the intent", func(tx *transaction) error {
		_, err := tx.exec(ctx, "INSERT INTO desfecho_intents (op_id, attempt, mark, digest, operator) VALUES (?, ?, ?, ?, ?)",
			i.OpID, i.Attempt, i.Mark, i.Digest, i.Operator)
		return err
	})
}

// Claim ends an operation. There is one writer at a time: once this transaction
// has begun, an older one has ended.
func (s *Store) Claim(ctx context.Context, i store.Intent, program string) (e audit.Entry, err error) {
	err = s.write(ctx, "claim the operation", func(tx *transaction) error {
		err := tx.one(ctx, entryTargets(&e), "SELECT "+auditColumns+" FROM desfecho_audit WHERE op_id = ?", i.OpID)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		e = i.Abandonment(program)
		if planted.In(planted.SettleByRead) {
			return nil
		}
		return link(ctx, tx, &e)
	})
	return e, err
}

// Unsettled lists intents without an entry.
func (s *Store) Unsettled(ctx context.Context, age time.Duration) (intents []store.Intent, err error) {
	var i store.Intent
	err = s.read(ctx, func(tx *transaction) error {
		return tx.rows(ctx, []any{&i.OpID, &i.Attempt, &i.Mark, &i.Digest, &i.Operator, &i.Login, (*instant)(&i.At)}, func() error {
			intents = append(intents, i)
			return nil
		}, `SELECT op_id, attempt, mark, digest, operator, login, intended_at FROM desfecho_intents i WHERE intended_at <= `+clock+` - ?
			AND NOT EXISTS (SELECT 1 FROM desfecho_audit a WHERE a.op_id = i.op_id) ORDER BY intended_at, op_id`, age.Microseconds())
	})
	if err != nil {
		return nil, fmt.Errorf("read the intents: %w", err)
	}
	return intents, nil
}

// Audit gives the entries in order.
func (s *Store) Audit(ctx context.Context, attempt string, each func(*audit.Entry) error) error {
	var e audit.Entry
	err := s.read(ctx, func(tx *transaction) error {
		return tx.rows(ctx, entryTargets(&e), func() error { return each(&e) },
			"SELECT "+auditColumns+" FROM desfecho_audit WHERE ? = '' OR attempt = ? ORDER BY seq", attempt, attempt)
	})
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	return nil
}

// Head is the end of the audit.
func (s *Store) Head(ctx context.Context) (head audit.Head, err error) {
	err = s.read(ctx, func(tx *transaction) error {
		err := tx.one(ctx, []any{&head.Count, &head.Hash}, "SELECT seq, hash FROM desfecho_audit ORDER BY seq DESC LIMIT 1")
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return head, fmt.Errorf("read the audit: %w", err)
	}
	return head, nil
}
