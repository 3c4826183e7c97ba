package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/audit"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

func pageTwice(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	lines := []payment.Line{line("1", 100), line("2", 200)}
	equal(t, store.Counts{New: 2}, b.page(lines...))
	before := b.lines()
	equal(t, store.Counts{Repeated: 2}, b.page(lines...))
	equal(t, before, b.lines())
	equal(t, store.Counts{New: 1, Repeated: 1}, b.page(line("3", 1), line("3", 1)))
	equal(t, store.Counts{}, b.page())
}

func pageOverlap(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	equal(t, store.Counts{New: 2}, b.page(line("1", 100), line("2", 200)))
	equal(t, store.Counts{New: 1, Repeated: 1}, b.page(line("2", 200), line("3", 300)))
	if got := b.lines(); len(got) != 3 {
		t.Errorf("%d lines, want 3", len(got))
	}
}

func pageRestated(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	first, later, restated := line("1", 100), line("1", 100), line("1", 101)
	later.Status = "available"
	equal(t, store.Counts{New: 1}, b.page(first))
	equal(t, store.Counts{Later: 1}, b.page(later))
	equal(t, store.Counts{Restated: 1}, b.page(restated))
	equal(t, store.Counts{Repeated: 3}, b.page(restated, first, later))
	got := b.lines()
	if len(got) != 3 || got[0].Status != "" || got[1].Status != "available" || got[2].Gross != 101 {
		t.Errorf("the versions are not kept in their order: %v", got)
	}
	other := line("2", 100)
	again := other
	again.Fee, again.Net = 3, 97
	equal(t, store.Counts{New: 1, Restated: 1}, b.page(other, again))
}

func pageCounted(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	put := func(gross ...int64) store.Counts {
		var lines []payment.Line
		for _, g := range gross {
			l := line("", g)
			l.Unit = ""
			lines = append(lines, l)
		}
		return b.store(store.Page{Lines: store.NewNumbers(false).Lines(lines)})
	}
	equal(t, store.Counts{New: 3}, put(100, 100, 200))
	equal(t, store.Counts{Repeated: 2}, put(100, 200))
	equal(t, store.Counts{New: 1, Repeated: 2}, put(100, 100, 100))
	if got := b.lines(); len(got) != 4 {
		t.Errorf("%d lines, want three of 100 and one of 200", len(got))
	}
}

// pageAnyWay: whatever the pages, their order and their repetition, the same
// lines are loaded.
func pageAnyWay(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		unique := rapid.Bool().Draw(rt, "unique ids")
		lines := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) payment.Line {
			l := line(fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "id")), rapid.Int64Range(1, 3).Draw(rt, "gross"))
			l.Status = rapid.SampledFrom([]string{"", "available"}).Draw(rt, "status")
			l.Account = account
			l.Statement, l.Day = fmt.Sprint("round ", round), payment.Day(round) // apart from the other rounds
			l.ID = fmt.Sprint(l.ID, "/", round)
			if !unique {
				l.ID, l.Status = "", ""
			}
			return l
		}), 0, 12).Draw(rt, "file")
		want := firsts(lines, unique)
		var files [][]payment.Line // the whole file, and parts of it that come again
		files = append(files, lines)
		for range rapid.IntRange(0, 2).Draw(rt, "repetitions") {
			from := rapid.IntRange(0, len(lines)).Draw(rt, "from")
			files = append(files, lines[from:])
		}
		files = rapid.Permutation(files).Draw(rt, "order")
		for _, f := range files {
			numbers := store.NewNumbers(unique)
			for len(f) > 0 {
				n := rapid.IntRange(1, len(f)).Draw(rt, "page")
				b.store(store.Page{Lines: numbers.Lines(f[:n])})
				f = f[n:]
			}
		}
		var got []string
		for _, l := range b.linesOf(payment.Day(round), payment.Day(round)) {
			got = append(got, content(&l))
		}
		slices.Sort(got)
		if !slices.Equal(want, got) {
			rt.Fatalf("want %v\ngot  %v", want, got)
		}
	})
}

// firsts is what must be loaded: each content of an id once, or where ids are
// not unique every row of the file.
func firsts(lines []payment.Line, unique bool) []string {
	var all []string
	for i := range lines {
		all = append(all, content(&lines[i]))
	}
	slices.Sort(all)
	if unique {
		all = slices.Compact(all)
	}
	return all
}

func content(l *payment.Line) string {
	return fmt.Sprint(l.ID, " ", l.Unit, " ", l.Gross, " ", l.Status)
}

func pageWhole(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	bad := line("2", 1)
	bad.Raw = "a\x00b"
	_, err := b.StorePage(t.Context(), b.lease, store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line("1", 1), bad})})
	var unstorable *store.UnstorableError
	if !errors.As(err, &unstorable) || unstorable.Name != "2" || unstorable.Field != "raw" {
		t.Errorf("got error %v for a line with a NUL byte", err)
	}
	bad.Raw = "\xff"
	_, err = b.StorePage(t.Context(), b.lease, store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line("1", 1), bad})})
	if !errors.As(err, &unstorable) {
		t.Errorf("got error %v for a line that is not UTF-8", err)
	}
	foreign := line("3", 1)
	foreign.Account = "acct_2"
	_, err = b.StorePage(t.Context(), b.lease, store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line("1", 1), foreign})})
	var other *store.ForeignError
	if !errors.As(err, &other) {
		t.Errorf("got error %v for a line of another account", err)
	}
	if got := b.lines(); len(got) != 0 {
		t.Errorf("parts of refused pages were stored: %v", got)
	}
}

func pageFields(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	full := payment.Line{
		ID: "txn'; DROP TABLE lines; --", Unit: "ch_\"1", Parent: "ch_0", Provider: provider, Account: account, Statement: "bálanço",
		References:    []payment.Reference{{Name: "ref", Scope: payment.ScopeAttempt, Value: "a\\\"1"}, {Name: "charge_id", Scope: payment.ScopeCharge, Value: "9"}},
		ForeignCharge: "c1", Payout: "po_1", Recipient: "re_1", Raw: "payment", Status: "available", Gross: -1 << 50, Fee: 2, Tax: 3, Net: 4,
		Presented: payment.Known(0), Currency: brl, PresentedCurrency: money.MustCurrency("JPY"), At: at("12:00:00") + 1, AvailableAt: at("13:00:00"),
		Day: payment.DayOfDate(2025, 3, 10), N: 2, Of: 12, Kind: payment.KindRefund, Mode: payment.Test, DayOnly: true, Still: true,
	}
	b.page(full, line("2", 1))
	equal(t, []payment.Line{full, line("2", 1)}, b.lines())
}

func pageUnits(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	unit := payment.Unit{
		ID: "pi_1", Aliases: []string{"ch_1", "c\"2"}, Group: "g", Provider: provider, Account: account, Mode: payment.Test, Key: "k1",
		References: []payment.Reference{{Name: "ref", Value: "a1"}}, ForeignCharge: "c", Parent: "pi_0", State: payment.StateAuthorized, RawState: "requires_capture",
		Asked: payment.Known(100), Captured: payment.Known(0), Currency: brl, Method: "card", CreatedAt: at("09:00:00"), Precision: time.Minute,
		N: 1, Of: 3, Plan: []payment.Parcel{{N: 1, Due: payment.DayOfDate(2025, 4, 1), Minor: 100}}, Reason: "because", ObservedAt: at("10:00:00"),
		Source: payment.FromList | payment.FromLookup, Statement: "intents",
	}
	captured := unit
	captured.State, captured.Final, captured.Captured, captured.ObservedAt = payment.StateCaptured, true, payment.Known(100), at("11:00:00")
	again := unit
	again.ObservedAt = at("12:00:00")
	earlier := unit
	earlier.ObservedAt = at("08:00:00")
	b.store(store.Page{Units: []payment.Unit{again, captured}})
	b.store(store.Page{Units: []payment.Unit{unit, captured, earlier, unit}})
	var got []payment.Unit
	window := payment.Interval{From: at("00:00:00"), To: at("23:00:00")}
	err := b.view().(store.Source).Units(t.Context(), store.UnitFilter{Providers: []string{provider}, Created: &window}, func(s store.StoredUnit) error {
		got = append(got, s.Unit)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(x, y payment.Unit) int { return int(x.ObservedAt - y.ObservedAt) })
	captured.FirstSeen, again.FirstSeen = captured.ObservedAt, earlier.ObservedAt
	equal(t, []payment.Unit{captured, again}, got)
}

func pageCoverage(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	read := payment.Statement{
		Name: "balance", Provider: provider, Account: account, Mode: payment.Live, Sort: payment.Ledger, Grade: payment.Proven, From: at("00:00:00"),
		Through: at("12:00:00"), Holes: []payment.Interval{{From: at("03:00:00"), To: at("04:00:00")}}, PublishLag: time.Hour, Members: payment.SomeMembers,
		Opening: payment.Known(5), Closing: payment.Known(0),
	}
	cursor := store.Cursor{Statement: "balance", Mode: payment.Live, Value: "txn_1"}
	page := store.Page{Statements: []payment.Statement{read}, StatementLines: []int{7}, Cursor: &cursor}
	b.store(page)
	b.store(page)
	v := b.view()
	got, err := v.Coverage(t.Context(), []string{provider, "other"})
	if err != nil {
		t.Fatal(err)
	}
	bare := read
	bare.Opening, bare.Closing = payment.Stated{}, payment.Stated{}
	equal(t, []payment.Statement{bare}, got)
	stored, err := v.(store.Source).Statements(t.Context(), []string{provider})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []store.StoredStatement{{Statement: read, Lines: 7}}, stored)
	for _, c := range []struct{ account, want string }{{account, "txn_1"}, {"acct_2", ""}} {
		value, err := v.Cursor(t.Context(), provider, c.account, store.Cursor{Statement: "balance"})
		if err != nil || value != c.want {
			t.Errorf("cursor of %s is %q, %v, want %q", c.account, value, err, c.want)
		}
	}
}

func pageLookups(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	lookup := payment.Lookup{
		Attempt: "a1", Provider: provider, Account: account, Key: payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"}, At: at("10:00:00"),
		Outcome: payment.Found, Units: []payment.Unit{{ID: "pi_1", State: payment.StateCaptured, Captured: payment.Known(3), Currency: brl, CreatedAt: at("09:00:00")}},
		Reason: "", NoControl: true, Endpoint: "intents", Canonical: "c1", RawHash: "h1", Raw: `{"id":"pi_1"}`,
	}
	later := lookup
	later.At, later.Outcome, later.Units, later.Reason = at("11:00:00"), payment.Inconclusive, nil, "timeout"
	for _, want := range []int{2, 0} {
		added, err := b.StoreLookups(t.Context(), []payment.Lookup{lookup, later})
		if err != nil || added != want {
			t.Errorf("stored %d look-ups, %v, want %d", added, err, want)
		}
	}
	dismissal := reconcile.Dismissal{Attempt: "a1", Unit: "pi_2", Reason: "of another shop", By: "ana", At: at("12:00:00")}
	if _, err := b.Dismiss(t.Context(), dismissal, audit.Entry{Format: audit.Format, OpID: "dismiss-1", Kind: audit.Dismissed}); err != nil {
		t.Fatal(err)
	}
	source := b.view().(store.Source)
	var got []payment.Lookup
	err := source.Lookups(t.Context(), []string{"a1", "a2"}, 0, func(l payment.Lookup) error {
		got = append(got, l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []payment.Lookup{lookup, later}, got)
	dismissed, err := source.Dismissals(t.Context(), []string{"a1"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []reconcile.Dismissal{dismissal}, dismissed)
}

// pageOverlaps: what is read again every hour is one row, and a hole, a claim
// and another statement's coverage stand beside it.
func pageOverlaps(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	read := func(grade payment.Grade, from, through string) payment.Statement {
		return payment.Statement{Name: "balance", Provider: provider, Account: account, Sort: payment.Ledger, Grade: grade, From: at(from), Through: at(through)}
	}
	claimed, torn, other := read(payment.Claimed, "02:00:00", "04:00:00"), read(payment.Proven, "01:00:00", "06:00:00"), read(payment.Proven, "01:00:00", "02:00:00")
	torn.Holes = []payment.Interval{{From: at("03:00:00"), To: at("04:00:00")}}
	other.Name = "payouts"
	for _, s := range []payment.Statement{
		read(payment.Proven, "00:00:00", "01:00:00"), claimed, torn, other,
		read(payment.Proven, "02:00:00", "03:00:00"), read(payment.Proven, "04:00:00", "05:00:00"), // a hole between them
		read(payment.Proven, "00:30:00", "02:00:00"), read(payment.Proven, "01:00:00", "01:30:00"),
	} {
		page := store.Page{Statements: []payment.Statement{s}, StatementLines: []int{2}}
		b.store(page)
		b.store(page)
	}
	v := b.view()
	got, err := v.(store.Source).Statements(t.Context(), []string{provider})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []store.StoredStatement{
		{Statement: claimed, Lines: 2},
		{Statement: torn, Lines: 2},
		{Statement: other, Lines: 2},
		{Statement: read(payment.Proven, "04:00:00", "05:00:00"), Lines: 2},
		{Statement: read(payment.Proven, "00:00:00", "03:00:00"), Lines: 6},
	}, got)
}
