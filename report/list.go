package report

import (
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// list lays the divergences out. Whatever the width, ids are whole: an id that
// does not fit into its column stands on a line of its own. What gives way is
// the next step, which is cut, shortened or moved below.
func (s screen) list(p *page) ([]string, error) {
	fixed := fixedWidth(p.rows, p.now)
	subjects := 0
	for i := range p.rows {
		if n := columns(subjectCell(&p.rows[i])); n <= s.width-fixed {
			subjects = max(subjects, n)
		}
	}
	room := s.width - fixed - subjects - 2
	s.terse = !commandsFit(p.rows, room)
	cells := make([][]ui.Safe, len(p.rows))
	below := make([][]string, len(p.rows))
	for i := range p.rows {
		r := &p.rows[i]
		subject := subjectCell(r)
		if columns(subject) > subjects {
			below[i] = append(below[i], indent+subject.String())
			subject = ui.Safe{}
		}
		next, moved := s.next(r, room)
		notes := r.notes
		switch {
		case moved && r.command:
			below[i] = append(below[i], indent+ui.Clean(r.next).String())
		case moved:
			notes = append(say(r.next), notes...)
		}
		for _, line := range wrap(notes, s.dot, max(s.width-len(indent), 24)) {
			below[i] = append(below[i], s.paint.paint("2", indent+line.String()))
		}
		cells[i] = []ui.Safe{
			severityCell(r.severity), ui.Clean(r.class), subject, amountsCell(r.amounts),
			ui.Clean(age(p.now, r.since)), ui.Clean(r.life), next,
		}
	}
	drawn, err := grid(cells, 3, 4)
	if err != nil {
		return nil, err
	}
	lines := make([]string, 0, 2*len(drawn))
	for i, line := range drawn {
		lines = append(lines, s.paint.severity(p.rows[i].severity, line))
		lines = append(lines, below[i]...)
	}
	return lines, nil
}

const indent = "    "

// fixedWidth is what all columns but the subject and the next step take,
// with the blanks between them.
func fixedWidth(rows []row, now payment.Instant) int {
	var class, amounts, ages, life int
	for i := range rows {
		r := &rows[i]
		class = max(class, len(r.class))
		amounts = max(amounts, columns(amountsCell(r.amounts)))
		ages = max(ages, len(age(now, r.since)))
		life = max(life, len(r.life))
	}
	return 2 + 2 + class + 2 + 2 + amounts + 2 + ages + 2 + life
}

// next fits the next step into the room that is left: cut where something of it
// remains, else moved below. A command holds an id: it loses the program's name
// or is moved, never cut.
func (s screen) next(r *row, room int) (cell ui.Safe, moved bool) {
	text := ui.Clean(r.next)
	switch {
	case r.command:
		if s.terse {
			text = ui.Clean(strings.TrimPrefix(r.next, "desfecho "))
		}
		if columns(text) <= room {
			return text, false
		}
		return ui.Safe{}, true
	case columns(text) <= room:
		return text, false
	case room >= minNext:
		return cut(text, room, s.ellipsis), false
	default:
		return ui.Safe{}, true
	}
}

// commandsFit tells whether every command can stand whole behind its row; else
// all of them lose the program's name, so that they look alike.
func commandsFit(rows []row, room int) bool {
	for i := range rows {
		if rows[i].command && columns(ui.Clean(rows[i].next)) > room {
			return false
		}
	}
	return true
}

// minNext is the width below which a cut sentence says nothing any more.
const minNext = 10

func severityCell(severity reconcile.Severity) ui.Safe {
	if severity == 0 {
		return ui.Clean("--")
	}
	return ui.Clean(severity.String())
}

// subjectCell names the sort of subject where it is not a single attempt.
func subjectCell(r *row) ui.Safe {
	if r.kind == reconcile.SubjectAttempt.String() || r.kind == "group" {
		return r.subject
	}
	return ui.Clean(r.kind + " " + r.subject.String())
}

func amountsCell(amounts []money.Amount) ui.Safe {
	var texts []string
	for _, a := range amounts {
		texts = append(texts, strings.TrimSpace(a.String()))
	}
	return ui.Clean(strings.Join(texts, ", "))
}
