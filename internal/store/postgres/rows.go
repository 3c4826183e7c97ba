package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
)

// Rows answers queries about the database itself and the merchant's tables,
// each in a read-only transaction of its own. It serves check and init.
type Rows struct{ store *Store }

// OpenRows connects for reading only. timeout is for each statement; 0: the
// server's. Errors never hold the password.
func OpenRows(ctx context.Context, url string, timeout time.Duration) (*Rows, error) {
	s, err := Open(ctx, Options{URL: url, StatementTimeout: timeout})
	if err != nil {
		return nil, err
	}
	return &Rows{s}, nil
}

// Rows gives each row as the database prints it; $1 and so on stand for args.
func (r *Rows) Rows(ctx context.Context, query string, args ...any) (answer [][]store.Text, err error) {
	tx, err := r.store.begin(ctx, r.store.primary, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("ask the database: %w", explain(err))
	}
	defer tx.rollback(ctx)
	rows, err := tx.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("ask the database: %w", explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		row := make([]store.Text, len(raw))
		for i, v := range raw {
			row[i] = store.Text{Value: string(v), Null: v == nil}
		}
		answer = append(answer, row)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("ask the database: %w", explain(err))
	}
	return answer, nil
}

// Close ends the connection.
func (r *Rows) Close() error { return r.store.Close() }
