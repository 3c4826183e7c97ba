package reconcile

import (
	"cmp"
	"slices"
)

// PutAside takes what people put aside (Divergence.Aside) out of what is open:
// in what the next run goes on from, and in equation 7, where it is accepted,
// or, where it was aside before, no item that lapsed (RULES §4, life; §5.7). It
// is for a result of Match, once.
func (r *Result) PutAside() {
	if r.Memory == nil {
		return
	}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		if !d.Aside() {
			continue
		}
		at := slices.IndexFunc(r.Items, func(row ItemsRow) bool { return row.Currency == d.Currency })
		row, amount := &r.Items[at], d.amount()
		row.Open -= amount
		row.OpenCount--
		if d.LifeState == LifeLapsed {
			row.Lapsed -= amount
			row.LapsedCount--
		} else {
			row.Accepted += amount
			row.AcceptedCount++
		}
		d.LifeState = LifeAccepted
		if slices.Contains(d.Attributes, AttributeSnoozed) {
			d.LifeState = LifeSnoozed
		}
		if at, found := slices.BinarySearchFunc(r.Memory.Items, d.ID, func(item Item, id string) int { return cmp.Compare(item.ID, id) }); found {
			r.Memory.Items[at].State = d.LifeState
		}
	}
}
