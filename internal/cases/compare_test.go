package cases

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

func instant(t *testing.T, text string) payment.Instant {
	t.Helper()
	var i payment.Instant
	if err := i.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return i
}

func day(t *testing.T, text string) payment.Day {
	t.Helper()
	var d payment.Day
	if err := d.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

func attemptSubject(id string) reconcile.Subject {
	return reconcile.Subject{Kind: reconcile.SubjectAttempt, IDs: []string{id}}
}

// found is a result that has a value in everything that can be compared. It is
// made by hand: what Match does is no matter here.
func found(t *testing.T) (reconcile.Input, reconcile.Result) {
	t.Helper()
	brl := money.MustCurrency("BRL")
	same := attemptSubject("a9")
	in := reconcile.Input{Lines: []payment.Line{{ID: "l1", Day: day(t, "2025-03-10")}}}
	return in, reconcile.Result{
		Verdict: reconcile.Breaks,
		Divergences: []reconcile.Divergence{
			{
				Class: reconcile.AmountMismatch, Subject: attemptSubject("a1"), Severity: reconcile.P1, Unit: "p1",
				LinkedCharge: "c9", Amount: 5, Expected: "80", Actual: "USD", Hint: "factor_100", Surplus: 6, Excess: 7,
				SameMoneyAs: &same, Also: []reconcile.Class{reconcile.RecordedTwice, reconcile.ConflictingLines},
				Reason: "look_alike", Raw: "odd", Reference: "r1", Key: "k1", Lines: []string{"l2", "l1"},
				Reserve: payment.ReserveHeld, Returned: 8, Until: instant(t, "2025-03-11T00:00:00Z"),
				Interval: payment.Interval{From: instant(t, "2025-03-10T00:00:00Z"), To: instant(t, "2025-03-10T01:00:00Z")},
			},
			{Class: reconcile.UnrecordedCharge, Severity: reconcile.P1, Subject: reconcile.Subject{Kind: reconcile.SubjectUnit, IDs: []string{"p7"}}},
		},
		Places:     map[reconcile.Place]int{reconcile.Agreed: 2, "fee": 1},
		Repeats:    3,
		Statements: []reconcile.StatementResult{{NextPullFrom: instant(t, "2025-03-11T00:00:00Z")}, {NextPullFrom: instant(t, "2025-03-10T00:00:00Z")}},
		Reopened:   []payment.Day{day(t, "2025-03-10")},
		Memory: &reconcile.Memory{Items: []reconcile.Item{
			{Subject: attemptSubject("a1"), State: reconcile.LifePersisting},
			{Subject: attemptSubject("a2"), State: reconcile.LifeResolved, Cause: "returned"},
		}},
		Bridges: []reconcile.Bridge{{
			Currency:  brl,
			Lines:     []reconcile.LineRow{{Day: 1, Row: "matched", Minor: 40}, {Day: 2, Row: "matched", Minor: 60}},
			LinesSum:  100,
			Succeeded: []reconcile.AttemptRow{{Row: "matched", Minor: 100}},
			Tie:       reconcile.Tie{MatchedLines: 100, NotDue: 20, MatchedAttempts: 119, Residual: 1},
			Balances:  []reconcile.Balance{{Statement: "ledger", Opening: 1, NetSum: 5, Closing: 8, Residual: 2}},
			Payouts:   []reconcile.Payout{{ID: "po_1", Residual: 430}, {ID: "po_2", Unverifiable: true}},
		}},
	}
}

// met is an expectation that the result above meets, field by field.
const met = `{"verdict": "breaks", "exit": "divergences", "repeats": 3, "reopened": ["2025-03-10"], "days": {"l1": "2025-03-10"},
 "next_pull_from": "2025-03-10T00:00:00Z", "places": {"agreed": 2, "fee": 1, "tax": 0},
 "life": {"attempt:a1": "persisting", "attempt:a2": "resolved"}, "must_not_print": ["123.456.789-09"],
 "bridge": {"lines": {"matched": 100, "fee": 0}, "succeeded": {"matched": 100}, "not_due": 20, "tie": 1, "balance": 2,
   "payout": {"po_1": 430, "po_2": "unverifiable"}},
 "divergences": [
  {"class": "unrecorded_charge", "subject": "unit:p7", "unit": null},
  {"class": "amount_mismatch", "subject": "attempt:a1", "severity": "P1", "unit": "p1", "linked_charge": "c9", "amount": 5,
   "expected": 80, "actual": "USD", "hint": "factor_100", "surplus": 6, "excess": 7, "same_money_as": "attempt:a9",
   "also": ["conflicting_lines"], "reason": "look_alike", "raw": "odd", "reference": "r1", "key": "k1", "lines": ["l1", "l2"],
   "reserve": "held", "returned": 8, "until": "2025-03-11T00:00:00Z", "from": "2025-03-10T00:00:00Z", "to": "2025-03-10T01:00:00Z"}]}`

// decodeExpect reads an expectation the strict way.
func decodeExpect(t *testing.T, expect string) *Expect {
	t.Helper()
	c, err := Decode([]byte(`{"id": "x", "now": "2025-03-12T12:00:00Z", "attempts": [], "expect": ` + expect + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return c.Expect
}

func TestAnExpectationThatIsMetPasses(t *testing.T) {
	t.Parallel()
	in, r := found(t)
	if got := Compare(&in, &r, decodeExpect(t, met)); len(got) > 0 {
		t.Errorf("differences: %s", strings.Join(got, "; "))
	}
	if got := Compare(&in, &r, decodeExpect(t, strings.ReplaceAll(met, `"resolved"`, `"resolved:returned"`))); len(got) > 0 {
		t.Errorf("with the cause: %s", strings.Join(got, "; "))
	}
}

// mutations change one expected field at a time. The key is the field's path;
// TestEveryFieldOfAnExpectationIsComparedOrWaits wants one for each.
var mutations = map[string][2]string{
	"verdict":                   {`"verdict": "breaks"`, `"verdict": "clean"`},
	"exit":                      {`"exit": "divergences"`, `"exit": "done"`},
	"repeats":                   {`"repeats": 3`, `"repeats": 0`},
	"reopened":                  {`"reopened": ["2025-03-10"]`, `"reopened": []`},
	"days":                      {`"l1": "2025-03-10"`, `"l1": "2025-03-11"`},
	"next_pull_from":            {`"next_pull_from": "2025-03-10`, `"next_pull_from": "2025-03-11`},
	"places":                    {`"tax": 0`, `"tax": 1`},
	"life":                      {`"attempt:a2": "resolved"`, `"attempt:a2": "resolved:settled"`},
	"must_not_print":            {`"123.456.789-09"`, `"look_alike"`},
	"bridge.lines":              {`"lines": {"matched": 100`, `"lines": {"matched": 40`},
	"bridge.succeeded":          {`"succeeded": {"matched": 100`, `"succeeded": {"surplus": 100`},
	"bridge.not_due":            {`"not_due": 20`, `"not_due": 0`},
	"bridge.tie":                {`"tie": 1`, `"tie": 0`},
	"bridge.balance":            {`"balance": 2`, `"balance": 0`},
	"bridge.payout":             {`"po_2": "unverifiable"`, `"po_2": 0`},
	"divergences":               {`"subject": "unit:p7", "unit": null`, `"subject": "unit:p8"`},
	"divergences.class":         {`"class": "amount_mismatch"`, `"class": "currency_mismatch"`},
	"divergences.subject":       {`"subject": "attempt:a1"`, `"subject": "charge:a1"`},
	"divergences.severity":      {`"severity": "P1"`, `"severity": "P2"`},
	"divergences.unit":          {`"unit": "p1"`, `"unit": null`},
	"divergences.linked_charge": {`"linked_charge": "c9"`, `"linked_charge": "c1"`},
	"divergences.amount":        {`"amount": 5`, `"amount": 0`},
	"divergences.expected":      {`"expected": 80`, `"expected": 81`},
	"divergences.actual":        {`"actual": "USD"`, `"actual": "BRL"`},
	"divergences.hint":          {`"hint": "factor_100"`, `"hint": "factor_10"`},
	"divergences.surplus":       {`"surplus": 6`, `"surplus": 0`},
	"divergences.excess":        {`"excess": 7`, `"excess": 0`},
	"divergences.same_money_as": {`"attempt:a9"`, `"charge:c1"`},
	"divergences.also":          {`["conflicting_lines"]`, `["conflicting_lines", "key_reused"]`},
	"divergences.reason":        {`"reason": "look_alike"`, `"reason": null`},
	"divergences.raw":           {`"raw": "odd"`, `"raw": "even"`},
	"divergences.reference":     {`"reference": "r1"`, `"reference": "r2"`},
	"divergences.key":           {`"key": "k1"`, `"key": "k2"`},
	"divergences.lines":         {`"lines": ["l1", "l2"]`, `"lines": ["l1"]`},
	"divergences.reserve":       {`"reserve": "held"`, `"reserve": "released"`},
	"divergences.returned":      {`"returned": 8`, `"returned": 0`},
	"divergences.until":         {`"until": "2025-03-11`, `"until": "2025-03-12`},
	"divergences.from":          {`"from": "2025-03-10`, `"from": "2025-03-09`},
	"divergences.to":            {`"to": "2025-03-10`, `"to": "2025-03-11`},
}

func TestEachExpectedFieldCanFail(t *testing.T) {
	t.Parallel()
	for field, change := range mutations {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(met, change[0], change[1], 1)
			if changed == met {
				t.Fatalf("%s is not in the expectation", change[0])
			}
			in, r := found(t)
			if got := Compare(&in, &r, decodeExpect(t, changed)); len(got) == 0 {
				t.Errorf("%s instead of %s passes", change[1], change[0])
			}
		})
	}
}

func TestEveryFieldOfAnExpectationIsComparedOrWaits(t *testing.T) {
	t.Parallel()
	for prefix, of := range map[string]reflect.Type{
		"": reflect.TypeFor[Expect](), "bridge.": reflect.TypeFor[bridge](), "divergences.": reflect.TypeFor[Entry](),
	} {
		for field := range of.Fields() {
			name := prefix + field.Tag.Get("json")
			_, compared := mutations[name]
			if waits := field.Tag.Get("waits") != ""; compared == waits && name != "bridge" && field.Tag.Get("screen") == "" {
				t.Errorf("%s: compared %v, waits %v; want one of the two", name, compared, waits)
			}
		}
	}
}

func TestAnEntryTooManyOrTooFewFails(t *testing.T) {
	t.Parallel()
	_, r := found(t)
	differ := func(list string) differences {
		var d differences
		d.entries(r.Divergences, *decodeExpect(t, `{"divergences": `+list+`}`).Divergences)
		return d
	}
	for name, list := range map[string]string{
		"none expected":     `[]`,
		"one missing":       `[{"class": "unrecorded_charge", "subject": "unit:p7"}]`,
		"one twice":         `[{"class": "unrecorded_charge", "subject": "unit:p7"}, {"class": "unrecorded_charge", "subject": "unit:p7"}, {"class": "amount_mismatch", "subject": "attempt:a1"}]`,
		"one that is not":   `[{"class": "unrecorded_charge", "subject": "unit:p7"}, {"class": "amount_mismatch", "subject": "attempt:a1"}, {"class": "key_reused", "subject": "attempts:a1+a2"}]`,
		"another's classes": `[{"class": "amount_mismatch", "subject": "unit:p7"}, {"class": "unrecorded_charge", "subject": "attempt:a1"}]`,
	} {
		if len(differ(list)) == 0 {
			t.Errorf("%s: passes", name)
		}
	}
	if got := differ(`[{"class": "amount_mismatch", "subject": "attempt:a1"}, {"class": "unrecorded_charge", "subject": "unit:p7"}]`); len(got) > 0 {
		t.Errorf("the list in another order: %v", got)
	}
}

// What nobody expects must be 0: a broken equation fails a case that says
// nothing of the bridge.
func TestWhatIsNotExpectedMustTie(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]reconcile.Result{
		"a defect":        {Defect: "lines do not add up"},
		"equation 1":      {Bridges: []reconcile.Bridge{{LinesSum: 5}}},
		"the tie":         {Bridges: []reconcile.Bridge{{Tie: reconcile.Tie{MatchedLines: 5, Residual: 5}}}},
		"a tie that lies": {Bridges: []reconcile.Bridge{{Tie: reconcile.Tie{MatchedLines: 5}}}},
		"the day roll":    {Bridges: []reconcile.Bridge{{Roll: reconcile.Roll{Yesterday: 5}}}},
		"a balance":       {Bridges: []reconcile.Bridge{{Balances: []reconcile.Balance{{Closing: 5, Residual: 5}}}}},
		"a balance's lie": {Bridges: []reconcile.Bridge{{Balances: []reconcile.Balance{{Closing: 5}}}}},
		"a payout":        {Bridges: []reconcile.Bridge{{Payouts: []reconcile.Payout{{ID: "po_1", Residual: 5}}}}},
		"items in money":  {Items: []reconcile.ItemsRow{{New: 5}}},
		"items in number": {Items: []reconcile.ItemsRow{{NewCount: 1}}},
	} {
		if got := Compare(&reconcile.Input{}, &r, &Expect{}); len(got) == 0 {
			t.Errorf("%s: passes", name)
		}
	}
	if got := Compare(&reconcile.Input{}, &reconcile.Result{}, &Expect{}); len(got) > 0 {
		t.Errorf("nothing found, nothing expected: %v", got)
	}
	for _, absent := range []string{`{"bridge": {"payout": {"po_1": 0}}}`, `{"bridge": {"balance": 0}}`, `{"days": {"l1": "2025-03-10"}}`, `{"life": {"attempt:a1": "vanished"}}`} {
		if got := Compare(&reconcile.Input{}, &reconcile.Result{}, decodeExpect(t, absent)); len(got) == 0 {
			t.Errorf("%s passes where there is no such thing", absent)
		}
	}
}

func TestHowARunEnds(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]reconcile.Result{
		"done": {Verdict: reconcile.Notices}, "divergences": {Verdict: reconcile.Breaks},
		"incomplete": {Verdict: reconcile.Incomplete}, "defect": {Verdict: reconcile.Incomplete, Defect: "x"},
	} {
		if got := exitOf(&r); got != want {
			t.Errorf("exit %s, want %s", got, want)
		}
	}
}

func TestFieldsThatWaitAreCounted(t *testing.T) {
	t.Parallel()
	e := decodeExpect(t, `{"allowed": {"a1": ["keep"]}, "parsed": [1], "rejected": 0, "verdict": "clean"}`)
	got, err := json.Marshal(e.Waits())
	if err != nil || string(got) != `{"parsed":1,"rejected":1}` {
		t.Errorf("waits %s, %v", got, err)
	}
}
