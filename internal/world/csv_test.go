package world_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"desfecho/internal/world"
)

// The files of a workload hold what its truth says of them.
func TestWorkloadHoldsWhatItSays(t *testing.T) {
	t.Parallel()
	var attempts, statement bytes.Buffer
	truth, err := world.Workload{Rows: 20_000, Seed: 7}.Write(&attempts, &statement)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := rows(t, attempts.String()), rows(t, statement.String())
	if len(ours) != truth.Attempts || len(theirs) != truth.Lines {
		t.Fatalf("%d attempts and %d lines, want %d and %d", len(ours), len(theirs), truth.Attempts, truth.Lines)
	}
	lines := map[string][]string{}
	for _, l := range theirs {
		lines[l[1]] = l
	}
	got, charges := map[string]int{}, map[string]int{}
	for _, a := range ours {
		l, ok := lines[a[5]]
		delete(lines, a[5])
		charges[a[1]]++
		switch {
		case !ok:
			got["missing_at_provider"]++
		case a[4] == "failed":
			got["failed_but_charged"]++
		case a[7] != l[7]:
			got["currency_mismatch"]++
		case a[6] != strings.Replace(l[4], ".", "", 1):
			got["amount_mismatch"]++
		case charges[a[1]] == 2:
			got["duplicate_charge"]++
		}
	}
	got["unrecorded_charge"] = len(lines)
	for class, n := range truth.Classes {
		if got[class] != n || n < 50 || n > 200 {
			t.Errorf("%s: the files have %d, the truth says %d, about 100 were meant", class, got[class], n)
		}
	}
}

func TestWorldsAreWrittenWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		w := world.Seeded(seed)
		var attempts, statement bytes.Buffer
		if err := w.WriteAttempts(&attempts); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteStatement(&statement); err != nil {
			t.Fatal(err)
		}
		if a, l := rows(t, attempts.String()), rows(t, statement.String()); len(a) != len(w.Attempts) || len(l) != len(w.Lines) {
			t.Fatalf("seed %d: %d attempts and %d lines written, want %d and %d", seed, len(a), len(l), len(w.Attempts), len(w.Lines))
		}
	}
}

// A clean month has every benign effect, however short it is.
func TestCleanMonthHasOnlyBenignEffects(t *testing.T) {
	t.Parallel()
	w := world.CleanMonth(1, 2000)
	for _, f := range w.Truth.Findings {
		if f.Class != "amount_adjusted" {
			t.Errorf("%+v in a clean month", f)
		}
	}
	if w.Truth.Verdict != "pending" || w.Truth.Repeats == 0 || w.Truth.Places["in_transit"] == 0 || w.Truth.Places["expected_without_attempt"] == 0 {
		t.Errorf("the month lacks something: %+v", w.Truth.Places)
	}
	want, _ := sums(w)
	var got int64
	for _, minor := range w.Truth.Lines {
		got += minor
	}
	if got != want["acme BRL"] {
		t.Errorf("lines add up to %d, the truth says %d", want["acme BRL"], got)
	}
}

func rows(t *testing.T, text string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}
