package postgres

import (
	"context"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// StorePage writes a page whole or not at all. The lease's row is locked last,
// so that the next page of the account can be written beside this one; whoever
// lost the lease meanwhile stores nothing all the same.
func (s *Store) StorePage(ctx context.Context, lease store.Lease, page store.Page) (store.Counts, error) {
	var counts, before store.Counts
	if err := page.Check(lease); err != nil {
		return counts, err
	}
	again := false
	err := s.writeAgain(ctx, "store a page of "+lease.Provider, func(tx *transaction) error {
		before = counts
		if again { // what may have been written is waited for
			if err := renew(ctx, tx, lease); err != nil {
				return err
			}
		}
		again = true
		// The planner knows nothing of new tables: it must not read one through
		// to look for a page's lines.
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		var number int64
		err := tx.QueryRow(ctx, `INSERT INTO desfecho.pages (provider, account, source, owner, fresh, later, restated, repeated)
			VALUES ($1::text, $2::text, $3::text, $4::text, 0, 0, 0, 0) RETURNING page`,
			lease.Provider, lease.Account, page.Source, lease.Owner).Scan(&number)
		if err != nil {
			return err
		}
		if counts, err = storeLines(ctx, tx, number, page.Lines); err != nil {
			return err
		}
		if err := storeUnits(ctx, tx, number, page.Units); err != nil {
			return err
		}
		cursor, err := page.Wait(ctx)
		if err != nil {
			return err
		}
		if err := renew(ctx, tx, lease); err != nil {
			return err
		}
		if err := storeStatements(ctx, tx, number, &page); err != nil {
			return err
		}
		if err := storeCursor(ctx, tx, lease, cursor); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE desfecho.pages SET fresh = $2::int, later = $3::int, restated = $4::int, repeated = $5::int WHERE page = $1::bigint`,
			number, counts.New, counts.Later, counts.Restated, counts.Repeated)
		return err
	})
	if err != nil {
		return store.Counts{}, err
	}
	if before != (store.Counts{}) && counts.Repeated == len(page.Lines) {
		return before, nil // the reply was lost, not the page
	}
	return counts, nil
}

// insertOne inserts a row that is not there yet and adds to inserted where it
// was not.
func insertOne(ctx context.Context, tx *transaction, table string, names []string, values []any, inserted *int) error {
	marks := ""
	for i := range values {
		if i > 0 {
			marks += ", "
		}
		marks += fmt.Sprintf("$%d", i+1)
	}
	tag, err := tx.Exec(ctx, "INSERT INTO "+table+" ("+columns(names)+") VALUES ("+marks+") ON CONFLICT DO NOTHING", values...)
	if err == nil && inserted != nil {
		*inserted += int(tag.RowsAffected())
	}
	return err
}

func storeCursor(ctx context.Context, tx *transaction, lease store.Lease, c *store.Cursor) error {
	if c == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO desfecho.cursors (provider, account, mode, statement, value)
		VALUES ($1::text, $2::text, $3::text, $4::text, $5::text)
		ON CONFLICT (provider, account, mode, statement) DO UPDATE SET value = excluded.value, stored_at = clock_timestamp()`,
		lease.Provider, lease.Account, c.Mode.String(), c.Statement, c.Value)
	return err
}

// StoreLookups records what a provider answered about attempts.
func (s *Store) StoreLookups(ctx context.Context, lookups []payment.Lookup) (int, error) {
	added := 0
	err := s.write(ctx, "store look-ups", func(tx *transaction) error {
		cells := store.LookupCells()
		for i := range lookups {
			var row store.LookupRow
			if err := row.Fill(&lookups[i]); err != nil {
				return err
			}
			if err := insertOne(ctx, tx, "desfecho.lookups", append([]string{"fingerprint"}, names(cells)...),
				values(cells, &row, identity(row.Fingerprint)), &added); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}
