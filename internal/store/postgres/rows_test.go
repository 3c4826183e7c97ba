package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/pgtest"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
)

func TestRowsAreReadAsTheDatabasePrintsThem(t *testing.T) {
	t.Parallel()
	r, err := postgres.OpenRows(t.Context(), pgtest.Database(t), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	got, err := r.Rows(t.Context(), `SELECT 1, NULL::text, true, '2025-11-29 22:14:00-03'::timestamptz, CAST($1 AS text), ARRAY[1, 2]`, "x")
	want := [][]store.Text{{{Value: "1"}, {Null: true}, {Value: "t"}, {Value: "2025-11-30 01:14:00+00"}, {Value: "x"}, {Value: "{1,2}"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := r.Rows(t.Context(), `CREATE TABLE t (id int)`); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a write gave %v", err)
	}
}

func TestAStatementOfRowsThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	r, err := postgres.OpenRows(t.Context(), pgtest.Database(t), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := r.Rows(t.Context(), `SELECT pg_sleep(60)`); !errors.Is(err, store.ErrTimedOut) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Rows(t.Context(), `SELECT 1`); err != nil {
		t.Errorf("the next statement: %v", err)
	}
}
