// Package pull reads a provider's statements page by page into the database:
// slices of time, several at once, each page stored whole with the place where
// reading goes on, so that an interrupted pull goes on and a repeated one
// changes nothing (RULES §8, laws 7 and 13).
//
// It claims as covered only what it read to an end that the provider stated,
// and only up to the provider's own watermark; what does not tie is claimed
// with a lower grade. It judges no payment, asks about none, and writes nothing
// but what a page says.
package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/store"
)

// Store is what a pull needs of a database.
type Store interface {
	StorePage(ctx context.Context, lease store.Lease, page store.Page) (store.Counts, error)
	View(ctx context.Context) (store.View, error)
}

// Options are one pull of one account.
type Options struct {
	Store    Store
	Provider provider.Provider
	Lease    store.Lease
	Mode     payment.Mode
	// Zone is the account's, in which days begin.
	Zone *time.Location
	// Window is what to read; a zero From or To takes what is missing: from
	// where coverage ends or is torn, with the overlap that each statement asks
	// for, to now. It begins where the first pull wanted to begin, whatever of
	// that could be read: Relook before it, where nobody said.
	Window payment.Interval
	Relook time.Duration
	// Since tells how much time has passed since the pull began. The database's
	// clock is read once; this carries it on.
	Since func() time.Duration
	// Progress is told of what was stored, nil: nobody is.
	Progress func(Step)
}

// Step is what a transaction brings a pull on by.
type Step struct {
	Rows          int
	Slices, Total int // read to their end by it, and how many there are to read
}

// BoundError is that the credential opens another account than the one that
// was bound on first use. Nothing was read.
type BoundError struct {
	Bound, Now provider.Identity
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("the credential opens account %q (%s), but what is stored is of account %q (%s); nothing was read",
		e.Now.Account, e.Now.Mode, e.Bound.Account, e.Bound.Mode)
}

// Hint says what to do about it.
func (e *BoundError) Hint() string {
	return "use the credential of that account, or configure the other one under a name or account of its own"
}

// puller is one pull under way.
type puller struct {
	o    Options
	able provider.Capabilities
	now  payment.Instant // the database's clock when the pull began

	keeper *keeper

	mu     sync.Mutex
	report Report
	slices int
}

// Pull reads all of the provider's statements. A provider's failure is told in
// the Report, which is whole whatever happened; the error is one of the
// database, of the bound account, or the context's.
func Pull(ctx context.Context, o Options) (*Report, error) {
	p := &puller{o: o, able: o.Provider.Capabilities()}
	known, err := p.known(ctx)
	if err != nil {
		return &p.report, err
	}
	if err := p.keepBegin(ctx, known); err != nil {
		return &p.report, err
	}
	if err := p.bind(ctx, known); err != nil {
		return p.failed(err)
	}
	if err := p.keepReading(ctx, known); err != nil {
		return &p.report, err
	}
	plans := make([]*plan, len(p.able.Statements))
	for i := range p.able.Statements {
		plans[i] = p.plan(&p.able.Statements[i], known)
		p.slices += len(plans[i].slices) + len(plans[i].begun)
	}
	err = p.read(ctx, plans, known)
	p.report.settle()
	return &p.report, err
}

// read reads the slices of all plans, while one goroutine stores what comes.
func (p *puller) read(ctx context.Context, plans []*plan, k *known) error {
	p.keeper = newKeeper(p, k.slots)
	storing, stop := context.WithCancel(ctx)
	var stored sync.WaitGroup
	stored.Go(func() { p.keeper.run(storing) })
	defer stored.Wait()
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	for _, plan := range plans {
		group.Go(func() error { return p.statement(ctx, plan) })
	}
	return group.Wait()
}

// failed puts a provider's failure into the report; another error stays one.
func (p *puller) failed(err error) (*Report, error) {
	var asked *provider.Error
	if !errors.As(err, &asked) {
		return &p.report, err
	}
	p.report.Failures = append(p.report.Failures, Failure{Err: asked})
	return &p.report, nil
}

// statement reads the slices of one statement, as many at once as it allows.
func (p *puller) statement(ctx context.Context, plan *plan) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := &queue{slices: plan.slices}
	for slot := range max(1, plan.Parallel) {
		group.Go(func() error {
			next, ok := plan.begun[slot]
			if !ok {
				next, ok = queue.take()
			}
			for ; ok; next, ok = queue.take() {
				if err := p.slice(ctx, &reader{p: p, plan: plan, slot: slot, at: next}, queue); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// slice reads one slice to its end and says what became of it.
func (p *puller) slice(ctx context.Context, r *reader, queue *queue) error {
	err := r.run(ctx)
	var asked *provider.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errTooMany):
		halves, ok := r.plan.halves(r.at.Slice, p.o.Zone)
		if ok {
			queue.put(halves...)
			p.add(func() { p.slices += len(halves) - 1 })
			return nil
		}
		asked = &provider.Error{Reason: provider.Partial, Endpoint: r.plan.Name, Err: err}
	case !errors.As(err, &asked):
		return err
	}
	if everywhere(asked) {
		queue.close()
	} else if err := r.forget(ctx); err != nil {
		return err
	}
	p.add(func() {
		p.report.Failures = append(p.report.Failures, Failure{Statement: r.plan.Name, Slice: r.at.Slice, Err: asked})
	})
	return nil
}

// add changes what all readers share.
func (p *puller) add(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// everywhere tells whether the next slice would meet the same.
func everywhere(e *provider.Error) bool {
	return slices.Contains([]provider.Reason{
		provider.Credentials, provider.Unreachable, provider.Timeout, provider.HTTP5xx, provider.HTTP429, provider.Redirect,
		provider.OtherAccount, provider.WrongMode,
	}, e.Reason)
}

// clock is the database's, as far as this machine can carry it on.
func (p *puller) clock() payment.Instant { return p.now.Add(p.o.Since()) }

// queue hands slices to those who read them.
type queue struct {
	mu     sync.Mutex
	slices []progress
}

func (q *queue) take() (progress, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.slices) == 0 {
		return progress{}, false
	}
	next := q.slices[0]
	q.slices = q.slices[1:]
	return next, true
}

func (q *queue) put(more ...payment.Interval) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range more {
		q.slices = append(q.slices, progress{Slice: s})
	}
}

// close leaves the rest unread.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slices = nil
}

// Failure is a part that was not read, and why.
type Failure struct {
	Statement string           // "" where nothing could be read at all
	Slice     payment.Interval // likewise
	Err       *provider.Error
}

// Report is what a pull did.
type Report struct {
	Counts   store.Counts
	Units    int
	Rows     int
	Pages    int
	Again    int // rows that came again within one slice
	Covered  []payment.Statement
	Failures []Failure
	// Doubts are sentences about what was read and does not tie.
	Doubts []string
	// ClockOff is the greatest difference between the provider's clock and the
	// database's, ahead positive.
	ClockOff time.Duration
}

// Whole tells whether everything wanted was read to its end.
func (r *Report) Whole() bool { return len(r.Failures) == 0 }

// Refused tells whether the provider refused the credential.
func (r *Report) Refused() bool {
	return slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Err.Reason == provider.Credentials })
}

// settle puts what several goroutines wrote into one order.
func (r *Report) settle() {
	slices.SortFunc(r.Covered, func(a, b payment.Statement) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From), cmp.Compare(a.Through, b.Through))
	})
	slices.SortFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Statement, b.Statement), cmp.Compare(a.Slice.From, b.Slice.From))
	})
	slices.Sort(r.Doubts)
}
