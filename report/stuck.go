package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// StuckRow is one open attempt on the review list.
type StuckRow struct {
	*Attempt
	Mark     resolve.Mark // that can be confirmed once the provider says the same again; Keep: none
	Approval bool         // a second person is due for it
	Ask      bool         // asking the provider is what can be done
	Act      bool         // a person has to do something, here or at the provider
	AgingOut bool
	Until    payment.Instant // when it can change by itself
}

// next is what to do about it, or what it waits for.
func (r *StuckRow) next(v voice) string {
	attempt := shellWord(r.Case.Attempt)
	switch {
	case r.Mark != resolve.Keep && r.Approval && r.NoLogins:
		return "no approval in a file: desfecho show " + attempt
	case r.Mark != resolve.Keep && r.Approval:
		return "a second person: desfecho approve " + attempt
	case r.Mark != resolve.Keep:
		return "desfecho resolve " + attempt
	case r.Act || r.Ask:
		return "desfecho show " + attempt
	case r.Until > 0:
		return "waits until " + v.until(r.Until)
	}
	return "desfecho show " + attempt
}

// known says what is known of it in a few words.
func (r *StuckRow) known() string {
	units, at, _ := r.units()
	if len(units) == 0 {
		return r.answer()
	}
	text := strings.ReplaceAll(units[0].State.String(), "_", " ")
	if len(units) > 1 {
		text = fmt.Sprintf("%s and %d more", text, len(units)-1)
	}
	return text + ", " + sinceText(r.Now, at)
}

// WriteStuck draws the review list: for a person at a terminal of some width,
// or one line of tab-separated cells for each attempt.
func WriteStuck(w io.Writer, rows []StuckRow, now payment.Instant, o Options) error {
	out := bufio.NewWriter(w)
	lines := plainStuck(rows)
	if o.Terminal {
		var err error
		if lines, err = (stuckScreen{newScreen(o, voice{dot: dot(o)}), rows, now}).lines(); err != nil {
			return err
		}
	}
	for _, line := range lines {
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

func plainStuck(rows []StuckRow) (lines []string) {
	for i := range rows {
		r := &rows[i]
		a := r.self()
		v := voice{zone: r.zone(), exact: true}
		var texts []string
		for _, cell := range safe(a.ID, cmp.Or(a.Provider, "-"), r.Word, a.Amount.Decimal(), a.Amount.Currency.String(), v.instant(a.CreatedAt), r.known(), r.Mark.String(), r.next(v)) {
			texts = append(texts, cell.String())
		}
		lines = append(lines, strings.Join(texts, "\t"))
	}
	return lines
}

// stuckScreen is the list for a person: how much money is stuck and how much of
// it can be settled now, then one attempt a line. Where the lines are too long
// for the terminal, what is known and what to do stand below each.
type stuckScreen struct {
	screen
	rows []StuckRow
	now  payment.Instant
}

func (s stuckScreen) lines() ([]string, error) {
	head, err := s.head()
	if err != nil {
		return nil, err
	}
	lines := append(s.sentence(head, s.paint.headline), "")
	for _, s.terse = range []bool{false, true} {
		body, err := s.beside()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(body, func(line string) bool { return columns(ui.Clean(line)) > s.width }) {
			continue
		}
		for i, line := range body {
			lines = append(lines, s.painted(&s.rows[i], line))
		}
		return lines, nil
	}
	return s.below(lines)
}

// head counts and sums.
func (s stuckScreen) head() (sentence, error) {
	var sums []money.Amount
	ready := 0
	for i := range s.rows {
		r := &s.rows[i]
		if r.Mark != resolve.Keep && !r.Approval {
			ready++
		}
		amount := r.self().Amount
		j := slices.IndexFunc(sums, func(a money.Amount) bool { return a.Currency == amount.Currency })
		if j < 0 {
			sums = append(sums, amount)
			continue
		}
		var err error
		if sums[j], err = sums[j].Add(amount); err != nil {
			return nil, fmt.Errorf("sum up what is stuck: %w", err)
		}
	}
	parts := []string{number(len(s.rows)) + " without an outcome"}
	for _, sum := range sums {
		parts = append(parts, sum.String())
	}
	return say(append(parts, number(ready)+" can be settled now")...), nil
}

// cells are what both layouts have in common.
func (s stuckScreen) cells(r *StuckRow) []ui.Safe {
	a := r.self()
	cells := safe(a.ID, cmp.Or(a.Provider, "-"), a.Amount.String(), age(s.now, a.CreatedAt), s.mark(r))
	cells[1] = cut(cells[1], longestName, s.ellipsis)
	return cells
}

func (s stuckScreen) mark(r *StuckRow) string {
	if r.Mark == resolve.Keep {
		return "-"
	}
	return s.arrow + " " + r.Mark.String()
}

// next is what to do; beside the others there may be no room for the program's
// name.
func (s stuckScreen) next(r *StuckRow) string {
	text := r.next(voice{zone: r.zone(), dot: s.dot})
	if s.terse {
		return strings.Replace(text, "desfecho ", "", 1)
	}
	return text
}

// known says first that what is known is about to disappear.
func (s stuckScreen) known(r *StuckRow) string {
	if r.AgingOut {
		return "aging out: " + r.known()
	}
	return r.known()
}

func (s stuckScreen) beside() ([]string, error) {
	cells := make([][]ui.Safe, len(s.rows))
	for i := range s.rows {
		r := &s.rows[i]
		cells[i] = append(s.cells(r), safe(s.known(r), s.next(r))...)
	}
	return grid(cells, 2, 3)
}

func (s stuckScreen) below(lines []string) ([]string, error) {
	s.terse = false
	cells := make([][]ui.Safe, len(s.rows))
	for i := range s.rows {
		cells[i] = s.cells(&s.rows[i])
	}
	drawn, err := grid(cells, 2, 3)
	if err != nil {
		return nil, err
	}
	for i, line := range drawn {
		r := &s.rows[i]
		for j, part := range wrap(whole(line, cells[i], s.width), s.dot, s.width-len(indent)) {
			before := ""
			if j > 0 {
				before = indent
			}
			lines = append(lines, s.painted(r, before+part.String()))
		}
		for _, part := range wrap(say(s.known(r), s.next(r)), s.dot, max(s.width-len(indent), 24)) {
			lines = append(lines, indent+part.String())
		}
	}
	return lines, nil
}

// whole is a line in its columns, or its cells one by one where that is too
// wide.
func whole(line string, cells []ui.Safe, width int) sentence {
	if text := ui.Clean(line); columns(text) <= width-len(indent) {
		return sentence{text}
	}
	return cells
}

func (s stuckScreen) painted(r *StuckRow, line string) string {
	switch {
	case r.AgingOut:
		return s.paint.paint("1;31", line)
	case r.Mark != resolve.Keep:
		return s.paint.headline(line)
	}
	return line
}
