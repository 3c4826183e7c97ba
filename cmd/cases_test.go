//go:build !race

package cmd

// Under the race detector SQLite takes some twenty times as long: there these
// tests leave themselves out.

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"desfecho/internal/cases"
	"desfecho/internal/cases/overdb"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

// everyCase gives all lines of all files of testdata/cases.
func everyCase(t *testing.T) []cases.Line {
	t.Helper()
	names, err := filepath.Glob("../testdata/cases/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no case file: %v", err)
	}
	var all []cases.Line
	for _, name := range names {
		lines, err := cases.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
	}
	return all
}

// playOver plays every case that a database can hold.
func playOver(t *testing.T, fresh func(*testing.T) overdb.Database) {
	t.Helper()
	for _, line := range everyCase(t) {
		if line.Err != nil || line.Case.File != nil {
			continue
		}
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			report := overdb.Play(t.Context(), line.Case, fresh(t), inProcess, t.TempDir())
			if report.Waiting || !report.Passed() {
				t.Errorf("waits %v: %s", report.Waits, strings.Join(report.Differences, "\n"))
			}
		})
	}
}

// TestEveryCaseHoldsOverSQLite plays the cases through the command line, with
// the database remembering between runs.
func TestEveryCaseHoldsOverSQLite(t *testing.T) {
	t.Parallel()
	playOver(t, func(t *testing.T) overdb.Database {
		path := filepath.Join(t.TempDir(), "case.db")
		url := "sqlite://" + path
		return overdb.Database{
			URL:  url,
			Exec: func(text string) error { return execSQLite(t.Context(), path, text) },
			Open: func(ctx context.Context, attempts *store.Description) (store.Store, error) {
				return sqlite.Open(ctx, sqlite.Options{URL: url, Attempts: attempts})
			},
		}
	})
}

// TestEveryCaseHoldsOverPostgreSQL is the same over PostgreSQL. A few databases
// serve all cases, one after the other.
func TestEveryCaseHoldsOverPostgreSQL(t *testing.T) {
	t.Parallel()
	free := make(chan string, 4)
	for range cap(free) {
		free <- pgtest.Database(t)
	}
	cluster := pgtest.Server(t)
	playOver(t, func(t *testing.T) overdb.Database {
		address := <-free
		t.Cleanup(func() { free <- address })
		name := databaseName(t, address)
		cluster.SQL(t, name, "SET client_min_messages = error; DROP SCHEMA IF EXISTS desfecho CASCADE")
		return overdb.Database{
			URL: address,
			Exec: func(text string) error {
				cluster.SQL(t, name, "SET client_min_messages = error;\n"+text)
				return nil
			},
			Open: func(ctx context.Context, attempts *store.Description) (store.Store, error) {
				return postgres.Open(ctx, postgres.Options{URL: address, Attempts: attempts})
			},
		}
	})
}
