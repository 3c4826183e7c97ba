package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"desfecho/internal/store"
)

// Rows answers queries about the file itself and the merchant's tables, each
// in a read-only transaction of its own. It serves check and init.
type Rows struct {
	db      *sql.DB
	timeout time.Duration
}

// OpenRows opens the file of the URL for reading only; it must be there.
// timeout is for each statement; 0: none.
func OpenRows(ctx context.Context, address string, timeout time.Duration) (*Rows, error) {
	path, ok := Path(address)
	if !ok {
		return nil, &store.DescriptionError{Key: "database.url", Problem: "names no SQLite file", Advice: "write sqlite:// and the path of the file"}
	}
	db, err := sql.Open("sqlite", dsn(path, "query_only(1)")+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", path, explain(err)), db.Close())
	}
	return &Rows{db, timeout}, nil
}

// Rows gives each row as the database prints it; $1 and so on stand for args.
func (r *Rows) Rows(ctx context.Context, query string, args ...any) (answer [][]store.Text, err error) {
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.timeout, store.ErrTimedOut)
		defer cancel()
	}
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, r.failed(ctx, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return nil, r.failed(ctx, err)
	}
	cells := make([]sql.NullString, len(names))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, r.failed(ctx, err)
		}
		row := make([]store.Text, len(cells))
		for i, c := range cells {
			row[i] = store.Text{Value: c.String, Null: !c.Valid}
		}
		answer = append(answer, row)
	}
	if err := rows.Err(); err != nil {
		return nil, r.failed(ctx, err)
	}
	return answer, nil
}

func (r *Rows) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("ask the database: %w", cause)
	}
	return fmt.Errorf("ask the database: %w", explain(err))
}

// Close closes the file.
func (r *Rows) Close() error { return r.db.Close() }
