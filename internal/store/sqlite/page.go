package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// StorePage writes a page whole or not at all.
func (s *Store) StorePage(ctx context.Context, lease store.Lease, page store.Page) (store.Counts, error) {
	var counts store.Counts
	if err := page.Check(lease); err != nil {
		return counts, err
	}
	cursor, err := page.Wait(ctx) // one transaction writes at a time
	if err != nil {
		return counts, err
	}
	err = s.write(ctx, "store a page of "+lease.Provider, func(tx *transaction) error {
		if err := renew(ctx, tx, lease); err != nil {
			return err
		}
		var number int64
		err := tx.one(ctx, []any{&number}, `INSERT INTO desfecho_pages (provider, account, source, owner, fresh, later, restated, repeated)
			VALUES (?, ?, ?, ?, 0, 0, 0, 0) RETURNING page`, lease.Provider, lease.Account, page.Source, lease.Owner)
		if err != nil {
			return err
		}
		if counts, err = storeLines(ctx, tx, number, page.Lines); err != nil {
			return err
		}
		if err := storeUnits(ctx, tx, number, page.Units); err != nil {
			return err
		}
		if err := storeStatements(ctx, tx, number, &page); err != nil {
			return err
		}
		if err := storeCursor(ctx, tx, lease, cursor); err != nil {
			return err
		}
		_, err = tx.exec(ctx, "UPDATE desfecho_pages SET fresh = ?, later = ?, restated = ?, repeated = ? WHERE page = ?",
			counts.New, counts.Later, counts.Restated, counts.Repeated, number)
		return err
	})
	if err != nil {
		return store.Counts{}, err
	}
	return counts, nil
}

// prepared is one statement that is run for many rows.
type prepared struct {
	*sql.Stmt
	text  string
	trace func(string)
}

func (t *transaction) prepare(ctx context.Context, text string) (*prepared, error) {
	stmt, err := t.PrepareContext(ctx, text)
	return &prepared{stmt, text, t.trace}, err
}

func (p *prepared) one(ctx context.Context, to []any, args ...any) error {
	p.trace(p.text)
	return p.QueryRowContext(ctx, args...).Scan(to...)
}

func (p *prepared) run(ctx context.Context, args ...any) error {
	p.trace(p.text)
	_, err := p.ExecContext(ctx, args...)
	return err
}

// storeLines inserts what is new of the lines, in their order.
func storeLines(ctx context.Context, tx *transaction, page int64, lines []store.NumberedLine) (counts store.Counts, err error) {
	if len(lines) == 0 {
		return counts, nil
	}
	cells := store.LineCells()
	all := append([]string{"page", "identity", "content", "facts"}, names(cells)...)
	insert, err := tx.prepare(ctx, "INSERT INTO desfecho_lines ("+columns(all)+") VALUES ("+marks(len(all))+
		") ON CONFLICT (identity, content) DO NOTHING RETURNING line")
	if err != nil {
		return counts, err
	}
	first, err := tx.prepare(ctx, "SELECT line, facts FROM desfecho_lines WHERE identity = ? ORDER BY line LIMIT 1")
	if err != nil {
		return counts, err
	}
	key, err := tx.prepare(ctx, "INSERT INTO desfecho_lines_keys (key, row) SELECT value, ? FROM json_each(?)")
	if err != nil {
		return counts, err
	}
	var row store.LineRow
	for i := range lines {
		l := &lines[i]
		if err := row.Fill(&l.Line); err != nil {
			return counts, err
		}
		var line, firstLine, facts int64
		err := insert.one(ctx, []any{&line}, values(cells, &row, page, l.Identity[:], l.Content, l.Facts)...)
		if errors.Is(err, sql.ErrNoRows) {
			counts.Repeated++
			continue
		}
		if err != nil {
			return counts, err
		}
		if err := key.run(ctx, line, list(store.LineKeys(&l.Line))); err != nil {
			return counts, err
		}
		if err := first.one(ctx, []any{&firstLine, &facts}, l.Identity[:]); err != nil {
			return counts, err
		}
		switch {
		case firstLine == line:
			counts.New++
		case facts == l.Facts:
			counts.Later++
		default:
			counts.Restated++
		}
	}
	return counts, nil
}

// storeUnits keeps each statement about a unit once, with when it was first
// and last seen.
func storeUnits(ctx context.Context, tx *transaction, page int64, units []payment.Unit) error {
	if len(units) == 0 {
		return nil
	}
	cells := store.UnitCells()
	all := append([]string{"page", "fingerprint"}, names(cells)...)
	insert, err := tx.prepare(ctx, "INSERT INTO desfecho_units ("+columns(all)+") VALUES ("+marks(len(all))+`)
		ON CONFLICT (fingerprint) DO UPDATE SET first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen)
		RETURNING observation`)
	if err != nil {
		return err
	}
	key, err := tx.prepare(ctx, "INSERT INTO desfecho_units_keys (key, row) VALUES (?, ?) ON CONFLICT DO NOTHING")
	if err != nil {
		return err
	}
	var row store.UnitRow
	for i := range units {
		if err := row.Fill(&units[i]); err != nil {
			return err
		}
		var observation int64
		if err := insert.one(ctx, []any{&observation}, values(cells, &row, page, row.Fingerprint[:])...); err != nil {
			return err
		}
		for _, k := range store.UnitKeys(&units[i]) {
			if err := key.run(ctx, k, observation); err != nil {
				return err
			}
		}
	}
	return nil
}

func storeCursor(ctx context.Context, tx *transaction, lease store.Lease, c *store.Cursor) error {
	if c == nil {
		return nil
	}
	_, err := tx.exec(ctx, `INSERT INTO desfecho_cursors (provider, account, mode, statement, value) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (provider, account, mode, statement) DO UPDATE SET value = excluded.value, stored_at = `+clock,
		lease.Provider, lease.Account, c.Mode.String(), c.Statement, c.Value)
	return err
}

// StoreLookups records what a provider answered about attempts.
func (s *Store) StoreLookups(ctx context.Context, lookups []payment.Lookup) (int, error) {
	added := int64(0)
	err := s.write(ctx, "store look-ups", func(tx *transaction) error {
		cells := store.LookupCells()
		all := append([]string{"fingerprint"}, names(cells)...)
		for i := range lookups {
			var row store.LookupRow
			if err := row.Fill(&lookups[i]); err != nil {
				return err
			}
			n, err := tx.exec(ctx, "INSERT INTO desfecho_lookups ("+columns(all)+") VALUES ("+marks(len(all))+") ON CONFLICT DO NOTHING",
				values(cells, &row, row.Fingerprint[:])...)
			if err != nil {
				return err
			}
			added += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return int(added), nil
}
