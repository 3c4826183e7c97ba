package sqlite

import (
	"context"

	"desfecho/internal/payment"
	"desfecho/internal/planted"
	"desfecho/internal/store"
)

// siblings reads the other attempts of an attempt's charge.
func siblings(ctx context.Context, tx *transaction, d *described, a *payment.Attempt) (all []store.Sibling, err error) {
	filter, ok := d.reading.SiblingsOf(a.Charge)
	if !ok {
		return nil, nil
	}
	statement, values, ok := d.statement(filter)
	if !ok {
		return nil, nil
	}
	cells := make([]*string, len(d.reading.Selected()))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	err = tx.rows(ctx, to, func() error {
		row := make([]store.Text, len(cells))
		for i, c := range cells {
			row[i] = store.Text{Null: c == nil}
			if c != nil {
				row[i].Value = *c
			}
		}
		if sibling, ok := d.reading.Sibling(row, a.ID); ok {
			all = append(all, sibling)
		}
		return nil
	}, statement, values...)
	store.SortSiblings(all)
	return all, err
}

// unmoved refuses the write where another attempt of the charge is not as it
// was seen. This transaction is the only one that writes.
func (p *settling) unmoved(ctx context.Context) error {
	if planted.In(planted.IgnoreMovedSibling) {
		return nil
	}
	d, err := describe(ctx, p.tx, p.store.reading)
	if err != nil {
		return err
	}
	now, err := siblings(ctx, p.tx, d, &p.write.Seen.Attempt)
	if err != nil {
		return err
	}
	if moved := p.write.Seen.SiblingMoved(now); moved != nil {
		return moved
	}
	return nil
}
