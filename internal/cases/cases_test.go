package cases

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
)

// everyCase gives all lines of all files of testdata/cases.
func everyCase(t *testing.T) []Line {
	t.Helper()
	names, err := filepath.Glob("../../testdata/cases/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no case file: %v", err)
	}
	var all []Line
	for _, name := range names {
		lines, err := ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
	}
	return all
}

func TestEveryCaseHolds(t *testing.T) {
	t.Parallel()
	for _, line := range everyCase(t) {
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			report := line.Play(reconcile.Match)
			if !report.Passed() && !report.Waiting {
				t.Errorf("%s", strings.Join(report.Differences, "\n"))
			}
		})
	}
}

// Same facts in another order, same bytes (law 13).
func TestTheOrderOfRowsHasNoInfluence(t *testing.T) {
	t.Parallel()
	for _, line := range everyCase(t) {
		if line.Err != nil || line.Case.File != nil {
			continue
		}
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			in, err := line.Case.Input()
			if err != nil {
				t.Fatal(err)
			}
			straight := result(t, in)
			slices.Reverse(in.Attempts)
			slices.Reverse(in.Charges)
			slices.Reverse(in.Statements)
			slices.Reverse(in.Units)
			slices.Reverse(in.Lines)
			slices.Reverse(in.Lookups)
			slices.Reverse(in.Events)
			slices.Reverse(in.Dismissed)
			if diff := cmp.Diff(straight, result(t, in)); diff != "" {
				t.Errorf("reversed rows give another result (-straight +reversed):\n%s", diff)
			}
		})
	}
}

func result(t *testing.T, in reconcile.Input) string {
	t.Helper()
	out, err := json.MarshalIndent(reconcile.Match(in), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
