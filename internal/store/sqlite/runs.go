package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"desfecho/internal/store"
	"desfecho/reconcile"
)

// SaveRun writes a run and the memory it leaves in one transaction.
func (s *Store) SaveRun(ctx context.Context, leases []store.Lease, run store.Run) error {
	result, err := store.MarshalResult(run.Result)
	if err != nil {
		return err
	}
	return s.write(ctx, "save the run", func(tx *transaction) error {
		for _, l := range leases {
			if err := renew(ctx, tx, l); err != nil {
				return err
			}
		}
		rows, err := tx.exec(ctx, `INSERT INTO desfecho_runs (run, at, began, program, providers, verdict, page, result)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, run.ID, value(run.At), value(run.Began), run.Program,
			store.ProviderList(run.Providers), run.Result.Verdict.String(), run.Loaded.Page, result)
		if err != nil || rows == 0 { // saved before: its reply was lost
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
		statement := "INSERT INTO desfecho_heads (run, page, provider) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
		args := []any{run.ID, run.Loaded.Page, provider}
		if before := run.Loaded.Follows[provider]; before != "" {
			statement = "UPDATE desfecho_heads SET run = ?, page = ?, told = 0 WHERE provider = ? AND run = ?"
			args = append(args, before)
		}
		rows, err := tx.exec(ctx, statement, args...)
		if err != nil {
			return err
		}
		if rows == 0 {
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
	for i := range m.Items {
		if err := saveItem(ctx, tx, run.ID, &m.Items[i]); err != nil {
			return err
		}
	}
	if _, err := tx.exec(ctx, "DELETE FROM desfecho_transit WHERE provider"+inList, list(run.Providers)); err != nil {
		return err
	}
	for _, t := range m.Transit {
		if _, err := tx.exec(ctx, "INSERT INTO desfecho_transit (provider, attempt, break_on, minor, currency) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			t.Provider, t.Attempt, value(t.BreakOn), t.Amount.Minor, t.Amount.Currency.String()); err != nil {
			return err
		}
	}
	for _, d := range m.Days {
		if !run.Loaded.Kept(d) {
			continue
		}
		if err := saveDay(ctx, tx, run.ID, d); err != nil {
			return err
		}
	}
	return nil
}

// saveDay adds a version of the day where its lines are others than those that
// its last report rested on.
func saveDay(ctx context.Context, tx *transaction, run string, d reconcile.DayDigest) error {
	var version, lines, hash int64
	err := tx.one(ctx, []any{&version, &lines, &hash}, `SELECT version, lines, hash FROM desfecho_days
		WHERE provider = ? AND account = ? AND day = ? ORDER BY version DESC LIMIT 1`, d.Provider, d.Account, d.Day.String())
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	now := int64(d.Hash)
	if err == nil && lines == int64(d.Lines) && hash == now {
		return nil
	}
	_, err = tx.exec(ctx, "INSERT INTO desfecho_days (provider, account, day, version, run, lines, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
		d.Provider, d.Account, d.Day.String(), version+1, run, d.Lines, now)
	return err
}

// saveItem writes a divergence as it stands, and an entry of its life where
// something happened to it.
func saveItem(ctx context.Context, tx *transaction, run string, item *reconcile.Item) error {
	row, err := store.FillItem(item)
	if err != nil {
		return err
	}
	cells := store.ItemCells()
	updates := ""
	for _, c := range cells[1:] {
		updates += c.Name + " = excluded." + c.Name + ", "
	}
	rows, err := tx.exec(ctx, `INSERT INTO desfecho_divergences AS d (`+columns(names(cells))+`, run) VALUES (`+marks(len(cells)+1)+`)
		ON CONFLICT (divergence) DO UPDATE SET `+updates+`run = excluded.run
		WHERE (d.class, d.severity, d.minor, d.currency, d.state, d.cause) IS NOT
			(excluded.class, excluded.severity, excluded.minor, excluded.currency, excluded.state, excluded.cause)`,
		append(values(cells, &row), run)...)
	if err != nil || rows == 0 || item.State == reconcile.LifePersisting {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO desfecho_life (divergence, run, state, class, severity, minor, currency, cause) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, run, row.State, row.Class, row.Severity, row.Minor, row.Currency, row.Cause)
	return err
}

// Told notes that somebody was told what the run found.
func (s *Store) Told(ctx context.Context, run string) error {
	return s.write(ctx, "note that the run was told", func(tx *transaction) error {
		_, err := tx.exec(ctx, "UPDATE desfecho_heads SET told = 1 WHERE run = ?", run)
		return err
	})
}

// Run gives a saved run with its result.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	run := store.Run{ID: id}
	var providers, result string
	err := s.read(ctx, func(tx *transaction) error {
		return tx.one(ctx, []any{(*instant)(&run.At), (*instant)(&run.Began), &run.Program, &providers, &run.Loaded.Page, &result},
			"SELECT at, began, program, providers, page, result FROM desfecho_runs WHERE run = ?", id)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return run, fmt.Errorf("%w: %s", store.ErrNoRun, id)
	}
	if err != nil {
		return run, fmt.Errorf("read the run: %w", err)
	}
	run.Providers = store.Providers(providers)
	run.Result, err = store.UnmarshalResult(result)
	return run, err
}

// Note adds what a person decided about divergences: all or none.
func (s *Store) Note(ctx context.Context, notes ...store.Note) error {
	return s.write(ctx, "note", func(tx *transaction) error { return addNotes(ctx, tx, notes) })
}

// addNotes leaves when to the database.
func addNotes(ctx context.Context, tx *transaction, notes []store.Note) error {
	for _, n := range notes {
		if _, err := tx.exec(ctx, "INSERT INTO desfecho_notes (divergence, kind, until, class, minor, currency, words, operator, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			n.Divergence, string(n.Kind), value(n.Until), n.Class, n.Minor, n.Currency, n.Text, n.Operator, n.Ends); err != nil {
			return err
		}
	}
	return nil
}
