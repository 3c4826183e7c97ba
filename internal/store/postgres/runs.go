package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
	"desfecho/reconcile"
)

// SaveRun writes a run and the memory it leaves in one transaction.
func (s *Store) SaveRun(ctx context.Context, leases []store.Lease, run store.Run) error {
	result, err := store.MarshalResult(run.Result)
	if err != nil {
		return err
	}
	return s.writeAgain(ctx, "save the run", func(tx *transaction) error {
		for _, l := range leases {
			if err := renew(ctx, tx, l); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, `INSERT INTO desfecho.runs (run, at, began, program, providers, verdict, page, result)
			VALUES ($1::text, $2, $3, $4::text, $5::text, $6::text, $7::bigint, $8::text::json) ON CONFLICT DO NOTHING`,
			run.ID, instant(run.At), instant(run.Began), run.Program, store.ProviderList(run.Providers), run.Result.Verdict.String(),
			run.Loaded.Page, result)
		if err != nil || tag.RowsAffected() == 0 { // saved before: its reply was lost
			return err
		}
		if err := advance(ctx, tx, &run); err != nil {
			return err
		}
		if err := addNotes(ctx, tx, run.Lapsed); err != nil {
			return err
		}
		return remember(ctx, tx, &run)
	})
}

// advance makes the run the last one of its providers, if the one that it
// followed still is.
func advance(ctx context.Context, tx *transaction, run *store.Run) error {
	for _, provider := range run.Providers {
		sql := `INSERT INTO desfecho.heads (provider, run, page) VALUES ($1::text, $2::text, $3::bigint) ON CONFLICT DO NOTHING`
		args := []any{provider, run.ID, run.Loaded.Page}
		if before := run.Loaded.Follows[provider]; before != "" {
			sql = `UPDATE desfecho.heads SET run = $2::text, page = $3::bigint, told = false WHERE provider = $1::text AND run = $4::text`
			args = append(args, before)
		}
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return store.ErrMoved
		}
	}
	return nil
}

// remember replaces what the next run goes on from.
func remember(ctx context.Context, tx *transaction, run *store.Run) error {
	m := run.Result.Memory
	if m == nil {
		return nil
	}
	if _, err := tx.Exec(ctx, "DELETE FROM desfecho.transit WHERE provider = ANY($1::text[])", run.Providers); err != nil {
		return err
	}
	b := &pgx.Batch{}
	for i := range m.Items {
		if err := queueItem(b, run.ID, &m.Items[i]); err != nil {
			return err
		}
	}
	for _, t := range m.Transit {
		b.Queue(`INSERT INTO desfecho.transit (provider, attempt, break_on, minor, currency)
			VALUES ($1::text, $2::text, $3, $4::bigint, $5::text) ON CONFLICT DO NOTHING`,
			t.Provider, t.Attempt, instant(t.BreakOn), t.Amount.Minor, t.Amount.Currency.String())
	}
	for _, d := range m.Days {
		if !run.Loaded.Kept(d) {
			continue
		}
		b.Queue(`INSERT INTO desfecho.days (provider, account, day, version, run, lines, hash)
			SELECT $1::text, $2::text, $3, coalesce(max(version), 0) + 1, $4::text, $5::int, $6::bigint
			FROM desfecho.days WHERE provider = $1::text AND account = $2::text AND day = $3
			HAVING (array_agg((lines, hash) ORDER BY version DESC))[1] IS DISTINCT FROM ($5::int, $6::bigint)`,
			d.Provider, d.Account, day(d.Day), run.ID, d.Lines, int64(d.Hash))
	}
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}

// queueItem writes a divergence as it stands, and an entry of its life where
// something happened to it.
func queueItem(b *pgx.Batch, run string, item *reconcile.Item) error {
	row, err := store.FillItem(item)
	if err != nil {
		return err
	}
	cells := store.ItemCells()
	marks, updates := "", ""
	for i, c := range cells {
		marks += fmt.Sprintf("$%d, ", i+1)
		if i > 0 {
			updates += c.Name + " = excluded." + c.Name + ", "
		}
	}
	marks += fmt.Sprintf("$%d", len(cells)+1)
	b.Queue(`WITH moved AS (
			INSERT INTO desfecho.divergences AS d (`+columns(names(cells))+`, run) VALUES (`+marks+`)
			ON CONFLICT (divergence) DO UPDATE SET `+updates+`run = excluded.run
			WHERE (d.class, d.severity, d.minor, d.currency, d.state, d.cause) IS DISTINCT FROM
				(excluded.class, excluded.severity, excluded.minor, excluded.currency, excluded.state, excluded.cause)
			RETURNING *)
		INSERT INTO desfecho.life (divergence, run, state, class, severity, minor, currency, cause)
		SELECT divergence, run, state, class, severity, minor, currency, cause FROM moved WHERE state <> 'persisting'`,
		append(values(cells, &row), run)...)
	return nil
}

// Told notes that somebody was told what the run found.
func (s *Store) Told(ctx context.Context, run string) error {
	return s.writeAgain(ctx, "note that the run was told", func(tx *transaction) error {
		_, err := tx.Exec(ctx, "UPDATE desfecho.heads SET told = true WHERE run = $1::text", run)
		return err
	})
}

// Run gives a saved run with its result.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	run := store.Run{ID: id}
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return run, fmt.Errorf("read the run: %w", explain(err))
	}
	defer tx.rollback(ctx)
	var providers, result string
	err = tx.QueryRow(ctx, "SELECT at, began, program, providers, page, result::text FROM desfecho.runs WHERE run = $1::text", id).
		Scan((*instant)(&run.At), (*instant)(&run.Began), &run.Program, &providers, &run.Loaded.Page, &result)
	if errors.Is(err, pgx.ErrNoRows) {
		return run, fmt.Errorf("%w: %s", store.ErrNoRun, id)
	}
	if err != nil {
		return run, fmt.Errorf("read the run: %w", explain(err))
	}
	run.Providers = store.Providers(providers)
	run.Result, err = store.UnmarshalResult(result)
	return run, err
}

// Note adds what a person decided about divergences: all or none.
func (s *Store) Note(ctx context.Context, notes ...store.Note) error {
	return s.write(ctx, "note", func(tx *transaction) error { return addNotes(ctx, tx, notes) })
}

// addNotes leaves who and when to the database.
func addNotes(ctx context.Context, tx *transaction, notes []store.Note) error {
	if len(notes) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	for _, n := range notes {
		b.Queue(`INSERT INTO desfecho.notes (divergence, kind, until, class, minor, currency, words, operator, ends)
			VALUES ($1::text, $2::text, $3, $4::text, $5::bigint, $6::text, $7::text, $8::text, $9::bigint)`,
			n.Divergence, string(n.Kind), instant(n.Until), n.Class, n.Minor, n.Currency, n.Text, n.Operator, n.Ends)
	}
	return tx.SendBatch(ctx, b).Close()
}

// Memory reads what the last runs of the providers left; nil where there was
// none.
func (v *view) Memory(ctx context.Context, providers []string, days []store.DayRange) (*reconcile.Memory, store.LoadedFrom, error) {
	from := store.LoadedFrom{Follows: map[string]string{}}
	if err := v.own.QueryRow(ctx, "SELECT coalesce(max(page), 0)::bigint FROM desfecho.pages").Scan(&from.Page); err != nil {
		return nil, from, explain(err)
	}
	rows, err := v.own.Query(ctx, "SELECT provider, run, told FROM desfecho.heads WHERE provider = ANY($1::text[])", providers)
	if err != nil {
		return nil, from, explain(err)
	}
	var provider, run string
	var told bool
	if _, err = pgx.ForEachRow(rows, []any{&provider, &run, &told}, func() error {
		from.Follows[provider] = run
		from.Untold = from.Untold || !told
		return nil
	}); err != nil {
		return nil, from, explain(err)
	}
	if len(from.Follows) == 0 {
		return nil, from, nil
	}
	m := &reconcile.Memory{}
	for _, read := range []func() error{
		func() error { return v.items(ctx, m, providers) },
		func() error { return v.transit(ctx, m, providers) },
		func() (err error) { m.Days, err = v.digests(ctx, days); return err },
	} {
		if err := read(); err != nil {
			return nil, from, err
		}
	}
	return m, from, nil
}

func (v *view) items(ctx context.Context, m *reconcile.Memory, providers []string) error {
	cells := store.ItemCells()
	var row store.ItemRow
	return each(ctx, v, cells, &row, nil, "SELECT "+columns(names(cells))+` FROM desfecho.divergences
		WHERE provider = ANY($1::text[]) OR provider = '' ORDER BY divergence COLLATE "C"`, []any{providers}, 0, func() error {
		item, err := row.Take()
		m.Items = append(m.Items, item)
		return err
	})
}

func (v *view) transit(ctx context.Context, m *reconcile.Memory, providers []string) error {
	var t reconcile.Transit
	var code string
	rows, err := v.own.Query(ctx, `SELECT provider, attempt, break_on, minor, currency FROM desfecho.transit
		WHERE provider = ANY($1::text[]) ORDER BY break_on, attempt COLLATE "C", provider`, providers)
	if err != nil {
		return explain(err)
	}
	_, err = pgx.ForEachRow(rows, []any{&t.Provider, &t.Attempt, (*instant)(&t.BreakOn), &t.Amount.Minor, &code}, func() error {
		if err := t.Amount.Currency.UnmarshalText([]byte(code)); err != nil {
			return err
		}
		m.Transit = append(m.Transit, t)
		return nil
	})
	return explain(err)
}

// digests reads what the last report of each day rested on.
func (v *view) digests(ctx context.Context, days []store.DayRange) ([]reconcile.DayDigest, error) {
	var all []reconcile.DayDigest
	for _, r := range days {
		rows, err := v.own.Query(ctx, `SELECT DISTINCT ON (account, day) account, day, lines, hash FROM desfecho.days
			WHERE provider = $1::text AND day BETWEEN $2 AND $3 ORDER BY account, day, version DESC`, r.Provider, day(r.First), day(r.Last))
		if err != nil {
			return nil, explain(err)
		}
		d := reconcile.DayDigest{Provider: r.Provider}
		var hash int64
		if _, err = pgx.ForEachRow(rows, []any{&d.Account, (*day)(&d.Day), &d.Lines, &hash}, func() error {
			d.Hash = uint64(hash)
			all = append(all, d)
			return nil
		}); err != nil {
			return nil, explain(err)
		}
	}
	return all, nil
}

// ClosedDays lists what the last report of each closed day rested on.
func (v *view) ClosedDays(ctx context.Context, providers []string) ([]reconcile.DayDigest, error) {
	days, err := v.digests(ctx, store.AllDays(providers))
	if err != nil {
		return nil, fmt.Errorf("read the closed days: %w", err)
	}
	return days, nil
}

// LateDays lists the days that got lines since their provider's last run.
func (v *view) LateDays(ctx context.Context, providers []string) ([]reconcile.DayDigest, error) {
	rows, err := v.own.Query(ctx, `SELECT l.provider, l.account, l.day, count(*)::int FROM desfecho.heads h
		JOIN desfecho.lines l ON l.provider = h.provider AND l.page > h.page
		WHERE h.provider = ANY($1::text[]) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, providers)
	if err != nil {
		return nil, fmt.Errorf("look for late lines: %w", explain(err))
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d reconcile.DayDigest, err error) {
		err = row.Scan(&d.Provider, &d.Account, (*day)(&d.Day), &d.Lines)
		return d, err
	})
}

// LatestRun is the id of the provider's last saved run.
func (v *view) LatestRun(ctx context.Context, provider string) (string, error) {
	return v.oneText(ctx, "SELECT run FROM desfecho.heads WHERE provider = $1::text", provider)
}

// Cursor is where the reading of a statement goes on.
func (v *view) Cursor(ctx context.Context, provider, account string, c store.Cursor) (string, error) {
	return v.oneText(ctx, `SELECT value FROM desfecho.cursors
		WHERE provider = $1::text AND account = $2::text AND mode = $3::text AND statement = $4::text`, provider, account, c.Mode.String(), c.Statement)
}

func (v *view) oneText(ctx context.Context, sql string, args ...any) (string, error) {
	var text string
	err := v.own.QueryRow(ctx, sql, args...).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return text, explain(err)
}

// Notes lists what people decided about divergences.
func (v *view) Notes(ctx context.Context, ids []string) ([]store.Note, error) {
	rows, err := v.own.Query(ctx, `SELECT note, ends, divergence, kind, until, class, minor, currency, words, operator, login, noted_at
		FROM desfecho.notes WHERE $1::text[] IS NULL OR divergence = ANY($1::text[]) ORDER BY note`, ids)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", explain(err))
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n store.Note, err error) {
		err = row.Scan(&n.Number, &n.Ends, &n.Divergence, &n.Kind, (*instant)(&n.Until), &n.Class, &n.Minor, &n.Currency, &n.Text, &n.Operator, &n.Login, (*instant)(&n.At))
		return n, err
	})
}
