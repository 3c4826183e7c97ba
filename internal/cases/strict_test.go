package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"desfecho/reconcile"
)

// whole is a case that uses most of the format.
const whole = `{"id": "x-1", "point": "p", "now": "2025-03-12T12:00:00Z", "currency": "USD",
 "window": ["2025-03-10T00:00:00Z", "2025-03-12T00:00:00Z"], "own_side": {"from": "2025-03-01T00:00:00Z", "to": "2025-03-12T00:00:00Z"},
 "policy": {"succeeded_means": {"refund": "created"}, "lookup_by": ["unit", "ref2"], "controls": ["unit"], "books_after": {"boleto": "P1D"},
   "zone": "America/Sao_Paulo", "words": ["pending", "failed"], "references": [{"name": "ref2", "scope": "attempt"}],
   "variation": {"boleto": 500}, "visible_after": "PT96H", "skew": "PT1.5S", "approval_above": 100000},
 "charges": [{"id": "c1", "amount": 100}],
 "attempts": [{"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z", "ref": "r1", "last_error": "http_5xx"}],
 "replica": [{"id": "a1", "charge": "c1", "status": "pending", "amount": 100, "created_at": "2025-03-10T10:00:00Z"}],
 "units": [{"id": "p1", "state": "captured", "captured": 100, "created_at": "2025-03-10T10:00:08Z", "plan": [[1, "2025-03-12", 100]]}],
 "statements": [
  {"sort": "objects", "from": "2025-03-10T00:00:00Z", "complete_through": "2025-03-12T00:00:00Z", "units": ["p1"], "holes": [["2025-03-10T09:00:00Z", "2025-03-10T12:00:00Z"]]},
  {"sort": "ledger", "from": "2025-03-10T00:00:00Z", "complete_through": "2025-03-12T00:00:00Z",
   "lines": [{"id": "l1", "unit": "p1", "kind": "charge", "gross": 100, "at": "2025-03-10T10:00:08Z"}]}],
 "lookups": [{"attempt": "a1", "outcome": "found", "units": ["p1"], "by": "unit", "value": "p1"}],
 "events": [{"at": "2025-03-10T10:02:00Z", "ref": "r1", "unit": "p1", "state": "captured"}],
 "manual": [{"attempt": "a1", "seen": "absent", "where": "support", "by": "ana", "at": "2025-03-12T11:10:00Z"}],
 "approvals": [{"attempt": "a1", "mark": "mark_failed", "by": "bia", "at": "2025-03-12T11:40:00Z", "digest": "other"}],
 "dismissed": [{"attempt": "a1", "unit": "p1", "reason": "paid in the shop", "by": "ana", "at": "2025-03-11T00:00:00Z"}],
 "steps": [{"at": "2025-03-11T00:00:00Z", "do": "app", "attempt": "a1", "set": {"unit": null, "version": 4}}],
 "expect": {"verdict": "clean", "divergences": [{"class": "key_reused", "subject": "attempts:a1+a2"}], "places": {"agreed": 1, "fee": 2},
   "writes": {"a1": {"status": "succeeded", "unit": null, "transition": "succeeded"}}, "named": {"a1": {"p1": ["keep"]}}}}`

func TestTheFormatIsReadWhole(t *testing.T) {
	t.Parallel()
	if _, err := Decode([]byte(whole)); err != nil {
		t.Fatal(err)
	}
}

// unknownToTheFormat are replacements in a whole case, and the place and words of the refusal.
func unknownToTheFormat() map[string][3]string {
	return map[string][3]string{
		"field of the case":        {`"point"`, `"title"`, "case.title: unknown field"},
		"field of an attempt":      {`"ref": "r1", "last_error"`, `"ref3": "r1", "last_error"`, "case.attempts[0].ref3: unknown field"},
		"field in other letters":   {`"currency": "USD"`, `"Currency": "USD"`, "case.Currency: unknown field"},
		"field of a line":          {`"gross": 100`, `"gross": 100, "state": "captured"`, "lines[0].state: unknown field"},
		"field of the policy":      {`"variation"`, `"variations"`, "case.policy.variations: unknown field"},
		"field of a step":          {`"set"`, `"sets"`, "case.steps[0].sets: unknown field"},
		"field of an entry":        {`"subject": "attempts:a1+a2"`, `"subject": "attempts:a1+a2", "note": ""`, "divergences[0].note: unknown field"},
		"field of what is wanted":  {`"verdict": "clean"`, `"verdicts": "clean"`, "case.expect.verdicts: unknown field"},
		"field given twice":        {`"point": "p"`, `"point": "p", "point": "q"`, "case.point: given twice"},
		"key of a map given twice": {`"agreed": 1`, `"agreed": 1, "agreed": 2`, "places.agreed: given twice"},
		"status":                   {`"status": "unknown"`, `"status": "lost"`, "case.attempts[0].status: unknown status"},
		"empty status":             {`"status": "unknown"`, `"status": ""`, "unknown status"},
		"state":                    {`"state": "captured", "captured"`, `"state": "paid", "captured"`, "unknown state"},
		"kind":                     {`"kind": "charge"`, `"kind": "sale"`, "unknown kind"},
		"outcome":                  {`"outcome": "found"`, `"outcome": "maybe"`, "unknown outcome"},
		"class":                    {`"key_reused"`, `"key_used"`, "unknown class"},
		"subject":                  {`"attempts:a1+a2"`, `"order:a1"`, "unknown subject kind"},
		"subject without id":       {`"attempts:a1+a2"`, `"attempts:"`, "want KIND:ID"},
		"verdict":                  {`"clean"`, `"fine"`, "unknown verdict"},
		"place":                    {`"agreed": 1`, `"agrees": 1`, "unknown place"},
		"mark":                     {`["keep"]`, `["keeps"]`, "unknown mark"},
		"mark of an approval":      {`"mark": "mark_failed"`, `"mark": "failed"`, "unknown mark"},
		"transition":               {`"transition": "succeeded"`, `"transition": "done"`, "unknown transition"},
		"step":                     {`"do": "app"`, `"do": "wait"`, "unknown do"},
		"meaning":                  {`{"refund": "created"}`, `{"refund": "paid"}`, "unknown means"},
		"operation":                {`{"refund": "created"}`, `{"refunds": "created"}`, "unknown operation"},
		"key asked by":             {`["unit", "ref2"]`, `["unit", "ref4"]`, "unknown key"},
		"error of the call":        {`"http_5xx"`, `"other"`, "unknown last error"},
		"currency":                 {`"USD"`, `"usd"`, "currency"},
		"unknown currency":         {`"USD"`, `"XYZ"`, "unknown currency"},
		"zone":                     {`"America/Sao_Paulo"`, `"Brazil/Somewhere"`, "policy.zone"},
		"instant with an offset":   {`"now": "2025-03-12T12:00:00Z"`, `"now": "2025-03-12T09:00:00-03:00"`, "want UTC"},
		"duration":                 {`"PT96H"`, `"96h"`, "ISO 8601"},
		"duration of nothing":      {`"PT96H"`, `"PT"`, "ISO 8601"},
		"amount as text":           {`"amount": 100, "created_at"`, `"amount": "100", "created_at"`, "amount"},
		"amount with a fraction":   {`"gross": 100`, `"gross": 1.5`, "gross"},
		"null":                     {`"point": "p"`, `"point": null`, "case.point: null"},
		"interval of three":        {`"2025-03-12T00:00:00Z"], "own_side"`, `"2025-03-12T00:00:00Z", "2025-03-13T00:00:00Z"], "own_side"`, "3 values, want 2"},
		"inverted interval":        {`"window": ["2025-03-10`, `"window": ["2025-03-13`, "ends before it begins"},
		"plan of two":              {`[1, "2025-03-12", 100]`, `[1, "2025-03-12"]`, "plan entry"},
		"missing kind":             {`"kind": "charge", `, ``, "lines[0].kind: missing"},
		"missing expectation":      {`"expect"`, `"file"`, "case.file"},
		"missing charge":           {`"charge": "c1", "status": "unknown"`, `"status": "unknown"`, "attempt a1"},
		"attempt nobody has":       {`"lookups": [{"attempt": "a1"`, `"lookups": [{"attempt": "a2"`, "lookups[0] names attempt"},
		"unit nobody has":          {`"units": ["p1"], "holes"`, `"units": ["p2"], "holes"`, "lists unit"},
		"step without its part":    {`"set": {"unit": null, "version": 4}`, `"by": "ana"`, "app without set"},
		"two values on a line":     {`"named": {"a1": {"p1": ["keep"]}}}}`, `"named": {"a1": {"p1": ["keep"]}}}} {}`, "more than one value"},
		"cut off":                  {`"named": {"a1": {"p1": ["keep"]}}}}`, `"named": {"a1"`, "EOF"},
	}
}

func TestWhatTheFormatDoesNotKnowFails(t *testing.T) {
	t.Parallel()
	for name, change := range unknownToTheFormat() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(whole, change[0], change[1], 1)
			if changed == whole {
				t.Fatalf("%s is not in the case", change[0])
			}
			_, err := Decode([]byte(changed))
			if err == nil || !strings.Contains(err.Error(), change[2]) {
				t.Errorf("error %v, want %q in it", err, change[2])
			}
		})
	}
}

func TestALineThatIsNoCaseFailsAndTheOthersArePlayed(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "some.jsonl")
	good := strings.ReplaceAll(whole, "\n", " ")
	text := good + "\n\n" + strings.Replace(good, `"point"`, `"title"`, 1) + "\nnot json\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err := ReadFile(name)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines, %v; want 3", len(lines), err)
	}
	if lines[0].Err != nil || lines[0].ID != "x-1" || lines[1].ID != "x-1" || lines[2].ID != "line 4" {
		t.Errorf("lines %v", lines)
	}
	judge := func(reconcile.Input) reconcile.Result { return reconcile.Result{} }
	for _, line := range lines[1:] {
		if report := line.Play(judge); report.Passed() || line.Err == nil {
			t.Errorf("%s: passes", line.ID)
		}
	}
	if _, err := ReadFile(name + ".other"); err == nil {
		t.Error("a file that is not there is read")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"id": "x", "now": "2025-03-12T12:00:00Z", "file": {"kind": "sheet", "rows": [[1, "a"]]}, "expect": {"parsed": [1]}}`))
	f.Add([]byte(`[{"a":null}]`))
	judge := func(reconcile.Input) reconcile.Result { return reconcile.Result{} }
	f.Fuzz(func(_ *testing.T, raw []byte) {
		if c, err := Decode(raw); err == nil {
			Play(c, judge)
		}
	})
}
