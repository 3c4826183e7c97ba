// Package sqlite keeps desfecho's own tables beside the merchant's in one
// SQLite file, as tables whose names begin with "desfecho_", and reads the
// described attempts from it. It needs no C compiler.
//
// It never writes a table of the merchant's here and is bound by the contract
// suite of store/storetest.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"desfecho/internal/store"
)

// Options say which file is opened and how.
type Options struct {
	// URL is sqlite:// and the path of the file, which is made where it is not
	// there: sqlite:///var/lib/shop.db, sqlite://shop.db.
	URL string
	// Attempts describes the merchant's table; nil where only desfecho's own
	// tables are used.
	Attempts *store.Description
	// Trace is told each statement before it is run, without its values.
	Trace func(statement string)
}

// Store is one opened SQLite file.
type Store struct {
	path    string
	writer  *sql.DB // one connection: SQLite has one writer
	readers *sql.DB
	reading *store.Reading
	trace   func(string)
}

var _ store.Store = (*Store)(nil)

// Path is the file that a URL names; ok is false where the URL is none of
// SQLite's.
func Path(address string) (path string, ok bool) {
	path, ok = strings.CutPrefix(address, "sqlite://")
	return path, ok && path != ""
}

// Open opens the file. It neither checks nor makes desfecho's tables:
// CheckSchema and Migrate do.
func Open(ctx context.Context, o Options) (*Store, error) {
	path, ok := Path(o.URL)
	if !ok {
		return nil, &store.DescriptionError{Key: "database.url", Problem: "names no SQLite file", Advice: "write sqlite:// and the path of the file"}
	}
	s := &Store{path: path, trace: o.Trace}
	if s.trace == nil {
		s.trace = func(string) {}
	}
	var err error
	if o.Attempts != nil {
		if s.reading, err = o.Attempts.Compile(); err != nil {
			return nil, err
		}
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if s.writer, err = sql.Open("sqlite", dsn(path, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)")+"&_txlock=immediate"); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s.writer.SetMaxOpenConns(1)
	if s.readers, err = sql.Open("sqlite", dsn(path, "query_only(1)")); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), s.writer.Close())
	}
	if err := s.writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", path, explain(err)), s.Close())
	}
	return s, nil
}

// private makes a file that is not there for its owner alone: it will hold
// what payments are about.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the user names the file
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn is the driver's name of the file. The path is escaped: what it holds
// must not become a setting.
func dsn(path string, pragmas ...string) string {
	escaped := (&url.URL{Path: path}).EscapedPath()
	escaped = strings.NewReplacer("?", "%3f", "#", "%23").Replace(escaped)
	name := "file:" + escaped + "?_pragma=busy_timeout(5000)"
	for _, p := range pragmas {
		name += "&_pragma=" + p
	}
	return name
}

// Close closes the file.
func (s *Store) Close() error {
	if s.readers == nil {
		return s.writer.Close()
	}
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// transaction tells each statement before it is run.
type transaction struct {
	*sql.Tx
	trace func(string)
}

func (t *transaction) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	t.trace(statement)
	result, err := t.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// one scans the only row of a query; sql.ErrNoRows where there is none.
func (t *transaction) one(ctx context.Context, to []any, statement string, args ...any) error {
	t.trace(statement)
	return t.QueryRowContext(ctx, statement, args...).Scan(to...)
}

// rows scans each row of a query into the same targets.
func (t *transaction) rows(ctx context.Context, to []any, each func() error, statement string, args ...any) (err error) {
	t.trace(statement)
	rows, err := t.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// write runs one transaction: whole or nothing. It is the only one of the file
// from its beginning on.
func (s *Store) write(ctx context.Context, what string, do func(*transaction) error) error {
	s.trace("BEGIN IMMEDIATE")
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	if err := do(&transaction{tx, s.trace}); err != nil {
		_ = tx.Rollback() // the first error is the one to tell
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	s.trace("COMMIT")
	if err := tx.Commit(); err != nil {
		_ = tx.Rollback() // nothing where the commit ended it
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	return nil
}

// read runs one read-only snapshot.
func (s *Store) read(ctx context.Context, do func(*transaction) error) error {
	s.trace("BEGIN")
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return explain(do(&transaction{tx, s.trace}))
}

// explain adds the sentinel that a caller acts on.
func explain(err error) error {
	told, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return err
	}
	switch told.Code() & 0xff {
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case lib.SQLITE_FULL, lib.SQLITE_IOERR:
		return fmt.Errorf("%w: %w", store.ErrDisk, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_INTERRUPT:
		return fmt.Errorf("%w: %w", store.ErrTimedOut, err)
	}
	if strings.Contains(told.Error(), "no such table: desfecho_") {
		return fmt.Errorf("%w: %w", store.ErrNoSchema, err)
	}
	return err
}
