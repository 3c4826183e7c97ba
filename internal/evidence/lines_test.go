package evidence

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

func policyWith(unique bool) func(string) *Policy {
	p := NewPolicy("psp")
	p.LineIDsUnique = unique
	return func(string) *Policy { return &p }
}

// Without ids of their own, equal rows of one file are several movements, and
// of two files that overlap the one that shows more is right (RULES §3.2).
func TestOfOverlappingFilesTheLargerCountWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := map[[2]int]int{} // file, amount
		var lines []*payment.Line
		for file := range 3 {
			for amount := range 3 {
				n := rapid.IntRange(0, 3).Draw(t, "n")
				counts[[2]int{file, amount}] = n
				for range n {
					lines = append(lines, &payment.Line{
						Kind: payment.KindFee, Gross: int64(amount), File: int32(file), Row: int32(len(lines)),
					})
				}
			}
		}
		want := 0
		for amount := range 3 {
			want += max(counts[[2]int{0, amount}], counts[[2]int{1, amount}], counts[[2]int{2, amount}])
		}
		got := sift(rapid.Permutation(lines).Draw(t, "order"), policyWith(false))
		if len(got.Held) != want || got.Repeats != len(lines)-want {
			t.Fatalf("held %d of %d, repeats %d: want %d", len(got.Held), len(lines), got.Repeats, want)
		}
	})
}

// Each fact of RULES §3.2 makes a restatement; anything else is a later
// version of the same line.
func TestOnlyFactsRestateALine(t *testing.T) {
	t.Parallel()
	base := payment.Line{ID: "l1", Unit: "p1", Kind: payment.KindCharge, Gross: 100, Net: 100, At: 5, Row: 1}
	for name, test := range map[string]struct {
		change   func(*payment.Line)
		restated bool
	}{
		"kind":      {func(l *payment.Line) { l.Kind = payment.KindRefund }, true},
		"unit":      {func(l *payment.Line) { l.Unit = "p2" }, true},
		"reference": {func(l *payment.Line) { l.References = []payment.Reference{{Name: "r", Value: "x"}} }, true},
		"gross":     {func(l *payment.Line) { l.Gross = 101 }, true},
		"fee":       {func(l *payment.Line) { l.Fee = 1 }, true},
		"net":       {func(l *payment.Line) { l.Net = 99 }, true},
		"currency":  {func(l *payment.Line) { l.Currency = [3]byte{'B', 'R', 'L'} }, true},
		"at":        {func(l *payment.Line) { l.At = 6 }, true},
		"status":    {func(l *payment.Line) { l.Status = "available" }, false},
		"available": {func(l *payment.Line) { l.AvailableAt = 9 }, false},
		"raw":       {func(l *payment.Line) { l.Raw = "payment" }, false},
		"payout":    {func(l *payment.Line) { l.Payout = "po_1" }, false},
	} {
		later := base
		later.Row = 2
		test.change(&later)
		first := base
		got := sift([]*payment.Line{&later, &first}, policyWith(true))
		switch {
		case test.restated && (len(got.Conflict) != 1 || len(got.Held) != 0):
			t.Errorf("%s: neither version of a restated line is counted: %+v", name, got)
		case !test.restated && (len(got.Conflict) != 0 || len(got.Held) != 1 || got.Held[0] != &later):
			t.Errorf("%s: the last version holds: %+v", name, got)
		}
	}
}

// A component of many units is looked through by maps, a small one without:
// both find the same.
func TestLargeComponentsLinkLikeSmallOnes(t *testing.T) {
	t.Parallel()
	policy := policyWith(true)
	var c Component
	for i := range 40 {
		id := fmt.Sprint(i)
		c.Attempts = append(c.Attempts, &payment.Attempt{
			ID: "a" + id, Charge: "c" + id, ProviderID: "p" + id, Key: "k" + id,
			References: []payment.Reference{{Name: "r", Value: "r" + id}},
		})
		switch i % 3 {
		case 0:
			c.Units = append(c.Units, &payment.Unit{ID: "ch" + id, Aliases: []string{"p" + id}, State: payment.StateCaptured})
		case 1:
			c.Units = append(c.Units, &payment.Unit{ID: "x" + id, Key: "k" + id, State: payment.StateCaptured})
		default:
			c.Lines = append(c.Lines, &payment.Line{
				ID: "l" + id, Unit: "y" + id, Kind: payment.KindCharge, References: []payment.Reference{{Name: "r", Value: "r" + id}},
			})
		}
	}
	large := Look(c, policy, 1)
	for i, a := range large.Attempts {
		if len(a.Units) != 1 {
			t.Errorf("attempt %s of %d has %d units, want its own", a.ID, i, len(a.Units))
		}
	}
	for i := range c.Attempts {
		small := Component{Attempts: c.Attempts[i : i+1]}
		for _, u := range c.Units {
			if u.Aliases != nil && u.Aliases[0] == c.Attempts[i].ProviderID || u.Key == c.Attempts[i].Key {
				small.Units = append(small.Units, u)
			}
		}
		for _, l := range c.Lines {
			if l.References[0].Value == c.Attempts[i].References[0].Value {
				small.Lines = append(small.Lines, l)
			}
		}
		if got := Look(small, policy, 1).Attempts[0].Units; len(got) != 1 {
			t.Errorf("alone, %s has %d units", c.Attempts[i].ID, len(got))
		}
	}
}

// A payout may tell its rows before or after the day's list does, which names
// no payout: whatever is read last, the line stays with the payout.
func TestAVersionThatTellsNoPayoutTakesNoneBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bare := payment.Line{ID: "l1", Kind: payment.KindCharge, Gross: 100, Net: 100}
		held := bare
		held.Payout = "po_1"
		versions := []*payment.Line{&bare, &held}
		for i := range rapid.IntRange(0, 4).Draw(t, "more") {
			more := *versions[rapid.IntRange(0, 1).Draw(t, "which")]
			more.AvailableAt = payment.Instant(i + 1)
			versions = append(versions, &more)
		}
		versions = rapid.Permutation(versions).Draw(t, "order")
		for i, l := range versions {
			l.Row = int32(i)
		}
		got := sift(versions, policyWith(true))
		last := versions[len(versions)-1]
		if len(got.Held) != 1 || got.Held[0].Payout != "po_1" || got.Held[0].AvailableAt != last.AvailableAt || bare.Payout != "" {
			t.Fatalf("held %+v, last %+v", got.Held, last)
		}
	})
}
