// Package storetest states what a store must do, as one suite that every
// adapter runs against its real database (store.Store).
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Database is one empty database of an adapter.
type Database interface {
	// Open opens it; description may be nil. The suite closes what it opened.
	Open(ctx context.Context, description *store.Description, trace func(string)) (store.Store, error)
	// Exec runs SQL in it as its owner.
	Exec(tb testing.TB, sql string)
	// Own is what the names of desfecho's own tables begin with.
	Own() string
	// Dialect turns the suite's SQL, which is PostgreSQL's, into the database's.
	Dialect(sql string) string
}

// Run runs the whole suite; fresh makes an empty database for each test.
func Run(t *testing.T, fresh func(tb testing.TB) Database) {
	t.Helper()
	for _, part := range []struct {
		name string
		test func(*testing.T, func(testing.TB) Database)
	}{
		{"SchemaIsMadeOnceByManyAtOnce", schemaOnce},
		{"SchemaThatIsNotOursIsRefused", schemaRefused},
		{"PrintedSchemaIsTheAppliedOne", schemaPrinted},
		{"LeaseHasOneOwner", leaseOneOwner},
		{"LeaseOfADeadOwnerIsFree", leaseExpires},
		{"LostLeaseWritesNothing", leaseLost},
		{"PagesAwaitTheirTurn", turns},
		{"SamePageAgainStoresNothing", pageTwice},
		{"OverlapStoresOnlyWhatIsMore", pageOverlap},
		{"RestatedLinesKeepBothVersions", pageRestated},
		{"LinesWithoutIdsAreCountedByFile", pageCounted},
		{"SplitOrderAndRepetitionDoNotMatter", pageAnyWay},
		{"PageIsWholeOrNot", pageWhole},
		{"EveryFieldComesBack", pageFields},
		{"UnitsKeepWhatWasSeenLast", pageUnits},
		{"CoverageAndCursorComeBack", pageCoverage},
		{"CoverageThatOverlapsIsOneRowAndLosesNothing", pageOverlaps},
		{"LookupsAndDismissalsComeBack", pageLookups},
		{"TablesOfIssueAreRead", attemptsShapes},
		{"HostileNamesAreNames", attemptsNames},
		{"RowsThatCannotBeReadAreNamed", attemptsBad},
		{"TimesAreReadInTheirZone", attemptsTimes},
		{"DescriptionIsCheckedAgainstTheTable", attemptsDescription},
		{"ScopeHasSevenParts", scopeParts},
		{"WhatIsOutsideIsFoundByEveryKey", scopeOutside},
		{"RowsOutsideThatCannotBeReadAreOfNoInterest", scopeBadOutside},
		{"ViewIsOneSnapshot", scopeSnapshot},
		{"LookAlikesAreLoadedWhateverTheWindow", lookAlikesAreLoaded},
		{"ChargeThatWantsMoreIsTold", scopeCharges},
		{"EventsThatNameAnOpenAttemptAreRead", eventsOfOpen},
		{"EventsOfTheOtherModeAreRead", eventsOfOtherMode},
		{"EventsThatNameItAreReadForTheScreenOfOneAttempt", eventsAboutOne},
		{"PayloadThatIsNoJSONNamesNothing", eventsBroken},
		{"EventsAreCheckedAgainstTheirTable", eventsDescription},
		{"RunComesBackWhole", runWhole},
		{"SavingARunAgainChangesNothing", runReplayed},
		{"RunThatFollowsAnOldOneIsRefused", runMoved},
		{"RunIsUntoldUntilItWasTold", runTold},
		{"DivergencesKeepTheirLife", runLife},
		{"NotesComeBack", runNotes},
		{"LapsesComeWithTheirRun", runLapses},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, fresh)
		})
	}
	Settling(t, fresh)
}

const (
	provider = "stripe"
	account  = "acct_1"
)

// bench is one opened store with its schema, and a lease.
type bench struct {
	testing.TB
	store.Store
	database Database
	lease    store.Lease
}

func setUp(tb testing.TB, fresh func(testing.TB) Database, description *store.Description, tables ...string) *bench {
	tb.Helper()
	d := fresh(tb)
	for _, sql := range tables {
		d.Exec(tb, d.Dialect(sql))
	}
	b := &bench{TB: tb, database: d, Store: open(tb, d, description)}
	if _, err := b.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	b.lease = b.acquire(account)
	return b
}

func open(tb testing.TB, d Database, description *store.Description) store.Store {
	tb.Helper()
	s, err := d.Open(tb.Context(), description, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func (b *bench) acquire(account string) store.Lease {
	b.Helper()
	lease, err := b.Acquire(b.Context(), provider, account, "suite", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	return lease
}

func (b *bench) view() store.View {
	b.Helper()
	v, err := b.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := v.Close(); err != nil {
			b.Error(err)
		}
	})
	return v
}

// page stores lines with unique ids as one page.
func (b *bench) page(lines ...payment.Line) store.Counts {
	b.Helper()
	return b.store(store.Page{Source: "suite", Lines: store.NewNumbers(true).Lines(lines)})
}

func (b *bench) store(p store.Page) store.Counts {
	b.Helper()
	counts, err := b.StorePage(b.Context(), b.lease, p)
	if err != nil {
		b.Fatal(err)
	}
	return counts
}

// lines are all stored lines of the days that the suite uses, in the order of
// storing.
func (b *bench) lines() []payment.Line {
	b.Helper()
	return b.linesOf(1, payment.DayOfDate(2100, 1, 1))
}

func (b *bench) linesOf(first, last payment.Day) []payment.Line {
	b.Helper()
	v, err := b.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close() //nolint:errcheck // only read
	var seqs []store.StoredLine
	err = v.(store.Source).Lines(b.Context(), store.LineFilter{
		Providers: []string{provider}, Days: []store.DayRange{{Provider: provider, First: first, Last: last}},
	}, func(s store.StoredLine) error {
		seqs = append(seqs, s)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.SortFunc(seqs, func(x, y store.StoredLine) int { return int(x.Seq - y.Seq) })
	lines := make([]payment.Line, len(seqs))
	for i, s := range seqs {
		lines[i] = s.Line
	}
	return lines
}

var brl = money.MustCurrency("BRL")

// at is an instant of the suite's day, 2025-03-10, in UTC.
func at(clock string) payment.Instant {
	t, err := time.Parse(time.RFC3339, "2025-03-10T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return payment.InstantOf(t)
}

func line(id string, gross int64) payment.Line {
	return payment.Line{
		ID: id, Unit: "ch_" + id, Provider: provider, Account: account, Statement: "balance", Kind: payment.KindCharge,
		Gross: gross, Net: gross, Currency: brl, At: at("12:00:00"), Day: payment.DayOfDate(2025, 3, 10),
	}
}

func equal(tb testing.TB, want, got any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("(-want +got)\n%s", diff)
	}
}

func wants(tb testing.TB, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Errorf("got error %v, want %v", err, want)
	}
}

func schemaOnce(t *testing.T, fresh func(testing.TB) Database) {
	d := fresh(t)
	applied := make(chan int, 4)
	for range cap(applied) {
		s := open(t, d, nil)
		go func() {
			names, err := s.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			applied <- len(names)
		}()
	}
	total := 0
	for range cap(applied) {
		total += <-applied
	}
	s := open(t, d, nil)
	if err := s.CheckSchema(t.Context()); err != nil {
		t.Error(err)
	}
	if again, err := s.Migrate(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("migrated again: %v, %v", again, err)
	}
	if total == 0 || total != strings.Count(s.Schema(), "\nINSERT INTO "+d.Own()+"migrations") {
		t.Errorf("four at once applied %d steps", total)
	}
}

func schemaRefused(t *testing.T, fresh func(testing.TB) Database) {
	d := fresh(t)
	s := open(t, d, nil)
	wants(t, s.CheckSchema(t.Context()), store.ErrNoSchema)
	_, err := s.Acquire(t.Context(), provider, account, "suite", time.Hour)
	wants(t, err, store.ErrNoSchema)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Exec(t, "INSERT INTO "+d.Own()+"migrations (number, name) VALUES (9999, 'of a later program')")
	wants(t, s.CheckSchema(t.Context()), store.ErrNewerSchema)
	_, err = s.Migrate(t.Context())
	wants(t, err, store.ErrNewerSchema)
	d.Exec(t, "DELETE FROM "+d.Own()+"migrations WHERE number = 9999 OR number > 1")
	d.Exec(t, "UPDATE "+d.Own()+"migrations SET number = 0")
	err = s.CheckSchema(t.Context())
	if !errors.Is(err, store.ErrOldSchema) && !errors.Is(err, store.ErrNoSchema) {
		t.Errorf("got error %v for a schema of an older program", err)
	}
}

func schemaPrinted(t *testing.T, fresh func(testing.TB) Database) {
	d := fresh(t)
	s := open(t, d, nil)
	d.Exec(t, s.Schema())
	if err := s.CheckSchema(t.Context()); err != nil {
		t.Error(err)
	}
	if applied, err := s.Migrate(t.Context()); err != nil || len(applied) != 0 {
		t.Errorf("after the printed schema, migrated %v, %v", applied, err)
	}
}

func leaseOneOwner(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	ctx := t.Context()
	_, err := b.Acquire(ctx, provider, account, "other", time.Hour)
	wants(t, err, store.ErrLeased)
	var held *store.LeasedError
	if !errors.As(err, &held) || held.Owner != "suite" || held.Since == 0 || held.Expires <= held.Since {
		t.Errorf("the error does not say who holds it since when: %v", err)
	}
	if _, err := b.Acquire(ctx, provider, "acct_2", "other", time.Hour); err != nil {
		t.Errorf("another account: %v", err)
	}
	if err := b.Release(ctx, b.lease); err != nil {
		t.Fatal(err)
	}
	wants(t, b.Release(ctx, b.lease), store.ErrLeaseLost)
	next, err := b.Acquire(ctx, provider, account, "other", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if next.Token <= b.lease.Token {
		t.Errorf("token %d after %d", next.Token, b.lease.Token)
	}
	wins := make(chan bool, 8)
	for i := range cap(wins) {
		go func() {
			_, err := b.Acquire(ctx, "asaas", account, fmt.Sprint("owner ", i), time.Hour)
			if err != nil && !errors.Is(err, store.ErrLeased) {
				t.Error(err)
			}
			wins <- err == nil
		}()
	}
	won := 0
	for range cap(wins) {
		if <-wins {
			won++
		}
	}
	equal(t, 1, won)
}

func isLeased(err error) bool { return errors.Is(err, store.ErrLeased) }

func leaseExpires(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	dead, err := b.Acquire(t.Context(), "asaas", account, "dead", 0)
	if err != nil {
		t.Fatal(err)
	}
	next, err := b.Acquire(t.Context(), "asaas", account, "next", time.Hour)
	for isLeased(err) { // the database's clock is a tick behind
		next, err = b.Acquire(t.Context(), "asaas", account, "next", time.Hour)
	}
	if err != nil {
		t.Fatal(err)
	}
	if next.Token <= dead.Token {
		t.Errorf("token %d after %d", next.Token, dead.Token)
	}
}

func leaseLost(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	if err := b.Release(t.Context(), b.lease); err != nil {
		t.Fatal(err)
	}
	old := b.lease
	b.lease = b.acquire(account)
	page := store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line("1", 100)}), Units: []payment.Unit{{ID: "ch_1", Provider: provider, ObservedAt: 1}}}
	_, err := b.StorePage(t.Context(), old, page)
	wants(t, err, store.ErrLeaseLost)
	wants(t, b.SaveRun(t.Context(), []store.Lease{old}, someRun("r1")), store.ErrLeaseLost)
	if got := b.lines(); len(got) != 0 {
		t.Errorf("a lost lease stored %v", got)
	}
	_, err = b.Run(t.Context(), "r1")
	wants(t, err, store.ErrNoRun)
}
