//go:build !race

package reconcile_test

import (
	"testing"

	"desfecho/internal/world"
	"desfecho/reconcile"
)

// underRace: the race detector makes everything some ten times slower.
const underRace = false

// A month of a million attempts in which only benign things happen (RULES §4,
// last paragraph): nothing is listed but interest on late boletos, and every
// attempt and line has its place. Too much for the race detector.
func TestCleanMonthListsNothing(t *testing.T) {
	t.Parallel()
	attempts := 1_000_000
	if testing.Short() {
		attempts = 20_000
	}
	w := world.CleanMonth(1, attempts)
	r := reconcile.Match(input(w))
	listed := map[string]int{}
	for _, d := range r.Divergences {
		if d.Class == reconcile.AmountAdjusted {
			continue
		}
		if listed[d.Class.String()]++; listed[d.Class.String()] == 1 {
			t.Errorf("listed: %s %s of %s, expected %s, actual %s", d.Severity, d.Class, d.Subject, d.Expected, d.Actual)
		}
	}
	if len(listed) > 0 {
		t.Fatalf("a clean month of %d attempts has %v", len(w.Attempts), listed)
	}
	if diff := compare(w, r); diff != "" {
		t.Fatal(diff)
	}
}
