package reconcile_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/world"
	"desfecho/reconcile"
)

// Law 13 and FAULTS B10: what does not change the facts does not change a
// byte of the result.

// changed checks that Match says the same of two inputs, but for what `forget`
// takes out of a result.
func changed(t *rapid.T, w *world.World, before, after reconcile.Input, forget func(*reconcile.Result)) {
	t.Helper()
	a, b := reconcile.Match(before), reconcile.Match(after)
	if forget != nil {
		forget(&a)
		forget(&b)
	}
	x, y := encode(t, a), encode(t, b)
	if !bytes.Equal(x, y) {
		t.Fatalf("%s\nresult (-before +after):\n%s\n%s", strings.Join(w.Stories, ", "), gocmp.Diff(lines(x), lines(y)), show(w))
	}
}

func encode(t *rapid.T, r reconcile.Result) []byte {
	t.Helper()
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatalf("encode the result: %v", err)
	}
	return out
}

func lines(b []byte) []string { return strings.Split(string(b), "\n") }

// drawSeeded draws the seed of a world and a source for what is done to it.
func drawSeeded(t *rapid.T) (*world.World, *rand.Rand) {
	seed := rapid.Uint64Range(1, 1<<20).Draw(t, "world")
	return world.Seeded(seed), rng(rapid.Uint64Range(0, 1<<20).Draw(t, "change"))
}

func TestOrderOfRowsChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, r := drawSeeded(t)
		changed(t, w, input(w), shuffledInput(w, r), nil)
	})
}

func shuffledInput(w *world.World, r *rand.Rand) reconcile.Input {
	in := input(w)
	in.Policies = shuffled(r, in.Policies)
	in.Attempts = shuffled(r, in.Attempts)
	in.Charges = shuffled(r, in.Charges)
	in.Statements = shuffled(r, in.Statements)
	in.Units = shuffled(r, in.Units)
	in.Lines = shuffled(r, in.Lines)
	in.Lookups = shuffled(r, in.Lookups)
	for i := range in.Attempts {
		in.Attempts[i].References = shuffled(r, in.Attempts[i].References)
	}
	for i := range in.Units {
		in.Units[i].References = shuffled(r, in.Units[i].References)
		in.Units[i].Aliases = shuffled(r, in.Units[i].Aliases)
	}
	for i := range in.Lines {
		in.Lines[i].References = shuffled(r, in.Lines[i].References)
	}
	for i := range in.Lookups {
		in.Lookups[i].Units = shuffled(r, in.Lookups[i].Units)
	}
	return in
}

func shuffled[T any](r *rand.Rand, rows []T) []T {
	out := slices.Clone(rows)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// The machine's zone is not the account's: law 11.
func TestZoneOfTheMachineChangesNothing(t *testing.T) {
	before := time.Local
	defer func() { time.Local = before }()
	rapid.Check(t, func(t *rapid.T) {
		w, _ := drawSeeded(t)
		time.Local = time.UTC
		a := encode(t, reconcile.Match(input(w)))
		time.Local = time.FixedZone("far", 14*3600)
		if b := encode(t, reconcile.Match(input(w))); !bytes.Equal(a, b) {
			t.Fatalf("result (-UTC +14:00):\n%s", gocmp.Diff(lines(a), lines(b)))
		}
	})
}

// Where line ids are unique a line may come any number of times (RULES §3.2);
// units and look-ups are observations and may come again anyway.
func TestRepeatsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, r := drawSeeded(t)
		before, after := input(w), input(w)
		if w.Terms[0].LineIDsUnique {
			after.Lines = withRepeats(r, after.Lines)
		}
		after.Units = withRepeats(r, after.Units)
		after.Lookups = withRepeats(r, after.Lookups)
		changed(t, w, before, after, forgetCounts)
	})
}

func withRepeats[T any](r *rand.Rand, rows []T) []T {
	out := slices.Clone(rows)
	for _, row := range rows {
		for range r.IntN(3) {
			out = append(out, row)
		}
	}
	return out
}

// forgetCounts takes out what counts rows as they came in.
func forgetCounts(r *reconcile.Result) {
	r.Repeats, r.Counts = 0, reconcile.Counts{}
	for i := range r.Statements {
		r.Statements[i].Lines, r.Statements[i].Units = 0, 0
	}
}

// A file that overlaps another brings the same rows again, ids or no ids.
func TestSameFileTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, _ := drawSeeded(t)
		before, after := input(w), input(w)
		after.Lines = slices.Clone(before.Lines)
		for _, l := range before.Lines {
			if l.File == 0 {
				l.File = 2
				after.Lines = append(after.Lines, l)
			}
		}
		changed(t, w, before, after, forgetCounts)
	})
}

// A statement that was read in two pieces is the statement.
func TestPagesChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, r := drawSeeded(t)
		whole := input(w)
		whole.Statements = slices.Clone(whole.Statements)
		for i := range whole.Statements {
			whole.Statements[i].Opening, whole.Statements[i].Closing = payment.Stated{}, payment.Stated{}
		}
		pieces := whole
		pieces.Statements = nil
		for _, s := range whole.Statements {
			pieces.Statements = append(pieces.Statements, split(r, s)...)
		}
		changed(t, w, whole, pieces, func(r *reconcile.Result) { r.Statements, r.Counts = nil, reconcile.Counts{} })
	})
}

// split cuts the statement's coverage into pages that touch or overlap; the
// last one may come with the hole of its part, each hole with the page it is
// in.
func split(r *rand.Rand, s payment.Statement) []payment.Statement {
	var pages []payment.Statement
	from := s.From
	for from < s.Through {
		to := min(s.Through, from.Add(time.Duration(1+r.IntN(48))*time.Hour))
		page := s
		page.From, page.Through, page.Holes = from, to, nil
		for _, h := range s.Holes {
			h.From, h.To = max(h.From, from), min(h.To, to)
			if !h.Empty() {
				page.Holes = append(page.Holes, h)
			}
		}
		pages = append(pages, page)
		from = to
	}
	return pages
}

// What happens to other charges changes nothing of these.
func TestUnrelatedRowsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1<<20).Draw(t, "world")
		more := rapid.IntRange(1, 40).Draw(t, "more")
		few, many := world.Seeded(seed), world.SeededMore(seed, more)
		a, b := reconcile.Match(input(few)), reconcile.Match(input(many))
		mine := map[string]bool{}
		for _, d := range a.Divergences {
			mine[d.ID] = true
		}
		alone, among := besidesPayouts(a.Divergences, nil), besidesPayouts(b.Divergences, mine)
		x, y := encodeDivergences(t, alone), encodeDivergences(t, among)
		if x != y {
			t.Fatalf("world %d with %d more stories (-alone +among others):\n%s", seed, more,
				gocmp.Diff(strings.Split(x, "\n"), strings.Split(y, "\n")))
		}
	})
}

// besidesPayouts leaves out what is of the whole statement: a payout holds other
// lines now. An unrelated capture of the same amount may look alike, and then
// says so (RULES §6): that alone is no other finding.
func besidesPayouts(all []reconcile.Divergence, only map[string]bool) []reconcile.Divergence {
	var out []reconcile.Divergence
	for _, d := range all {
		if d.Class != reconcile.PayoutMismatch && (only == nil || only[d.ID]) {
			if d.Class == reconcile.UnknownNotFound {
				d.Reason, d.LookAlikes = "", nil
			}
			out = append(out, d)
		}
	}
	return out
}

func encodeDivergences(t *rapid.T, all []reconcile.Divergence) string {
	t.Helper()
	out, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatalf("encode divergences: %v", err)
	}
	return string(out)
}

// Ids are names: under other names the same is found, said with those names.
func TestNamesChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, r := drawSeeded(t)
		n := namer{r: r, names: map[string]string{}}
		a, b := reconcile.Match(input(w)), reconcile.Match(n.input(w))
		x, y := n.summary(a, true), n.summary(b, false)
		if diff := gocmp.Diff(x, y); diff != "" {
			t.Fatalf("%s\n(-old names +new names):\n%s", strings.Join(w.Stories, ", "), diff)
		}
		a.Divergences, b.Divergences = nil, nil
		if diff := gocmp.Diff(a.Places, b.Places); diff != "" || a.Verdict != b.Verdict {
			t.Fatalf("%s\nplaces (-old +new), %s and %s:\n%s", strings.Join(w.Stories, ", "), a.Verdict, b.Verdict, diff)
		}
	})
}
