package cases

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
)

func decode(t *testing.T, text string) *Case {
	t.Helper()
	c, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func input(t *testing.T, text string) reconcile.Input {
	t.Helper()
	in, err := decode(t, text).Input()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestWhatACaseDoesNotSayHasItsDefault(t *testing.T) {
	t.Parallel()
	in := input(t, `{"id": "x", "now": "2025-03-12T12:00:00Z", "expect": {},
	 "attempts": [{"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z", "ref": "r1", "ref2": "s1"}],
	 "units": [{"id": "p1", "state": "captured", "created_at": "2025-03-10T10:00:08Z"}],
	 "statements": [{"sort": "ledger", "from": "2025-03-10T00:00:00Z", "complete_through": "2025-03-11T00:00:00Z",
	   "lines": [{"id": "l1", "unit": "p1", "kind": "charge", "gross": 100, "fee": 7, "tax": 2, "at": "2025-03-10T23:30:00Z"}]}],
	 "lookups": [{"attempt": "a1", "outcome": "not_found"}]}`)
	wantAttempt := payment.Attempt{
		ID: "a1", Charge: "c1", Provider: "psp", Version: "0", Amount: money.Amount{Minor: 100, Currency: money.MustCurrency("BRL")},
		References: []payment.Reference{{Name: "ref", Value: "r1"}, {Name: "charge", Scope: payment.ScopeCharge, Value: "c1"}},
		CreatedAt:  instant(t, "2025-03-10T10:00:00Z"), LastSent: instant(t, "2025-03-10T10:00:00Z"), Status: payment.Unknown,
	}
	wantUnit := payment.Unit{
		ID: "p1", Provider: "psp", State: payment.StateCaptured, Final: true, Currency: money.MustCurrency("BRL"),
		CreatedAt: instant(t, "2025-03-10T10:00:08Z"), Precision: time.Second, ObservedAt: in.Now, Source: payment.FromLedger, Statement: "ledger",
	}
	wantLine := payment.Line{
		ID: "l1", Unit: "p1", Provider: "psp", Statement: "ledger", Kind: payment.KindCharge, Gross: 100, Fee: 7, Tax: 2, Net: 91,
		Currency: money.MustCurrency("BRL"), At: instant(t, "2025-03-10T23:30:00Z"), Day: day(t, "2025-03-10"), Row: 1,
	}
	wantLookup := payment.Lookup{
		Attempt: "a1", Provider: "psp", At: in.Now, Outcome: payment.NotFound,
		Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"},
	}
	wantStatement := payment.Statement{
		Name: "ledger", Provider: "psp", Grade: payment.Proven,
		From: instant(t, "2025-03-10T00:00:00Z"), Through: instant(t, "2025-03-11T00:00:00Z"),
	}
	for _, diff := range []string{
		cmp.Diff([]payment.Attempt{wantAttempt}, in.Attempts), cmp.Diff([]payment.Unit{wantUnit}, in.Units),
		cmp.Diff([]payment.Line{wantLine}, in.Lines), cmp.Diff([]payment.Lookup{wantLookup}, in.Lookups),
		cmp.Diff([]payment.Statement{wantStatement}, in.Statements),
		cmp.Diff(payment.Interval{From: wantStatement.From, To: wantStatement.Through}, in.Window),
	} {
		if diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	p := in.Policies[0]
	if p.HasObjectList || !p.LineIDsUnique || p.Means(payment.Refund) != reconcile.MeansCaptured || p.NoUnknownWord ||
		!slices.Equal(p.LookupBy, []payment.LookupKey{{Kind: payment.KeyReference, Name: "ref"}}) || p.Zone != time.UTC || in.OwnSide != nil {
		t.Errorf("policy %+v", p)
	}
}

func TestWhatACaseSaysReachesTheInput(t *testing.T) {
	t.Parallel()
	in := input(t, whole)
	p := in.Policies[0]
	want := map[string]bool{
		"object list": p.HasObjectList, "no word for unknown": p.NoUnknownWord, "zone": p.Zone.String() == "America/Sao_Paulo",
		"books after by method": p.Books("boleto") == 24*time.Hour && p.Books("card") == 0,
		"visible after":         p.VisibleAfter == 96*time.Hour && p.VisibleAfter5xx == 96*time.Hour, "skew": p.Skew == 1500*time.Millisecond,
		"means":     p.Means(payment.Refund) == reconcile.MeansCreated && p.Means(payment.Charge) == reconcile.MeansCaptured,
		"lookup by": slices.Equal(p.LookupBy, []payment.LookupKey{{Kind: payment.KeyUnit}, {Kind: payment.KeyReference, Name: "ref2"}}),
		"own side":  len(in.OwnSide) == 1 && in.OwnSide[0].Contains(instant(t, "2025-03-11T00:00:00Z")),
		"charge":    slices.Equal(in.Charges, []reconcile.Charge{{ID: "c1", Minor: 100}}), "currency": in.Attempts[0].Amount.Currency.String() == "USD",
		"dismissed": len(in.Dismissed) == 1, "event": len(in.Events) == 1 && in.Events[0].References[0].Value == "r1",
		"plan":                len(in.Units) == 2 && in.Units[0].Plan[0].Minor == 100,
		"one unit told twice": in.Units[0].Source == payment.FromList && in.Units[1].Source == payment.FromLedger,
		"look-up":             in.Lookups[0].Key == payment.LookupKey{Kind: payment.KeyUnit, Value: "p1"} && in.Lookups[0].Units[0].Source == payment.FromLookup,
		"hole":                len(in.Statements[0].Holes) == 1,
	}
	for name, ok := range want {
		if !ok {
			t.Errorf("%s is lost: %+v", name, in)
		}
	}
}

const grown = `{"id": "x", "now": "2025-03-12T12:00:00Z", "expect": {}, "policy": {"controls": ["key"]},
 "attempts": [{"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z", "ref": "r1"},
   {"id": "a2", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-11T10:00:00Z", "since": "2025-03-11T10:00:00Z"}],
 "units": [{"id": "p1", "state": "processing", "captured": 0, "aliases": ["pi_1"], "created_at": "2025-03-10T10:00:08Z", "reason": "bank"},
   {"id": "p1", "state": "captured", "captured": 100, "since": "2025-03-11T00:00:00Z"}, {"id": "p2", "state": "declined"}],
 "statements": [{"sort": "ledger", "from": "2025-03-10T00:00:00Z", "complete_through": "2025-03-12T00:00:00Z", "opening": 1, "closing": 2,
   "lines": [{"id": "l1", "unit": "pi_1", "kind": "charge", "gross": 100, "at": "2025-03-10T10:00:08Z", "file": "f1"},
     {"id": "l2", "kind": "fee", "gross": -1, "at": "2025-03-10T10:00:08Z", "since": "2025-03-11T12:00:00Z", "file": "f2"},
     {"id": "l3", "kind": "fee", "gross": -1, "at": "2025-03-11T10:00:00Z", "file": "f2"}]}],
 "lookups": [{"attempt": "a1", "outcome": "found", "units": ["p1"], "at": "2025-03-10T12:00:00Z"}, {"attempt": "a1", "outcome": "found", "units": ["p1"]}]}`

func TestFactsExistFromTheirInstantOn(t *testing.T) {
	t.Parallel()
	c := decode(t, grown)
	early := moment{Case: c, at: instant(t, "2025-03-10T18:00:00Z"), attempts: c.Attempts}
	in, err := early.input()
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Attempts) != 1 || len(in.Lines) != 1 || len(in.Lookups) != 1 {
		t.Errorf("%d attempts, %d lines, %d look-ups; want one each", len(in.Attempts), len(in.Lines), len(in.Lookups))
	}
	if u := in.Units[0]; u.State != payment.StateProcessing || u.Final || u.Captured != payment.Known(0) {
		t.Errorf("unit %+v, want it processing", u)
	}
	if s := in.Statements[0]; s.Through != early.at || s.Closing.Known || !s.Opening.Known {
		t.Errorf("statement %+v, want it read to the clock, without a closing balance", s)
	}
	late := input(t, grown)
	if u := late.Units[0]; u.State != payment.StateCaptured || !u.Final || u.Captured != payment.Known(100) || u.Reason != "bank" {
		t.Errorf("unit %+v, want the later entry over the earlier", u)
	}
	if len(late.Units) != 1 {
		t.Errorf("%d units: p2 is named by nobody", len(late.Units))
	}
	if then, now := late.Lookups[0].Units[0], late.Lookups[1].Units[0]; then.State != payment.StateProcessing || now.State != payment.StateCaptured {
		t.Errorf("look-ups show %s and %s, want the unit as it stood", then.State, now.State)
	}
	if !late.Lookups[0].NoControl {
		t.Error("a look-up by ref has a positive control, though only key has one")
	}
	if l := late.Lines; l[0].File != 0 || l[1].File != 1 || l[2].File != 1 || l[1].Row != 1 || l[2].Row != 2 {
		t.Errorf("files and rows of %+v", l)
	}
	if !late.Statements[0].Closing.Known {
		t.Error("the closing balance of a statement read to its end is lost")
	}
}

func TestAStepReadsNoFurtherThanItSays(t *testing.T) {
	t.Parallel()
	c := decode(t, grown)
	m := moment{Case: c, at: instant(t, "2025-03-12T00:00:00Z"), through: instant(t, "2025-03-11T00:00:00Z"), attempts: c.Attempts}
	in, err := m.input()
	if err != nil {
		t.Fatal(err)
	}
	if in.Statements[0].Through != m.through || len(in.Lines) != 2 {
		t.Errorf("read through %s, %d lines; want %s and the lines before it", in.Statements[0].Through, len(in.Lines), m.through)
	}
}

func TestALineHasTheModeOfItsUnit(t *testing.T) {
	t.Parallel()
	in := input(t, `{"id": "x", "now": "2025-03-12T12:00:00Z", "expect": {},
	 "attempts": [{"id": "a1", "charge": "c1", "status": "unknown", "amount": 100, "created_at": "2025-03-10T10:00:00Z", "sent_at": "2025-03-10T11:00:00Z"}],
	 "units": [{"id": "p1", "state": "captured", "mode": "test", "group": "g1"}, {"id": "p2", "state": "captured", "mode": "test", "group": "g1"}],
	 "statements": [{"sort": "ledger", "from": "2025-03-10T00:00:00Z", "complete_through": "2025-03-11T00:00:00Z",
	   "lines": [{"id": "l1", "unit": "p1", "kind": "charge", "gross": 100, "at": "2025-03-10T10:00:00Z"},
	     {"id": "l2", "unit": "g1", "kind": "fee", "gross": -1, "moves_money": false, "net": 5, "at": "2025-03-10T10:00:00Z"},
	     {"id": "l3", "kind": "fee", "gross": -1, "at": "2025-03-10T10:00:00Z", "presented": 2, "presented_currency": "USD"}]}]}`)
	if l := in.Lines; l[0].Mode != payment.Test || l[1].Mode != payment.Test || l[2].Mode != payment.Live {
		t.Errorf("modes of %+v", l)
	}
	if l := in.Lines; !l[1].Still || l[1].Net != 5 || l[2].Presented != payment.Known(2) || l[2].PresentedCurrency.String() != "USD" {
		t.Errorf("lines %+v", l)
	}
	if len(in.Units) != 2 {
		t.Errorf("%d units, want each member of the group told once by the statement", len(in.Units))
	}
	if in.Attempts[0].LastSent != instant(t, "2025-03-10T11:00:00Z") {
		t.Errorf("last sent %s", in.Attempts[0].LastSent)
	}
}
