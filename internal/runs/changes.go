package runs

import (
	"slices"

	"desfecho/reconcile"
)

// Changes is what a run says that the one before did not.
type Changes struct {
	New     []string // ids of divergences that are new, or came back
	Changed []string // of those whose class, severity or amount is another, or whose acceptance lapsed
	Ended   []reconcile.Item
	Same    []string // sorted, of those that stand as they stood
}

// Nothing tells whether the run says nothing new.
func (c *Changes) Nothing() bool { return len(c.New)+len(c.Changed)+len(c.Ended) == 0 }

// Since compares a result, after Apply and PutAside, with the memory that it
// was judged with, nil for a first run.
func Since(before *reconcile.Memory, r *reconcile.Result) Changes {
	was := map[string]*reconcile.Item{}
	if before != nil {
		for i := range before.Items {
			if item := &before.Items[i]; !item.State.Ended() {
				was[item.ID] = item
			}
		}
	}
	c := Changes{}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		old := was[d.ID]
		switch {
		case old == nil:
			c.New = append(c.New, d.ID)
		case d.LifeState == reconcile.LifeLapsed || old.Class != d.Class || old.Severity != d.Severity || d.SameMoneyAs == nil && (old.Amount.Minor != d.Amount || old.Amount.Currency != d.Currency):
			c.Changed = append(c.Changed, d.ID)
		default:
			c.Same = append(c.Same, d.ID)
		}
	}
	slices.Sort(c.Same)
	if r.Memory == nil {
		return c
	}
	for i := range r.Memory.Items {
		if item := &r.Memory.Items[i]; item.State.Ended() && was[item.ID] != nil {
			c.Ended = append(c.Ended, *item)
		}
	}
	return c
}

// IDs of all divergences of a result.
func IDs(r *reconcile.Result) []string {
	ids := make([]string, len(r.Divergences))
	for i := range r.Divergences {
		ids[i] = r.Divergences[i].ID
	}
	return ids
}
