package pull

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"desfecho/internal/runs"
	"desfecho/internal/store"
)

// progressCursor is the name under which it is kept how far each slice is.
const progressCursor = "progress"

// keeping is a page on its way into the database, with how far its slice is
// once it is there.
type keeping struct {
	page store.Page
	slot string
	at   progress
	done chan error

	rows, again int // of the provider's page; again: came before within the slice
	clockOff    time.Duration
}

// keeper stores the pages of all slices. What has come meanwhile goes into one
// transaction, each page whole with its slice's progress; while one transaction
// is being written the next one is, too, unless both hold a line or a unit. They
// end in their order, so that what is kept of the progress is always stored.
type keeper struct {
	p     *puller
	in    chan *keeping
	slots map[string]progress // of what is stored
}

// flight is a transaction under way.
type flight struct {
	batch []*keeping
	ids   map[string]struct{} // of its lines and units
	done  chan struct{}
}

func newKeeper(p *puller, slots map[string]progress) *keeper {
	return &keeper{p: p, in: make(chan *keeping), slots: maps.Clone(slots)}
}

// run stores until the context is done; then nobody waits for it any more.
func (k *keeper) run(ctx context.Context) {
	landed := &flight{done: make(chan struct{})}
	close(landed.done)
	last, before := landed, landed // the two transactions that may be under way
	defer func() {
		<-last.done
		<-before.done
	}()
	for {
		select {
		case first := <-k.in:
			next := newFlight(k.gather(first))
			<-last.done
			if next.meets(before) {
				<-before.done
			}
			go k.keep(ctx, next, before)
			last, before = before, next
		case <-ctx.Done():
			return
		}
	}
}

func newFlight(batch []*keeping) *flight {
	f := &flight{batch: batch, ids: map[string]struct{}{}, done: make(chan struct{})}
	for _, one := range batch {
		for i := range one.page.Lines {
			f.ids[string(one.page.Lines[i].Identity[:])] = struct{}{}
		}
		for i := range one.page.Units {
			f.ids[one.page.Units[i].ID] = struct{}{}
		}
	}
	return f
}

// meets tells whether both hold a line or a unit.
func (f *flight) meets(o *flight) bool {
	for id := range o.ids {
		if _, both := f.ids[id]; both {
			return true
		}
	}
	return false
}

// gather adds to a page what else is waiting, up to the size of a transaction.
func (k *keeper) gather(first *keeping) []*keeping {
	batch := []*keeping{first}
	for rows := len(first.page.Lines) + len(first.page.Units); rows < runs.PageSize; {
		select {
		case next := <-k.in:
			batch = append(batch, next)
			rows += len(next.page.Lines) + len(next.page.Units)
		default:
			return batch
		}
	}
	return batch
}

// keep stores a batch. What one page holds that no database can store fails
// that page alone.
func (k *keeper) keep(ctx context.Context, f, before *flight) {
	defer close(f.done)
	err := k.store(ctx, f.batch, before)
	var unstorable *store.UnstorableError
	if errors.As(err, &unstorable) && len(f.batch) > 1 {
		for _, one := range f.batch {
			one.done <- k.store(ctx, []*keeping{one}, before)
		}
		return
	}
	for _, one := range f.batch {
		one.done <- err
	}
}

// store stores some pages after those of the flight before.
func (k *keeper) store(ctx context.Context, batch []*keeping, before *flight) error {
	whole := batch[0].page
	for _, next := range batch[1:] {
		whole.Lines = append(whole.Lines, next.page.Lines...)
		whole.Units = append(whole.Units, next.page.Units...)
		whole.Statements = append(whole.Statements, next.page.Statements...)
		whole.StatementLines = append(whole.StatementLines, next.page.StatementLines...)
	}
	if n := len(batch); n > 1 {
		whole.Source += fmt.Sprintf(" and %d more", n-1)
	}
	var slots map[string]progress
	whole.Turn = func(ctx context.Context) (*store.Cursor, error) {
		select {
		case <-before.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		slots = maps.Clone(k.slots)
		for _, one := range batch {
			slots[one.slot] = one.at
		}
		text, err := json.Marshal(slots)
		if err != nil {
			return nil, fmt.Errorf("keep how far reading is: %w", err)
		}
		return &store.Cursor{Statement: progressCursor, Mode: k.p.o.Mode, Value: string(text)}, nil
	}
	counts, err := k.p.o.Store.StorePage(ctx, k.p.o.Lease, whole)
	if err != nil {
		return err
	}
	k.slots = slots
	k.told(batch, &whole, counts)
	return nil
}

// told reports what was stored.
func (k *keeper) told(batch []*keeping, whole *store.Page, counts store.Counts) {
	var step Step
	k.p.add(func() {
		report := &k.p.report
		report.Counts = report.Counts.Add(counts)
		report.Units += len(whole.Units)
		report.Covered = append(report.Covered, whole.Statements...)
		for _, one := range batch {
			report.Pages++
			report.Rows += one.rows
			report.Again += one.again
			if one.clockOff.Abs() > report.ClockOff.Abs() {
				report.ClockOff = one.clockOff
			}
			step.Rows += one.rows
			if one.at.Done {
				step.Slices++
			}
		}
		step.Total = k.p.slices
	})
	if k.p.o.Progress != nil {
		k.p.o.Progress(step)
	}
}

// put hands a page over. The answer comes on done.
func (k *keeper) put(ctx context.Context, one *keeping) error {
	select {
	case k.in <- one:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
