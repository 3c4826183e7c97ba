package reconcile

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/world"
)

// However the components of a world are dealt out into parts, and in whatever
// order the parts come, the result is that of Match to the byte.
func TestPartsGiveTheResultOfTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := worldInput(world.Seeded(rapid.Uint64Range(1, 1<<20).Draw(t, "world")))
		r := rand.New(rand.NewPCG(rapid.Uint64Range(0, 1<<20).Draw(t, "deal"), 1))
		if r.IntN(2) == 0 {
			before := in
			before.Now = before.Now.Add(-36 * 3600 * 1_000_000_000)
			in.Previous = Match(before).Memory
		}
		for i := range in.Attempts { // look-alikes that were put aside
			for k := 0; k < len(in.Units) && r.IntN(3) == 0; k += 1 + r.IntN(9) {
				in.Dismissed = append(in.Dismissed, Dismissal{Attempt: in.Attempts[i].ID, Unit: in.Units[k].ID, Reason: "no", At: 1})
			}
		}
		want, got := encoded(t, Match(in)), encoded(t, inParts(in, r))
		if !bytes.Equal(want, got) {
			t.Fatalf("(-whole +parts):\n%s", gocmp.Diff(bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))))
		}
	})
}

// Amounts that no sum can hold are told whatever part they are in, and however
// they are spread.
func TestPartsBeyondTheCeilingAreNotJudged(t *testing.T) {
	t.Parallel()
	in := Input{Attempts: make([]payment.Attempt, 3)}
	for i := range in.Attempts {
		in.Attempts[i].ID, in.Attempts[i].Amount.Minor = string(rune('a'+i)), 1<<59
	}
	for seed := range uint64(8) {
		got := inParts(in, rand.New(rand.NewPCG(seed, 1)))
		if diff := gocmp.Diff(Match(in), got); diff != "" || got.Defect == "" {
			t.Errorf("(-whole +parts):\n%s", diff)
		}
	}
}

func encoded(t *rapid.T, r Result) []byte {
	t.Helper()
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatalf("encode the result: %v", err)
	}
	return out
}

func worldInput(w *world.World) Input {
	in := Input{
		Now: w.Now, Window: w.Window, OwnSide: w.OwnSide, Attempts: w.Attempts, Statements: w.Statements,
		Units: w.Units, Lines: w.Lines, Lookups: w.Lookups,
	}
	for _, t := range w.Terms {
		p := NewPolicy(t.Provider)
		p.Accounts, p.Zone, p.LookupBy, p.HasObjectList, p.LineIDsUnique = t.Accounts, t.Zone, t.LookupBy, t.HasObjectList, t.LineIDsUnique
		p.CapacityMany, p.NoUnknownWord, p.PublishLag, p.BooksAfter = t.CapacityMany, t.NoUnknownWord, t.PublishLag, t.BooksAfter
		p.Variation, p.Expected = t.Variation, t.Expected
		means, _ := ParseMeans(t.Means)
		p.SucceededMeans = map[payment.Operation]Means{}
		for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
			p.SucceededMeans[operation] = means
		}
		in.Policies = append(in.Policies, p)
	}
	for _, c := range w.Charges {
		in.Charges = append(in.Charges, Charge{ID: c.ID, Minor: c.Minor})
	}
	return in
}

// inParts deals the components out at random and adds the parts in any order.
func inParts(in Input, r *rand.Rand) Result {
	whole := Part{Attempts: in.Attempts, Units: in.Units, Lines: in.Lines, Lookups: in.Lookups, Events: in.Events}
	g := gather(&whole)
	parts := make([]Part, 1+r.IntN(5))
	of := make([]int, g.nodes.n) // the part of each row
	for i := range g.components() {
		p := r.IntN(len(parts))
		for _, row := range g.order[g.start[i]:g.start[i+1]] {
			of[row] = p
		}
	}
	charges, attempts := map[string]int{}, map[string]int{}
	deal(parts, in.Attempts, of, func(p *Part) *[]payment.Attempt { return &p.Attempts })
	for i := range in.Attempts {
		charges[in.Attempts[i].Charge], attempts[in.Attempts[i].ID] = of[i], of[i]
	}
	deal(parts, in.Units, of[g.nodes.units:], func(p *Part) *[]payment.Unit { return &p.Units })
	deal(parts, in.Lines, of[g.nodes.lines:], func(p *Part) *[]payment.Line { return &p.Lines })
	deal(parts, in.Lookups, of[g.nodes.lookups:], func(p *Part) *[]payment.Lookup { return &p.Lookups })
	deal(parts, in.Events, of[g.nodes.events:], func(p *Part) *[]payment.Event { return &p.Events })
	for _, c := range in.Charges {
		p := &parts[charges[c.ID]]
		p.Charges = append(p.Charges, c)
	}
	for _, d := range in.Dismissed {
		p := &parts[attempts[d.Attempt]]
		p.Dismissed = append(p.Dismissed, d)
	}
	m := Open(in)
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, p := range parts {
		m.Add(p)
		for _, rows := range []func(){ // nothing of a part may be kept
			func() { clear(p.Attempts) }, func() { clear(p.Units) }, func() { clear(p.Lines) }, func() { clear(p.Lookups) }, func() { clear(p.Events) },
		} {
			rows()
		}
	}
	return m.Result()
}

func deal[T any](parts []Part, rows []T, of []int, list func(*Part) *[]T) {
	for i := range rows {
		into := list(&parts[of[i]])
		*into = append(*into, rows[i])
	}
	for i := range parts {
		*list(&parts[i]) = slices.Clip(*list(&parts[i]))
	}
}
