package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// StorePage writes a page whole or not at all.
func (s *Store) StorePage(ctx context.Context, lease store.Lease, page store.Page) (store.Counts, error) {
	var counts store.Counts
	if err := page.Check(lease); err != nil {
		return counts, err
	}
	err := s.write(ctx, "store a page of "+lease.Provider, func(tx *transaction) error {
		if err := renew(ctx, tx, lease); err != nil {
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
		if err := storeStatements(ctx, tx, number, &page); err != nil {
			return err
		}
		if err := storeCursor(ctx, tx, lease, page.Cursor); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE desfecho.pages SET fresh = $2::int, later = $3::int, restated = $4::int, repeated = $5::int WHERE page = $1::bigint`,
			number, counts.New, counts.Later, counts.Restated, counts.Repeated)
		return err
	})
	if err != nil {
		return store.Counts{}, err
	}
	return counts, nil
}

// The columns of a line that are not the provider's words.
var lineHead = []string{"identity", "content", "facts", "keys"}

// storeLines brings the lines into a table of the transaction's own and from
// there, in their order, what is new of them into the lines.
func storeLines(ctx context.Context, tx *transaction, page int64, lines []store.NumberedLine) (store.Counts, error) {
	var counts store.Counts
	if len(lines) == 0 {
		return counts, nil
	}
	cells := store.LineCells()
	all := append(append([]string{}, lineHead...), names(cells)...)
	// The planner knows nothing of new tables: it must not read one through for
	// every line.
	_, err := tx.Exec(ctx, `SET LOCAL enable_seqscan = off; CREATE TEMPORARY TABLE desfecho_page ON COMMIT DROP AS
		SELECT 0 AS nth, `+columns(all)+` FROM desfecho.lines WITH NO DATA`)
	if err != nil {
		return counts, err
	}
	var row store.LineRow
	if err := copyPage(ctx, tx, all, len(lines), func(i int) ([]any, error) {
		l := &lines[i]
		if err := row.Fill(&l.Line); err != nil {
			return nil, err
		}
		return values(cells, &row, identity(l.Identity), l.Content, l.Facts, store.LineKeys(&l.Line)), nil
	}); err != nil {
		return counts, err
	}
	err = tx.QueryRow(ctx, `WITH
		fresh AS (
			INSERT INTO desfecho.lines (page, `+columns(all)+`)
			SELECT $1::bigint, `+columns(all)+` FROM desfecho_page ORDER BY nth
			ON CONFLICT (identity, content) DO NOTHING RETURNING line, identity, facts, keys),
		keyed AS (INSERT INTO desfecho.lines_keys (key, row) SELECT unnest(keys), line FROM fresh),
		judged AS (
			SELECT f.facts, first_value(f.facts) OVER of_one AS first_here, row_number() OVER of_one AS version,
				(SELECT (array_agg(l.facts ORDER BY l.line))[1] FROM desfecho.lines l WHERE l.identity = f.identity) AS first_before
			FROM fresh f WINDOW of_one AS (PARTITION BY f.identity ORDER BY f.line))
		SELECT count(*) FILTER (WHERE first_before IS NULL AND version = 1),
			count(*) FILTER (WHERE facts = coalesce(first_before, first_here) AND NOT (first_before IS NULL AND version = 1)),
			count(*) FILTER (WHERE facts <> coalesce(first_before, first_here))
		FROM judged`, page).Scan(&counts.New, &counts.Later, &counts.Restated)
	if err != nil {
		return counts, err
	}
	counts.Repeated = len(lines) - counts.New - counts.Later - counts.Restated
	_, err = tx.Exec(ctx, "DROP TABLE desfecho_page")
	return counts, err
}

// copyPage copies n rows, numbered, into the transaction's own table. A row
// that cannot be made is the error, not what the server says of the end.
func copyPage(ctx context.Context, tx *transaction, columns []string, n int, row func(int) ([]any, error)) error {
	next := 0
	var bad error
	rows := pgx.CopyFromFunc(func() ([]any, error) {
		if next == n {
			return nil, nil
		}
		values, err := row(next)
		if err != nil {
			bad = err
			return nil, err
		}
		next++
		return append(values, int32(next)), nil
	})
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"desfecho_page"}, append(columns[:len(columns):len(columns)], "nth"), rows)
	if bad != nil {
		return bad
	}
	return err
}

// storeUnits keeps each statement about a unit once, with when it was first
// and last seen.
func storeUnits(ctx context.Context, tx *transaction, page int64, units []payment.Unit) error {
	if len(units) == 0 {
		return nil
	}
	cells := store.UnitCells()
	all := append([]string{"fingerprint", "keys"}, names(cells)...)
	_, err := tx.Exec(ctx, `CREATE TEMPORARY TABLE desfecho_page ON COMMIT DROP AS
		SELECT 0 AS nth, `+columns(all)+` FROM desfecho.units WITH NO DATA`)
	if err != nil {
		return err
	}
	var row store.UnitRow
	if err := copyPage(ctx, tx, all, len(units), func(i int) ([]any, error) {
		if err := row.Fill(&units[i]); err != nil {
			return nil, err
		}
		return values(cells, &row, identity(row.Fingerprint), store.UnitKeys(&units[i])), nil
	}); err != nil {
		return err
	}
	// One row for each fingerprint: the conflict clause takes none twice.
	_, err = tx.Exec(ctx, `WITH once AS (
			SELECT DISTINCT ON (fingerprint) *, min(first_seen) OVER same AS earliest, max(last_seen) OVER same AS latest
			FROM desfecho_page WINDOW same AS (PARTITION BY fingerprint) ORDER BY fingerprint, nth),
		seen AS (
			INSERT INTO desfecho.units AS u (page, `+columns(all)+`)
			SELECT $1::bigint, `+columns(all[:len(all)-2])+`, earliest, latest FROM once ORDER BY nth
			ON CONFLICT (fingerprint) DO UPDATE
			SET first_seen = least(u.first_seen, excluded.first_seen), last_seen = greatest(u.last_seen, excluded.last_seen)
			WHERE u.first_seen > excluded.first_seen OR u.last_seen < excluded.last_seen RETURNING keys, observation)
		INSERT INTO desfecho.units_keys (key, row) SELECT unnest(keys), observation FROM seen ON CONFLICT DO NOTHING`, page)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "DROP TABLE desfecho_page")
	return err
}

func storeStatements(ctx context.Context, tx *transaction, number int64, page *store.Page) error {
	cells := store.StatementCells()
	for i := range page.Statements {
		var row store.StatementRow
		if err := row.Fill(&page.Statements[i], page.LinesOf(i)); err != nil {
			return err
		}
		if err := insertOne(ctx, tx, "desfecho.coverage", append([]string{"page", "fingerprint"}, names(cells)...),
			values(cells, &row, number, identity(row.Fingerprint)), nil); err != nil {
			return err
		}
	}
	return nil
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
func (s *Store) StoreLookups(ctx context.Context, lease store.Lease, lookups []payment.Lookup) (int, error) {
	added := 0
	err := s.write(ctx, "store look-ups of "+lease.Provider, func(tx *transaction) error {
		if err := renew(ctx, tx, lease); err != nil {
			return err
		}
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

// Dismiss puts a look-alike of an attempt aside; a later reason replaces the
// earlier one.
func (s *Store) Dismiss(ctx context.Context, d reconcile.Dismissal) error {
	return s.write(ctx, "dismiss the look-alike", func(tx *transaction) error {
		_, err := tx.Exec(ctx, `INSERT INTO desfecho.dismissals (attempt, unit, reason, operator, dismissed_at)
			VALUES ($1::text, $2::text, $3::text, $4::text, $5)
			ON CONFLICT (attempt, unit) DO UPDATE SET reason = excluded.reason, operator = excluded.operator,
				login = excluded.login, dismissed_at = excluded.dismissed_at`,
			d.Attempt, d.Unit, d.Reason, d.By, instant(d.At))
		return err
	})
}
