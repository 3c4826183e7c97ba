package shop_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/reconcile"
)

func policies(t testing.TB) []reconcile.Policy {
	t.Helper()
	var all []reconcile.Policy
	for _, name := range []string{shop.Loja, shop.Banco, shop.Caixa} {
		p := reconcile.NewPolicy(name)
		p.Accounts, p.Zone = []string{"acct_" + name}, saoPaulo(t)
		p.HasObjectList = true
		p.LookupBy = []payment.LookupKey{
			{Kind: payment.KeyUnit},
			{Kind: payment.KeyIdempotency},
			{Kind: payment.KeyReference, Name: shop.RefCharge},
			{Kind: payment.KeyReference, Name: shop.RefKey},
			{Kind: payment.KeyReference, Name: shop.RefPedido},
		}
		p.VisibleAfter, p.VisibleAfter5xx = time.Hour, 2*time.Hour
		p.Expected = []string{"pix_static"}
		means := reconcile.MeansCaptured
		if name == shop.Banco {
			means = reconcile.MeansCreated
			p.BooksAfterBy = map[string]time.Duration{"boleto": 12 * time.Hour}
		}
		p.NoUnknownWord = name == shop.Caixa
		p.SucceededMeans = map[payment.Operation]reconcile.Means{}
		for o := payment.Charge; o <= payment.BillPayment; o++ {
			p.SucceededMeans[o] = means
		}
		all = append(all, p)
	}
	return all
}

func match(t testing.TB, b *shop.Books) reconcile.Result {
	t.Helper()
	r := reconcile.Match(reconcile.Input{
		Now: b.Now, Policies: policies(t), Attempts: b.Attempts, Statements: b.Statements, Units: b.Units, Lines: b.Lines, Lookups: b.Lookups,
	})
	if r.Defect != "" {
		t.Fatalf("defect: %s", r.Defect)
	}
	return r
}

func show(r reconcile.Result) string {
	var out string
	for _, d := range r.Divergences {
		out += fmt.Sprintf("%s %s %s also %v %d %s reason %q\n", d.Severity, d.Class, d.Subject, d.Also, d.Amount, d.Provider, d.Reason)
	}
	return out
}

// harm is what really happened, told by the providers' own books and the
// shop's rows, without a word of the judged code.
type harm struct {
	overcharged []string // charges: more was taken than is owed
	denied      []string // attempts that are failed here and were carried out
	owed        []string // attempts that are open here and were carried out
	absent      []string // attempts that are open here, and the provider holds nothing
}

func (tr *traffic) harm(b *shop.Books) (h harm) {
	type sum struct{ taken, back, units int64 }
	charges, keys := map[string]*sum{}, map[string]bool{}
	named := func(provider, name, value string) string { return provider + "/" + name + "=" + value }
	for name, p := range tr.stage.Providers {
		all := p.Objects()
		back := map[string]int64{}
		for _, o := range all {
			if o.Kind == fakepsp.KindRefund && o.CreatedAt.Before(b.Now.Time()) { // this very instant is told next time
				back[o.Parent] += o.Captured
			}
		}
		for _, o := range all {
			for key, value := range o.Metadata {
				keys[named(name, key, value)] = true
				if o.PaidAt != nil {
					keys[named(name, key, value)+" paid"] = true
				}
				if key == shop.RefKey || o.PaidAt == nil {
					continue
				}
				c := charges[named(name, key, value)]
				if c == nil {
					c = &sum{}
					charges[named(name, key, value)] = c
				}
				c.taken, c.back, c.units = c.taken+o.Captured, c.back+back[o.ID], c.units+1
			}
		}
	}
	seen := map[string]bool{}
	for _, a := range b.Attempts {
		own, whole := a.References[len(a.References)-1], a.References[0]
		key := named(a.Provider, own.Name, own.Value)
		switch paid := keys[key+" paid"]; {
		case a.Status == payment.Failed && paid:
			h.denied = append(h.denied, a.ID)
		case a.Status.Open() && paid:
			h.owed = append(h.owed, a.ID)
		case a.Status.Open() && !keys[key]:
			h.absent = append(h.absent, a.ID)
		}
		c := charges[named(a.Provider, whole.Name, whole.Value)]
		if c != nil && c.units > 1 && c.taken-c.back > a.Amount.Minor && !seen[a.Charge] {
			seen[a.Charge] = true
			h.overcharged = append(h.overcharged, a.Charge)
		}
	}
	return h
}

// named are the subjects that the result lists under any of the classes.
func named(r reconcile.Result, classes ...reconcile.Class) []string {
	var all []string
	for _, d := range r.Divergences {
		for _, c := range append([]reconcile.Class{d.Class}, d.Also...) {
			if slices.Contains(classes, c) && !slices.Contains(all, d.Subject.IDs[0]) {
				all = append(all, d.Subject.IDs[0])
			}
		}
	}
	slices.Sort(all)
	return all
}

// books are the ledger entries of each charge, by kind: what the shop gave or
// took on its own side.
func (tr *traffic) entries() map[string]int {
	tr.t.Helper()
	rows, err := tr.db.QueryContext(tr.t.Context(), `SELECT CAST(charge_id AS text), count(*) FROM ledger_entries GROUP BY charge_id`)
	tr.must(err)
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var charge string
		var n int
		tr.must(rows.Scan(&charge, &n))
		out[charge] = n
	}
	tr.must(rows.Err())
	return out
}

// moved are the charges for which a provider moved money.
func (tr *traffic) moved() map[string]int {
	out := map[string]int{}
	for _, p := range tr.stage.Providers {
		for _, o := range p.Objects() {
			if charge := o.Metadata[shop.RefCharge]; charge != "" && o.PaidAt != nil {
				out[charge] = 1
			}
		}
	}
	return out
}

// names are the classes under which each sort of harm is listed.
func (h *harm) names() []struct {
	what    string
	truth   []string
	classes []reconcile.Class
} {
	return []struct {
		what    string
		truth   []string
		classes []reconcile.Class
	}{
		{"overcharged", h.overcharged, []reconcile.Class{reconcile.DuplicateCharge}},
		{"failed here, carried out there", h.denied, []reconcile.Class{reconcile.FailedButCharged}},
		{"open here, carried out there", h.owed, []reconcile.Class{reconcile.UnknownCharged, reconcile.PendingCharged}},
		{"open here, absent there", h.absent, []reconcile.Class{reconcile.UnknownNotFound}},
	}
}

// watched looks at the shop in the middle of its day: what is claimed then must
// be true then, whatever is not known yet.
func (tr *traffic) watched(twin shop.Twin, seed uint64) {
	tr.t.Helper()
	b, err := tr.stage.Books(tr.t.Context())
	tr.must(err)
	r, h := match(tr.t, b), tr.harm(b)
	for _, x := range h.names() {
		for _, subject := range named(r, x.classes...) {
			if !slices.Contains(x.truth, subject) {
				tr.t.Fatalf("seed %d of %s at %s: %s %s is not %s\n%s", seed, twin, b.Now, x.classes, subject, x.what, show(r))
			}
		}
	}
	for _, d := range r.Divergences {
		open := strings.HasPrefix(d.Class.String(), "unknown_") || strings.HasPrefix(d.Class.String(), "pending_")
		if twin == shop.Right && !open {
			tr.t.Fatalf("seed %d of %s at %s: listed of the right shop:\n%s", seed, twin, b.Now, show(r))
		}
	}
}

// tally is what the seeds of one twin came to.
type tally struct{ overcharged, denied, owed, absent, credits, freed int }

// judged plays a seed and demands that the result names every harm there is
// and no harm that there is not.
func judged(t *testing.T, twin shop.Twin, seed uint64, sum *tally) reconcile.Result {
	t.Helper()
	tr := newTraffic(t, memory(t), shop.SQLite, twin, seed)
	defer tr.close()
	when := rand.New(rand.NewPCG(seed, 10)) // of its own: looking changes nothing
	tr.watch = func() {
		if when.IntN(4) == 0 {
			tr.watched(twin, seed)
		}
	}
	b := tr.play(customers)
	r, h := match(t, b), tr.harm(b)
	sum.overcharged += len(h.overcharged)
	sum.denied += len(h.denied)
	sum.owed += len(h.owed)
	sum.absent += len(h.absent)
	for _, x := range h.names() {
		slices.Sort(x.truth)
		if got := named(r, x.classes...); !slices.Equal(got, x.truth) {
			t.Fatalf("seed %d of %s: %s: truth %v, named %v\n%s", seed, twin, x.what, x.truth, got, show(r))
		}
	}
	for charge, n := range tr.entries() {
		sum.credits += max(0, n-tr.moved()[charge])
	}
	for _, d := range r.Divergences {
		if d.Class == reconcile.UnknownNotFound && d.Reserve == payment.ReserveReleased {
			sum.freed++
		}
	}
	if seed%4 == 0 { // it takes as long as the days themselves
		tr.audited(twin, seed)
	}
	if twin == shop.Right {
		honest(t, seed, tr, r)
	}
	return r
}

// honest demands of the right shop that nothing but open questions is listed,
// that their money is still held, and that its own books say what the
// provider's say.
func honest(t *testing.T, seed uint64, tr *traffic, r reconcile.Result) {
	t.Helper()
	for _, d := range r.Divergences {
		if d.Class != reconcile.UnknownNotFound || d.Reserve != payment.ReserveNone && d.Reserve != payment.ReserveHeld {
			t.Errorf("seed %d: listed of the right shop:\n%s", seed, show(r))
		}
	}
	if diff := cmp.Diff(tr.moved(), tr.entries()); diff != "" {
		t.Errorf("seed %d: money moved and entries booked (-provider +shop):\n%s", seed, diff)
	}
}

const customers = 7

var seedsRun = flag.Uint64("seeds", 60, "how many seeds of each twin are played")

func seeds(t *testing.T) uint64 {
	t.Helper()
	switch {
	case underRace: // which makes SQLite many times slower
		return min(5, *seedsRun)
	case testing.Short():
		return min(20, *seedsRun)
	default:
		return *seedsRun
	}
}

// Under whatever faults: what the right shop leaves is open questions about
// what the provider does not have, and nothing else; each twin does its own
// harm, and what a statement can show of it is named to the last case.
func TestWhatEveryTwinDoesIsNamedAndTheRightShopDoesNothing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		twin    shop.Twin
		does    func(tally) int // its own harm, which the right shop never does
		nothing func(tally) int // what it must not do either
	}{
		{shop.Right, func(s tally) int { return s.absent }, func(s tally) int { return s.overcharged + s.denied + s.owed + s.credits + s.freed }},
		{shop.KeyPerCall, func(s tally) int { return s.overcharged }, func(s tally) int { return s.freed }},
		{shop.TimeoutAsFailed, func(s tally) int { return min(s.overcharged, s.denied) }, func(s tally) int { return s.owed }},
		{shop.CheckThenAct, func(s tally) int { return s.overcharged }, func(s tally) int { return s.freed }},
		{shop.CreditPerEvent, func(s tally) int { return s.credits }, func(s tally) int { return s.overcharged + s.denied + s.owed }},
		{shop.ReserveFreed, func(s tally) int { return s.freed }, func(s tally) int { return s.overcharged + s.denied + s.owed + s.credits }},
		{shop.KeyFromOrder, func(s tally) int { return s.overcharged }, func(s tally) int { return s.freed }},
	} {
		t.Run(row.twin.String(), func(t *testing.T) {
			t.Parallel()
			var sum tally
			for seed := uint64(1); seed <= seeds(t); seed++ {
				judged(t, row.twin, seed, &sum)
			}
			if row.does(sum) == 0 || row.nothing(sum) > 0 {
				t.Errorf("%s: %+v", row.twin, sum)
			}
			t.Logf("%s over %d seeds: %+v", row.twin, seeds(t), sum)
		})
	}
}

func TestASeedTellsTheSameStoryTwice(t *testing.T) {
	t.Parallel()
	for _, twin := range []shop.Twin{shop.Right, shop.KeyPerCall} {
		a := newTraffic(t, memory(t), shop.SQLite, twin, 3).play(customers)
		b := newTraffic(t, memory(t), shop.SQLite, twin, 3).play(customers)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s (-first +second):\n%s", twin, diff)
		}
	}
}
