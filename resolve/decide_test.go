package resolve_test

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/resolve"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// likely draws a case in which a final mark is often offered: a row of the
// table with something drawn besides.
func likely(t *rapid.T) resolve.Case {
	if rapid.Bool().Draw(t, "anything") {
		return anyCase(t)
	}
	s := states[rapid.IntRange(0, len(states)-1).Draw(t, "state")]
	r := row{
		status: unknown, state: s.state, notFinal: s.notFinal, out: rapid.Bool().Draw(t, "out"),
		means:     evidence.Means(rapid.IntRange(1, 3).Draw(t, "means")),
		asked:     asked(rapid.IntRange(0, int(askeds)-1).Draw(t, "asked")),
		statement: statement(rapid.IntRange(0, int(statementEnds)-1).Draw(t, "statement")),
		sibling:   sibling(rapid.IntRange(0, int(siblings)-1).Draw(t, "sibling")),
		byCharge:  rapid.Bool().Draw(t, "by charge"),
		extra:     extra(rapid.IntRange(0, int(extras)-1).Draw(t, "extra")),
	}
	c := r.caseOf()
	if rapid.Bool().Draw(t, "more") {
		c.Lookups = append(c.Lookups, some(t, "lookups", 2, anyLookup)...)
		c.Units = append(c.Units, some(t, "units", 1, anyUnit)...)
		c.Lines = append(c.Lines, some(t, "lines", 1, anyLine)...)
	}
	return c
}

// check draws more cases than rapid's default: most of what is drawn offers
// nothing.
func check(t *testing.T, law func(*rapid.T)) {
	t.Helper()
	for range 8 {
		rapid.Check(t, law)
	}
}

func finals(v *resolve.Verdict) [2]bool {
	return [2]bool{v.Marks[resolve.Succeeded].Allowed, v.Marks[resolve.Failed].Allowed}
}

// sane is what holds of every verdict, whatever was drawn.
func sane(t *rapid.T, c *resolve.Case, v *resolve.Verdict) {
	open := slices.ContainsFunc(c.Attempts, func(a payment.Attempt) bool { return a.ID == c.Attempt && a.Status.Open() })
	if v.Marks[resolve.Keep].Allowed != open {
		t.Fatalf("keep %v of an attempt that is open: %v", v.Marks[resolve.Keep].Allowed, open)
	}
	if finals(v) == [2]bool{true, true} {
		t.Fatalf("succeeded and failed are both offered: %s; %s", v.Marks[resolve.Succeeded].Sentence, v.Marks[resolve.Failed].Sentence)
	}
	for i := range v.Marks {
		o := &v.Marks[i]
		if o.Mark != resolve.Mark(i) || o.Sentence == "" || o.Allowed == (o.Reason != "") {
			t.Fatalf("mark %d: %+v", i, o)
		}
		if o.Allowed && !open || o.Allowed && o.Mark != resolve.Keep && (o.Digest == "" || !slices.Contains(c.Declared, o.Transition)) {
			t.Fatalf("offered, and it may not be: %+v", o)
		}
	}
}

func neverPanics(t *rapid.T) {
	c := likely(t)
	v := resolve.Decide(c)
	sane(t, &c, &v)
	resolve.Questions(c)
}

func TestEveryCaseHasAVerdict(t *testing.T) {
	t.Parallel()
	check(t, neverPanics)
}

func FuzzEveryCaseHasAVerdict(f *testing.F) { f.Fuzz(rapid.MakeFuzz(neverPanics)) }

// Law 13: the order in which evidence comes has no influence.
func TestTheOrderOfEvidenceHasNoInfluence(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		c := likely(t)
		straight := resolve.Decide(c)
		c.Attempts, c.Statements = shuffled(t, c.Attempts), shuffled(t, c.Statements)
		c.Units, c.Lines, c.Lookups = shuffled(t, c.Units), shuffled(t, c.Lines), shuffled(t, c.Lookups)
		c.Events, c.Manual, c.Dismissed = shuffled(t, c.Events), shuffled(t, c.Manual), shuffled(t, c.Dismissed)
		if diff := cmp.Diff(straight, resolve.Decide(c), cmpopts.IgnoreUnexported(resolve.Offer{})); diff != "" {
			t.Fatalf("in another order (-straight +shuffled):\n%s", diff)
		}
	})
}

func shuffled[T any](t *rapid.T, all []T) []T {
	if len(all) == 0 {
		return all
	}
	return rapid.Permutation(all).Draw(t, "order")
}

// neverOpens draws a case, changes it, and fails where a final mark is offered
// that was not offered before.
func neverOpens(t *testing.T, marks []resolve.Mark, change func(*rapid.T, *resolve.Case)) {
	t.Helper()
	check(t, func(t *rapid.T) {
		c := likely(t)
		before := resolve.Decide(c)
		change(t, &c)
		after := resolve.Decide(c)
		for _, mark := range marks {
			if o := after.Marks[mark]; o.Allowed && o.Basis != resolve.BasisManual && !before.Marks[mark].Allowed {
				t.Fatalf("%s was refused (%s) and is offered now: %s", mark, before.Marks[mark].Sentence, o.Sentence)
			}
		}
	})
}

var bothFinal = []resolve.Mark{resolve.Succeeded, resolve.Failed}

// Law 8: what finds nothing, or finds a unit that ended without money, never
// opens `succeeded`.
func TestNegativeEvidenceNeverOpensSucceeded(t *testing.T) {
	t.Parallel()
	neverOpens(t, bothFinal[:1], func(t *rapid.T, c *resolve.Case) {
		l := anyLookup(t)
		l.Outcome, l.Units, l.Reason = payment.NotFound, nil, ""
		c.Lookups = append(c.Lookups, l)
	})
}

// Law 15: payloads do not decide.
func TestAStoredEventNeverOpensAFinalMark(t *testing.T) {
	t.Parallel()
	neverOpens(t, bothFinal, func(t *rapid.T, c *resolve.Case) { c.Events = append(c.Events, anyEvent(t)) })
}

// Law 6: earlier observations do not ripen, and evidence ages.
func TestTimeAloneNeverOpensAFinalMark(t *testing.T) {
	t.Parallel()
	neverOpens(t, bothFinal, func(t *rapid.T, c *resolve.Case) {
		for i := range c.Attempts { // an old pending one may become unknown by age
			if c.Attempts[i].Status == payment.Pending {
				c.Attempts[i].CreatedAt = now.Add(-100 * time.Hour)
			}
		}
		*c = later(t, *c)
	})
}

func later(t *rapid.T, c resolve.Case) resolve.Case {
	c.Now = c.Now.Add(pick(t, "later", time.Second, 5*time.Minute, 30*time.Hour, 1000*time.Hour))
	return c
}

// Law 8, the other way round: a captured unit of the attempt closes `failed`,
// whatever else is known.
func TestACapturedUnitClosesFailed(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		c := likely(t)
		i := slices.IndexFunc(c.Attempts, func(a payment.Attempt) bool { return a.ID == c.Attempt })
		if i < 0 || len(c.Attempts[i].References) == 0 || c.Attempts[i].References[0].Name != "ref" {
			return
		}
		a := &c.Attempts[i]
		captured := payment.Unit{
			ID: "px", Provider: "psp", Account: a.Account, State: payment.StateCaptured, Final: true, Currency: a.Amount.Currency,
			Captured: payment.Known(a.Amount.Minor), References: a.References[:1], CreatedAt: a.CreatedAt.Add(time.Second),
			Source: payment.FromList, ObservedAt: now,
		}
		c.Units = append(c.Units, captured)
		if v := resolve.Decide(c); v.Marks[resolve.Failed].Allowed {
			t.Fatalf("failed is offered against a captured unit: %s", v.Marks[resolve.Failed].Sentence)
		}
	})
}

// A digest says what is decided and on which facts, not when it was asked:
// asking again, with the same answers, keeps it; another row does not.
func TestFreshEvidenceThatSaysTheSameKeepsTheDigest(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		c := likely(t)
		before := resolve.Decide(c)
		c.Now = c.Now.Add(20 * time.Minute)
		for _, l := range slices.Clone(c.Lookups) {
			if now.Sub(l.At) < 5*time.Minute {
				l.At = c.Now.Add(now.Sub(l.At))
				c.Lookups = append(c.Lookups, l)
			}
		}
		after := resolve.Decide(c)
		c.Attempts = slices.Clone(c.Attempts)
		for i := range c.Attempts {
			c.Attempts[i].Version += "x"
		}
		moved := resolve.Decide(c)
		for _, mark := range bothFinal {
			b, a := before.Marks[mark], after.Marks[mark]
			if b.Allowed && a.Allowed && b.Basis == a.Basis && a.Digest != b.Digest {
				t.Fatalf("%s: another digest for the same facts\n%q\n%q", mark, b.Facts, a.Facts)
			}
			if a.Allowed && moved.Marks[mark].Digest == a.Digest {
				t.Fatalf("%s: the same digest for another version", mark)
			}
		}
	})
}

// What was observed after now does not exist yet.
func TestWhatIsYetToComeHasNoInfluence(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		c := likely(t)
		c.Approvals = nil
		before := resolve.Decide(c)
		l, e := anyLookup(t), anyEvent(t)
		l.Units = nil // a unit that was read is known from then on
		l.At, e.At = now+1, now+1
		c.Lookups, c.Events = append(c.Lookups, l), append(c.Events, e)
		c.Manual = append(c.Manual, payment.Manual{Attempt: "a1", Seen: payment.StateCaptured, By: "ana", At: now + 1})
		c.Dismissed = append(c.Dismissed, resolve.Dismissal{Attempt: "a1", Unit: "p8", Reason: "shop", At: now + 1})
		if diff := cmp.Diff(before, resolve.Decide(c), cmpopts.IgnoreUnexported(resolve.Offer{})); diff != "" {
			t.Fatalf("with what is yet to come:\n%s", diff)
		}
	})
}
