package report

import (
	"bufio"
	"strings"

	"desfecho/internal/ui"
)

// writePlain is the table where no person looks at a terminal: sentences
// unwrapped, one divergence a line with tabs between the columns, instants as
// RFC 3339, nothing cut. The columns are documented in docs/csv.md.
func writePlain(w *bufio.Writer, p *page) error {
	line := func(text string) error {
		_, err := w.WriteString(text + "\n")
		return err
	}
	for _, s := range append(p.defect, p.head...) {
		if err := line(ui.Join(s, p.voice.dot).String()); err != nil {
			return err
		}
	}
	for i := range p.rows {
		if err := line(plainRow(&p.rows[i], p.voice)); err != nil {
			return err
		}
	}
	for _, s := range p.sums {
		text := strings.TrimSpace(s.label + " " + amountCell(s.amount).String() + " " + ui.Join(s.terms, " ").String())
		if err := line(ui.Clean(text).String()); err != nil {
			return err
		}
	}
	for _, f := range p.facts {
		if err := line(f.label + " " + ui.Join(f.text, p.voice.dot).String()); err != nil {
			return err
		}
	}
	return line(ui.Join(p.foot, p.voice.dot).String())
}

// plainRow is one line; a cell that a spreadsheet would take for a formula is
// disarmed as in csv, for lines with tabs are pasted there too.
func plainRow(r *row, v voice) string {
	var decimals, codes []string
	for _, a := range r.amounts {
		decimals = append(decimals, a.Decimal())
		codes = append(codes, a.Currency.String())
	}
	cells := []string{
		severityCell(r.severity).String(), r.class, r.kind, disarm(r.subject.String()),
		strings.Join(decimals, "+"), strings.Join(codes, "+"), v.instant(r.since), r.life,
		disarm(ui.Clean(r.next).String()), disarm(ui.Join(r.notes, "; ").String()),
	}
	return strings.Join(cells, "\t")
}
