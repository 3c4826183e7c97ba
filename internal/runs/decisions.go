package runs

import (
	"fmt"

	"desfecho/internal/money"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Apply marks what people put aside, and gives a note for each decision that
// ends here: an acceptance or a snooze lapses when its time is over, and when
// class or amount is another (RULES §4). Once lapsed it stays so, also where
// both come back: the note, saved with the run, names the decision that it
// ends. Notes are those of the result's divergences, oldest first.
func Apply(r *reconcile.Result, notes []store.Note) (lapsed []store.Note) {
	standing := standing(notes)
	for i := range r.Divergences {
		d := &r.Divergences[i]
		n := standing[d.ID]
		if n == nil {
			continue
		}
		if why := lapses(n, d, r); why != "" {
			lapsed = append(lapsed, store.Note{
				Divergence: d.ID, Kind: store.NoteLapsed, Ends: n.Number, Class: d.Class.String(), Minor: d.Amount, Currency: d.Currency.String(),
				Text: why, Operator: "desfecho",
			})
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
	return lapsed
}

// standing is the last decision about each divergence, without those that
// lapsed. The other notes change nothing.
func standing(notes []store.Note) map[string]*store.Note {
	last, ended := map[string]*store.Note{}, map[int64]bool{}
	for i := range notes {
		switch n := &notes[i]; n.Kind { //nolint:exhaustive // the other notes change nothing
		case store.NoteAccept, store.NoteSnooze, store.NoteBaseline:
			last[n.Divergence] = n
		case store.NoteLapsed:
			ended[n.Ends] = true
		}
	}
	for id, n := range last {
		if ended[n.Number] {
			delete(last, id)
		}
	}
	return last
}

// lapses says why a decision does not hold for the divergence as it is now; ""
// where it does.
func lapses(n *store.Note, d *reconcile.Divergence, r *reconcile.Result) string {
	switch {
	case n.Class != d.Class.String():
		return fmt.Sprintf("the class is another: %s, it was %s", d.Class, n.Class)
	case n.Minor != d.Amount || n.Currency != d.Currency.String():
		return fmt.Sprintf("the amount is another: %s, it was %s", money.Amount{Minor: d.Amount, Currency: d.Currency}, amountOf(n))
	case n.Until != 0 && n.Until <= r.Now:
		return "its time was over at " + n.Until.String()
	}
	return ""
}

// amountOf is what was accepted, in words.
func amountOf(n *store.Note) string {
	c, err := money.ParseCurrency(n.Currency)
	if err != nil {
		return fmt.Sprintf("%d %s", n.Minor, n.Currency)
	}
	return money.Amount{Minor: n.Minor, Currency: c}.String()
}

// Told is one line of a divergence's history: when, by whom and by which login,
// what was decided about which class and amount, and why.
func Told(n *store.Note) string {
	who := n.Operator
	if n.Login != "" {
		who += " (login " + n.Login + ")"
	}
	what := string(n.Kind)
	if n.Until != 0 {
		what += " until " + n.Until.String()
	}
	return fmt.Sprintf("%s %s %s, %s of %s: %s", n.At, who, what, n.Class, amountOf(n), n.Text)
}
