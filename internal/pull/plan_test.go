package pull

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/store"
)

// TestAWindowIsCutAsTheStatementAllows, outwards to its boundaries.
func TestAWindowIsCutAsTheStatementAllows(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	at := func(h time.Duration) payment.Instant { return start.Add(h * time.Hour) }
	midnight := start.Add(3 * time.Hour) // there
	span := func(from, to payment.Instant) payment.Interval { return payment.Interval{From: from, To: to} }
	for name, c := range map[string]struct {
		statement provider.Statement
		window    payment.Interval
		want      []payment.Interval
	}{
		"a day each":           {provider.Statement{}, span(at(0), at(36)), []payment.Interval{span(at(0), at(24)), span(at(24), at(36))}},
		"by an aim":            {provider.Statement{Slice: provider.Slice{Aim: 18 * time.Hour}}, span(at(0), at(36)), []payment.Interval{span(at(0), at(18)), span(at(18), at(36))}},
		"within a maximum":     {provider.Statement{Slice: provider.Slice{Aim: 90 * time.Hour, Max: 20 * time.Hour}}, span(at(0), at(36)), []payment.Interval{span(at(0), at(20)), span(at(20), at(36))}},
		"to whole seconds":     {provider.Statement{}, span(at(0)+1, at(1)+1), []payment.Interval{span(at(0), at(1).Add(time.Second))}},
		"to a grain":           {provider.Statement{Slice: provider.Slice{Grain: time.Hour}}, span(at(0)+1, at(1)+1), []payment.Interval{span(at(0), at(2))}},
		"by days of the zone":  {provider.Statement{Slice: provider.Slice{Days: true}}, span(midnight-1, midnight+1), []payment.Interval{span(midnight.Add(-day), midnight), span(midnight, midnight.Add(day))}},
		"by several days":      {provider.Statement{Slice: provider.Slice{Days: true, Aim: 2 * day}}, span(midnight, midnight.Add(3*day)), []payment.Interval{span(midnight, midnight.Add(2*day)), span(midnight.Add(2*day), midnight.Add(3*day))}},
		"not what lies ahead":  {provider.Statement{}, span(at(50), at(100)), []payment.Interval{span(at(50), at(72))}},
		"nothing lies ahead":   {provider.Statement{}, span(at(80), at(100)), nil},
		"not what is not held": {provider.Statement{HeldFor: 12 * time.Hour}, span(at(0), at(72)), []payment.Interval{span(at(60), at(72))}},
	} {
		p := &puller{o: Options{Window: c.window, Zone: zone}, able: provider.Capabilities{LineIDsUnique: true}, now: end}
		var got []payment.Interval
		for _, s := range p.plan(&c.statement, &known{}).slices {
			got = append(got, s.Slice)
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// taking is a store that keeps what it is given, unless it holds a bad line.
type taking struct {
	Store
	pages []store.Page
}

func (s *taking) StorePage(ctx context.Context, _ store.Lease, page store.Page) (_ store.Counts, err error) {
	for i := range page.Lines {
		if page.Lines[i].ID == "bad" {
			return store.Counts{}, &store.UnstorableError{What: "line", Name: "bad"}
		}
	}
	page.Cursor, err = page.Wait(ctx)
	s.pages = append(s.pages, page)
	return store.Counts{}, err
}

// TestATransactionOfManyPagesKeepsEachWithItsProgress; a page that cannot be
// stored fails alone.
func TestATransactionOfManyPagesKeepsEachWithItsProgress(t *testing.T) {
	t.Parallel()
	one := func(slot, id, next string) *keeping {
		k := &keeping{slot: slot, at: progress{Next: next}, done: make(chan error, 1)}
		k.page.Lines = []store.NumberedLine{{Line: payment.Line{ID: id}}}
		return k
	}
	kept := &taking{}
	k := newKeeper(&puller{o: Options{Store: kept}}, map[string]progress{"before": {Next: "before"}})
	nothing := newFlight(nil)
	close(nothing.done)
	first := newFlight([]*keeping{one("a", "1", "next-a"), one("b", "2", "next-b")})
	k.keep(t.Context(), first, nothing)
	bad := one("d", "bad", "next-d")
	k.keep(t.Context(), newFlight([]*keeping{one("c", "3", "next-c"), bad}), first)
	var unstorable *store.UnstorableError
	if len(kept.pages) != 2 || len(kept.pages[0].Lines) != 2 || len(kept.pages[1].Lines) != 1 || !errors.As(<-bad.done, &unstorable) {
		t.Fatalf("stored %+v", kept.pages)
	}
	for i, wants := range []string{"before next-a next-b", "before next-a next-b next-c"} {
		for _, want := range strings.Fields(wants) {
			if !strings.Contains(kept.pages[i].Cursor.Value, `"`+want+`"`) {
				t.Errorf("transaction %d does not keep %s: %s", i, want, kept.pages[i].Cursor.Value)
			}
		}
	}
	if strings.Contains(kept.pages[1].Cursor.Value, "next-d") {
		t.Error("progress is kept of a page that was not stored")
	}
}

// TestTransactionsUnderWayEndInTheirOrder: what the second keeps of the progress
// has what the first stored and, where that failed, nothing of it. One that holds
// what the first holds is not begun before that has ended.
func TestTransactionsUnderWayEndInTheirOrder(t *testing.T) {
	t.Parallel()
	page := func(slot string, id byte, next string) *keeping {
		k := &keeping{slot: slot, at: progress{Next: next}, done: make(chan error, 1)}
		k.page.Lines = []store.NumberedLine{{Identity: [16]byte{id}}}
		return k
	}
	for name, c := range map[string]struct {
		id     byte // of the second's line; the first's is 1
		fails  bool
		beside bool
	}{"beside": {2, false, true}, "beside one that fails": {2, true, true}, "the same line": {1, false, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &turning{begun: make(chan int, 2), go1: make(chan error)}
			k := newKeeper(&puller{o: Options{Store: s}}, map[string]progress{})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); k.run(ctx) }()
			first, second := page("a", 1, "next-a"), page("b", c.id, "next-b")
			if err := k.put(ctx, first); err != nil {
				t.Fatal(err)
			}
			<-s.begun
			put := make(chan struct{})
			go func() { defer close(put); _ = k.put(ctx, second) }()
			if c.beside {
				<-s.begun // before the first has ended
			}
			var failure error
			if c.fails {
				failure = errors.New("lost")
			}
			s.go1 <- failure
			if !errors.Is(<-first.done, failure) || <-second.done != nil {
				t.Error("a page was told another's fate")
			}
			<-put
			cancel()
			<-ended
			if last := s.cursors[len(s.cursors)-1]; strings.Contains(last, "next-a") == c.fails || !strings.Contains(last, "next-b") {
				t.Errorf("the second keeps %s", last)
			}
		})
	}
}

// turning is a store whose first page ends when it is told to.
type turning struct {
	Store
	begun   chan int
	go1     chan error
	nth     atomic.Int32
	cursors []string
}

func (s *turning) StorePage(ctx context.Context, _ store.Lease, page store.Page) (store.Counts, error) {
	first := s.nth.Add(1) == 1
	s.begun <- 0
	if first {
		if err := <-s.go1; err != nil {
			return store.Counts{}, err
		}
	}
	cursor, err := page.Wait(ctx)
	if err == nil {
		s.cursors = append(s.cursors, cursor.Value)
	}
	return store.Counts{}, err
}
