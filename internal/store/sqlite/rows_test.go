package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/store"
	"desfecho/internal/store/sqlite"
)

func rows(t *testing.T, timeout time.Duration) *sqlite.Rows {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a?b#c.db")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(path), "a%3fb%23c.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE t (at TIMESTAMP, n INTEGER); INSERT INTO t VALUES ('2025-11-29 10:00:00', 7)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := sqlite.OpenRows(t.Context(), "sqlite://"+path, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestRowsAreReadAsTheDatabasePrintsThem(t *testing.T) {
	t.Parallel()
	r := rows(t, 0)
	got, err := r.Rows(t.Context(), `SELECT n, NULL, CAST(at AS text), $1 FROM t`, "x")
	want := [][]store.Text{{{Value: "7"}, {Null: true}, {Value: "2025-11-29 10:00:00"}, {Value: "x"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := r.Rows(t.Context(), `DELETE FROM t`); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a write gave %v", err)
	}
}

func TestAStatementOfRowsThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	r := rows(t, 50*time.Millisecond)
	if _, err := r.Rows(t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`); !errors.Is(err, store.ErrTimedOut) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Rows(t.Context(), `SELECT 1`); err != nil {
		t.Errorf("the next statement: %v", err)
	}
}

func TestAFileThatIsNotThereIsNotMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	if r, err := sqlite.OpenRows(t.Context(), "sqlite://"+path, 0); err == nil {
		_ = r.Close()
		t.Error("it was opened")
	}
	if _, err := sqlite.OpenRows(t.Context(), "postgres://x", 0); err == nil {
		t.Error("another database was opened as SQLite")
	}
}
