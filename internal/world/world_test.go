package world_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/world"
)

const seeds = 1000

func TestSeedAlwaysTellsTheSameWorld(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		if a, b := world.Seeded(seed), world.Seeded(seed); !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: two worlds: %s", seed, cmp.Diff(a, b))
		}
	}
}

// Equation 1 of RULES §5 must hold for the truth itself: whatever moved money
// is in one of its rows.
func TestTruthPartitionsTheLines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		w := world.Seeded(seed)
		want, days := sums(w)
		got := map[string]int64{}
		for row, minor := range w.Truth.Lines {
			got[row[:strings.LastIndexByte(row, ' ')]] += minor
		}
		maps.DeleteFunc(got, func(_ string, minor int64) bool { return minor == 0 })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: lines (-sum +truth):\n%s", seed, diff)
		}
		if diff := cmp.Diff(days, w.Truth.Days); diff != "" {
			t.Fatalf("seed %d: days (-sum +truth):\n%s", seed, diff)
		}
	}
}

// sums adds up the lines that RULES §5.1 counts, by currency and by day: each
// id or repeat once, restated ones not at all.
func sums(w *world.World) (byCurrency map[string]int64, byDay map[payment.Day]int64) {
	byCurrency, byDay = map[string]int64{}, map[payment.Day]int64{}
	gross := map[string]int64{}
	restated := map[string]bool{}
	for _, l := range w.Lines {
		if first, ok := gross[l.ID]; ok && l.ID != "" {
			restated[l.ID] = restated[l.ID] || first != l.Gross
			continue
		}
		gross[l.ID] = l.Gross
	}
	seen := map[string]bool{}
	for _, l := range w.Lines {
		if l.Still || l.File > 0 || restated[l.ID] || seen[l.ID] && l.ID != "" {
			continue
		}
		seen[l.ID] = true
		byCurrency[l.Provider+" "+l.Currency.String()] += l.Gross
		byDay[l.Day] += l.Gross
	}
	maps.DeleteFunc(byCurrency, func(_ string, minor int64) bool { return minor == 0 })
	maps.DeleteFunc(byDay, func(_ payment.Day, minor int64) bool { return minor == 0 })
	return byCurrency, byDay
}

// Equation 2 likewise, over the succeeded attempts in scope.
func TestTruthPartitionsTheSucceededAttempts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		w := world.Seeded(seed)
		want := map[string]int64{}
		for _, a := range w.Attempts {
			if a.Status != payment.Succeeded || a.CreatedAt < w.Statements[0].From {
				continue
			}
			minor := a.Amount.Minor
			if a.Direction() == payment.Out {
				minor = -minor
			}
			want[a.Provider+" "+a.Amount.Currency.String()] += minor
		}
		got := map[string]int64{}
		for row, minor := range w.Truth.Succeeded {
			got[row[:strings.LastIndexByte(row, ' ')]] += minor
		}
		for _, m := range []map[string]int64{want, got} {
			maps.DeleteFunc(m, func(_ string, minor int64) bool { return minor == 0 })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: succeeded attempts (-sum +truth):\n%s", seed, diff)
		}
	}
}

// What a statement shows lies in what was read of it, and ids name one thing.
func TestStatementsShowOnlyWhatWasRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		w := world.Seeded(seed)
		read := map[string]payment.Statement{}
		for _, st := range w.Statements {
			read[st.Name] = st
		}
		for _, l := range w.Lines {
			if problem := outside(read[l.Statement], l.At); problem != "" {
				t.Fatalf("seed %d: line %s of %s: %s", seed, l.ID, l.Unit, problem)
			}
		}
		for _, u := range w.Units {
			if problem := outside(read[u.Statement], u.CreatedAt); problem != "" && u.Source == payment.FromList {
				t.Fatalf("seed %d: unit %s: %s", seed, u.ID, problem)
			}
		}
		ids := map[string]bool{}
		for _, a := range w.Attempts {
			if ids[a.ID] || a.LastSent < a.CreatedAt || a.LastSent > w.Now {
				t.Fatalf("seed %d: attempt %s is there twice or sent at an impossible time", seed, a.ID)
			}
			ids[a.ID] = true
		}
	}
}

func outside(st payment.Statement, at payment.Instant) string {
	if at < st.From || at >= st.Through {
		return fmt.Sprintf("%s is outside [%s, %s)", at, st.From, st.Through)
	}
	for _, hole := range st.Holes {
		if hole.Contains(at) {
			return fmt.Sprintf("%s is in the hole %s", at, hole)
		}
	}
	return ""
}

// Every story must be told often, or worlds would prove less than they seem to.
func TestEveryStoryIsTold(t *testing.T) {
	t.Parallel()
	told, classes := map[string]int{}, map[string]int{}
	for seed := range uint64(seeds) {
		w := world.Seeded(seed)
		for _, name := range w.Stories {
			told[name]++
		}
		for _, f := range w.Truth.Findings {
			classes[f.Class]++
		}
	}
	for _, name := range world.StoryNames() {
		if told[name] < 5 {
			t.Errorf("story %q was told %d times in %d worlds", name, told[name], seeds)
		}
	}
	if len(classes) < 31 {
		t.Errorf("only %d classes occur: %v", len(classes), classes)
	}
	t.Logf("%d stories, classes %v", len(told), classes)
}
