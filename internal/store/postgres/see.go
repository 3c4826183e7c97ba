package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/audit"
	"desfecho/internal/store"
)

// See reads one attempt from the primary as a write must find it again.
func (s *Store) See(ctx context.Context, id string) (seen *store.Seen, err error) {
	if s.reading == nil {
		return nil, errors.New("read the attempt: no attempts table is described")
	}
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("read attempt %s: %w", id, explain(err))
	}
	defer tx.rollback(ctx)
	if seen, err = s.see(ctx, tx, id); err != nil {
		return nil, fmt.Errorf("read attempt %s: %w", id, explain(err))
	}
	return seen, nil
}

func (s *Store) see(ctx context.Context, tx *transaction, id string) (*store.Seen, error) {
	d, err := describe(ctx, tx, s.reading)
	if err != nil {
		return nil, err
	}
	t, err := s.written(ctx, tx)
	if err != nil {
		return nil, err
	}
	sql, values, ok := d.statement(store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: []string{id}}, asText)
	if !ok {
		return nil, store.ErrNoAttempt
	}
	rows, err := tx.Query(ctx, sql, values...)
	if err != nil {
		return nil, err
	}
	seen := &store.Seen{}
	found := 0
	for rows.Next() {
		found++
		seen.Row = seen.Row[:0]
		for _, raw := range rows.RawValues()[:len(s.reading.Selected())] {
			seen.Row = append(seen.Row, store.Text{Value: string(raw), Null: raw == nil})
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	switch {
	case found == 0:
		return nil, store.ErrNoAttempt
	case found > 1:
		return nil, fmt.Errorf("%d rows have this id: it must tell one attempt from all others", found)
	}
	if seen.Version, err = t.version(ctx, tx, seen, id); err != nil {
		return nil, err
	}
	if seen.Attempt, err = s.reading.Reader().Attempt(seen.Row, seen.Version); err != nil {
		return nil, err
	}
	seen.Version, seen.Word = seen.Attempt.Version, s.reading.StatusWord(seen.Row)
	if seen.Siblings, err = siblings(ctx, tx, d, &seen.Attempt); err != nil {
		return nil, err
	}
	seen.At, err = scanInstant(ctx, tx, "SELECT clock_timestamp()")
	return seen, err
}

// version reads the token of the row that is written, in the same snapshot.
func (t *written) version(ctx context.Context, tx *transaction, seen *store.Seen, id string) (version string, err error) {
	if column := t.reading.Columns.Version; column != "" && t.types[column] != "" {
		return t.reading.VersionWord(seen.Row), nil
	}
	if !t.xmin {
		return "", nil
	}
	var q query
	sql := "SELECT xmin::text FROM " + t.table + " WHERE " + quote(t.name[t.reading.Columns.ID]) + " = " + t.typed(&q, t.reading.Columns.ID, id)
	err = tx.QueryRow(ctx, sql, q.values...).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", store.ErrNoAttempt
	}
	return version, err
}

// whatStands says why the update reached no row: the row is read again.
func (p *settling) whatStands(ctx context.Context, moved *store.MovedError) error {
	now, err := p.store.See(ctx, p.write.Attempt)
	if errors.Is(err, store.ErrNoAttempt) {
		moved.Cause = store.CauseGone
		return moved
	}
	if err != nil {
		return fmt.Errorf("settle attempt %s: nothing was written, and what stands there could not be read: %w", p.write.Attempt, err)
	}
	moved.Tell(p.write, now)
	if moved.Cause == store.CauseSettled {
		moved.By = p.settledBy(ctx)
	}
	return moved
}

// settledBy names who gave the attempt its outcome, as far as the audit tells.
func (p *settling) settledBy(ctx context.Context) string {
	by := "the application"
	err := p.store.Audit(ctx, p.write.Attempt, func(e *audit.Entry) error {
		if e.Kind == audit.Settled {
			by = e.Operator + " (login " + e.Login + ")"
		}
		return nil
	})
	if err != nil {
		return "" // who it was is only told where it is known
	}
	return by
}

// holderOfUnit names the attempt that the provider's object stands on, "" where
// it is not that object that the database refused.
func (p *settling) holderOfUnit(ctx context.Context, told *pgconn.PgError) string {
	c := p.store.reading.Columns.ProviderChargeID
	parts := store.SplitName(p.store.reading.WriteTable())
	if p.table.types[c] == "" || p.write.Unit == "" || told.TableName != parts[len(parts)-1] {
		return ""
	}
	var q query
	sql := fmt.Sprintf("SELECT %s::text FROM %s WHERE %s = %s", quote(p.table.name[p.store.reading.Columns.ID]), p.table.table,
		quote(p.table.name[c]), p.table.typed(&q, c, p.write.Unit))
	var id string
	err := p.store.readOnly(ctx, "find the unit's holder", func(tx *transaction) error { return tx.QueryRow(ctx, sql, q.values...).Scan(&id) })
	if err != nil {
		return ""
	}
	return id
}

// holderOfLock names the session that works on the table in a transaction, as
// far as this role may see it; of several the oldest, and how many.
func (p *settling) holderOfLock(ctx context.Context) string {
	if p.table == nil {
		return ""
	}
	var who string
	var sessions int
	err := p.store.readOnly(ctx, "find the lock's holder", func(tx *transaction) error {
		return tx.QueryRow(ctx, `SELECT count(*) OVER (), concat_ws(', ', a.usename::text, nullif(a.application_name, ''), 'pid ' || a.pid,
				'since ' || to_char(a.xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS') || ' UTC')
			FROM pg_stat_activity a WHERE a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL AND a.pid IN (
				SELECT l.pid FROM pg_locks l WHERE l.granted AND l.locktype = 'relation' AND l.relation = $1::text::regclass
				AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
			ORDER BY a.xact_start LIMIT 1`, p.table.table).Scan(&sessions, &who)
	})
	switch {
	case err != nil:
		return "" // who it is is only told where it is known
	case sessions > 1:
		return fmt.Sprintf("one of %d sessions, the oldest of which is %s", sessions, who)
	}
	return who
}
