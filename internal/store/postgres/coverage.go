package postgres

import (
	"context"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// storeStatements records what a page shows to be read, joined with what was
// read of it before.
func storeStatements(ctx context.Context, tx *transaction, number int64, page *store.Page) error {
	for i := range page.Statements {
		parts, stored, err := partsOf(ctx, tx, &page.Statements[i])
		if err != nil {
			return err
		}
		whole, gone, write := store.StoredStatement{Statement: page.Statements[i], Lines: page.LinesOf(i)}.Absorb(stored)
		if !write {
			continue
		}
		if err := replaceParts(ctx, tx, number, pick(parts, gone), &whole); err != nil {
			return err
		}
	}
	return nil
}

// partsOf reads what is stored of a statement, and the numbers of the rows.
func partsOf(ctx context.Context, tx *transaction, s *payment.Statement) (parts []int64, stored []store.StoredStatement, err error) {
	cells := store.StatementCells()
	rows, err := tx.Query(ctx, "SELECT part, "+columns(names(cells))+` FROM desfecho.coverage WHERE provider = $1::text AND account = $2::text
		AND mode = $3::text AND sort = $4::text AND statement = $5::text ORDER BY part`, s.Provider, s.Account, s.Mode.String(), s.Sort.String(), s.Name)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var part int64
	var row store.StatementRow
	into := targets(cells, &row, &part)
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		one, err := row.Take()
		if err != nil {
			return nil, nil, err
		}
		parts, stored = append(parts, part), append(stored, one)
	}
	return parts, stored, rows.Err()
}

// replaceParts deletes rows and inserts the one that stands for them.
func replaceParts(ctx context.Context, tx *transaction, number int64, gone []int64, whole *store.StoredStatement) error {
	if len(gone) > 0 {
		if _, err := tx.Exec(ctx, "DELETE FROM desfecho.coverage WHERE part = ANY($1::bigint[])", gone); err != nil {
			return err
		}
	}
	var row store.StatementRow
	if err := row.Fill(&whole.Statement, whole.Lines); err != nil {
		return err
	}
	cells := store.StatementCells()
	return insertOne(ctx, tx, "desfecho.coverage", append([]string{"page", "fingerprint"}, names(cells)...),
		values(cells, &row, number, identity(row.Fingerprint)), nil)
}

func pick(parts []int64, at []int) []int64 {
	out := make([]int64, len(at))
	for i, n := range at {
		out[i] = parts[n]
	}
	return out
}
