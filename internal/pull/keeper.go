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

// keeper stores the pages of all slices, one transaction after another: the
// lease's row lets no two of one account run at once. What has come meanwhile
// goes into one transaction, each page whole with its slice's progress.
type keeper struct {
	p     *puller
	in    chan *keeping
	slots map[string]progress
}

func newKeeper(p *puller, slots map[string]progress) *keeper {
	return &keeper{p: p, in: make(chan *keeping), slots: maps.Clone(slots)}
}

// run stores until the context is done; then nobody waits for it any more.
func (k *keeper) run(ctx context.Context) {
	for {
		select {
		case first := <-k.in:
			k.keep(ctx, k.gather(first))
		case <-ctx.Done():
			return
		}
	}
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
func (k *keeper) keep(ctx context.Context, batch []*keeping) {
	err := k.store(ctx, batch)
	var unstorable *store.UnstorableError
	if errors.As(err, &unstorable) && len(batch) > 1 {
		for _, one := range batch {
			one.done <- k.store(ctx, []*keeping{one})
		}
		return
	}
	for _, one := range batch {
		one.done <- err
	}
}

func (k *keeper) store(ctx context.Context, batch []*keeping) error {
	whole := batch[0].page
	slots := maps.Clone(k.slots)
	slots[batch[0].slot] = batch[0].at
	for _, next := range batch[1:] {
		whole.Lines = append(whole.Lines, next.page.Lines...)
		whole.Units = append(whole.Units, next.page.Units...)
		whole.Statements = append(whole.Statements, next.page.Statements...)
		whole.StatementLines = append(whole.StatementLines, next.page.StatementLines...)
		slots[next.slot] = next.at
	}
	if n := len(batch); n > 1 {
		whole.Source += fmt.Sprintf(" and %d more", n-1)
	}
	text, err := json.Marshal(slots)
	if err != nil {
		return fmt.Errorf("keep how far reading is: %w", err)
	}
	whole.Cursor = &store.Cursor{Statement: progressCursor, Mode: k.p.o.Mode, Value: string(text)}
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
