package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/audit"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// onRecord runs one write and adds its entry to the audit, both or neither.
func (s *Store) onRecord(ctx context.Context, what string, e audit.Entry, sql string, args ...any) (audit.Entry, error) {
	err := s.write(ctx, what, func(tx *transaction) error {
		if _, err := tx.Exec(ctx, sql, args...); err != nil {
			return err
		}
		return link(ctx, tx, &e)
	})
	return e, err
}

// Logins is true: who is here says session_user.
func (s *Store) Logins() bool { return true }

// Approve records a second person's yes to one digest.
func (s *Store) Approve(ctx context.Context, a store.Approval, e audit.Entry) (audit.Entry, error) {
	return s.onRecord(ctx, "approve", e, `INSERT INTO desfecho.approvals (attempt, mark, digest, operator)
		VALUES ($1::text, $2::text, $3::text, $4::text)`, a.Attempt, a.Mark, a.Digest, a.Operator)
}

// Approvals lists those of an attempt.
func (s *Store) Approvals(ctx context.Context, attempt string) (all []store.Approval, err error) {
	err = s.readOnly(ctx, "read the approvals", func(tx *transaction) error {
		rows, err := tx.Query(ctx, `SELECT attempt, mark, digest, operator, login, approved_at FROM desfecho.approvals
			WHERE attempt = $1::text ORDER BY approved_at, login`, attempt)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a store.Approval, err error) {
			return a, row.Scan(&a.Attempt, &a.Mark, &a.Digest, &a.Operator, &a.Login, (*instant)(&a.At))
		})
		return err
	})
	return all, err
}

// AddManual records what a person saw at the provider.
func (s *Store) AddManual(ctx context.Context, m store.Manual, e audit.Entry) (audit.Entry, error) {
	return s.onRecord(ctx, "add the evidence", e, `INSERT INTO desfecho.manual_evidence (op_id, attempt, seen, place, note, attachment, operator, observed_at)
		VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8)`,
		m.OpID, m.Attempt, m.Seen, m.Place, m.Note, m.Attachment, m.Operator, instant(m.ObservedAt))
}

// Manuals lists what people saw about an attempt.
func (s *Store) Manuals(ctx context.Context, attempt string) (all []store.Manual, err error) {
	err = s.readOnly(ctx, "read the manual evidence", func(tx *transaction) error {
		rows, err := tx.Query(ctx, `SELECT op_id, attempt, seen, place, note, attachment, operator, login, observed_at, added_at
			FROM desfecho.manual_evidence WHERE attempt = $1::text ORDER BY added_at, op_id`, attempt)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m store.Manual, err error) {
			return m, row.Scan(&m.OpID, &m.Attempt, &m.Seen, &m.Place, &m.Note, &m.Attachment, &m.Operator, &m.Login,
				(*instant)(&m.ObservedAt), (*instant)(&m.AddedAt))
		})
		return err
	})
	return all, err
}

// Dismiss puts a look-alike of an attempt aside.
func (s *Store) Dismiss(ctx context.Context, d reconcile.Dismissal, e audit.Entry) (audit.Entry, error) {
	return s.onRecord(ctx, "dismiss the look-alike", e, `INSERT INTO desfecho.dismissals (attempt, unit, reason, operator, dismissed_at)
		VALUES ($1::text, $2::text, $3::text, $4::text, $5)
		ON CONFLICT (attempt, unit) DO UPDATE SET reason = excluded.reason, operator = excluded.operator,
			login = excluded.login, dismissed_at = excluded.dismissed_at`, d.Attempt, d.Unit, d.Reason, d.By, instant(d.At))
}
