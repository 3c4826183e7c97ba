package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// siblings reads the other attempts of an attempt's charge.
func siblings(ctx context.Context, q queryer, d *described, a *payment.Attempt) (all []store.Sibling, err error) {
	filter, ok := d.reading.SiblingsOf(a.Charge)
	if !ok {
		return nil, nil
	}
	sql, values, ok := d.statement(filter, asText)
	if !ok {
		return nil, nil
	}
	rows, err := q.Query(ctx, sql, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row := make([]store.Text, len(d.reading.Selected()))
		for i, raw := range rows.RawValues()[:len(row)] {
			row[i] = store.Text{Value: string(raw), Null: raw == nil}
		}
		if sibling, ok := d.reading.Sibling(row, a.ID); ok {
			all = append(all, sibling)
		}
	}
	store.SortSiblings(all)
	return all, rows.Err()
}

// unmoved refuses the write where another attempt of the charge is not as it
// was seen. Their rows are locked first, in the order of their ids: an
// application that settles one of them just now is waited for, and two people
// who settle two of them wait for each other in one order. A row that is begun
// meanwhile has none yet; that takes the user's own lock_first.
func (p *settling) unmoved(ctx context.Context) error {
	seen := p.write.Seen
	if len(seen.Siblings) > 0 && p.table.rows {
		var q query
		column := p.store.reading.Columns.ID
		ids := []string{p.table.typed(&q, column, seen.Attempt.ID)}
		for _, sibling := range seen.Siblings {
			ids = append(ids, p.table.typed(&q, column, sibling.ID))
		}
		id := quote(p.table.name[column])
		_, err := p.tx.Exec(ctx, "SELECT FROM "+p.table.table+" WHERE "+id+" IN ("+strings.Join(ids, ", ")+") ORDER BY "+id+" FOR NO KEY UPDATE", q.values...)
		if err != nil {
			return err
		}
	}
	d, err := describe(ctx, p.tx, p.store.reading)
	if err != nil {
		return err
	}
	now, err := siblings(ctx, p.tx, d, &seen.Attempt)
	if err != nil {
		return err
	}
	if moved := seen.SiblingMoved(now); moved != nil {
		return moved
	}
	return nil
}

// whichMoved names the sibling that the function found moved; it is read again.
func (p *settling) whichMoved(ctx context.Context) error {
	moved := &store.MovedError{Cause: store.CauseChanged, Attempt: p.write.Attempt}
	now, err := p.store.See(ctx, p.write.Attempt)
	switch {
	case errors.Is(err, store.ErrNoAttempt):
		moved.Cause = store.CauseGone
	case err != nil:
		return fmt.Errorf("settle attempt %s: nothing was written: another attempt of the same charge moved, and what stands there could not be read: %w", p.write.Attempt, err)
	default:
		if sibling := p.write.Seen.SiblingMoved(now.Siblings); sibling != nil {
			return sibling
		}
		moved.Tell(p.write, now)
	}
	return moved
}
