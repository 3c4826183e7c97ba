package cases

import (
	"fmt"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

const story = `{"id": "x", "now": "2025-03-12T12:00:00Z", "window": ["2025-03-10T00:00:00Z", "2025-03-12T00:00:00Z"],
 "attempts": [{"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z"}],
 "statements": [],
 "steps": [
  {"at": "2025-03-11T01:00:00Z", "do": "run", "window": ["2025-03-10T00:00:00Z", "2025-03-11T00:00:00Z"], "expect": {"verdict": "clean"}},
  {"at": "2025-03-11T02:00:00Z", "do": "open", "attempt": "a1", "expect": {"allowed": {"a1": ["keep"]}}},
  {"at": "2025-03-11T03:00:00Z", "do": "dismiss", "attempt": "a1", "unit": "p9", "by": "ana", "reason": "shop"},
  {"at": "2025-03-11T04:00:00Z", "do": "app", "attempt": "a1", "set": {"status": "pending", "version": 4}},
  {"at": "2025-03-11T05:00:00Z", "do": "run", "expect": {"repeats": 0}},
  {"at": "2025-03-11T06:00:00Z", "do": "open", "attempt": "a1"},
  {"at": "2025-03-11T06:01:00Z", "do": "confirm", "attempt": "a1", "mark": "mark_unknown", "expect": {"exit": "done", "rows": {"a1": {"status": "unknown"}}, "audit_rows": 1}}],
 "expect": {"verdict": "clean"}}`

func TestStepsAreRunsThatHandTheirMemoryOn(t *testing.T) {
	t.Parallel()
	var seen []string
	report := Play(decode(t, story), func(in reconcile.Input) reconcile.Result {
		before := 0
		if in.Previous != nil {
			before = len(in.Previous.Days)
		}
		a := in.Attempts[0]
		seen = append(seen, fmt.Sprint(in.Now, " ", in.Window.To, " ", a.Status, a.Version, a.ProviderID, " ", len(in.Dismissed), " ", before))
		return reconcile.Result{Memory: &reconcile.Memory{Days: make([]reconcile.DayDigest, before+1)}}
	})
	want := `2025-03-11T01:00:00Z 2025-03-11T00:00:00Z unknown0 0 0
2025-03-11T05:00:00Z 2025-03-12T00:00:00Z pending4 1 1
2025-03-12T12:00:00Z 2025-03-12T00:00:00Z unknown4 1 2`
	if got := strings.Join(seen, "\n"); got != want {
		t.Errorf("runs\n%s\nwant\n%s", got, want)
	}
	if !report.Passed() {
		t.Errorf("differences %v", report.Differences)
	}
	if len(report.Waits) > 0 {
		t.Errorf("waits %v", report.Waits)
	}
}

func TestAStepThatDiffersFailsTheCase(t *testing.T) {
	t.Parallel()
	c := decode(t, story)
	report := Play(c, func(in reconcile.Input) reconcile.Result {
		if in.Now == c.Steps[0].At {
			return reconcile.Result{Verdict: reconcile.Breaks}
		}
		return reconcile.Result{}
	})
	if report.Passed() || len(report.Differences) != 1 || !strings.HasPrefix(report.Differences[0], "step 1: verdict breaks") {
		t.Errorf("differences %v, want the first step's verdict", report.Differences)
	}
}

// The case itself is not changed by what its steps do: it can be played again.
func TestPlayingACaseLeavesItAsItWas(t *testing.T) {
	t.Parallel()
	c := decode(t, story)
	for range 2 {
		var first payment.Status
		Play(c, func(in reconcile.Input) reconcile.Result {
			if first == payment.StatusNone {
				first = in.Attempts[0].Status
			}
			return reconcile.Result{}
		})
		if first != payment.Unknown {
			t.Errorf("the story begins with %s, want unknown", first)
		}
	}
}

func TestRepeatsThatNobodyExpectsFail(t *testing.T) {
	t.Parallel()
	report := Play(decode(t, `{"id": "x", "now": "2025-03-12T12:00:00Z", "expect": {}}`), func(reconcile.Input) reconcile.Result {
		return reconcile.Result{Repeats: 1}
	})
	if report.Passed() {
		t.Error("one line was dropped as a repeat, and the case passes")
	}
}

func TestACaseOfAnInputFileWaits(t *testing.T) {
	t.Parallel()
	report := Play(decode(t, `{"id": "x", "now": "2025-03-12T12:00:00Z", "file": {"kind": "statement", "columns": ["a"], "rows": [["1"]]}, "expect": {"parsed": [1]}}`), nil)
	if report.Passed() || !report.Waiting || report.Waits["parsed"] != 1 {
		t.Errorf("report %+v, want it to wait", report)
	}
}
