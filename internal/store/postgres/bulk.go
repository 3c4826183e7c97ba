package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// storeLines copies what is new of the lines straight into their table. Which
// are new is asked once for the whole page: the lease's row, locked in this
// transaction, keeps others from storing the same lines meanwhile, and where
// somebody goes round it the unique index ends the page.
func storeLines(ctx context.Context, tx *transaction, page int64, lines []store.NumberedLine) (store.Counts, error) {
	var counts store.Counts
	if len(lines) == 0 {
		return counts, nil
	}
	known, err := knownLines(ctx, tx, lines)
	if err != nil {
		return counts, err
	}
	fresh := make([]*store.NumberedLine, 0, len(lines))
	for i := range lines {
		if known.Take(&lines[i], &counts) {
			fresh = append(fresh, &lines[i])
		}
	}
	if len(fresh) == 0 {
		return counts, nil
	}
	ids, err := numbers(ctx, tx, "desfecho.lines", "line", len(fresh))
	if err != nil {
		return counts, err
	}
	cells := store.LineCells()
	var row store.LineRow
	var keys []keyRow
	columns, from := names(cells), pointers(cells, &row)
	err = copyRows(ctx, tx, "lines", append([]string{"line", "page", "identity", "content", "facts"}, columns...), len(fresh), func(i int, c *copying) error {
		l := fresh[i]
		if err := row.Fill(&l.Line); err != nil {
			return err
		}
		for _, k := range store.LineKeys(&l.Line) {
			keys = append(keys, keyRow{k, ids[i]})
		}
		c.int8(ids[i])
		c.int8(page)
		c.uuid(l.Identity)
		c.int8(l.Content)
		c.int8(l.Facts)
		return c.write(columns, from)
	})
	if err != nil {
		return counts, err
	}
	return counts, copyKeys(ctx, tx, "lines_keys", keys)
}

// knownLines asks for all versions of the page's lines.
func knownLines(ctx context.Context, tx *transaction, lines []store.NumberedLine) (*store.Known, error) {
	identities := make([]identity, len(lines))
	for i := range lines {
		identities[i] = lines[i].Identity
	}
	known := store.NewKnown()
	rows, err := tx.Query(ctx, "SELECT identity, content, facts FROM desfecho.lines WHERE identity = ANY($1::uuid[]) ORDER BY line", identities)
	if err != nil {
		return nil, err
	}
	var id [16]byte
	var content, facts int64
	_, err = pgx.ForEachRow(rows, []any{&id, &content, &facts}, func() error {
		known.Add(id, content, facts)
		return nil
	})
	return known, err
}

// numbers takes n numbers of a table's own sequence, in order.
func numbers(ctx context.Context, tx *transaction, table, column string, n int) ([]int64, error) {
	rows, err := tx.Query(ctx, `SELECT nextval(name) FROM
		(SELECT pg_get_serial_sequence($1::text, $2::text)::regclass AS name OFFSET 0) AS sequence, generate_series(1, $3::int)`, table, column, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

type keyRow struct{ key, row int64 }

// copyKeys copies keys in their order, so that neighbours meet the same pages
// of the index.
func copyKeys(ctx context.Context, tx *transaction, table string, keys []keyRow) error {
	slices.SortFunc(keys, func(a, b keyRow) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	return copyRows(ctx, tx, table, []string{"key", "row"}, len(keys), func(i int, c *copying) error {
		c.int8(keys[i].key)
		c.int8(keys[i].row)
		return nil
	})
}

// storeUnits keeps each statement about a unit once, with when it was first
// and last seen.
func storeUnits(ctx context.Context, tx *transaction, page int64, units []payment.Unit) error {
	if len(units) == 0 {
		return nil
	}
	rows := make([]store.UnitRow, 0, len(units))
	place := map[[16]byte]int{}
	prints := make([]identity, 0, len(units))
	for i := range units {
		var row store.UnitRow
		if err := row.Fill(&units[i]); err != nil {
			return err
		}
		if at, twice := place[row.Fingerprint]; twice {
			rows[at].Seen(row.First)
			continue
		}
		place[row.Fingerprint] = len(rows)
		rows = append(rows, row)
		prints = append(prints, row.Fingerprint)
	}
	known, err := knownUnits(ctx, tx, prints)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	fresh := rows[:0:0]
	for i := range rows {
		if !known[rows[i].Fingerprint] {
			fresh = append(fresh, rows[i])
			continue
		}
		b.Queue(`UPDATE desfecho.units SET first_seen = least(first_seen, $2), last_seen = greatest(last_seen, $3)
			WHERE fingerprint = $1::uuid AND (first_seen > $2 OR last_seen < $3)`,
			identity(rows[i].Fingerprint), instant(rows[i].First), instant(rows[i].Last))
	}
	if b.Len() > 0 {
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	return copyUnits(ctx, tx, page, fresh)
}

func knownUnits(ctx context.Context, tx *transaction, prints []identity) (map[[16]byte]bool, error) {
	rows, err := tx.Query(ctx, "SELECT fingerprint FROM desfecho.units WHERE fingerprint = ANY($1::uuid[])", prints)
	if err != nil {
		return nil, err
	}
	known := map[[16]byte]bool{}
	var id [16]byte
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		known[id] = true
		return nil
	})
	return known, err
}

func copyUnits(ctx context.Context, tx *transaction, page int64, fresh []store.UnitRow) error {
	if len(fresh) == 0 {
		return nil
	}
	ids, err := numbers(ctx, tx, "desfecho.units", "observation", len(fresh))
	if err != nil {
		return err
	}
	cells := store.UnitCells()
	var row store.UnitRow
	var keys []keyRow
	columns, from := names(cells), pointers(cells, &row)
	err = copyRows(ctx, tx, "units", append([]string{"observation", "page", "fingerprint"}, columns...), len(fresh), func(i int, c *copying) error {
		row = fresh[i]
		for _, k := range store.UnitKeys(&row.Unit) {
			keys = append(keys, keyRow{k, ids[i]})
		}
		c.int8(ids[i])
		c.int8(page)
		c.uuid(row.Fingerprint)
		return c.write(columns, from)
	})
	if err != nil {
		return err
	}
	return copyKeys(ctx, tx, "units_keys", keys)
}
