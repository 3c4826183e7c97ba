package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// keep stores coverages one after the other, as the databases do.
func keep(stored []store.StoredStatement, next store.StoredStatement) []store.StoredStatement {
	whole, gone, write := next.Absorb(stored)
	if !write {
		return stored
	}
	var left []store.StoredStatement
	for i, s := range stored {
		absorbed := false
		for _, g := range gone {
			absorbed = absorbed || g == i
		}
		if !absorbed {
			left = append(left, s)
		}
	}
	return append(left, whole)
}

func anyCoverage(t *rapid.T) store.StoredStatement {
	from := payment.Instant(rapid.IntRange(1, 40).Draw(t, "from"))
	s := store.StoredStatement{Lines: rapid.IntRange(0, 9).Draw(t, "lines"), Statement: payment.Statement{
		Name: "s", Provider: "p", Grade: payment.Grade(rapid.IntRange(0, 2).Draw(t, "grade")),
		From: from, Through: from + payment.Instant(rapid.IntRange(0, 12).Draw(t, "length")),
	}}
	switch rapid.IntRange(0, 19).Draw(t, "more") {
	case 0:
		s.Holes = []payment.Interval{{From: from + 1, To: from + 3}}
	case 1:
		s.Opening, s.Closing = payment.Known(1), payment.Known(2)
	case 2:
		s.PublishLag = time.Hour
	case 3:
		s.Members = payment.SomeMembers
	}
	return s
}

func bare(stored []store.StoredStatement) []payment.Statement {
	all := make([]payment.Statement, len(stored))
	for i, s := range stored {
		all[i] = s.Statement
	}
	return all
}

// TestJoinedCoverageSaysWhatItsPartsSaid: the whole statement, its holes and
// balances, and every instant by every grade, whatever came in which order.
func TestJoinedCoverageSaysWhatItsPartsSaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var joined, apart []store.StoredStatement
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			next := anyCoverage(t)
			joined, apart = keep(joined, next), append(apart, next)
			if again := keep(joined, next); next.Holes == nil && !next.Opening.Known && len(again) > len(joined)+1 {
				t.Fatalf("the same again added rows: %v", again)
			}
		}
		// Balances are those of the parts at the ends, and are compared below.
		got, want := evidence.NewCoverage(bare(joined)).Groups()[0], evidence.NewCoverage(bare(apart)).Groups()[0]
		if diff := cmp.Diff(want.Statement, got.Statement, cmpopts.IgnoreFields(payment.Statement{}, "Opening", "Closing")); diff != "" {
			t.Fatalf("(-apart +joined):\n%s", diff)
		}
		for i := payment.Instant(0); i < 60; i++ {
			for grade := payment.Assumed; grade <= payment.Proven; grade++ {
				one := payment.Interval{From: i, To: i + 1}
				if got.Reads(one, grade) != want.Reads(one, grade) {
					t.Fatalf("instant %d by %s: %v, apart %v", i, grade, got.Reads(one, grade), want.Reads(one, grade))
				}
			}
		}
		if opening, closing, stated := balances(want); stated {
			if o, c, _ := balances(got); o != opening || c != closing {
				t.Fatalf("balances %v to %v, apart %v to %v", o, c, opening, closing)
			}
		}
	})
}

// balances are those at both ends of what was read; stated is false where they
// are not, or where two parts stand at the same place.
func balances(g *evidence.StatementGroup) (opening, closing payment.Stated, stated bool) {
	for i := 1; i < len(g.Parts); i++ {
		if g.Parts[i].From == g.Parts[i-1].From && g.Parts[i].Through == g.Parts[i-1].Through {
			return opening, closing, false
		}
	}
	first, last := g.Parts[0], g.Parts[len(g.Parts)-1]
	return first.Opening, last.Closing, first.Opening.Known && last.Closing.Known && last.Through == g.Through
}

// TestAnOverlapReadEveryHourIsOneRow, with the number of all its lines as far
// as that is told.
func TestAnOverlapReadEveryHourIsOneRow(t *testing.T) {
	t.Parallel()
	var stored []store.StoredStatement
	for hour := payment.Instant(1); hour < 1000; hour++ {
		stored = keep(stored, store.StoredStatement{Lines: 1 << 30, Statement: payment.Statement{Name: "s", From: max(1, hour-72), Through: hour + 1, Grade: payment.Proven}})
	}
	if len(stored) != 1 || stored[0].From != 1 || stored[0].Through != 1000 || stored[0].Lines != 1<<31-1 {
		t.Errorf("%d rows: %+v", len(stored), stored[0])
	}
}
