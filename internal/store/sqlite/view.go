package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// view is one snapshot of the file.
type view struct {
	s     *Store
	tx    *transaction
	now   payment.Instant
	found *described
}

// View opens a snapshot: in WAL mode the first read of a transaction fixes
// what it sees.
func (s *Store) View(ctx context.Context) (store.View, error) {
	s.trace("BEGIN")
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("open a snapshot: %w", explain(err))
	}
	v := &view{s: s, tx: &transaction{tx, s.trace}}
	if err := v.tx.one(ctx, []any{(*instant)(&v.now), new(int)}, "SELECT "+clock+", (SELECT count(*) FROM sqlite_schema)"); err != nil {
		return nil, errors.Join(fmt.Errorf("open a snapshot: %w", explain(err)), v.Close())
	}
	return v, nil
}

// Close ends the snapshot.
func (v *view) Close() error {
	if err := v.tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// Now is the clock at the snapshot.
func (v *view) Now() payment.Instant { return v.now }

// Load reads all that a run over the scope needs.
func (v *view) Load(ctx context.Context, scope store.Scope) (*store.Loaded, error) {
	if v.s.reading == nil {
		return nil, errors.New("load: no attempts table is described")
	}
	loaded, err := store.Gather(ctx, v, v.s.reading, scope)
	if err != nil {
		return nil, fmt.Errorf("load: %w", explain(err))
	}
	return loaded, nil
}

// About reads all that a decision about one attempt rests on.
func (v *view) About(ctx context.Context, scope store.Scope, attempt string) (*store.Loaded, error) {
	if v.s.reading == nil {
		return nil, errors.New("load: no attempts table is described")
	}
	loaded, err := store.GatherAbout(ctx, v, v.s.reading, scope, attempt)
	if err != nil {
		return nil, fmt.Errorf("load attempt %s: %w", attempt, explain(err))
	}
	return loaded, nil
}

// atMost is ErrMore where a query would give more rows than the limit; 0: there
// is none.
func (t *transaction) atMost(ctx context.Context, limit int, query string, values []any) error {
	if limit == 0 {
		return nil
	}
	var n int
	if err := t.one(ctx, []any{&n}, fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d)", query, limit+1), values...); err != nil {
		return err
	}
	if n > limit {
		return store.ErrMore
	}
	return nil
}

// Lines reads stored lines.
func (v *view) Lines(ctx context.Context, f store.LineFilter, take func(store.StoredLine) error) error {
	cells := store.LineCells()
	var row store.LineRow
	var s store.StoredLine
	var identity []byte
	to := targets(cells, &row, &s.Seq, &identity)
	read := func(where string, args ...any) error {
		query := "SELECT line, identity, " + columns(names(cells)) + " FROM desfecho_lines WHERE " + where
		if err := v.tx.atMost(ctx, f.Limit, query, args); err != nil {
			return explain(err)
		}
		return explain(v.tx.rows(ctx, to, func() (err error) {
			copy(s.Identity[:], identity)
			if s.Line, err = row.Take(0); err != nil {
				return err
			}
			return take(s)
		}, query, args...))
	}
	if f.Outside {
		where, values := "provider"+inList, []any{list(f.Providers)}
		for _, r := range f.Days {
			where += " AND NOT (provider = ? AND (day IS NULL OR day BETWEEN ? AND ?))"
			values = append(values, r.Provider, r.First.String(), r.Last.String())
		}
		return read(where, values...)
	}
	for _, r := range f.Days {
		if err := read("provider = ? AND (day BETWEEN ? AND ? OR day IS NULL)", r.Provider, r.First.String(), r.Last.String()); err != nil {
			return err
		}
	}
	identities := make([]string, len(f.Identities))
	for i, id := range f.Identities {
		identities[i] = hex.EncodeToString(id[:])
	}
	for _, by := range []struct {
		n      int
		where  string
		values string
	}{
		{len(f.Keys), "line IN (SELECT row FROM desfecho_lines_keys WHERE key" + inList + ")", list(f.Keys)},
		{len(f.Payouts), "payout <> '' AND payout" + inList, list(f.Payouts)},
		{len(identities), "identity IN (SELECT unhex(value) FROM json_each(?))", list(identities)},
	} {
		if by.n == 0 {
			continue
		}
		if err := read(by.where+" AND provider"+inList, by.values, list(f.Providers)); err != nil {
			return err
		}
	}
	return nil
}

// Units reads stored observations.
func (v *view) Units(ctx context.Context, f store.UnitFilter, take func(store.StoredUnit) error) error {
	cells := store.UnitCells()
	var row store.UnitRow
	var seq int64
	to := targets(cells, &row, &seq)
	read := func(where string, args ...any) error {
		query := "SELECT observation, " + columns(names(cells)) + " FROM desfecho_units WHERE " + where
		if err := v.tx.atMost(ctx, f.Limit, query, args); err != nil {
			return explain(err)
		}
		return explain(v.tx.rows(ctx, to, func() error {
			u, err := row.Take()
			if err != nil {
				return err
			}
			return take(store.StoredUnit{Seq: seq, Unit: u})
		}, query, args...))
	}
	if f.Outside {
		return read("provider"+inList+" AND (created_at IS NULL OR created_at < ? OR created_at >= ?)",
			list(f.Providers), int64(f.Created.From), int64(f.Created.To))
	}
	if f.Created != nil {
		if err := read("provider"+inList+" AND created_at >= ? AND created_at < ?",
			list(f.Providers), int64(f.Created.From), int64(f.Created.To)); err != nil {
			return err
		}
	}
	if len(f.Keys) == 0 {
		return nil
	}
	return read("observation IN (SELECT row FROM desfecho_units_keys WHERE key"+inList+") AND provider"+inList, list(f.Keys), list(f.Providers))
}

// ofAttempts is the condition of rows about the attempts; of all where they
// are nil.
func ofAttempts(attempts []string) (where string, values []any) {
	if attempts == nil {
		return "", nil
	}
	return " WHERE attempt" + inList, []any{list(attempts)}
}

// Lookups reads what was asked about attempts.
func (v *view) Lookups(ctx context.Context, attempts []string, limit int, take func(payment.Lookup) error) error {
	cells := store.LookupCells()
	var row store.LookupRow
	where, values := ofAttempts(attempts)
	query := "SELECT " + columns(names(cells)) + " FROM desfecho_lookups" + where
	if err := v.tx.atMost(ctx, limit, query, values); err != nil {
		return explain(err)
	}
	return explain(v.tx.rows(ctx, targets(cells, &row), func() error {
		l, err := row.Take()
		if err != nil {
			return err
		}
		return take(l)
	}, query+" ORDER BY lookup", values...))
}

// Dismissals reads which look-alikes were put aside.
func (v *view) Dismissals(ctx context.Context, attempts []string) (all []reconcile.Dismissal, err error) {
	var d reconcile.Dismissal
	where, values := ofAttempts(attempts)
	err = v.tx.rows(ctx, []any{&d.Attempt, &d.Unit, &d.Reason, &d.By, (*instant)(&d.At)}, func() error {
		all = append(all, d)
		return nil
	}, "SELECT attempt, unit, reason, operator, dismissed_at FROM desfecho_dismissals"+where+" ORDER BY attempt, unit", values...)
	return all, explain(err)
}

// Statements reads what was read of the providers, balances and all.
func (v *view) Statements(ctx context.Context, providers []string) (all []store.StoredStatement, err error) {
	cells := store.StatementCells()
	var row store.StatementRow
	err = v.tx.rows(ctx, targets(cells, &row), func() error {
		s, err := row.Take()
		all = append(all, s)
		return err
	}, "SELECT "+columns(names(cells))+" FROM desfecho_coverage WHERE provider"+inList+" ORDER BY part", list(providers))
	return all, explain(err)
}

// Coverage lists the statements of the providers.
func (v *view) Coverage(ctx context.Context, providers []string) ([]payment.Statement, error) {
	stored, err := v.Statements(ctx, providers)
	if err != nil {
		return nil, fmt.Errorf("read coverage: %w", err)
	}
	return store.WithoutBalances(stored), nil
}
