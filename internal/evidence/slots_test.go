package evidence

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

// A unit that names only the charge is given to at most one attempt: the one
// in whose slot its whole moment lies, and never near a boundary (RULES §3.3).
func TestAUnitFitsOneSlotOrNone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := NewPolicy("psp")
		second := payment.Instant(time.Second / time.Microsecond)
		var tries []*Attempt
		at := 1000 * second
		for i := range rapid.IntRange(2, 5).Draw(t, "attempts") {
			tries = append(tries, &Attempt{Attempt: &payment.Attempt{ID: fmt.Sprint("a", i), CreatedAt: at}, Policy: &policy})
			at += payment.Instant(rapid.IntRange(0, 40).Draw(t, "gap")) * second
		}
		created := 990*second + payment.Instant(rapid.Int64Range(0, 200).Draw(t, "created"))*second/2
		u := &Unit{Unit: payment.Unit{CreatedAt: created, Precision: time.Second}, Policy: &policy}
		u.bySlot(tries)
		end, skew := created+second, 5*second
		switch u.Link {
		case Linked:
			a := u.Attempts[0]
			for i, o := range tries {
				switch {
				case o == a && created < o.CreatedAt-skew:
					t.Fatalf("%s was created before its slot", o.ID)
				case o == a && i > 0 && created < o.CreatedAt:
					t.Fatalf("%s: the moment touches the boundary before it", o.ID)
				case o == a && i+1 < len(tries) && end > tries[i+1].CreatedAt-skew:
					t.Fatalf("%s: the moment reaches into the next slot", o.ID)
				}
			}
		case Ambiguous:
			if len(u.Attempts) == 0 {
				t.Fatal("an ambiguous unit names attempts")
			}
		case Unlinked, LinkedTwice, Collision, Follower:
			t.Fatalf("link %d", u.Link)
		}
	})
}

func TestAUnitKnownToTheDayFitsNoSlot(t *testing.T) {
	t.Parallel()
	policy := NewPolicy("psp")
	day := payment.Instant(24 * time.Hour / time.Microsecond)
	tries := []*Attempt{
		{Attempt: &payment.Attempt{ID: "a1", CreatedAt: 10 * day}, Policy: &policy},
		{Attempt: &payment.Attempt{ID: "a2", CreatedAt: 12 * day}, Policy: &policy},
	}
	u := &Unit{Unit: payment.Unit{CreatedAt: 10 * day, Precision: 24 * time.Hour}, Policy: &policy}
	if u.bySlot(tries); u.Link != Ambiguous || len(u.Attempts) != 1 {
		t.Errorf("link %d, attempts %d: want ambiguous, naming the one it touches", u.Link, len(u.Attempts))
	}
	u = &Unit{Unit: payment.Unit{CreatedAt: 10 * day, Precision: 24 * time.Hour}, Policy: &policy}
	if u.bySlot(tries[:1]); u.Link != Linked {
		t.Error("of a charge's only attempt it is that attempt's, however precise")
	}
}
