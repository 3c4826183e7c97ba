package report

import (
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// page is the document as people read it, in the order in which they read it:
// the money first. The table and the md form lay it out.
type page struct {
	voice  voice
	now    payment.Instant
	defect []sentence
	head   []sentence
	rows   []row
	sums   []sum
	facts  []fact
	foot   sentence
}

// sentence is a line whose parts may be put on several lines.
type sentence []ui.Safe

func say(parts ...string) sentence {
	var s sentence
	for _, part := range parts {
		if part != "" {
			s = append(s, ui.Clean(part))
		}
	}
	return s
}

// row is one divergence, or one group of them.
type row struct {
	severity reconcile.Severity
	class    string
	kind     string  // of the subject, or "group"
	subject  ui.Safe // whole, always
	amounts  []money.Amount
	since    payment.Instant
	life     string
	next     string
	command  bool
	notes    sentence
}

// sum is one line of the bridge: label amount = terms.
type sum struct {
	label  string
	amount money.Amount
	terms  sentence
}

// fact is a labelled sentence below the bridge.
type fact struct {
	label string
	text  sentence
}

// newPage says everything once. The voice decides the form of times only.
func newPage(d *Document, v voice) (*page, error) {
	p := &page{voice: v, now: d.Result.Now}
	if d.Result.Defect != "" {
		p.defect = []sentence{
			say("DEFECT: " + freeText(d.Result.Defect)),
			say("the figures below do not add up: this is a fault of desfecho, and no divergence changed its state"),
		}
	}
	figures, err := headlines(d.Result)
	if err != nil {
		return nil, err
	}
	p.head = append(scopeLines(d, v), moneyLines(figures)...)
	p.rows = rowsOf(d, v)
	if p.sums, err = bridgeSums(d.Result); err != nil {
		return nil, err
	}
	if p.facts, err = factsOf(d, v); err != nil {
		return nil, err
	}
	if len(p.rows) > 0 && !v.exact && slices.Contains(d.Commands, "explain") {
		p.facts = append(p.facts, fact{"classes", say("desfecho explain CLASS says what one means and what to do")})
	}
	p.foot = footLine(d)
	return p, nil
}

// amountText says money in the words of the headline: "1,045.00 BRL (1)", and a
// bare 0.00 where there is none.
func amountText(a money.Amount, count int) string {
	if a.Minor == 0 && count == 0 {
		return a.Grouped()
	}
	return strings.TrimSpace(a.String()) + " (" + number(count) + ")"
}
