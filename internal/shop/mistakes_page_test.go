package shop_test

import (
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/shop"
)

var update = flag.Bool("update", false, "write the tables of docs/mistakes.md")

// morning is what the program says of both tables at one moment.
type morning [2]told

// cell is one shop that met one accident: the next morning, and when all was
// over.
type cell [2]morning

// play tells one drama to the end and judges it on both mornings: in SQLite,
// or where there are any in one of the servers.
func play(t *testing.T, twin shop.Twin, a accident, free chan string) (c cell) {
	t.Helper()
	var db *sql.DB
	var address string
	dialect := shop.SQLite
	if free == nil {
		db, address = file(t)
	} else {
		db, address = server(t, free)
		dialect = shop.PostgreSQL
	}
	d := stageDrama(t, db, dialect, twin, a)
	defer func() { d.must(d.Close()) }()
	k := newDesk(t, address)
	if dialect == shop.PostgreSQL {
		k.roles(func(statements string) {
			_, err := db.ExecContext(t.Context(), statements)
			d.must(err)
		})
	}
	for i, part := range []struct {
		when     string
		play     func()
		from, to int
	}{{"next morning", d.firstDay, 28, 29}, {"in the end", d.secondDay, 29, 33}} {
		part.play()
		k.pull(d.Stage, day(t, part.from, 0, 0), day(t, part.to, 0, 0))
		for j, of := range d.tables(twin) {
			c[i][j] = k.told(of.config, of.provider, d.Clock.Now())
			d.judge(t, &of, c[i][j], part.when)
		}
	}
	return c
}

// Whatever goes wrong on the way: the damage of each broken rule is named with
// its row, and the right shop is blamed for nothing, over both databases.
func TestEveryMistakeIsNamedAndTheRightShopIsNot(t *testing.T) {
	t.Parallel()
	if underRace {
		return // SQLite takes some twenty times as long then
	}
	free, cells := servers(t), map[shop.Twin][]cell{}
	for _, twin := range shop.Twins() {
		cells[twin] = make([]cell, len(accidents()))
	}
	t.Run("play", func(t *testing.T) {
		for _, twin := range shop.Twins() {
			for i, a := range accidents() {
				t.Run(fmt.Sprintf("%s/%s", twin, a.name), func(t *testing.T) {
					t.Parallel()
					cells[twin][i] = play(t, twin, a, nil)
					if diff := cmp.Diff(words(cells[twin][i]), words(play(t, twin, a, free))); diff != "" {
						t.Errorf("(-SQLite +PostgreSQL)\n%s", diff)
					}
				})
			}
		}
	})
	if !t.Failed() {
		pageIsCurrent(t, cells)
	}
}

// words are the names that a cell tells, without its rows: PostgreSQL numbers
// them otherwise.
func words(c cell) (all [2][2]string) {
	for i := range c {
		for j := range c[i] {
			all[i][j] = c[i][j].row()
		}
	}
	return all
}

// row is one moment as two columns of a table.
func (x told) row() string {
	var classes, audits []string
	for _, class := range slices.Sorted(maps.Keys(x.classes)) {
		classes = append(classes, counted(class, int64(len(x.classes[class]))))
	}
	for _, name := range slices.Sorted(maps.Keys(x.audits)) {
		audits = append(audits, counted(name, x.audits[name].Rows))
	}
	return dash(classes) + " | " + dash(audits)
}

func counted(name string, n int64) string {
	if n < 2 {
		return "`" + name + "`"
	}
	return fmt.Sprintf("`%s` × %d", name, n)
}

func dash(all []string) string {
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, ", ")
}

// tableOf tells what each accident came to; those that came to the same share a
// row.
func tableOf(cells []cell, j int) string {
	var outcomes []string
	names := map[string][]string{}
	for i, a := range accidents() {
		outcome := cells[i][0][j].row() + " | " + cells[i][1][j].row()
		if names[outcome] == nil {
			outcomes = append(outcomes, outcome)
		}
		names[outcome] = append(names[outcome], a.name)
	}
	text := "| on the way | `reconcile`, next morning | `check` | `reconcile`, in the end | `check` |\n|---|---|---|---|---|\n"
	for _, outcome := range outcomes {
		text += "| " + strings.Join(names[outcome], "; ") + " | " + outcome + " |\n"
	}
	return text
}

// pageIsCurrent compares the tables of the page with what was told.
func pageIsCurrent(t *testing.T, cells map[shop.Twin][]cell) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "mistakes.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	current := string(text)
	for _, twin := range shop.Twins() {
		for j, name := range []string{"charge_attempts", "cobranca"} {
			mark := fmt.Sprintf("<!-- %s, %s -->\n", twin, name)
			before, after, found := strings.Cut(current, mark)
			if !found {
				continue
			}
			_, after, _ = strings.Cut(after, "\n\n")
			current = strings.TrimRight(before+mark+tableOf(cells[twin], j)+"\n"+after, "\n") + "\n"
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(current), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), current); diff != "" {
		t.Errorf("docs/mistakes.md is not what the program says; run go test ./internal/shop -run Mistake -update\n(-page +program)\n%s", diff)
	}
}
