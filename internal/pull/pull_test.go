package pull

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

func TestAllOfAStatementIsReadAndCovered(t *testing.T) {
	t.Parallel()
	for name, open := range shelves() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newBook(100), open(t)
			b.ledger().Chained = true
			report := pulled(t, options(s, b))
			c := s.content(t)
			wantAll(t, b, c)
			if covered, grade := c.covered(); covered != (payment.Interval{From: start, To: end}) || grade != payment.Proven {
				t.Errorf("covers %s, %s", covered, grade)
			}
			if !report.Whole() || report.Counts.New != 100 || report.Rows != 100 || report.Pages != 15 || report.Units != 100 || len(report.Doubts) > 0 {
				t.Errorf("reported %+v", report)
			}
			asked := len(b.asked)
			again := pulled(t, options(s, b))
			begun := 0
			for _, ask := range b.asked[asked:] {
				if ask.Cursor == "" {
					begun++
				}
			}
			if begun != 3 {
				t.Errorf("%d slices of 3 are begun anew: of the others it was not kept that they are at their end", begun)
			}
			if diff := gocmp.Diff(c, s.content(t)); diff != "" || again.Counts.Repeated != 100 || again.Counts.New != 0 {
				t.Errorf("a second pull changed (-first +second) %+v:\n%s", again.Counts, diff)
			}
		})
	}
}

// TestAKilledPullGoesOn: whichever transaction it is killed at, before it is
// stored or right after, the next pull ends with the very content of one that
// was not.
func TestAKilledPullGoesOn(t *testing.T) {
	t.Parallel()
	for name, open := range shelves() {
		for _, parallel := range []int{1, 3} {
			t.Run(fmt.Sprint(name, parallel), func(t *testing.T) {
				t.Parallel()
				b, whole := newBook(40), open(t)
				b.ledger().Parallel = parallel
				pulled(t, options(whole, b))
				want, step := whole.content(t), 1
				if name == "postgres" {
					step = 4 // a database is dearer there
				}
				for kill := 1; kill <= whole.stored; kill += step {
					for _, after := range []bool{false, true} {
						s := open(t)
						killedAt(t, s, b, kill, after)
						if diff := gocmp.Diff(want, s.content(t)); diff != "" {
							t.Fatalf("killed at %d, after %t (-want +got):\n%s", kill, after, diff)
						}
					}
				}
			})
		}
	}
}

// killedAt pulls until the n-th transaction, and then to the end. What was
// stored of a slice is not asked for again, unless the slice was at its end.
func killedAt(t *testing.T, s *shelf, b *book, n int, after bool) {
	t.Helper()
	s.kill, s.after = n, after
	_, err := Pull(t.Context(), options(s, b))
	if b.ledger().Parallel == 1 && !errors.Is(err, errKilled) || err != nil && !errors.Is(err, errKilled) {
		t.Fatalf("killed at %d: %v", n, err)
	}
	s.kill = 0
	first := len(b.asked)
	pulled(t, options(s, b))
	if b.ledger().Parallel > 1 || n < 4 || n > 7 {
		return
	}
	stored := n // three transactions of bookkeeping, then two pages of each slice
	if !after {
		stored--
	}
	if at := b.asked[first].Cursor; (at != "") != (stored >= 4 && stored%2 == 0) {
		t.Errorf("killed at %d, after %t: goes on at %q", n, after, at)
	}
}

// TestASliceOfTooManyRowsIsCut until the provider lists it whole.
func TestASliceOfTooManyRowsIsCut(t *testing.T) {
	t.Parallel()
	b, s := newBook(90), newShelf(t)
	b.ledger().MaxRows = 14
	report := pulled(t, options(s, b))
	c := s.content(t)
	wantAll(t, b, c)
	if covered, _ := c.covered(); !report.Whole() || covered != (payment.Interval{From: start, To: end}) {
		t.Errorf("covers %s: %+v", covered, report.Failures)
	}
	for i := range b.rows { // all at one moment: no cut helps
		b.rows[i].at = start
	}
	if report = pulled(t, options(newShelf(t), b)); report.Whole() {
		t.Error("rows beyond the provider's end are taken for read")
	}
}

// TestTheAccountIsBoundOnFirstUse: another one later is refused, and nothing of
// it is read.
func TestTheAccountIsBoundOnFirstUse(t *testing.T) {
	t.Parallel()
	b, s := newBook(10), newShelf(t)
	pulled(t, options(s, b))
	before, asked := s.content(t), len(b.asked)
	b.identity.Account = "another"
	var bound *BoundError
	if _, err := Pull(t.Context(), options(s, b)); !errors.As(err, &bound) || bound.Bound.Account != "at the provider" || bound.Now.Account != "another" {
		t.Errorf("got %v", err)
	}
	b.identity = provider.Identity{Account: "at the provider", Mode: payment.Test}
	report := pulled(t, options(s, b))
	if len(report.Failures) != 1 || report.Failures[0].Err.Reason != provider.WrongMode {
		t.Errorf("the other mode: %+v", report.Failures)
	}
	if diff := gocmp.Diff(before, s.content(t)); diff != "" || len(b.asked) != asked {
		t.Errorf("it was read (-before +after):\n%s", diff)
	}
}

// TestAPullWithoutWindowGoesOnWhereCoverageEnds, a little before it, and fills
// what is missing.
func TestAPullWithoutWindowGoesOnWhereCoverageEnds(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	view, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := view.Now()
	if err := view.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBook(0)
	b.date = now
	o := options(s, b)
	o.Window = payment.Interval{}
	pulled(t, o)
	from := payment.DayOf(now.Add(-7*day), time.UTC).Start(time.UTC)
	first, _ := s.content(t).covered()
	if first.From != from || first.To != now.Add(-time.Minute) {
		t.Errorf("the first pull covers %s, want from %s to %s", first, from, now.Add(-time.Minute))
	}
	b.asked, b.date = nil, now.Add(time.Hour)
	pulled(t, o)
	again := first.To.Add(-2 * day)
	if at := b.asked[0].Slice.From; at > again || at < again.Add(-time.Second) {
		t.Errorf("the second begins at %s, want %s", at, again)
	}
	before := from.Add(-20 * day)
	o.Window = payment.Interval{From: before, To: before.Add(day)} // a hole arises
	pulled(t, o)
	o.Window = payment.Interval{}
	pulled(t, o)
	if covered, _ := s.content(t).covered(); covered.From != before || covered.To < first.To {
		t.Errorf("a hole was left: %s", covered)
	}
}

// TestDaysThatAFirstPullCouldNotReadAreAskedForAgain: the beginning of what is
// wanted does not move to the first day that came through, nor to a later one
// where nothing did.
func TestDaysThatAFirstPullCouldNotReadAreAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, refuses := range map[string]func(payment.Interval, payment.Instant) bool{
		"its first days": func(slice payment.Interval, from payment.Instant) bool { return slice.From < from.Add(3*day) },
		"any":            func(payment.Interval, payment.Instant) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newBook(0), newShelf(t)
			view, err := s.View(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			now := view.Now()
			if err := view.Close(); err != nil {
				t.Fatal(err)
			}
			b.date = now
			o := options(s, b)
			o.Window = payment.Interval{}
			from := payment.DayOf(now.Add(-7*day), time.UTC).Start(time.UTC)
			b.wrong = func(_ int, ask provider.Request, _ *provider.Page) error {
				if refuses(ask.Slice, from) {
					return &provider.Error{Reason: provider.Unparsable, Err: errors.New("a page is lost")}
				}
				return nil
			}
			if report := pulled(t, o); report.Whole() {
				t.Fatal("nothing went wrong")
			}
			b.wrong, o.Relook = nil, day // as if a week had passed
			pulled(t, o)
			if covered, _ := s.content(t).covered(); covered.From != from {
				t.Errorf("covers %s, want from %s", covered, from)
			}
		})
	}
}

// TestLinesWithoutIdsAreReadByWholeDays, in one go: two alike of one day are
// two, however often they are read.
func TestLinesWithoutIdsAreReadByWholeDays(t *testing.T) {
	t.Parallel()
	b, s := newBook(0), newShelf(t)
	b.able.LineIDsUnique, b.ledger().Slice.Aim = false, time.Hour
	for i := range 20 {
		b.rows = append(b.rows, row{fmt.Sprint(i), start.Add(time.Duration(i) * time.Hour), 500})
	}
	s.kill = 4
	if _, err := Pull(t.Context(), options(s, b)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	s.kill = 0
	for range 2 {
		pulled(t, options(s, b))
		if n := len(s.content(t).Lines); n != 20 {
			t.Errorf("%d lines are stored, want 20", n)
		}
	}
	for _, ask := range b.asked {
		if ask.Slice.To.Sub(ask.Slice.From) != day {
			t.Errorf("a slice of %s", ask.Slice)
		}
	}
}

// TestAnInterruptIsNoFailureOfTheProvider.
func TestAnInterruptIsNoFailureOfTheProvider(t *testing.T) {
	t.Parallel()
	b, s := newBook(60), newShelf(t)
	stop := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	b.wrong = func(n int, _ provider.Request, _ *provider.Page) error {
		if n == 1 {
			cancel(stop)
			return &provider.Error{Reason: provider.Unreachable, Err: context.Canceled}
		}
		return nil
	}
	report, err := Pull(ctx, options(s, b))
	if !errors.Is(err, stop) || len(report.Failures) > 0 {
		t.Errorf("%v, %+v", err, report.Failures)
	}
}
