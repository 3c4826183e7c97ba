package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the page's own template, style and script
	"encoding/base64"
	"html/template"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

//go:embed html/page.tmpl
var htmlTemplate string

//go:embed html/page.css
var htmlStyle string

//go:embed html/page.js
var htmlScript string

// htmlRows bounds what one page lists one by one, worst first: a browser must
// still open it. What is left out is counted on the page; csv and json list all.
const htmlRows = 20_000

// htmlPage is the document as one page of a browser: what page says, and what
// only a page can show. The template escapes every text.
type htmlPage struct {
	Policy  string
	Style   template.CSS
	Script  template.JS
	Title   string
	Verdict string
	Tone    string // good, bad, incomplete, defect: the colour of the verdict
	Defect  []string
	Foot    []string
	Coverage,
	Quiet []string // currencies in which nothing is at stake
	Cards   [][]htmlCard
	Stakes  []htmlStake
	Ages    []htmlAge
	Days    []htmlCoverage
	Items   []htmlItems
	Ended   []string
	Bridges []htmlBridge
	Classes []htmlClass
	Listed  string
	LeftOut string
	Choices htmlChoices
	Facts   []htmlFact
	Inputs  []htmlInput
	About   []htmlFact
}

type htmlFact struct{ Label, Text string }

// htmlCard is one figure of the headline: its money, and of how many divergences.
type htmlCard struct {
	Label, Money, Of string
	Any              bool
}

// htmlChoices are the words that the filter offers.
type htmlChoices struct{ Severities, Providers, Lives []string }

// writeHTML is one self-contained page: no address is in it that a browser would
// fetch, and its policy lets only its own style and its own script act, by hash.
func writeHTML(w *bufio.Writer, d *Document, _ Options) error {
	view, err := newHTMLPage(d)
	if err != nil {
		return err
	}
	tmpl, err := template.New("page").Parse(htmlTemplate)
	if err != nil {
		return err
	}
	return tmpl.Execute(w, view)
}

func newHTMLPage(d *Document) (*htmlPage, error) {
	v := voice{zone: d.zone(), dot: " · "}
	p, err := newPage(d, v)
	if err != nil {
		return nil, err
	}
	view := &htmlPage{
		Policy: htmlPolicy(), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript), //nolint:gosec // both are this package's own files
		Title: htmlTitle(d, v), Verdict: htmlVerdict(d), Tone: htmlTone(d),
		Days: htmlCalendars(d), Items: htmlMoves(d.Result), About: htmlAbout(d, v),
	}
	for _, part := range p.foot {
		if part.String() != view.Verdict { // which stands before it
			view.Foot = append(view.Foot, part.String())
		}
	}
	for _, s := range p.defect {
		view.Defect = append(view.Defect, ui.Join(s, v.dot).String())
	}
	for _, s := range scopeLines(d, v) {
		view.Coverage = append(view.Coverage, ui.Join(s, v.dot).String())
	}
	figures, err := headlines(d.Result)
	if err != nil {
		return nil, err
	}
	view.Cards, view.Quiet = htmlCards(figures)
	if view.Bridges, err = htmlBridges(d.Result, v); err != nil {
		return nil, err
	}
	for _, f := range p.facts {
		if !slices.Contains([]string{"read", "assumed", "run", "classes", "ended", "items"}, f.label) {
			view.Facts = append(view.Facts, htmlFact{f.label, ui.Join(f.text, v.dot).String()})
		}
	}
	for i := range d.Ended {
		view.Ended = append(view.Ended, clean(endedText(&d.Ended[i])))
	}
	view.Stakes, view.Ages = htmlStakes(d.Result), htmlAges(d.Result)
	view.list(d, v)
	view.inputs(d, v)
	return view, nil
}

// htmlPolicy allows nothing from anywhere, and the page's own two pieces by
// what they are.
func htmlPolicy() string {
	return "default-src 'none'; style-src " + hashOf(htmlStyle) + "; script-src " + hashOf(htmlScript) + "; base-uri 'none'; form-action 'none'"
}

func hashOf(piece string) string {
	sum := sha256.Sum256([]byte(piece))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func htmlTitle(d *Document, v voice) string {
	var names []string
	for _, s := range scopes(d.Result) {
		if !slices.Contains(names, s.provider) {
			names = append(names, s.provider)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	parts := slices.DeleteFunc([]string{strings.Join(names, ", "), v.period(d.Result.Window)}, func(p string) bool { return p == "" })
	return clean(strings.Join(append(parts, "desfecho"), " · "))
}

func htmlVerdict(d *Document) string {
	switch {
	case d.Result.Defect != "":
		return "DEFECT"
	case d.Result.Verdict == reconcile.Incomplete:
		return "INCOMPLETE"
	case d.Result.Verdict == reconcile.Breaks:
		return "divergences"
	}
	return d.Result.Verdict.String()
}

// htmlTone is green for a run that was read to the end and found nothing, and
// for no other.
func htmlTone(d *Document) string {
	switch {
	case d.Result.Defect != "":
		return "defect"
	case d.Result.Verdict == reconcile.Incomplete:
		return "incomplete"
	case d.Result.Verdict == reconcile.Clean:
		return "good"
	case d.ExitCode == 0:
		return "plain"
	}
	return "bad"
}

// htmlCards has the four figures of every currency in which anything is at
// stake, and of the only one; the sentence of a quiet one is enough.
func htmlCards(figures []headline) (cards [][]htmlCard, quiet []string) {
	for i := range figures {
		h := &figures[i]
		prefix := ""
		if h.mode == payment.Test {
			prefix = "test mode: "
		}
		if h.count == ([bucketEnd]int{}) && len(figures) > 1 {
			quiet = append(quiet, prefix+h.currency.String())
			continue
		}
		var row []htmlCard
		for kind := noBucket + 1; kind < bucketEnd; kind++ {
			if kind <= stuck || h.count[kind] > 0 {
				amount, of, counted := strings.Cut(clean(h.figure(kind, true)), " (")
				if counted {
					of = "(" + of
				}
				row = append(row, htmlCard{prefix + kind.String(), amount, of, h.count[kind] > 0})
			}
		}
		cards = append(cards, row)
	}
	return cards, quiet
}

func htmlAbout(d *Document, v voice) []htmlFact {
	facts := []htmlFact{
		{"run", clean(d.Run)},
		{"window", v.period(d.Result.Window)},
		{"zone of days and times", d.zone().String()},
		{"compared as of", v.instant(d.Result.Now)},
		{"program", clean("desfecho " + d.Version)},
		{"fails on", d.FailOn.String()},
		{"exit code", number(d.ExitCode)},
		{"judged", number(d.Result.Counts.Attempts) + " attempts, " + number(d.Result.Counts.Lines) + " lines, " + number(d.Result.Counts.Units) + " objects"},
	}
	for _, text := range d.Assumptions {
		facts = append(facts, htmlFact{"assumed", clean(freeText(text))})
	}
	return slices.DeleteFunc(facts, func(f htmlFact) bool { return f.Text == "" })
}

// clean is text for a page: what is hidden in it is shown as an escape.
func clean(text string) string { return ui.Clean(text).String() }

func moneyText(minor int64, c money.Currency) string {
	return clean(strings.TrimSpace(money.Amount{Minor: minor, Currency: c}.String()))
}
