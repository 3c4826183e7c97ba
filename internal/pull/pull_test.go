package pull

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
			again := pulled(t, options(s, b))
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
	if b.ledger().Parallel > 1 || n < 3 || n > 6 {
		return
	}
	stored := n // two transactions of bookkeeping, then two pages of each slice
	if !after {
		stored--
	}
	if at := b.asked[first].Cursor; (at != "") != (stored >= 3 && stored%2 == 1) {
		t.Errorf("killed at %d, after %t: goes on at %q", n, after, at)
	}
}

// TestWhatWasNotReadIsNotCovered: whatever goes wrong in one slice, the others
// are read and covered, and that one is not.
func TestWhatWasNotReadIsNotCovered(t *testing.T) {
	t.Parallel()
	second := start.Add(day)
	refuse := func(reason provider.Reason) func(*provider.Page) error {
		return func(*provider.Page) error { return &provider.Error{Reason: reason} }
	}
	for name, c := range map[string]struct {
		wrong  func(page *provider.Page) error
		reason provider.Reason
	}{
		"unparsable":     {refuse(provider.Unparsable), provider.Unparsable},
		"partial":        {refuse(provider.Partial), provider.Partial},
		"404":            {refuse(provider.HTTP4xx), provider.HTTP4xx},
		"not held":       {refuse(provider.PeriodNotHeld), provider.PeriodNotHeld},
		"cursor twice":   {func(p *provider.Page) error { p.Next = "7"; return nil }, provider.Loop},
		"no clock":       {func(p *provider.Page) error { p.Date = 0; return nil }, provider.Partial},
		"other account":  {func(p *provider.Page) error { p.Lines[0].Account = "acct_2"; return nil }, provider.OtherAccount},
		"unit elsewhere": {func(p *provider.Page) error { p.Units[0].Account = ""; return nil }, provider.OtherAccount},
		"other mode":     {func(p *provider.Page) error { p.Lines[0].Mode = payment.Test; return nil }, provider.WrongMode},
		"NUL in a text":  {func(p *provider.Page) error { p.Lines[0].Raw = "\x00"; return nil }, provider.Unparsable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newBook(60), newShelf(t)
			b.ledger().Parallel = 1
			b.wrong = func(_ int, ask provider.Request, page *provider.Page) error {
				if ask.Slice.From == second && ask.Cursor == "7" {
					return c.wrong(page)
				}
				return nil
			}
			report := pulled(t, options(s, b))
			if len(report.Failures) != 1 || report.Failures[0].Err.Reason != c.reason || report.Failures[0].Slice.From != second {
				t.Fatalf("failures: %+v", report.Failures)
			}
			for _, covered := range s.content(t).Coverage {
				if covered.From == second {
					t.Errorf("%s is covered", report.Failures[0].Slice)
				}
			}
			b.wrong = nil // and once it is well again, it is read
			if report = pulled(t, options(s, b)); !report.Whole() {
				t.Errorf("later: %+v", report.Failures)
			}
			wantAll(t, b, s.content(t))
		})
	}
}

// TestAFailureOfAllEndsTheRest: after a refused key nobody asks on, and what
// was complete stays.
func TestAFailureOfAllEndsTheRest(t *testing.T) {
	t.Parallel()
	for _, reason := range []provider.Reason{provider.Credentials, provider.Timeout, provider.HTTP5xx, provider.HTTP429, provider.Unreachable} {
		b, s := newBook(60), newShelf(t)
		b.ledger().Parallel = 1
		b.wrong = func(n int, _ provider.Request, _ *provider.Page) error {
			if n == 5 { // the second page of the second day
				return &provider.Error{Reason: reason}
			}
			return nil
		}
		report := pulled(t, options(s, b))
		if len(report.Failures) != 1 || len(b.asked) != 5 || report.Refused() != (reason == provider.Credentials) || report.Whole() {
			t.Errorf("%s: asked %d times, %+v", reason, len(b.asked), report.Failures)
		}
		if covered, _ := s.content(t).covered(); covered != (payment.Interval{From: start, To: start.Add(day)}) {
			t.Errorf("%s: covers %s", reason, covered)
		}
		pulled(t, options(s, b))
		wantAll(t, b, s.content(t))
		if b.asked[5].Cursor == "" {
			t.Errorf("%s: the slice was not gone on with", reason)
		}
	}
}

// TestWhatDoesNotTieIsNotProven: counts and balances that are stated must hold.
func TestWhatDoesNotTieIsNotProven(t *testing.T) {
	t.Parallel()
	last := func(p *provider.Page, change func()) {
		if p.Next == "" && len(p.Rows) > 0 {
			change()
		}
	}
	for name, wrong := range map[string]func(p *provider.Page){
		"a row too few":           func(p *provider.Page) { p.Total.Minor++ },
		"the end comes early":     func(p *provider.Page) { p.Next = "" },
		"an opening that differs": func(p *provider.Page) { last(p, func() { p.Opening.Minor++; p.Closing.Minor++ }) },
		"a closing that differs":  func(p *provider.Page) { last(p, func() { p.Closing.Minor-- }) },
		"no balance":              func(p *provider.Page) { last(p, func() { p.Closing = payment.Stated{} }) },
		"a line that is lost":     func(p *provider.Page) { last(p, func() { p.Lines = p.Lines[1:] }) },
		"an amount that differs":  func(p *provider.Page) { last(p, func() { p.Lines[0].Net++ }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newBook(60), newShelf(t)
			b.ledger().Chained = true
			b.wrong = func(_ int, _ provider.Request, page *provider.Page) error {
				wrong(page)
				return nil
			}
			report := pulled(t, options(s, b))
			if covered, grade := s.content(t).covered(); covered.Empty() || grade != payment.Assumed || len(report.Doubts) != 3 {
				t.Errorf("covers %s, %s: %q", covered, grade, report.Doubts)
			}
		})
	}
}

// TestPagesThatLeadInACircleEnd, soon, and are no end of the slice.
func TestPagesThatLeadInACircleEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next func(n int) string
		most int // requests
	}{
		"by their cursors":                        {func(n int) string { return fmt.Sprint(7 * (n % 2)) }, 3},
		"with a cursor that is new every time":    {func(n int) string { return "0" + fmt.Sprint(n) }, maxIdle + 2},
		"with a cursor of its own and no row yet": {func(n int) string { return fmt.Sprint(1000 + n) }, maxIdle + 3},
	} {
		b, s := newBook(20), newShelf(t)
		b.ledger().Parallel, b.ledger().Slice.Aim = 1, 3*day
		b.wrong = func(n int, _ provider.Request, page *provider.Page) error {
			if page.Next = c.next(n); n > 1 && strings.HasPrefix(page.Next, "0") {
				page.Rows, page.Lines, page.Units = []string{"r000"}, nil, nil
			}
			return nil
		}
		report := pulled(t, options(s, b))
		if len(report.Failures) != 1 || report.Failures[0].Err.Reason != provider.Loop || len(b.asked) > c.most || len(s.content(t).Coverage) > 0 {
			t.Errorf("%s: asked %d times, %+v", name, len(b.asked), report.Failures)
		}
	}
}

// TestAPageThatComesTwiceIsNotProven where no total tells that nothing was left
// out; its rows are stored once.
func TestAPageThatComesTwiceIsNotProven(t *testing.T) {
	t.Parallel()
	for _, stated := range []bool{false, true} {
		b, s := newBook(20), newShelf(t)
		b.ledger().Slice.Aim = 3 * day
		b.wrong = func(n int, _ provider.Request, page *provider.Page) error {
			if n == 1 {
				page.Next = "00" // which gives the first page once more
			}
			page.Total.Known = stated
			return nil
		}
		pulled(t, options(s, b))
		c := s.content(t)
		wantAll(t, b, c)
		if _, grade := c.covered(); (grade == payment.Proven) != stated || len(c.Coverage) != 1 {
			t.Errorf("total stated %t: %+v", stated, c.Coverage)
		}
	}
}

// TestACoverageEndsAtTheProvidersWatermark, the earliest that any page had.
func TestACoverageEndsAtTheProvidersWatermark(t *testing.T) {
	t.Parallel()
	b, s := newBook(60), newShelf(t)
	mark := start.Add(2*day + 5*time.Hour)
	b.wrong = func(n int, _ provider.Request, page *provider.Page) error {
		if page.Date = end.Add(day); n%2 == 0 {
			page.Through = mark
		}
		return nil
	}
	pulled(t, options(s, b))
	if covered, _ := s.content(t).covered(); covered.To != mark {
		t.Errorf("covered to %s, want %s", covered.To, mark)
	}
	b, s = newBook(60), newShelf(t)
	b.date = mark
	pulled(t, options(s, b))
	if covered, _ := s.content(t).covered(); covered.To != mark.Add(-time.Minute) {
		t.Errorf("covered to %s, want the provider's clock less the lag", covered.To)
	}
}

// TestRowsThatMoveAreReadUntilTwoPassesAgree: an insertion while pages are read
// by offset hides a row from the first pass.
func TestRowsThatMoveAreReadUntilTwoPassesAgree(t *testing.T) {
	t.Parallel()
	b, s := newBook(60), newShelf(t)
	b.ledger().Shifts, b.ledger().Parallel = true, 1
	late := row{"r000a", start.Add(time.Second), 5}
	gone := b.rows[3]
	b.wrong = func(n int, _ provider.Request, _ *provider.Page) error {
		if n == 2 { // a row goes, another comes: the count stays, and r007 is on neither page
			b.rows = append(append(b.rows[:3:3], b.rows[4:]...), late)
		}
		return nil
	}
	report := pulled(t, options(s, b))
	c := s.content(t)
	if !report.Whole() || len(c.Coverage) != 3 {
		t.Fatalf("%+v", report)
	}
	want := fmt.Sprint(append([]string{gone.id}, b.ids()...))
	for _, id := range c.ids() {
		if !strings.Contains(want, id) {
			t.Errorf("%s is stored", id)
		}
	}
	if len(c.Lines) != 61 {
		t.Errorf("%d lines are stored, want all 61 that were ever there", len(c.Lines))
	}
	b, s = newBook(60), newShelf(t)
	b.ledger().Shifts = true
	b.wrong = func(n int, ask provider.Request, page *provider.Page) error {
		if ask.Slice.From == start {
			page.Rows = append(page.Rows, fmt.Sprint("new", n))
		}
		return nil
	}
	report = pulled(t, options(s, b))
	if len(report.Failures) != 1 || report.Failures[0].Err.Reason != provider.Shifted || len(s.content(t).Coverage) != 2 {
		t.Errorf("rows that never stop moving: %+v", report)
	}
}

// TestATotalThatMovesIsNoPass: the same rows twice are not enough while the
// provider announces another number of them on each page.
func TestATotalThatMovesIsNoPass(t *testing.T) {
	t.Parallel()
	b, s := newBook(20), newShelf(t)
	b.ledger().Shifts, b.ledger().Slice.Aim = true, 3*day
	b.wrong = func(n int, _ provider.Request, page *provider.Page) error {
		page.Total.Minor = 20 + int64(n%3)
		return nil
	}
	if report := pulled(t, options(s, b)); len(report.Failures) != 1 || report.Failures[0].Err.Reason != provider.Shifted {
		t.Errorf("%+v", report.Failures)
	}
}

// TestAnExpiredCursorSendsBackToTheBeginning, once.
func TestAnExpiredCursorSendsBackToTheBeginning(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		b, s := newBook(60), newShelf(t)
		expired := 0
		b.wrong = func(_ int, ask provider.Request, _ *provider.Page) error {
			if ask.Cursor == "14" && ask.Slice.From == start && expired < times {
				expired++
				return &provider.Error{Reason: provider.Expired}
			}
			return nil
		}
		report := pulled(t, options(s, b))
		if report.Whole() != (times == 1) {
			t.Errorf("expired %d times: %+v", times, report.Failures)
		}
		if times == 1 {
			wantAll(t, b, s.content(t))
		}
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
	pulled(t, options(s, b))
	pulled(t, options(s, b))
	if n := len(s.content(t).Lines); n != 20 {
		t.Errorf("%d lines are stored, want 20", n)
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
		if n == 3 {
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
