package check

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

// TestPairsSayTheSameInAnyOrder: they come as the rows were dealt out.
func TestPairsSayTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []Pair
		for i := range rapid.IntRange(0, 12).Draw(t, "pairs") {
			made := payment.InstantOf(time.Date(2025, 11, 29, 12, 0, 0, 0, time.UTC))
			all = append(all, Pair{
				Attempt: &payment.Attempt{
					ID: itoa(int64(i)), Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key"), CreatedAt: made.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "gap")) * time.Hour),
					LastError: rapid.SampledFrom([]payment.CallError{payment.ErrorNone, payment.ErrorTimeout}).Draw(t, "error"),
				},
				UnitKey: rapid.SampledFrom([]string{"", "k", "l"}).Draw(t, "unit key"), UnitMade: made, UnitIsPaid: rapid.Bool().Draw(t, "paid"),
			})
		}
		want, got := PairsOf(all), PairsOf(rapid.Permutation(all).Draw(t, "order"))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Paired{}, tally{})); diff != "" || want.ZoneOffset("UTC") != got.ZoneOffset("UTC") {
			t.Fatalf("%v, %v (-one order +another):\n%s", want.ZoneOffset("UTC"), got.ZoneOffset("UTC"), diff)
		}
	})
}

// TestOnlyATimeoutThatEndedSoonIsKept: what else is paired may be millions.
func TestOnlyATimeoutThatEndedSoonIsKept(t *testing.T) {
	t.Parallel()
	at := payment.InstantOf(time.Date(2025, 11, 29, 12, 0, 0, 0, time.UTC))
	var all []Pair
	for i, c := range []struct {
		kept payment.CallError
		took time.Duration
		paid bool
	}{{payment.ErrorTimeout, soon, true}, {payment.ErrorTimeout, soon + 1000, true}, {payment.ErrorTimeout, soon, false}, {payment.ErrorNone, 0, true}} {
		all = append(all, Pair{Attempt: &payment.Attempt{ID: itoa(int64(i)), CreatedAt: at, LastError: c.kept}, UnitMade: at.Add(c.took), UnitIsPaid: c.paid})
	}
	all = append(all, Pair{Attempt: &payment.Attempt{ID: "no time", CreatedAt: at, LastError: payment.ErrorTimeout}, UnitIsPaid: true})
	if diff := cmp.Diff(map[string]bool{"0": true}, PairsOf(all).soon); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
