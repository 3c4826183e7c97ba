package sqlite

import (
	"context"
	"fmt"

	"desfecho/internal/audit"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// onRecord runs one write and adds its entry to the audit, both or neither.
func (s *Store) onRecord(ctx context.Context, what string, e audit.Entry, statement string, args ...any) (audit.Entry, error) {
	err := s.write(ctx, what, func(tx *transaction) error {
		if _, err := tx.exec(ctx, statement, args...); err != nil {
			return err
		}
		return link(ctx, tx, &e)
	})
	return e, err
}

// Logins is false: a file has none.
func (s *Store) Logins() bool { return false }

// Approve is refused: a file has no logins that would tell two people apart.
func (s *Store) Approve(context.Context, store.Approval, audit.Entry) (audit.Entry, error) {
	return audit.Entry{}, store.ErrNoLogins
}

// Approvals lists none.
func (s *Store) Approvals(context.Context, string) ([]store.Approval, error) { return nil, nil }

// AddManual records what a person saw at the provider.
func (s *Store) AddManual(ctx context.Context, m store.Manual, e audit.Entry) (audit.Entry, error) {
	return s.onRecord(ctx, "add the evidence", e, `INSERT INTO desfecho_manual_evidence
		(op_id, attempt, seen, place, note, attachment, operator, observed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		m.OpID, m.Attempt, m.Seen, m.Place, m.Note, m.Attachment, m.Operator, value(m.ObservedAt))
}

// Manuals lists what people saw about an attempt.
func (s *Store) Manuals(ctx context.Context, attempt string) (all []store.Manual, err error) {
	var m store.Manual
	err = s.read(ctx, func(tx *transaction) error {
		return tx.rows(ctx, []any{
			&m.OpID, &m.Attempt, &m.Seen, &m.Place, &m.Note, &m.Attachment, &m.Operator, &m.Login, (*instant)(&m.ObservedAt), (*instant)(&m.AddedAt),
		}, func() error {
			all = append(all, m)
			return nil
		}, `SELECT op_id, attempt, seen, place, note, attachment, operator, login, observed_at, added_at
			FROM desfecho_manual_evidence WHERE attempt = ? ORDER BY added_at, op_id`, attempt)
	})
	if err != nil {
		return nil, fmt.Errorf("read the manual evidence: %w", err)
	}
	return all, nil
}

// Dismiss puts a look-alike of an attempt aside.
func (s *Store) Dismiss(ctx context.Context, d reconcile.Dismissal, e audit.Entry) (audit.Entry, error) {
	return s.onRecord(ctx, "dismiss the look-alike", e, `INSERT INTO desfecho_dismissals (attempt, unit, reason, operator, dismissed_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (attempt, unit) DO UPDATE SET reason = excluded.reason, operator = excluded.operator, dismissed_at = excluded.dismissed_at`,
		d.Attempt, d.Unit, d.Reason, d.By, int64(d.At))
}
