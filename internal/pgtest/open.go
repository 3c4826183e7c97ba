package pgtest

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver
)

// Open opens a database by its URL for a program that speaks database/sql,
// with a few connections. It is closed when the test ends.
func Open(tb testing.TB, url string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	db.SetMaxOpenConns(2)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}
