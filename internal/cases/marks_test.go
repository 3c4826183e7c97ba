package cases

import (
	"reflect"
	"strings"
	"testing"

	"desfecho/reconcile"
)

// shop is a case whose screens have something to say in every field: a1 was
// captured twice, a2 was sent and is not found, a3 was captured once.
const shop = `{"id": "x", "now": "2025-03-12T12:00:00Z", "policy": {"books_after": "P30D"},
 "attempts": [
  {"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z", "ref": "r1"},
  {"id": "a2", "charge": "t2", "status": "unknown", "amount": 200, "created_at": "2025-03-10T10:00:00Z", "ref": "r2", "operation": "transfer", "reserve": "held"},
  {"id": "a3", "charge": "c3", "status": "unknown", "amount": 300, "created_at": "2025-03-10T10:00:00Z", "ref": "r3"}],
 "units": [
  {"id": "p1", "state": "captured", "captured": 100, "created_at": "2025-03-10T10:00:08Z", "ref": "r1"},
  {"id": "p2", "state": "captured", "captured": 100, "created_at": "2025-03-10T10:00:09Z", "ref": "r1"},
  {"id": "p3", "state": "captured", "captured": 300, "created_at": "2025-03-10T10:00:08Z", "ref": "r3"}],
 "lookups": [
  {"attempt": "a1", "outcome": "found", "units": ["p1", "p2"]},
  {"attempt": "a2", "outcome": "not_found", "at": "2025-03-12T11:30:00Z"}, {"attempt": "a2", "outcome": "not_found"},
  {"attempt": "a3", "outcome": "found", "units": ["p3"], "at": "2025-03-12T11:58:00Z"}],
 "approvals": [{"attempt": "a2", "mark": "mark_failed", "by": "bia", "at": "2025-03-12T11:40:00Z"}],
 "steps": [
  {"at": "2025-03-12T11:58:00Z", "do": "open", "attempt": "a3", "expect": {"allowed": {"a3": ["mark_succeeded", "keep"]}}},
  {"at": "2025-03-12T11:59:00Z", "do": "confirm", "attempt": "a3", "mark": "mark_succeeded", "by": "ana", "expect": {"exit": "done"}}],
 "expect": {
  "allowed": {"a1": ["keep"], "a2": ["mark_failed", "keep"], "a3": []}, "forbidden": {"a1": ["mark_succeeded"]},
  "named": {"a1": {"p1": ["mark_succeeded", "keep"]}}, "writes": {"a2": {"status": "failed", "unit": null}},
  "reserve": {"a2": "released"}, "rows": {"a3": {"status": "succeeded", "unit": "p3", "version": 0}}, "audit_rows": 1}}`

func differencesOf(t *testing.T, text string) []string {
	t.Helper()
	report := Play(decode(t, text), func(reconcile.Input) reconcile.Result { return reconcile.Result{} })
	return report.Differences
}

func TestAScreenThatIsAsExpectedPasses(t *testing.T) {
	t.Parallel()
	if got := differencesOf(t, shop); len(got) > 0 {
		t.Errorf("differences: %s", strings.Join(got, "; "))
	}
}

// screens change one expectation about a screen at a time, by field.
var screens = map[string][][2]string{
	"allowed":    {{`"a1": ["keep"], "a2"`, `"a1": [], "a2"`}, {`"a3": []`, `"a3": ["keep"]`}, {`"a2": ["mark_failed"`, `"a2": ["mark_failed_with_approval"`}},
	"forbidden":  {{`"forbidden": {"a1": ["mark_succeeded"]}`, `"forbidden": {"a2": ["mark_failed"]}`}},
	"named":      {{`"p1": ["mark_succeeded"`, `"p1": ["mark_succeeded_duplicate"`}, {`"named": {"a1": {"p1"`, `"named": {"a1": {"p9"`}},
	"writes":     {{`{"status": "failed", "unit": null}`, `{"status": "failed", "unit": "p9"}`}, {`"unit": null}`, `"unit": null, "transition": "succeeded"}`}, {`"writes": {"a2"`, `"writes": {"a1"`}},
	"reserve":    {{`"released"`, `"held"`}},
	"rows":       {{`"unit": "p3", "version": 0`, `"unit": "p1"`}, {`"version": 0`, `"version": 1`}, {`"rows": {"a3": {"status": "succeeded"`, `"rows": {"a3": {"status": "unknown"`}, {`"rows": {"a3"`, `"rows": {"a9"`}},
	"audit_rows": {{`"audit_rows": 1`, `"audit_rows": 0`}},
	"exit":       {{`"exit": "done"`, `"exit": "moved"`}},
}

func TestEachFieldOfAScreenCanFail(t *testing.T) {
	t.Parallel()
	for field := range reflect.TypeFor[Expect]().Fields() {
		if name := field.Tag.Get("json"); field.Tag.Get("screen") != "" && screens[name] == nil {
			t.Errorf("%s: nothing shows that it is compared", name)
		}
	}
	for field, changes := range screens {
		for _, change := range changes {
			changed := strings.Replace(shop, change[0], change[1], 1)
			if changed == shop {
				t.Fatalf("%s is not in the case", change[0])
			}
			if len(differencesOf(t, changed)) == 0 {
				t.Errorf("%s: %s instead of %s passes", field, change[1], change[0])
			}
		}
	}
}

func TestHowAConfirmationEnds(t *testing.T) {
	t.Parallel()
	const confirm = `{"at": "2025-03-12T11:59:00Z", "do": "confirm"`
	for want, change := range map[string][2]string{
		"moved":         {confirm, `{"at": "2025-03-12T11:58:30Z", "do": "app", "attempt": "a3", "set": {"version": 5}}, ` + confirm},
		"not_confirmed": {confirm, strings.Replace(confirm, "11:59:00", "12:00:00", 1)},
	} {
		changed := strings.Replace(shop, change[0], change[1], 1)
		if want == "not_confirmed" { // after lunch
			changed = strings.ReplaceAll(changed, "T11:58:00Z", "T11:54:00Z")
		}
		changed = strings.Replace(changed, `"exit": "done"`, `"exit": "`+want+`"`, 1)
		changed = strings.Replace(changed, `"rows": {"a3": {"status": "succeeded", "unit": "p3", "version": 0}}, "audit_rows": 1`, `"rows": {"a3": {"status": "unknown", "unit": null}}, "audit_rows": 0`, 1)
		changed = strings.Replace(changed, `"a3": []`, `"a3": ["`+map[bool]string{true: "mark_succeeded\", \"keep", false: "keep"}[want == "moved"]+`"]`, 1)
		if got := differencesOf(t, changed); len(got) > 0 {
			t.Errorf("%s: %s", want, strings.Join(got, "; "))
		}
	}
}
