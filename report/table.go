package report

import (
	"bufio"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// writeTable is the report for a person: laid out for a terminal of a given
// width, or plain for a pipe, a mail of cron, a file.
func writeTable(w *bufio.Writer, d *Document, o Options) error {
	v := voice{zone: d.zone(), exact: !o.Terminal, dot: " · "}
	if o.ASCII {
		v.dot = " | "
	}
	p, err := newPage(d, v)
	if err != nil {
		return err
	}
	if !o.Terminal {
		return writePlain(w, p)
	}
	return writeScreen(w, p, newScreen(o, v))
}

// screen is what is known about the terminal.
type screen struct {
	width    int
	dot      string
	ellipsis string
	arrow    string
	terse    bool // commands without the program's name
	paint    painter
}

func newScreen(o Options, v voice) screen {
	s := screen{width: o.Width, dot: v.dot, ellipsis: "…", arrow: "→", paint: painter(o.Color)}
	if s.width <= 0 {
		s.width = ui.DefaultWidth
	}
	if o.ASCII {
		s.ellipsis, s.arrow = "...", "->"
	}
	return s
}

func writeScreen(w *bufio.Writer, p *page, s screen) error {
	var lines []string
	for _, line := range p.defect {
		lines = append(lines, s.sentence(line, s.paint.alarm)...)
	}
	for _, line := range p.head {
		lines = append(lines, s.sentence(line, s.paint.headline)...)
	}
	list, err := s.list(p)
	if err != nil {
		return err
	}
	sums, err := s.sums(p.sums)
	if err != nil {
		return err
	}
	facts, err := s.facts(p.facts)
	if err != nil {
		return err
	}
	for _, block := range [][]string{list, sums, facts} {
		if len(block) > 0 {
			lines = append(append(lines, ""), block...)
		}
	}
	lines = append(append(lines, ""), s.sentence(p.foot, s.paint.foot)...)
	for _, line := range lines {
		if _, err := w.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// sentence wraps a line between its parts, further lines indented.
func (s screen) sentence(parts sentence, paint func(string) string) []string {
	var lines []string
	for i, line := range wrap(parts, s.dot, max(s.width-2, 20)) {
		text := line.String()
		if i > 0 {
			text = "  " + text
		}
		lines = append(lines, paint(text))
	}
	return lines
}

// sums aligns the bridge: label, amount, then the terms, which wrap.
func (s screen) sums(sums []sum) ([]string, error) {
	labels, amounts := 0, 0
	for i := range sums {
		labels = max(labels, columns(ui.Clean(sums[i].label)))
		amounts = max(amounts, columns(amountCell(sums[i].amount)))
	}
	room := max(s.width-labels-amounts-4, 24)
	var rows [][]ui.Safe
	for i := range sums {
		for j, line := range wrap(sums[i].terms, " ", room) {
			row := []ui.Safe{{}, {}, line}
			if j == 0 {
				row[0], row[1] = ui.Clean(sums[i].label), amountCell(sums[i].amount)
			}
			rows = append(rows, row)
		}
	}
	return grid(rows, 1)
}

func amountCell(a money.Amount) ui.Safe {
	if a.Currency.IsZero() {
		return ui.Safe{}
	}
	return ui.Clean(a.String())
}

func (s screen) facts(facts []fact) ([]string, error) {
	labels := 0
	for _, f := range facts {
		labels = max(labels, len(f.label))
	}
	var rows [][]ui.Safe
	for _, f := range facts {
		for i, line := range wrap(f.text, s.dot, max(s.width-labels-2, 24)) {
			label := f.label
			if i > 0 {
				label = ""
			}
			rows = append(rows, []ui.Safe{ui.Clean(label), line})
		}
	}
	return grid(rows)
}

// painter colours what must be seen first; false leaves everything as it is.
type painter bool

func (p painter) paint(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p painter) alarm(text string) string { return p.paint("1;31", text) }

// allowed is what a person may do now, faint what may be read later.
func (p painter) allowed(text string) string { return p.paint("1;32", text) }
func (p painter) faint(text string) string   { return p.paint("2", text) }

func (p painter) headline(text string) string {
	if strings.Contains(text, "INCOMPLETE") {
		return p.paint("1;33", text)
	}
	return p.paint("1", text)
}

func (p painter) foot(text string) string {
	switch {
	case strings.HasPrefix(text, "DEFECT"):
		return p.alarm(text)
	case strings.HasPrefix(text, "INCOMPLETE"):
		return p.paint("1;33", text)
	case strings.HasPrefix(text, "no divergence"):
		return p.paint("32", text)
	default:
		return p.paint("1", text)
	}
}

// severity colours a line that begins with a severity.
func (p painter) severity(s reconcile.Severity, line string) string {
	switch s {
	case reconcile.P1:
		return p.paint("1;31", line[:2]) + line[2:]
	case reconcile.P2:
		return p.paint("33", line[:2]) + line[2:]
	case reconcile.P3, reconcile.P4:
		return p.paint("2", line[:2]) + line[2:]
	default:
		return p.paint("1;33", line[:2]) + line[2:]
	}
}
