package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

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
	case r.Mark != resolve.Keep && r.Approval:
		return "a second person: desfecho approve " + attempt
	case r.Mark != resolve.Keep:
		return "desfecho resolve " + attempt
	case r.Act || r.Ask:
		return "desfecho show " + attempt
	case r.Until > 0:
		return "waits until " + v.instant(r.Until)
	}
	return "desfecho show " + attempt
}

// known says what is known of it in a few words.
func (r *StuckRow) known() string {
	units, at, _ := r.units()
	if len(units) == 0 {
		return attemptScreen{Attempt: r.Attempt}.answer()
	}
	text := strings.ReplaceAll(units[0].State.String(), "_", " ")
	if len(units) > 1 {
		text = fmt.Sprintf("%s and %d more", text, len(units)-1)
	}
	return text + ", " + ago(r.Now, at) + " ago"
}

// WriteStuck draws the review list.
func WriteStuck(w io.Writer, rows []StuckRow, now payment.Instant, o Options) error {
	out := bufio.NewWriter(w)
	if !o.Terminal {
		for i := range rows {
			r := &rows[i]
			a := r.self()
			v := voice{zone: r.zone(), exact: true}
			cells := safe(a.ID, cmp.Or(a.Provider, "-"), r.Word, a.Amount.Decimal(), a.Amount.Currency.String(), v.instant(a.CreatedAt), r.known(), r.Mark.String(), r.next(v))
			texts := make([]string, len(cells))
			for i, cell := range cells {
				texts[i] = cell.String()
			}
			if _, err := out.WriteString(strings.Join(texts, "\t") + "\n"); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	cells := make([][]ui.Safe, len(rows))
	for i := range rows {
		r := &rows[i]
		a := r.self()
		aging := ""
		if r.AgingOut {
			aging = "aging out"
		}
		cells[i] = safe(a.ID, cmp.Or(a.Provider, "-"), a.Amount.String(), age(now, a.CreatedAt), r.known(), markText(r), aging)
	}
	lines, err := grid(cells, 2, 3)
	if err != nil {
		return err
	}
	s := newScreen(o, voice{dot: dot(o)})
	for i, line := range lines {
		r := &rows[i]
		next := r.next(voice{zone: r.zone(), dot: dot(o)})
		if len(line)+2+len(next) <= s.width {
			line += "  " + ui.Clean(next).String()
		} else {
			line += "\n" + indent + ui.Clean(next).String()
		}
		if r.Mark != resolve.Keep {
			line = s.paint.paint("1", line)
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

func markText(r *StuckRow) string {
	if r.Mark == resolve.Keep {
		return "-"
	}
	return "→ " + r.Mark.String()
}
