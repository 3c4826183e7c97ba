package cases

import (
	"strings"
	"testing"
	"time"

	"desfecho/reconcile"
)

// TestAMovedCaseIsTheSameStory by whole days: every case that says nothing of
// days and intervals by name holds as it stood.
func TestAMovedCaseIsTheSameStory(t *testing.T) {
	t.Parallel()
	held := 0
	for _, line := range everyCase(t) {
		if line.Err != nil || line.Case.File != nil || line.Case.Policy.Zone != "" || len(line.Case.Expect.Days) > 0 {
			continue
		}
		held++
		before := line.Case.Now
		line.Case.Move(100 * 24 * time.Hour)
		if report := Play(line.Case, reconcile.Match); line.Case.Now != before.Add(100*24*time.Hour) || !report.Passed() {
			t.Errorf("%s at %s: %s", line.ID, line.Case.Now, strings.Join(report.Differences, "\n"))
		}
	}
	if held < 300 {
		t.Errorf("%d cases were moved", held)
	}
}
