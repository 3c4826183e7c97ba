package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// view is one snapshot: of the primary, and where a replica serves the
// attempts one of it besides.
type view struct {
	s        *Store
	own      *transaction // desfecho's tables
	theirs   *transaction // the merchant's
	now      payment.Instant
	replayed payment.Instant
	found    *described
}

// View opens a snapshot.
func (s *Store) View(ctx context.Context) (store.View, error) {
	v := &view{s: s}
	var err error
	if v.own, err = s.snapshot(ctx, s.primary); err != nil {
		return nil, fmt.Errorf("open a snapshot: %w", explain(err))
	}
	v.theirs = v.own
	if v.now, err = scanInstant(ctx, v.own, "SELECT clock_timestamp()"); err != nil {
		return nil, errors.Join(fmt.Errorf("open a snapshot: %w", explain(err)), v.Close())
	}
	if s.replica == nil {
		return v, nil
	}
	// How far the replica is must be asked before its snapshot is taken: it may
	// go on in between, never back.
	if v.replayed, err = s.replay(ctx); err == nil {
		v.theirs, err = s.snapshot(ctx, s.replica)
	}
	if err != nil {
		v.theirs = v.own
		return nil, errors.Join(fmt.Errorf("open a snapshot of the replica: %w", explain(err)), v.Close())
	}
	return v, nil
}

// snapshot begins a transaction that sees one moment, and all rows of it: the
// server refuses to leave out what row-level security would hide.
func (s *Store) snapshot(ctx context.Context, c *connections) (*transaction, error) {
	tx, err := s.begin(ctx, c, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "SET LOCAL row_security = off"); err != nil {
		tx.rollback(ctx)
		return nil, err
	}
	return tx, nil
}

// replay is the instant that the replica had replayed to; now where the read
// URL leads to a server that is no standby. A standby that replayed nothing
// since it started knows of none: nothing is covered.
func (s *Store) replay(ctx context.Context) (payment.Instant, error) {
	tx, err := s.begin(ctx, s.replica, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, err
	}
	defer tx.rollback(ctx)
	return scanInstant(ctx, tx, `SELECT CASE WHEN NOT pg_is_in_recovery() THEN clock_timestamp()
		ELSE coalesce(pg_last_xact_replay_timestamp(), timestamptz 'epoch' + interval '1 microsecond') END`)
}

// Close ends the snapshot.
func (v *view) Close() error {
	if v.theirs != v.own {
		v.theirs.rollback(context.Background())
	}
	v.own.rollback(context.Background())
	return nil
}

// Now is the database's clock at the snapshot.
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
	if v.s.replica != nil {
		loaded.ReplayedTo = v.replayed
		loaded.Input.OwnSide = []payment.Interval{{To: v.replayed}}
	}
	return loaded, nil
}

func (v *view) relation(ctx context.Context) (*described, error) {
	if v.s.reading == nil {
		return nil, errors.New("no attempts table is described")
	}
	if v.found == nil {
		var err error
		if v.found, err = describe(ctx, v.theirs, v.s.reading); err != nil {
			return nil, err
		}
	}
	return v.found, nil
}

// each runs a query of desfecho's own tables over rows of cells; ErrMore where
// there are more than limit, unless that is 0.
func each[T any](ctx context.Context, v *view, cells []store.Cell[T], row *T, before []any, sql string, args []any, limit int, take func() error) error {
	if err := v.own.atMost(ctx, limit, sql, args); err != nil {
		return explain(err)
	}
	rows, err := v.own.Query(ctx, sql, v.s.primary.described(args)...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	into := targets(cells, row, before...)
	decoders := plain(rows, into)
	for rows.Next() {
		if decoders == nil {
			if err := rows.Scan(into...); err != nil {
				return explain(err)
			}
		}
		for i, raw := range rows.RawValues()[:len(decoders)] {
			if err := decoders[i](raw); err != nil {
				return fmt.Errorf("column %s: %w", rows.FieldDescriptions()[i].Name, err)
			}
		}
		if err := take(); err != nil {
			return err
		}
	}
	return explain(rows.Err())
}

// byIndex keeps the planner from reading the whole table once for each key,
// which it takes for cheap as long as it knows nothing of a new table. Rows that
// are named by another table are gathered first, as an array: joined, that table
// was read through for each row.
func (v *view) byIndex(ctx context.Context, read func() error) error {
	if _, err := v.own.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
		return explain(err)
	}
	if err := read(); err != nil {
		return err
	}
	_, err := v.own.Exec(ctx, "SET LOCAL enable_seqscan = on")
	return explain(err)
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

// Lines reads stored lines.
func (v *view) Lines(ctx context.Context, f store.LineFilter, take func(store.StoredLine) error) error {
	cells := store.LineCells()
	var row store.LineRow
	var s store.StoredLine
	read := func(where string, args ...any) error {
		return each(ctx, v, cells, &row, []any{&s.Seq, &s.Identity}, "SELECT line, identity, "+columns(names(cells))+" FROM desfecho.lines WHERE "+where, args, f.Limit, func() (err error) {
			if s.Line, err = row.Take(0); err != nil {
				return err
			}
			return take(s)
		})
	}
	if f.Outside {
		q := query{}
		where := "provider = ANY(" + q.value(f.Providers, "text[]") + ")"
		for _, r := range f.Days {
			where += fmt.Sprintf(" AND NOT (provider = %s AND (day IS NULL OR day BETWEEN %s AND %s))",
				q.value(r.Provider, "text"), q.value(day(r.First), "date"), q.value(day(r.Last), "date"))
		}
		return read(where, q.values...)
	}
	for _, r := range f.Days {
		if err := read("provider = $1::text AND (day BETWEEN $2 AND $3 OR day IS NULL)", r.Provider, day(r.First), day(r.Last)); err != nil {
			return err
		}
	}
	if len(f.Keys)+len(f.Payouts)+len(f.Identities) == 0 {
		return nil
	}
	identities := make([]string, len(f.Identities))
	for i, id := range f.Identities {
		identities[i] = hex.EncodeToString(id[:])
	}
	return v.byIndex(ctx, func() error {
		for _, by := range []struct {
			n      int
			where  string
			values any
		}{
			{len(f.Keys), "line = ANY(ARRAY(SELECT row FROM desfecho.lines_keys WHERE key = ANY($1::bigint[])))", f.Keys},
			{len(f.Payouts), "payout = ANY($1::text[]) AND payout <> ''", f.Payouts},
			{len(identities), "identity = ANY($1::text[]::uuid[])", identities},
		} {
			if by.n == 0 {
				continue
			}
			if err := read(by.where+" AND provider = ANY($2::text[])", by.values, f.Providers); err != nil {
				return err
			}
		}
		return nil
	})
}

// Units reads stored observations.
func (v *view) Units(ctx context.Context, f store.UnitFilter, take func(store.StoredUnit) error) error {
	cells := store.UnitCells()
	var row store.UnitRow
	var seq int64
	read := func(where string, args ...any) error {
		return each(ctx, v, cells, &row, []any{&seq}, "SELECT observation, "+columns(names(cells))+" FROM desfecho.units WHERE "+where, args, f.Limit, func() error {
			u, err := row.Take()
			if err != nil {
				return err
			}
			return take(store.StoredUnit{Seq: seq, Unit: u})
		})
	}
	if f.Outside {
		return read("provider = ANY($1::text[]) AND (created_at >= $2 AND created_at < $3) IS NOT TRUE", f.Providers, instant(f.Created.From), instant(f.Created.To))
	}
	if f.Created != nil {
		if err := read("provider = ANY($1::text[]) AND created_at >= $2 AND created_at < $3",
			f.Providers, instant(f.Created.From), instant(f.Created.To)); err != nil {
			return err
		}
	}
	if len(f.Keys) == 0 {
		return nil
	}
	return v.byIndex(ctx, func() error {
		return read("observation = ANY(ARRAY(SELECT row FROM desfecho.units_keys WHERE key = ANY($1::bigint[]))) AND provider = ANY($2::text[])", f.Keys, f.Providers)
	})
}

// ofAttempts is the condition of rows about the attempts; of all where they
// are nil.
func ofAttempts(attempts []string) (where string, values []any) {
	if attempts == nil {
		return "", nil
	}
	return " WHERE attempt = ANY($1::text[])", []any{attempts}
}

// Lookups reads what was asked about attempts.
func (v *view) Lookups(ctx context.Context, attempts []string, limit int, take func(payment.Lookup) error) error {
	cells := store.LookupCells()
	var row store.LookupRow
	where, values := ofAttempts(attempts)
	return each(ctx, v, cells, &row, nil, "SELECT "+columns(names(cells))+" FROM desfecho.lookups"+where+" ORDER BY lookup",
		values, limit, func() error {
			l, err := row.Take()
			if err != nil {
				return err
			}
			return take(l)
		})
}

// Dismissals reads which look-alikes were put aside.
func (v *view) Dismissals(ctx context.Context, attempts []string) ([]reconcile.Dismissal, error) {
	where, values := ofAttempts(attempts)
	rows, err := v.own.Query(ctx, "SELECT attempt, unit, reason, operator, dismissed_at FROM desfecho.dismissals"+where+" ORDER BY attempt, unit", values...)
	if err != nil {
		return nil, explain(err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d reconcile.Dismissal, err error) {
		err = row.Scan(&d.Attempt, &d.Unit, &d.Reason, &d.By, (*instant)(&d.At))
		return d, err
	})
}

// Statements reads what was read of the providers, balances and all.
func (v *view) Statements(ctx context.Context, providers []string) ([]store.StoredStatement, error) {
	cells := store.StatementCells()
	var row store.StatementRow
	var all []store.StoredStatement
	err := each(ctx, v, cells, &row, nil, "SELECT "+columns(names(cells))+" FROM desfecho.coverage WHERE provider = ANY($1::text[]) ORDER BY part",
		[]any{providers}, 0, func() error {
			s, err := row.Take()
			all = append(all, s)
			return err
		})
	return all, err
}

// Coverage lists the statements of the providers.
func (v *view) Coverage(ctx context.Context, providers []string) ([]payment.Statement, error) {
	stored, err := v.Statements(ctx, providers)
	if err != nil {
		return nil, fmt.Errorf("read coverage: %w", err)
	}
	return store.WithoutBalances(stored), nil
}
