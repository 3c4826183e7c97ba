package sqlite

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
		for _, n := range gone {
			if _, err := tx.exec(ctx, "DELETE FROM desfecho_coverage WHERE part = ?", parts[n]); err != nil {
				return err
			}
		}
		if err := insertCoverage(ctx, tx, number, &whole); err != nil {
			return err
		}
	}
	return nil
}

// partsOf reads what is stored of a statement, and the numbers of the rows.
func partsOf(ctx context.Context, tx *transaction, s *payment.Statement) (parts []int64, stored []store.StoredStatement, err error) {
	cells := store.StatementCells()
	var part int64
	var row store.StatementRow
	err = tx.rows(ctx, targets(cells, &row, &part), func() error {
		one, err := row.Take()
		parts, stored = append(parts, part), append(stored, one)
		return err
	}, "SELECT part, "+columns(names(cells))+` FROM desfecho_coverage WHERE provider = ? AND account = ? AND mode = ? AND sort = ? AND statement = ?
		ORDER BY part`, s.Provider, s.Account, s.Mode.String(), s.Sort.String(), s.Name)
	return parts, stored, err
}

func insertCoverage(ctx context.Context, tx *transaction, number int64, s *store.StoredStatement) error {
	var row store.StatementRow
	if err := row.Fill(&s.Statement, s.Lines); err != nil {
		return err
	}
	cells := store.StatementCells()
	all := append([]string{"page", "fingerprint"}, names(cells)...)
	_, err := tx.exec(ctx, "INSERT INTO desfecho_coverage ("+columns(all)+") VALUES ("+marks(len(all))+") ON CONFLICT DO NOTHING",
		values(cells, &row, number, row.Fingerprint[:])...)
	return err
}
