package runs

import (
	"fmt"
	"testing"
	"time"
	_ "time/tzdata" // the zone must not depend on the machine's files

	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return z
}

func policy(provider string, z *time.Location) reconcile.Policy {
	p := reconcile.NewPolicy(provider)
	p.Zone = z
	return p
}

// day is the n-th of November 2025.
func day(n int) payment.Day { return payment.DayOfDate(2025, time.November, n) }

func closed(days ...int) (all []reconcile.DayDigest) {
	for _, n := range days {
		all = append(all, reconcile.DayDigest{Provider: "psp", Day: day(n)})
	}
	return all
}

func covered(sort payment.Sort, from, to payment.Instant) payment.Statement {
	return payment.Statement{Name: sort.String(), Provider: "psp", Sort: sort, From: from, Through: to}
}

// TestTheWindowOfRules8 is from the oldest day that is not closed to the newest
// covered day, at least relook back, never before anything was read.
func TestTheWindowOfRules8(t *testing.T) {
	t.Parallel()
	z := zone(t, "America/Sao_Paulo")
	at := func(n int) payment.Instant { return day(n).Start(z) }
	month := []payment.Statement{covered(payment.Ledger, at(1), at(21))}
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	for _, test := range []struct {
		name     string
		reach    Reach
		now      payment.Instant
		from, to int
	}{
		{"nothing closed: all of it", Reach{Coverage: month}, at(22), 1, 21},
		{"all closed: relook", Reach{Coverage: month, Closed: closed(all...)}, at(22), 14, 21},
		{"one day in transit", Reach{Coverage: month, Closed: closed(append([]int{1, 2}, all[3:]...)...)}, at(22), 3, 21},
		{"a late line", Reach{Coverage: month, Closed: closed(all...), Late: closed(5)}, at(22), 5, 21},
		{"a late line before anything was covered", Reach{Coverage: month, Closed: closed(all...), Late: []reconcile.DayDigest{{Provider: "psp", Day: day(1) - 9}}}, at(22), 1, 21},
		{"another provider's late line", Reach{Coverage: month, Closed: closed(all...), Late: []reconcile.DayDigest{{Provider: "other", Day: day(5)}}}, at(22), 14, 21},
		{"now is before the end", Reach{Coverage: month, Closed: closed(all...)}, at(12), 5, 12},
		{"a list alone closes its days", Reach{Coverage: []payment.Statement{covered(payment.ObjectList, at(1), at(21))}, Closed: closed(all[:4]...)}, at(22), 5, 21},
		{"beside a ledger a list does not", Reach{Coverage: append([]payment.Statement{covered(payment.ObjectList, at(1)-1, at(21))}, month...), Closed: closed(all...)}, at(22), 14, 21},
		{"nothing covered", Reach{Coverage: []payment.Statement{covered(payment.Ledger, at(3), at(3))}}, at(22), 0, 0},
		{"nothing read", Reach{}, at(22), 0, 0},
	} {
		want := payment.Interval{From: at(test.from), To: at(test.to)}
		if test.to == 0 {
			want = payment.Interval{}
		}
		got, _ := Window(test.reach, []reconcile.Policy{policy("psp", z)}, Relook, test.now)
		if got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
}

// TestADayThatIsCoveredInPartDoesNotHoldTheWindow: it can never close.
func TestADayThatIsCoveredInPartDoesNotHoldTheWindow(t *testing.T) {
	t.Parallel()
	noon := day(1).Start(time.UTC).Add(12 * time.Hour)
	var days []int
	for n := 2; n <= 20; n++ {
		days = append(days, n)
	}
	r := Reach{Coverage: []payment.Statement{covered(payment.Ledger, noon, day(21).Start(time.UTC))}, Closed: closed(days...)}
	got, _ := Window(r, []reconcile.Policy{policy("psp", time.UTC)}, Relook, day(22).Start(time.UTC))
	if want := day(14).Start(time.UTC); got.From != want {
		t.Errorf("from %s, want %s", got.From, want)
	}
}

// TestTheWindowHoldsEveryOpenDay whatever is closed, and never reaches beyond
// what was read.
func TestTheWindowHoldsEveryOpenDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, length := rapid.IntRange(1, 10).Draw(t, "first"), rapid.IntRange(1, 20).Draw(t, "length")
		open := rapid.SliceOfDistinct(rapid.IntRange(first, first+length-1), func(n int) int { return n }).Draw(t, "open")
		var r Reach
		r.Coverage = []payment.Statement{covered(payment.Ledger, day(first).Start(time.UTC), day(first+length).Start(time.UTC))}
		for n := first; n < first+length; n++ {
			if !contains(open, n) {
				r.Closed = append(r.Closed, closed(n)...)
			}
		}
		got, _ := Window(r, []reconcile.Policy{policy("psp", time.UTC)}, Relook, day(60).Start(time.UTC))
		for _, n := range open {
			if !got.Contains(day(n).Start(time.UTC)) {
				t.Fatalf("day %d is open and not in %s", n, got)
			}
		}
		if got.From < r.Coverage[0].From || got.To != r.Coverage[0].Through {
			t.Fatalf("%s reaches beyond %v", got, r.Coverage)
		}
	})
}

func contains(list []int, n int) bool {
	for _, is := range list {
		if is == n {
			return true
		}
	}
	return false
}

func TestLeasesAreAskedForInOneOrder(t *testing.T) {
	t.Parallel()
	two := policy("b", time.UTC)
	two.Accounts = []string{"z", "y"}
	got := Accounts([]reconcile.Policy{two, policy("a", time.UTC)}, []payment.Statement{{Provider: "b", Account: "x"}, {Provider: "b", Account: "z"}, {Provider: "c"}})
	if want := "[{a } {b x} {b y} {b z}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAnOpenAttemptIsToldOnceItsReviewIsDue(t *testing.T) {
	t.Parallel()
	now := day(10).Start(time.UTC)
	p := policy("psp", time.UTC)
	p.ReviewAfter = 4 * time.Hour
	attempt := func(id string, status payment.Status, age time.Duration) payment.Attempt {
		return payment.Attempt{ID: id, Provider: "psp", Status: status, CreatedAt: now.Add(-age)}
	}
	in := reconcile.Input{Now: now, Policies: []reconcile.Policy{p}, Attempts: []payment.Attempt{
		attempt("young", payment.Unknown, 4*time.Hour-1000), attempt("old", payment.Unknown, 4*time.Hour),
		attempt("pending", payment.Pending, 9*time.Hour), attempt("done", payment.Failed, 9*time.Hour),
	}}
	if got, want := fmt.Sprint(PastReview(in.Attempts, in.Policies, in.Now)), "[old pending]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestEachProviderOwesNoMoreThanItsOwnDays: where the days of two begin at
// different moments, so did their first reading.
func TestEachProviderOwesNoMoreThanItsOwnDays(t *testing.T) {
	t.Parallel()
	west := time.FixedZone("west", -3*3600)
	now := day(30).Start(time.UTC).Add(time.Hour)
	covers := func(provider string, z *time.Location) payment.Statement {
		return payment.Statement{Provider: provider, Sort: payment.ObjectList, From: payment.DayOf(now.Add(-Relook), z).Start(z), Through: now}
	}
	reach := Reach{Coverage: []payment.Statement{covers("here", time.UTC), covers("there", west)}}
	all, by := Window(reach, []reconcile.Policy{policy("here", time.UTC), policy("there", west)}, Relook, now)
	if all != by["there"] || by["here"].From != day(23).Start(time.UTC) || by["there"].From != day(22).Start(west) {
		t.Errorf("%s of %s", all, by)
	}
}

// TestAProviderThatWasNeverReadOwesTheWholeWindow: beside others that were read,
// its attempts must not pass for judged.
func TestAProviderThatWasNeverReadOwesTheWholeWindow(t *testing.T) {
	t.Parallel()
	at := func(n int) payment.Instant { return day(n).Start(time.UTC) }
	both := []reconcile.Policy{policy("psp", time.UTC), policy("other", time.UTC)}
	all, by := Window(Reach{Coverage: []payment.Statement{covered(payment.Ledger, at(1), at(21))}}, both, Relook, at(22))
	if all.Empty() || by["psp"] != all || by["other"] != all {
		t.Errorf("of %s they owe %v", all, by)
	}
	if all, by = Window(Reach{}, both, Relook, at(22)); !all.Empty() || len(by) != 0 {
		t.Errorf("where nothing was read at all: %s, %v", all, by)
	}
}
