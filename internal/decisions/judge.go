package decisions

import (
	"strings"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// Standing is what the decisions are about.
type Standing struct {
	Now  payment.Instant // until must be after it
	Zone func(provider string) *time.Location
	Find func(id string) *reconcile.Divergence // nil: it does not stand
}

// Notes turns the rows into notes, in the order of the sheet, without who
// decided. The problems are one *tabular.Error for each cell that was refused:
// where there is one no note may be written.
func (s *Sheet) Notes(now Standing) (notes []store.Note, problems []error) {
	seen := map[string]int{}
	for i := range s.Rows {
		r := &s.Rows[i]
		n, err := s.note(r, &now)
		if first, twice := seen[n.Divergence]; err == nil && twice {
			err = s.refuse(r, divergence, "line %d decides about it too", first)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		seen[n.Divergence] = r.Line
		notes = append(notes, n)
	}
	return notes, problems
}

// note judges one row: what it says of the divergence must be what stands, so
// that nobody accepts what they did not see, nor a row that slipped.
func (s *Sheet) note(r *Row, now *Standing) (n store.Note, err error) {
	if !idForm.MatchString(r.cells[divergence]) {
		return n, s.refuse(r, divergence, "this is no id of a divergence: d and 16 hexadecimal digits")
	}
	d := now.Find(r.cells[divergence])
	if d == nil {
		return n, s.refuse(r, divergence, "no such divergence stands after the last run")
	}
	if r.cells[class] != d.Class.String() {
		return n, s.refuse(r, class, "it is %s now", d.Class)
	}
	if is := plain(ui.Clean(strings.Join(d.Subject.IDs, "+")).String()); r.cells[subject] != is {
		return n, s.refuse(r, subject, "the divergence %s is about %s", d.ID, is)
	}
	if err := s.money(r, d); err != nil {
		return n, err
	}
	n = store.Note{Divergence: d.ID, Class: d.Class.String(), Minor: d.Amount, Currency: d.Currency.String(), Text: mask.Text(r.cells[reason])}
	return n, s.decide(r, d, now, &n)
}

// money compares what the sheet says of the amount with what stands.
func (s *Sheet) money(r *Row, d *reconcile.Divergence) error {
	if r.cells[currency] != d.Currency.String() {
		return s.refuse(r, currency, "it is %s now", d.Currency)
	}
	if d.Currency.IsZero() {
		return nil
	}
	mark := money.Mark('.')
	if strings.Contains(r.cells[amount], ",") {
		mark = ','
	}
	minor, _, err := money.ParseText(r.cells[amount], mark, d.Currency)
	if err != nil || minor != d.Amount {
		return s.refuse(r, amount, "it is %s now", money.Amount{Minor: d.Amount, Currency: d.Currency}.Decimal())
	}
	return nil
}

func (s *Sheet) decide(r *Row, d *reconcile.Divergence, now *Standing, n *store.Note) error {
	kind, ok := words[strings.ToLower(r.cells[decision])]
	if !ok {
		return s.refuse(r, decision, "want accept, snooze or note (aceitar, adiar, nota)")
	}
	n.Kind = kind
	if kind != store.NoteSnooze && n.Text == "" {
		return s.refuse(r, reason, "%s needs words", r.cells[decision])
	}
	if kind == store.NoteText {
		if r.cells[until] != "" {
			return s.refuse(r, until, "a note has no end")
		}
		return nil
	}
	if d.Class == reconcile.CoverageIncomplete {
		return s.refuse(r, decision, "what was not read cannot be put aside: read it")
	}
	if n.Until, ok = moment(r.cells[until], now.Zone(d.Provider)); !ok {
		return s.refuse(r, until, "want a day such as 2026-01-31 or 31/01/2026, or an instant with its offset")
	}
	if n.Until <= now.Now {
		return s.refuse(r, until, "it is over already")
	}
	return nil
}

var words = map[string]store.NoteKind{
	"accept": store.NoteAccept, "accepted": store.NoteAccept, "aceitar": store.NoteAccept, "aceito": store.NoteAccept,
	"snooze": store.NoteSnooze, "snoozed": store.NoteSnooze, "adiar": store.NoteSnooze,
	"note": store.NoteText, "nota": store.NoteText,
}

// moment reads the end of a decision: a day, which begins in the zone, or an
// instant.
func moment(cell string, zone *time.Location) (payment.Instant, bool) {
	if t, err := time.Parse(time.RFC3339, cell); err == nil {
		return payment.InstantOf(t), true
	}
	for _, form := range []string{"2006-01-02", "02/01/2006", "02/01/2006 15:04:05"} {
		if t, err := time.ParseInLocation(form, cell, zone); err == nil {
			return payment.InstantOf(t), true
		}
	}
	return 0, false
}
