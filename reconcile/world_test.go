package reconcile_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/world"
	"desfecho/reconcile"
)

var (
	oneWorld  = flag.Uint64("world", 0, "judge the world of this seed alone")
	oneStory  = flag.Int("story", 0, "with -world: tell this story alone")
	worldsRun = flag.Int("worlds", 10_000, "how many random worlds to judge")
)

// Whatever happened at the provider, whatever the merchant wrote down: what is
// listed, counted and summed is what the events say, no more and no less.
func TestRandomWorldsAreJudgedAsTheyHappened(t *testing.T) {
	if *oneWorld != 0 {
		judgeOne(t)
		return
	}
	t.Parallel()
	count := *worldsRun
	if testing.Short() || underRace {
		count = min(count, 1000)
	}
	shards := runtime.GOMAXPROCS(0)
	for shard := range shards {
		t.Run(fmt.Sprintf("shard%d", shard), func(t *testing.T) {
			t.Parallel()
			for seed := 1 + shard; seed <= count; seed += shards {
				if w := world.Seeded(uint64(seed)); difference(w) != "" {
					report(t, uint64(seed), w)
					return
				}
			}
		})
	}
}

func judgeOne(t *testing.T) {
	var only []int
	if *oneStory != 0 {
		only = []int{*oneStory}
	}
	w := world.Seeded(*oneWorld, only...)
	if diff := difference(w); diff != "" {
		t.Fatalf("%s\n%s", diff, show(w))
	}
	t.Logf("as it happened: %s\n%s", strings.Join(w.Stories, ", "), show(w))
}

// report names the first story that fails alone, which is nearly always all
// that is to be read.
func report(t *testing.T, seed uint64, w *world.World) {
	t.Helper()
	for story := range w.Stories {
		alone := world.Seeded(seed, story+1)
		if diff := difference(alone); diff != "" {
			t.Errorf("go test ./reconcile -run RandomWorlds -world=%d -story=%d   # %s\n%s\n%s",
				seed, story+1, w.Stories[story], diff, show(alone))
			return
		}
	}
	t.Errorf("go test ./reconcile -run RandomWorlds -world=%d   # only the stories together: %s\n%s",
		seed, strings.Join(w.Stories, ", "), difference(w))
}

// The same over worlds drawn by rapid, which shrinks a failing one.
func TestDrawnWorldsAreJudgedAsTheyHappened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := world.Draw(rapidSource{t}, rapid.IntRange(1, 12).Draw(t, "stories"))
		if diff := difference(w); diff != "" {
			t.Fatalf("%s\n%s\n%s", strings.Join(w.Stories, ", "), diff, show(w))
		}
	})
}

// rapidSource lets rapid take the decisions of a world.
type rapidSource struct{ t *rapid.T }

func (r rapidSource) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(r.t, "") }

// difference is empty where Match says of the world what the truth is.
func difference(w *world.World) string { return compare(w, reconcile.Match(input(w))) }

func compare(w *world.World, r reconcile.Result) string {
	truth := &w.Truth
	var out []string
	add := func(what, diff string) {
		if diff != "" {
			out = append(out, what+" (-truth +result):\n"+diff)
		}
	}
	add("divergences", gocmp.Diff(truth.Findings, findings(truth, r)))
	add("places", gocmp.Diff(places(truth.Places), resultPlaces(r)))
	add("lines", gocmp.Diff(truth.Lines, lineRows(r)))
	add("lines by day", gocmp.Diff(truth.Days, lineDays(r)))
	add("succeeded attempts", gocmp.Diff(truth.Succeeded, succeededRows(r)))
	add("verdict", gocmp.Diff(truth.Verdict, r.Verdict.String()))
	add("repeats", gocmp.Diff(truth.Repeats, r.Repeats))
	add("defect", r.Defect)
	add("residuals", residuals(r))
	return strings.Join(out, "\n")
}

// input is the world as Match takes it.
func input(w *world.World) reconcile.Input {
	in := reconcile.Input{
		Now: w.Now, Window: w.Window, OwnSide: w.OwnSide,
		Attempts: w.Attempts, Statements: w.Statements, Units: w.Units, Lines: w.Lines, Lookups: w.Lookups,
	}
	for _, t := range w.Terms {
		in.Policies = append(in.Policies, policy(t))
	}
	for _, c := range w.Charges {
		in.Charges = append(in.Charges, reconcile.Charge{ID: c.ID, Minor: c.Minor})
	}
	return in
}

func policy(t world.Terms) reconcile.Policy {
	p := reconcile.NewPolicy(t.Provider)
	p.Accounts, p.Zone = t.Accounts, t.Zone
	p.LookupBy, p.HasObjectList, p.LineIDsUnique = t.LookupBy, t.HasObjectList, t.LineIDsUnique
	p.CapacityMany, p.NoUnknownWord = t.CapacityMany, t.NoUnknownWord
	p.PublishLag, p.BooksAfter = t.PublishLag, t.BooksAfter
	p.Variation, p.Expected = t.Variation, t.Expected
	means := map[string]reconcile.Means{
		"created": reconcile.MeansCreated, "authorized": reconcile.MeansAuthorized, "captured": reconcile.MeansCaptured,
	}[t.Means]
	p.SucceededMeans = map[payment.Operation]reconcile.Means{}
	for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
		p.SucceededMeans[operation] = means
	}
	return p
}

// findings are the result's divergences in the words and order of the truth;
// of each the truth says how much is compared.
func findings(truth *world.Truth, r reconcile.Result) []world.Finding {
	said := map[string]world.Finding{}
	for _, f := range truth.Findings {
		said[f.Class+" "+f.Subject] = f
	}
	var out []world.Finding
	for i := range r.Divergences {
		f := finding(&r.Divergences[i])
		if want, ok := said[f.Class+" "+f.Subject]; ok {
			forget(&f.Severity, want.Severity)
			forget(&f.Unit, want.Unit)
			forget(&f.Minor, want.Minor)
			forget(&f.SameMoney, want.SameMoney)
			forget(&f.Expected, want.Expected)
			forget(&f.Actual, want.Actual)
			forget(&f.Hint, want.Expected+want.Hint)
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b world.Finding) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Severity, b.Severity))
	})
	return out
}

func finding(d *reconcile.Divergence) world.Finding {
	f := world.Finding{
		Class: d.Class.String(), Severity: d.Severity.String(), Subject: d.Subject.String(), Unit: d.Unit, Minor: d.Amount,
		Expected: d.Expected, Actual: d.Actual, Hint: d.Hint,
	}
	switch d.Class { //nolint:exhaustive // the classes that say more than the money at stake
	case reconcile.DuplicateCharge:
		f.Minor = d.Surplus
	case reconcile.RefundExceedsCaptured:
		f.Minor = d.Excess
	}
	if d.SameMoneyAs != nil {
		f.SameMoney = d.SameMoneyAs.String()
	}
	return f
}

// forget empties what the truth says nothing of.
func forget[T comparable](got *T, want T) {
	var nothing T
	if want == nothing {
		*got = nothing
	}
}

// places are those that hold anything.
func places(of map[string]int) map[string]int {
	out := maps.Clone(of)
	maps.DeleteFunc(out, func(_ string, n int) bool { return n == 0 })
	return out
}

func resultPlaces(r reconcile.Result) map[string]int {
	out := map[string]int{}
	for place, n := range r.Places {
		out[string(place)] = n
	}
	return places(out)
}

func lineRows(r reconcile.Result) map[string]int64 {
	rows := map[string]int64{}
	for _, b := range r.Bridges {
		for _, row := range b.Lines {
			rows[b.Provider+" "+b.Currency.String()+" "+row.Row] += row.Minor
		}
	}
	maps.DeleteFunc(rows, func(_ string, minor int64) bool { return minor == 0 })
	return rows
}

func lineDays(r reconcile.Result) map[payment.Day]int64 {
	days := map[payment.Day]int64{}
	for _, b := range r.Bridges {
		for _, row := range b.Lines {
			days[row.Day] += row.Minor
		}
	}
	maps.DeleteFunc(days, func(_ payment.Day, minor int64) bool { return minor == 0 })
	return days
}

func succeededRows(r reconcile.Result) map[string]int64 {
	rows := map[string]int64{}
	for _, b := range r.Bridges {
		for _, row := range b.Succeeded {
			rows[b.Provider+" "+b.Currency.String()+" "+row.Row] += row.Minor
		}
	}
	maps.DeleteFunc(rows, func(_ string, minor int64) bool { return minor == 0 })
	return rows
}

// residuals of RULES §5 that are not what the divergences say: no world has
// one but a wrong payout's.
func residuals(r reconcile.Result) string {
	var out []string
	for _, b := range r.Bridges {
		if b.Tie.Residual != 0 {
			out = append(out, fmt.Sprintf("tie of %s %s: %+v", b.Provider, b.Currency, b.Tie))
		}
		for _, balance := range b.Balances {
			if balance.Residual != 0 || len(balance.LineErrors) > 0 {
				out = append(out, fmt.Sprintf("balance: %+v", balance))
			}
		}
		for _, p := range b.Payouts {
			if p.Unverifiable {
				continue
			}
			if p.Residual != 0 && p.Residual != -100 && p.Residual != 100 {
				out = append(out, fmt.Sprintf("payout: %+v", p))
			}
		}
	}
	return strings.Join(out, "\n")
}

// show prints the rows of a small world, one a line.
func show(w *world.World) string {
	var b strings.Builder
	fmt.Fprintf(&b, "now %s window %s own %v\n", w.Now, w.Window, w.OwnSide)
	for _, t := range w.Terms {
		fmt.Fprintf(&b, "terms %s: succeeded means %s, list %t, unique ids %t, many %t, publish_lag %s, books_after %s, %s\n",
			t.Provider, t.Means, t.HasObjectList, t.LineIDsUnique, t.CapacityMany, t.PublishLag, t.BooksAfter, t.Zone)
	}
	for _, s := range w.Statements {
		fmt.Fprintf(&b, "statement %s [%s, %s) holes %v\n", s.Name, s.From, s.Through, s.Holes)
	}
	for i := range w.Attempts {
		a := &w.Attempts[i]
		fmt.Fprintf(&b, "attempt %s of %s: %s %s %s at %s, id %q, key %q, %v, %s\n", a.ID, a.Charge, a.Operation, a.Status,
			a.Amount, a.CreatedAt, a.ProviderID, a.Key, a.References, a.LastError)
	}
	for i := range w.Units {
		showUnit(&b, w.Units[i].Statement, &w.Units[i])
	}
	for i := range w.Lines {
		l := &w.Lines[i]
		fmt.Fprintf(&b, "line %q of %s: %s %d %s at %s, %d/%d, parent %q, refs %v, still %t, payout %q\n", l.ID, l.Unit, l.Kind,
			l.Gross, l.Currency, l.At, l.N, l.Of, l.Parent, l.References, l.Still, l.Payout)
	}
	for _, l := range w.Lookups {
		fmt.Fprintf(&b, "look-up of %s by %+v at %s: %s %s\n", l.Attempt, l.Key, l.At, l.Outcome, l.Reason)
		for i := range l.Units {
			showUnit(&b, "  answer", &l.Units[i])
		}
	}
	return b.String()
}

func showUnit(b *strings.Builder, from string, u *payment.Unit) {
	fmt.Fprintf(b, "%s: unit %s %v: %s captured %v principal %v %s at %s, group %q, key %q, %v, parent %q, metadata %q\n", from,
		u.ID, u.Aliases, u.State, u.Captured, u.Principal, u.Currency, u.CreatedAt, u.Group, u.Key, u.References, u.Parent, u.ForeignCharge)
}

// rng is a source of its own for tests that shuffle.
func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
