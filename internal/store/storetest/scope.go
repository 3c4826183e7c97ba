package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

const scopeTable = `CREATE TABLE attempts (id text PRIMARY KEY, charge text, reference text, status text, amount bigint, made timestamptz, object text);
INSERT INTO attempts VALUES
 ('window',   'c1', 'r1', 'done', 100, '2025-03-10 12:00:00+00:00', 'ch_w'),
 ('ancient',  'c2', 'r2', 'done', 100, '2020-01-01 12:00:00+00:00', 'ch_1'),
 ('byref',    'c3', 'r3', 'done', 100, '2021-01-01 12:00:00+00:00', NULL),
 ('sibling',  'c2', 'r4', 'void', 100, '2020-01-01 11:00:00+00:00', NULL),
 ('open',     'c5', 'r5', 'open', 100, '2019-01-01 11:00:00+00:00', NULL),
 ('transit',  'c6', 'r6', 'done', 100, '2019-01-01 11:00:00+00:00', NULL),
 ('item',     'c7', 'r7', 'done', 100, '2019-01-01 11:00:00+00:00', NULL),
 ('outside',  'c8', 'r8', 'done', 100, '2019-01-01 11:00:00+00:00', 'ch_x');`

func scopeDescription() *store.Description {
	return &store.Description{
		Read: "attempts", Provider: provider, Currency: "BRL", Status: store.StatusWords{Pending: []string{"open"}, Succeeded: []string{"done"}, Failed: []string{"void"}},
		Columns:    store.Columns{ID: "id", Charge: "charge", Status: "status", Amount: "amount", Unit: "minor", CreatedAt: "made", ProviderChargeID: "object"},
		References: []store.ReferenceAt{{Here: "reference", There: "ref", Scope: "attempt"}},
	}
}

// wholeScope is the day of the suite.
func wholeScope() store.Scope {
	return store.Scope{Now: at("23:00:00"), Window: payment.Interval{From: at("00:00:00"), To: at("23:00:00")}, Policies: []reconcile.Policy{reconcile.NewPolicy(provider)}}
}

// load loads all rows into the input: once by asking for every key and once by
// reading through what lies outside of the scope, which must be the same.
func load(ctx context.Context, view store.View, scope store.Scope) (*store.Loaded, error) {
	var all [2]*store.Loaded
	for i, upTo := range []int{0, -1} {
		scope.AskUpTo = upTo
		loaded, err := view.Load(ctx, scope)
		if err == nil {
			err = loaded.Whole()
		}
		if err != nil {
			return nil, err
		}
		all[i] = loaded
	}
	if diff := cmp.Diff(all[0].Input, all[1].Input, cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); diff != "" {
		return nil, fmt.Errorf("what lies outside is loaded otherwise (-asked +read through):\n%s", diff)
	}
	return all[0], nil
}

// onDay is a line of another day.
func onDay(l payment.Line, day int) payment.Line {
	l.Day = payment.DayOfDate(2025, 3, day)
	l.At = l.Day.Start(time.UTC)
	return l
}

// scopeFilled has something of each part of the scope, and of what is outside.
func scopeFilled(t *testing.T, fresh func(testing.TB) Database) *bench {
	b := setUp(t, fresh, scopeDescription(), scopeTable)
	refund := onDay(line("refund", -100), 20)
	refund.Kind, refund.Parent = payment.KindRefund, "ch_1"
	byRef := line("2", 100)
	byRef.Unit, byRef.References = "ch_unknown", []payment.Reference{{Name: "ref", Value: "r3"}}
	ofWindowAttempt := onDay(line("w", 100), 12)
	ofOpen := onDay(line("o", 100), 1)
	ofOpen.References = []payment.Reference{{Name: "ref", Value: "r5"}}
	payout := line("po_1", -100)
	payout.Kind, payout.Unit, payout.Payout = payment.KindPayout, "", "po_1"
	held := onDay(line("held", 100), 2)
	held.Payout = "po_1"
	restated := onDay(line("2", 101), 3)
	b.page(line("1", 100), byRef, refund, ofWindowAttempt, ofOpen, payout, held, restated, onDay(line("far", 1), 25))
	b.store(store.Page{
		Units: []payment.Unit{
			{ID: "ch_1", Aliases: []string{"pi_1"}, Provider: provider, State: payment.StateCaptured, ObservedAt: 5, CreatedAt: at("01:00:00").Add(-9999 * time.Hour)},
			{ID: "made", Provider: provider, State: payment.StateCaptured, ObservedAt: 5, CreatedAt: at("01:00:00")},
			{ID: "far", Provider: provider, ObservedAt: 5, CreatedAt: 5},
		},
		Statements: []payment.Statement{
			{Name: "balance", Provider: provider, Account: account, From: 1, Through: at("23:00:00"), Opening: payment.Known(1), Closing: payment.Known(2)},
		},
		StatementLines: []int{9},
	})
	result := &reconcile.Result{Now: at("01:00:00"), Memory: &reconcile.Memory{
		Items: []reconcile.Item{
			{ID: "d1", Class: reconcile.MissingAtProvider, Severity: reconcile.P1, Provider: provider, Subject: reconcile.Subject{Kind: reconcile.SubjectAttempt, IDs: []string{"item"}}},
			{ID: "d2", Class: reconcile.MissingAtProvider, Severity: reconcile.P1, Provider: provider, State: reconcile.LifeResolved, Subject: reconcile.Subject{Kind: reconcile.SubjectAttempt, IDs: []string{"outside"}}},
		},
		Transit: []reconcile.Transit{{Attempt: "transit", Provider: provider, Amount: (payment.Attempt{}).Amount}},
	}}
	b.save(runOf("r1", result, store.LoadedFrom{}))
	return b
}

// scopeParts: RULES §8.
func scopeParts(t *testing.T, fresh func(testing.TB) Database) {
	b := scopeFilled(t, fresh)
	loaded, err := load(t.Context(), b.view(), wholeScope())
	if err != nil {
		t.Fatal(err)
	}
	in := &loaded.Input
	var attempts, lines, units []string
	for _, a := range in.Attempts {
		attempts = append(attempts, a.ID)
	}
	for _, l := range in.Lines {
		lines = append(lines, l.ID)
	}
	for _, u := range in.Units {
		units = append(units, u.ID)
	}
	slices.Sort(lines)
	equal(t, "ancient byref item open sibling transit window", strings.Join(attempts, " "))
	equal(t, "1 2 2 held o po_1 refund w", strings.Join(lines, " "))
	equal(t, "ch_1 made", strings.Join(units, " "))
	if in.Previous == nil || len(in.Previous.Items) != 2 || loaded.From.Follows[provider] != "r1" || in.Now != at("23:00:00") {
		t.Errorf("the memory is not there: %+v", loaded.From)
	}
	if len(in.Statements) != 1 || in.Statements[0].Opening.Known {
		t.Errorf("balances stand beside a part of the lines: %+v", in.Statements)
	}
	for i := range in.Lines {
		if in.Lines[i].Row != int32(i+1) || in.Lines[i].File != 0 {
			t.Errorf("line %d is row %d of file %d", i, in.Lines[i].Row, in.Lines[i].File)
		}
	}
}

func scopeSnapshot(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, scopeDescription(), scopeTable)
	b.page(line("1", 100))
	v := b.view()
	if v.Now().IsZero() {
		t.Error("a snapshot without time")
	}
	b.page(line("2", 100))
	b.database.Exec(t, b.database.Dialect(`INSERT INTO attempts VALUES ('new', 'c9', 'r9', 'open', 1, '2025-03-10 12:00:00+00:00', NULL)`))
	loaded, err := load(t.Context(), v, wholeScope())
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Input.Lines) != 1 || slices.ContainsFunc(loaded.Input.Attempts, func(a payment.Attempt) bool { return a.ID == "new" }) {
		t.Errorf("the snapshot saw what came after it: %d lines, %v", len(loaded.Input.Lines), loaded.Input.Attempts)
	}
	loaded, err = load(t.Context(), b.view(), wholeScope())
	if err != nil || len(loaded.Input.Lines) != 2 {
		t.Errorf("the next snapshot has %v, %v", loaded, err)
	}
}

// scopeCharges: what a charge wants is told where no first attempt says it.
func scopeCharges(t *testing.T, fresh func(testing.TB) Database) {
	d := scopeDescription()
	d.Joins = []store.Join{{Table: "sales", Here: "charge", There: "id"}}
	d.Columns.ChargeAmount, d.Columns.Operation = "sales.amount", "kind"
	b := setUp(t, fresh, d, scopeTable, `CREATE TABLE sales (id text PRIMARY KEY, amount bigint);
INSERT INTO sales VALUES ('c1', 100), ('c5', 250), ('c8', 999), ('c9', 250);
ALTER TABLE attempts ADD COLUMN kind text;
INSERT INTO attempts VALUES ('back', 'c9', 'r9', 'open', 30, '2025-03-10 12:00:00+00:00', NULL, 'refund')`)
	loaded, err := load(t.Context(), b.view(), wholeScope())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []reconcile.Charge{{ID: "c5", Minor: 250}}, loaded.Input.Charges)
}
