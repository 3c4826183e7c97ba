package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/store"
)

// maxPasses is how often a slice whose rows move is read for two passes that
// agree.
const maxPasses = 5

// errTooMany says that a slice has more rows than the provider lists.
var errTooMany = errors.New("the slice has more rows than the provider lists")

// reader reads one slice.
type reader struct {
	p    *puller
	plan *plan
	slot int
	at   progress

	numbers *store.Numbers
	seen    pages
	pending *keeping // the page before, on its way into the database
}

// run reads page after page. A cursor that the provider no longer knows sends
// it back to the beginning once, where what is stored already is met again and
// changes nothing.
func (r *reader) run(ctx context.Context) error {
	r.begin()
	restarted := false
	for !r.at.Done {
		observed := r.p.clock()
		page, err := r.p.o.Provider.Page(ctx, provider.Request{Statement: r.plan.Name, Slice: r.at.Slice, Cursor: r.at.Next})
		var asked *provider.Error
		if errors.As(err, &asked) && asked.Reason == provider.Expired && r.at.Next != "" && !restarted {
			restarted = true
			r.at = progress{Slice: r.at.Slice}
			r.begin()
			continue
		}
		if kept := r.kept(ctx); kept != nil || err != nil {
			return cmp.Or(kept, err)
		}
		if err := r.take(ctx, &page, observed); err != nil {
			return err
		}
	}
	return r.kept(ctx)
}

// begin starts a pass, or goes on with one.
func (r *reader) begin() {
	r.numbers = store.NewNumbers(r.p.able.LineIDsUnique)
	r.seen = pages{}
}

// take checks a page and stores it with how far the slice is then.
func (r *reader) take(ctx context.Context, page *provider.Page, observed payment.Instant) error {
	if err := r.own(page); err != nil {
		return err
	}
	again, err := r.seen.add(page)
	if err != nil {
		return r.refuse(provider.Loop, err)
	}
	if err := r.at.add(r.plan.Statement, page, again, r.p.now); err != nil {
		return r.refuse(provider.Partial, err)
	}
	if r.plan.MaxRows > 0 && r.at.Rows >= r.plan.MaxRows && page.Next != "" {
		return errTooMany
	}
	stored := store.Page{Source: fmt.Sprintf("%s %s, page %d", r.plan.Name, r.at.Slice, r.at.Pages)}
	r.at.Next = page.Next
	var moved error
	if page.Next == "" {
		moved = r.end(&stored)
	}
	stored.Lines = r.numbers.Lines(page.Lines)
	stored.Units = page.Units
	for i := range stored.Units {
		stored.Units[i].ObservedAt = observed
	}
	if err := r.store(ctx, &keeping{page: stored, rows: len(page.Rows), again: again, clockOff: r.clockOff(page.Date)}); err != nil {
		return err
	}
	if page.Next == "" && !r.at.Done {
		r.begin()
	}
	if moved != nil {
		return cmp.Or(r.kept(ctx), moved)
	}
	return nil
}

// end says what the last page proves: the slice is covered, or must be read
// once more because its rows can move between pages.
func (r *reader) end(stored *store.Page) error {
	if !r.plan.Shifts || r.at.Pages == 1 || r.at.agrees() {
		r.cover(stored)
		r.at = progress{Slice: r.at.Slice, Done: true}
		return nil
	}
	next := progress{Slice: r.at.Slice, Pass: r.at.Pass + 1, Before: r.at.Digest}
	if r.at.Moved {
		next.Before = ""
	}
	r.at = next
	if next.Pass == maxPasses {
		r.at = progress{Slice: r.at.Slice}
		return r.refuse(provider.Shifted, fmt.Errorf("%d passes, no two of which agree", maxPasses))
	}
	return nil
}

// cover adds what is covered once the page is stored.
func (r *reader) cover(stored *store.Page) {
	lease, s := r.p.o.Lease, r.plan.Statement
	covered := payment.Statement{
		Name: s.Name, Provider: lease.Provider, Account: lease.Account, Mode: r.p.o.Mode, Sort: s.Sort, Grade: payment.Proven,
		From: r.at.Slice.From, Through: min(r.at.Slice.To, r.at.Through), PublishLag: s.PublishLag, Members: s.Members,
	}
	if covered.Through <= covered.From {
		return
	}
	if doubt := r.at.doubt(); doubt != "" {
		covered.Grade = payment.Assumed
		r.p.add(func() {
			r.p.report.Doubts = append(r.p.report.Doubts, fmt.Sprintf("%s %s: %s", s.Name, r.at.Slice, doubt))
		})
	}
	stored.Statements, stored.StatementLines = []payment.Statement{covered}, []int{r.at.Lines}
}

// forget lets the next pull begin the slice anew: what failed here might fail
// for ever at this cursor.
func (r *reader) forget(ctx context.Context) error {
	r.at = progress{Slice: r.at.Slice}
	if err := r.store(ctx, &keeping{page: store.Page{Source: r.plan.Name + ", given up"}}); err != nil {
		return err
	}
	return r.kept(ctx)
}

// store hands a page over to be stored; the next one is asked for meanwhile.
func (r *reader) store(ctx context.Context, one *keeping) error {
	one.slot, one.at, one.done = slotName(r.plan.Name, r.slot), r.at, make(chan error, 1)
	r.pending = one
	return r.p.keeper.put(ctx, one)
}

// clockOff is how far the provider's clock is ahead of the database's.
func (r *reader) clockOff(date payment.Instant) time.Duration {
	if date == 0 {
		return 0
	}
	return date.Sub(r.p.clock())
}

// kept waits until the page before is stored, or was not.
func (r *reader) kept(ctx context.Context) error {
	if r.pending == nil {
		return nil
	}
	var err error
	select {
	case err = <-r.pending.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	r.pending = nil
	var unstorable *store.UnstorableError
	if errors.As(err, &unstorable) {
		return r.refuse(provider.Unparsable, err)
	}
	return err
}

// own refuses a page that is of another account or mode.
func (r *reader) own(page *provider.Page) error {
	account := r.p.o.Lease.Account
	check := func(what, id, of string, mode payment.Mode) error {
		if of != account {
			return r.refuse(provider.OtherAccount, fmt.Errorf("%s %q is of account %q", what, id, of))
		}
		if mode != r.p.o.Mode {
			return r.refuse(provider.WrongMode, fmt.Errorf("%s %q is of mode %s", what, id, mode))
		}
		return nil
	}
	for i := range page.Lines {
		if err := check("line", page.Lines[i].ID, page.Lines[i].Account, page.Lines[i].Mode); err != nil {
			return err
		}
	}
	for i := range page.Units {
		if err := check("unit", page.Units[i].ID, page.Units[i].Account, page.Units[i].Mode); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) refuse(reason provider.Reason, err error) error {
	return &provider.Error{Reason: reason, Endpoint: r.plan.Name, Err: err}
}
