//go:build linux && !race

package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"desfecho/internal/cases"
	"desfecho/internal/cases/overdb"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/internal/store/sqlite"
)

// fileWorld is a room in a SQLite file. Its clock is the machine's, so that a
// case comes to it moved to this moment.
func fileWorld(t *testing.T, r *script) overdb.World {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	s := &shop{t: t, url: "sqlite://" + path}
	open := func(ctx context.Context, attempts *store.Description) (store.Store, error) {
		return sqlite.Open(ctx, sqlite.Options{URL: s.url, Attempts: attempts})
	}
	opened, err := open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	return overdb.World{
		Database: overdb.Database{URL: s.url, Open: open, Exec: func(text string) error { return execSQLite(t.Context(), path, text) }},
		Folder:   t.TempDir(), Own: "desfecho_",
		Clock: func(now payment.Instant) error {
			if late := payment.InstantOf(time.Now()).Sub(now); late < 0 || late > time.Minute {
				return fmt.Errorf("the clock stands %s after the case", late)
			}
			return nil
		},
		Query: func(sql string) ([]string, error) { return s.query(sql), nil },
		Sit: func(login, config string, args ...string) (overdb.Terminal, error) {
			return takeSeat(s.url, login, config, args)
		},
		Script: r.answer,
	}
}

// ofOneMoment tells whether a case needs no earlier clock than that of its end,
// and no logins.
func ofOneMoment(c *cases.Case) bool {
	return len(c.Steps) == 0 && len(c.Manual) == 0 && len(c.Approvals) == 0 && len(c.Dismissed) == 0
}

// TestEveryCaseHoldsForAPersonOverSQLite: the same over the embedded database,
// for the cases whose story is one moment.
func TestEveryCaseHoldsForAPersonOverSQLite(t *testing.T) {
	t.Parallel()
	not := notForPersons()
	played := 0
	for _, line := range everyCase(t) {
		if line.Err != nil || line.Case.File != nil || !line.Case.HasScreens() || not[line.ID] != "" || !ofOneMoment(line.Case) {
			continue
		}
		played++
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			world := fileWorld(t, listen(t))
			line.Case.Move(time.Since(line.Case.Now.Time()))
			if report := cases.PlayPerson(line.Case, overdb.Sit(t.Context(), world)); !report.Passed() {
				t.Error(strings.Join(report.Differences, "\n"))
			}
		})
	}
	if played < 150 {
		t.Errorf("only %d cases were played", played)
	}
}
