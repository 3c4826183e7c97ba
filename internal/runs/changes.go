package runs

import (
	"slices"

	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Changes is what a run says that the one before did not.
type Changes struct {
	New     []string // ids of divergences that are new, or came back
	Changed []string // of those whose class, severity or amount is another
	Ended   []reconcile.Item
	Same    []string // sorted, of those that stand as they stood
}

// Nothing tells whether the run says nothing new.
func (c *Changes) Nothing() bool { return len(c.New)+len(c.Changed)+len(c.Ended) == 0 }

// Since compares a result with the memory that it was judged with, nil for a
// first run.
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
		case old.Class != d.Class || old.Severity != d.Severity || d.SameMoneyAs == nil && (old.Amount.Minor != d.Amount || old.Amount.Currency != d.Currency):
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

// Apply marks what people accepted or snoozed. An acceptance lapses when its
// time is over, and when class or amount is another (RULES §4).
func Apply(r *reconcile.Result, notes []store.Note) {
	last := map[string]*store.Note{}
	for i := range notes {
		switch n := &notes[i]; n.Kind { //nolint:exhaustive // the other notes change nothing
		case store.NoteAccept, store.NoteSnooze, store.NoteBaseline:
			last[n.Divergence] = n
		}
	}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		n := last[d.ID]
		if n == nil || n.Class != d.Class.String() || n.Minor != d.Amount || n.Currency != d.Currency.String() ||
			n.Until != 0 && n.Until <= r.Now {
			continue
		}
		word, how := reconcile.AttributeAccepted, n.Text
		if n.Kind == store.NoteSnooze {
			word = reconcile.AttributeSnoozed
		}
		if n.Until != 0 {
			how = "until " + n.Until.String() + ": " + how
		}
		d.Attributes = append(d.Attributes, word)
		if how != "" {
			d.Attributes = append(d.Attributes, how)
		}
	}
}

// IDs of all divergences of a result.
func IDs(r *reconcile.Result) []string {
	ids := make([]string, len(r.Divergences))
	for i := range r.Divergences {
		ids[i] = r.Divergences[i].ID
	}
	return ids
}
