package pull

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// TestWhatWasNotReadIsNotCovered: whatever goes wrong in one slice, the others
// are read and covered, and that one is not.
func TestWhatWasNotReadIsNotCovered(t *testing.T) {
	t.Parallel()
	last := start.Add(2 * day) // the slot holds it until the next pull
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
				if ask.Slice.From == last && ask.Cursor == "7" {
					return c.wrong(page)
				}
				return nil
			}
			report := pulled(t, options(s, b))
			if len(report.Failures) != 1 || report.Failures[0].Err.Reason != c.reason || report.Failures[0].Slice.From != last {
				t.Fatalf("failures: %+v", report.Failures)
			}
			for _, covered := range s.content(t).Coverage {
				if covered.From == last {
					t.Errorf("%s is covered", report.Failures[0].Slice)
				}
			}
			b.wrong = nil // and once it is well again, it is read, from its beginning
			asked := len(b.asked)
			if later := pulled(t, options(s, b)); !later.Whole() {
				t.Errorf("later: %+v", later.Failures)
			}
			for _, ask := range b.asked[asked:] {
				if ask.Slice.From != last {
					continue
				}
				if ask.Cursor != "" && !everywhere(report.Failures[0].Err) {
					t.Error("it is gone on with at the cursor where it failed")
				}
				break
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
			switch n {
			case 2:
				page.Next = "00" // which gives the first page once more
			case 3:
				page.Next = "014"
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
	b, s = newBook(60), newShelf(t)
	b.date = start.Add(30 * time.Second)
	if pulled(t, options(s, b)); len(s.content(t).Coverage) > 0 {
		t.Error("what the provider cannot know yet is covered")
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
	if covered, grade := c.covered(); !report.Whole() || grade != payment.Proven || covered.To.Sub(covered.From) != 3*day {
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
	b, s = newBook(10), newShelf(t)
	b.ledger().Shifts = true
	if pulled(t, options(s, b)); len(b.asked) != 3 {
		t.Errorf("three slices of one page were asked for %d times: no row of one page moves", len(b.asked))
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
	covered, _ := s.content(t).covered()
	if len(report.Failures) != 1 || report.Failures[0].Err.Reason != provider.Shifted || covered.To.Sub(covered.From) != 2*day {
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
