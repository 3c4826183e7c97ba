package reconcile

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/world"
)

// What is added up without being judged leaves the books that judging leaves:
// in random worlds, and where two facts of what agrees are others.
func TestWhatAgreesIsAddedUpAsItIsJudged(t *testing.T) {
	t.Parallel()
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		w := world.Seeded(rapid.Uint64Range(1, 1<<20).Draw(t, "world"))
		if rapid.Bool().Draw(t, "clean") {
			w = world.CleanMonth(rapid.Uint64Range(1, 1<<20).Draw(t, "month"), 200)
		}
		in := worldInput(w)
		taken += addedUp(t, &in)
	})
	t.Logf("%d components of worlds were added up", taken)
	for seed := range uint64(1000) {
		in := plainSales(rand.New(rand.NewPCG(seed, 2)), 60)
		taken += addedUp(t, &in)
	}
	if taken < 10_000 {
		t.Fatalf("%d components were added up: they test too little of it", taken)
	}
}

// plainSales are n sales with a line each and an object of every second, of
// which most have up to two facts changed.
func plainSales(r *rand.Rand, n int) Input {
	policy := NewPolicy("acme")
	policy.SucceededMeans = map[payment.Operation]Means{payment.Charge: Means(1 + r.IntN(3))}
	policy.LineIDsUnique = r.IntN(2) == 0
	if r.IntN(3) == 0 {
		policy.Accounts = []string{"acct_1"}
	}
	if r.IntN(4) == 0 {
		policy.Fees = []evidence.FeeRule{{Currency: money.MustCurrency("BRL"), Fixed: 1}}
	}
	day := payment.DayOfDate(2025, time.March, 3)
	in := Input{
		Now: (day + 5).Start(time.UTC), Window: payment.Interval{From: day.Start(time.UTC), To: (day + 1).Start(time.UTC)}, Policies: []Policy{policy},
		Statements: []payment.Statement{{
			Name: "ledger", Provider: "acme", Account: "acct_1", Sort: payment.Ledger, Grade: payment.Proven, From: day.Start(time.UTC), Through: (day + 2).Start(time.UTC),
			Opening: payment.Known(0), Closing: payment.Known(100),
		}},
	}
	for i := range n {
		a, l, u := oneSale(i, day)
		for range r.IntN(3) {
			bends[r.IntN(len(bends))](&a, &l, &u)
		}
		in.Attempts, in.Lines = append(in.Attempts, a), append(in.Lines, l)
		if r.IntN(2) == 0 {
			in.Units = append(in.Units, u)
		}
	}
	return in
}

func oneSale(i int, day payment.Day) (payment.Attempt, payment.Line, payment.Unit) {
	brl, unit, at := money.MustCurrency("BRL"), fmt.Sprintf("ch_%d", i), day.Start(time.UTC).Add(time.Hour)
	minor := int64(100 + i)
	return payment.Attempt{
			ID: fmt.Sprint(i), Charge: fmt.Sprintf("c%d", i), Provider: "acme", Account: "acct_1", ProviderID: unit, Status: payment.Succeeded,
			Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: at, LastSent: at,
		}, payment.Line{
			ID: fmt.Sprintf("l%d", i), Unit: unit, Provider: "acme", Account: "acct_1", Statement: "ledger", Kind: payment.KindCharge,
			Gross: minor, Fee: 2, Tax: 1, Net: minor - 3, Currency: brl, At: at, Day: day, Row: int32(i + 1),
		}, payment.Unit{
			ID: unit, Provider: "acme", Account: "acct_1", State: payment.StateCaptured, Captured: payment.Known(minor), Asked: payment.Known(minor),
			Currency: brl, CreatedAt: at, Source: payment.FromList, Method: "card",
		}
}

// bends change one fact each.
var bends = []func(*payment.Attempt, *payment.Line, *payment.Unit){
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Status = payment.Failed },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Status = payment.Unknown },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Operation = payment.Refund },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.ProviderID = "" },
	func(a *payment.Attempt, l *payment.Line, u *payment.Unit) {
		a.ProviderID, a.Key, u.Key = "other"+a.ProviderID, "k"+a.ID, "k"+a.ID
		l.References = []payment.Reference{{Name: "reference", Value: "r" + a.ID}}
		a.References = l.References
	},
	func(a *payment.Attempt, l *payment.Line, _ *payment.Unit) {
		a.ProviderID, l.Unit = "", ""
		l.References = []payment.Reference{{Name: "reference", Value: "r" + a.ID, Scope: payment.ScopeCharge}}
		a.References = l.References
	},
	func(a *payment.Attempt, l *payment.Line, _ *payment.Unit) {
		a.CreatedAt, l.Day = a.CreatedAt-1<<40, l.Day-400
	},
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Account = "" },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Account = "acct_2" },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Provider = "" },
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.CreatedAt -= 1 << 40 },
	func(a *payment.Attempt, l *payment.Line, u *payment.Unit) {
		a.Amount.Minor, l.Gross, l.Net, u.Captured = 0, 0, -3, payment.Known(0)
	},
	func(a *payment.Attempt, _ *payment.Line, _ *payment.Unit) { a.Amount.Minor++ },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Mode = payment.Test },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Gross++ },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Currency = money.MustCurrency("JPY") },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Still = true },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Net++ },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Account = "acct_2" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Account = "" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Provider = "another" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Payout = "po_1" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Recipient = "rp_1" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.N, l.Of = 1, 3 },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) {
		l.Presented, l.PresentedCurrency = payment.Known(l.Gross+1), l.Currency
	},
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Parent = l.Unit + "p" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Kind = payment.KindRefund },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Day -= 400 },
	func(a *payment.Attempt, l *payment.Line, _ *payment.Unit) {
		l.ForeignCharge, l.Unit = a.Charge, "u"+l.Unit
	},
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.Unit = "" },
	func(_ *payment.Attempt, l *payment.Line, _ *payment.Unit) { l.ID = "" },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.State = payment.StateRefunded },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.State = payment.StateAuthorized },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Captured = payment.Stated{} },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Captured.Minor-- },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Currency = money.MustCurrency("JPY") },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Account = "acct_2" },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Mode = payment.Test },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Provider = "another" },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Group = "g" + u.ID },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.Parent = "p" + u.ID },
	func(a *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.ForeignCharge = a.Charge },
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) {
		u.Plan = []payment.Parcel{{N: 1, Due: 0, Minor: u.Captured.Minor / 2}, {N: 2, Due: 1 << 20, Minor: 7}}
	},
	func(_ *payment.Attempt, _ *payment.Line, u *payment.Unit) { u.N, u.Of = 1, 2 },
	func(_ *payment.Attempt, l *payment.Line, u *payment.Unit) {
		u.Aliases, u.ID = []string{u.ID}, "pi"+u.ID
		l.Unit = u.ID
	},
}

// addedUp compares both ways, and tells how many components were added up.
func addedUp(t rapid.TB, in *Input) (taken int) {
	t.Helper()
	m := Open(*in)
	g := gather(&Part{Attempts: in.Attempts, Units: in.Units, Lines: in.Lines, Lookups: in.Lookups})
	looker := evidence.NewLooker(m.setting.policy, m.setting.now)
	var c evidence.Component
	added, judged := newBooks(), newBooks()
	plain := agreed{setting: m.setting, out: added}
	j := judge{setting: m.setting, charges: chargesOf(in.Charges), out: judged}
	for i := range g.components() {
		if g.component(i, &c); !plain.take(&c) {
			continue
		}
		taken++
		j.facts, j.split = looker.Look(c), nil
		j.component()
	}
	plain.flush()
	if diff := gocmp.Diff(judged, added, gocmp.Exporter(func(reflect.Type) bool { return true }), ignoreCaches); diff != "" {
		t.Fatalf("(-judged +added up):\n%s", diff)
	}
	return taken
}

// Sales whose rows were not kept leave the result that their rows leave.
func TestSalesLeaveTheResultOfTheirRows(t *testing.T) {
	t.Parallel()
	left := 0
	for seed := range uint64(300) {
		in := plainSales(rand.New(rand.NewPCG(seed, 3)), 60)
		in.Units = nil
		want := Match(in)
		m, rest, sums := Open(in), Part{}, map[SalesOf]*Sales{}
		for i := range in.Attempts { // each has the line of its number, and they share nothing with others
			a, l := &in.Attempts[i], &in.Lines[i]
			of := SalesOfPair(a, l)
			if PlainSale(a) && PlainLine(l) && SameSale(a, l) && m.setting.plainly(&of) && m.setting.lineInWindow(l) {
				s := entry(sums, of)
				s.SalesOf = of
				s.Add(SaleLineOf(l))
				continue
			}
			rest.Attempts, rest.Lines = append(rest.Attempts, *a), append(rest.Lines, *l)
			left++
		}
		var all []Sales
		for _, s := range sums {
			all = append(all, *s)
		}
		m.Add(rest)
		if !m.AddSales(all) {
			t.Fatal("sales that may be added were refused")
		}
		if diff := gocmp.Diff(want, m.Result()); diff != "" {
			t.Fatalf("seed %d (-rows +sums):\n%s", seed, diff)
		}
		if len(all) > 0 {
			all[0].Day += 1000
			if Open(in).AddSales(all) {
				t.Fatal("sales outside of the window were added")
			}
		}
	}
	if left == 0 {
		t.Fatal("every row was summed up")
	}
}

// ignoreCaches leaves out what only remembers the entry used last.
var ignoreCaches = gocmp.FilterPath(func(p gocmp.Path) bool {
	switch p.Last().String() {
	case ".last", ".lastKey", ".lastDay":
		return true
	}
	return false
}, gocmp.Ignore())
