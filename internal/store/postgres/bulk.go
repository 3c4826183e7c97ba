package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// storeLines copies what is new of the lines straight into their table. Which
// are new is asked once for the whole page: only the holder of the lease stores
// lines of the account, and no two of its pages under way hold the same; where
// somebody goes round that, the lease or the unique index ends the page.
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
	first, err := numbered(page, len(fresh))
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
			keys = append(keys, keyRow{k, first + int64(i)})
		}
		c.int8(first + int64(i))
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

// pageBits: a page has fewer lines and fewer units than this many bits count.
const pageBits = 20

// numbered gives the number of a page's first line or unit; the others follow
// it. Pages are numbered in the order of storing, and so are rows then, without
// asking the server for each.
func numbered(page int64, n int) (int64, error) {
	if n >= 1<<pageBits {
		return 0, fmt.Errorf("a page of %d rows: want fewer than %d", n, 1<<pageBits)
	}
	return page << pageBits, nil
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
	first, err := numbered(page, len(fresh))
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
			keys = append(keys, keyRow{k, first + int64(i)})
		}
		c.int8(first + int64(i))
		c.int8(page)
		c.uuid(row.Fingerprint)
		return c.write(columns, from)
	})
	if err != nil {
		return err
	}
	return copyKeys(ctx, tx, "units_keys", keys)
}
