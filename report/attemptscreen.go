package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// attemptScreen lays one attempt out.
type attemptScreen struct {
	screen
	voice voice
	*Attempt
}

// head says which attempt it is and since when it has been so.
func (s attemptScreen) head() ([]string, error) {
	a := s.self()
	parts := []string{"attempt " + a.ID}
	if a.Charge != "" {
		parts = append(parts, "charge "+a.Charge)
	}
	if a.Operation != payment.Charge {
		parts = append(parts, a.Operation.String())
	}
	status := s.Word
	if word := s.Verdict.Status.String(); word != status && word != "" {
		status += ", which is " + word + " by now"
	}
	since := a.CreatedAt.Time().In(s.zone()).Format("2 Jan 2006 15:04 -07:00")
	parts = append(parts, fmt.Sprintf("%s since %s (%s)", status, since, age(s.Now, a.CreatedAt)))
	return s.sentence(say(parts...), s.paint.headline), nil
}

// sides puts request, provider and business side by side.
func (s attemptScreen) sides() ([]string, error) {
	a := s.self()
	units, at, by := s.units()
	header := s.provider()
	there := []string{s.answer(), "", ""}
	if len(units) > 0 {
		header += ", " + by + ", " + cmp.Or(ago(s.Now, at), "0 s") + " ago"
		there = []string{stateText(&units[0]), unitAmount(&units[0]), units[0].ID}
	}
	rows := [][]ui.Safe{
		safe("", "here", header),
		safe("status", s.Word, there[0]),
		safe("amount", a.Amount.String(), there[1]),
		safe("object", cmp.Or(a.ProviderID, "none"), there[2]),
	}
	if len(s.Business) > 0 {
		rows[0] = append(rows[0], ui.Clean("business"))
		for i, row := range rows[1:] {
			cell := ui.Safe{}
			if i < len(s.Business) {
				cell = ui.Clean(s.Business[i].Name + " " + s.Business[i].Text)
			}
			rows[i+1] = append(row, cell)
		}
	}
	lines, err := grid(rows)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(units); i++ {
		u := &units[i]
		lines = append(lines, "also        "+ui.Clean(strings.Join([]string{u.ID, stateText(u), unitAmount(u)}, s.dot)).String())
	}
	for i := 3; i < len(s.Business); i++ {
		lines = append(lines, "business    "+ui.Clean(s.Business[i].Name+" "+s.Business[i].Text).String())
	}
	return lines, nil
}

// answer says in a few words what the provider answered last, where it showed
// no object.
func (s attemptScreen) answer() string {
	all := s.lookups()
	if len(all) == 0 {
		return "not asked yet"
	}
	newest := all[0]
	text := "not found"
	if newest.Outcome == payment.Inconclusive {
		text = "no clear answer: " + strings.ReplaceAll(newest.Reason, "_", " ")
	}
	return text + ", " + ago(s.Now, newest.At) + " ago"
}

// marks lists each mark, whether it is offered, why, and when that can change.
func (s attemptScreen) marks() ([]string, error) {
	var rows [][]ui.Safe
	var below [][]string
	for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
		o := s.Verdict.Offers(mark)
		if mark == resolve.Unknown && !o.Allowed && o.Reason != resolve.ReasonInFlight {
			continue
		}
		word := "refused"
		switch {
		case o.Allowed && o.ApprovalDue && o.ApprovedBy == "":
			word = "after approval"
		case o.Allowed:
			word = "allowed"
		}
		rows = append(rows, safe(mark.String(), word, ""))
		below = append(below, s.why(o))
	}
	lines, err := grid(rows)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, line := range lines {
		width = max(width, len(line))
	}
	var all []string
	for i, line := range lines {
		text := below[i]
		first := ui.Safe{}
		wrapped := wrap(say(text[0]), "", max(s.width-width-2, 24))
		if len(wrapped) > 0 {
			first = wrapped[0]
		}
		all = append(all, s.mark(line+strings.Repeat(" ", width-len(line))+"  "+first.String(), i))
		for _, more := range wrapped[min(1, len(wrapped)):] {
			all = append(all, strings.Repeat(" ", width+2)+more.String())
		}
		for _, t := range text[1:] {
			for _, more := range wrap(say(t), "", max(s.width-width-4, 24)) {
				all = append(all, s.paint.paint("2", strings.Repeat(" ", width+4)+more.String()))
			}
		}
	}
	return all, nil
}

// mark paints an offered mark, so that it is seen from afar.
func (s attemptScreen) mark(line string, _ int) string {
	if strings.Contains(line, "  allowed") {
		return s.paint.paint("1", line)
	}
	return line
}

// why gives the sentence of an offer, and what else stands in the way.
func (s attemptScreen) why(o *resolve.Offer) []string {
	text := []string{o.Sentence + s.when(o.ChangesAt)}
	if o.Transition == resolve.ToSucceededDuplicate {
		text = append(text, fmt.Sprintf("DUPLICATE: the charge is paid already; %s too much is to be given back by its owner", s.surplus()))
	}
	if o.ApprovedBy != "" {
		text = append(text, "approved by "+o.ApprovedBy)
	}
	if o.Allowed && o.ApprovalDue && o.ApprovedBy == "" {
		text = append(text, "a second person runs: desfecho approve "+s.Case.Attempt)
	}
	if units, _, _ := s.units(); o.Mark != resolve.Failed || o.Allowed || len(units) > 0 {
		return text // what the provider holds stands in the way, not the gate
	}
	for _, c := range s.Verdict.Gate {
		if !c.Met && c.Sentence != o.Sentence {
			text = append(text, c.Sentence+s.when(c.ChangesAt))
		}
	}
	return text
}

func (s attemptScreen) surplus() string {
	amount := s.self().Amount
	amount.Minor = s.Verdict.Surplus
	return amount.String()
}

// when says from when a refusal can change, where that is later than now.
func (s attemptScreen) when(at payment.Instant) string {
	if at <= s.Now {
		return ""
	}
	return " (until " + at.Time().In(s.zone()).Format("2 Jan 15:04 -07:00") + ")"
}

// effects says exactly what each offered mark would write, and what it will
// not do.
func (s attemptScreen) effects() ([]string, error) {
	var rows [][]ui.Safe
	for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
		o := s.Verdict.Offers(mark)
		if !o.Allowed {
			continue
		}
		rows = append(rows, safe("will write", fmt.Sprintf("%s: %s → %s", s.Case.Attempt, s.Word, s.written(o))))
		for _, e := range s.Effects[mark] {
			text := e.Statement
			if e.Optional != "" {
				text += "  (or no row: " + e.Optional + ")"
			}
			rows = append(rows, safe("", text))
		}
	}
	if len(rows) > 0 {
		rows = append(rows, safe("will not", "refund, capture or send anything: nothing is sent to "+s.provider()))
	}
	if advice := s.Verdict.Advice; s.Verdict.Status.Open() || s.Verdict.Status == payment.Failed {
		text := advice.Retry.String() + ": " + advice.Sentence
		if advice.At > 0 {
			text += " (" + s.voice.instant(advice.At) + ")"
		}
		rows = append(rows, safe("retry", text))
	}
	return s.labelled(rows)
}

func (s attemptScreen) written(o *resolve.Offer) string {
	text := o.Mark.String()
	if o.Unit != "" {
		text += ", object " + o.Unit
	}
	if name := o.Transition.String(); name != o.Mark.String() {
		text += " (as " + name + ")"
	}
	return text
}

// labelled puts a label before texts, which are wrapped under each other.
func (s attemptScreen) labelled(rows [][]ui.Safe) ([]string, error) {
	width := 0
	for _, row := range rows {
		width = max(width, columns(row[0]))
	}
	var lines []string
	for _, row := range rows {
		label := row[0].String() + strings.Repeat(" ", width-columns(row[0])+2)
		for _, part := range wrap(sentence{row[1]}, "", max(s.width-width-2, 24)) {
			lines = append(lines, label+part.String())
			label = strings.Repeat(" ", width+2)
		}
	}
	return lines, nil
}

// history lists what the provider was asked and said, newest first.
func (s attemptScreen) history() ([]string, error) {
	const most = 12
	all := s.lookups()
	var rows [][]ui.Safe
	for i, l := range all {
		if i == most {
			rows = append(rows, safe("", fmt.Sprintf("and %d earlier ones", len(all)-most)))
			break
		}
		text := strings.ReplaceAll(l.Outcome.String(), "_", " ")
		for _, u := range l.Units {
			text += " " + u.ID + " (" + stateText(&u) + ")"
		}
		if l.Reason != "" {
			text += ": " + strings.ReplaceAll(l.Reason, "_", " ")
		}
		if l.NoControl && l.Outcome != payment.Found {
			text += ", without a positive control"
		}
		rows = append(rows, safe("asked", ago(s.Now, l.At)+" ago by "+keyWords(l.Key)+" "+keyText(l.Key.Value)+": "+text))
	}
	for _, e := range s.Case.Events {
		rows = append(rows, safe("event", strings.Join([]string{s.voice.instant(e.At), e.State.String(), e.Unit}, s.dot)))
	}
	for _, m := range s.Manuals {
		rows = append(rows, safe("seen", m.Name+": "+freeText(m.Text)))
	}
	return s.labelled(rows)
}

// siblings lists the other attempts of the charge, and the lines of all.
func (s attemptScreen) siblings() ([]string, error) {
	self := s.self()
	var rows [][]ui.Safe
	for i := range s.Case.Attempts {
		a := &s.Case.Attempts[i]
		if a.ID == self.ID {
			continue
		}
		why := "sibling"
		if a.Charge != self.Charge || a.Charge == "" {
			why = "related"
		}
		status := cmp.Or(a.RawStatus, a.Status.String())
		rows = append(rows, safe(why, strings.Join([]string{a.ID, status, a.Amount.String(), s.voice.instant(a.CreatedAt), cmp.Or(a.ProviderID, "no object")}, s.dot)))
	}
	lines := slices.Clone(s.Case.Lines)
	slices.SortStableFunc(lines, func(x, y payment.Line) int { return cmp.Compare(x.At, y.At) })
	for i := range lines {
		l := &lines[i]
		amount := self.Amount
		amount.Minor, amount.Currency = l.Gross, l.Currency
		rows = append(rows, safe("line", strings.Join([]string{l.Kind.String(), amount.String(), s.voice.instant(l.At), cmp.Or(l.Unit, l.ID)}, s.dot)))
	}
	return s.labelled(rows)
}

// facts are the rest: what was sent and how it ended, and links.
func (s attemptScreen) facts() ([]string, error) {
	a := s.self()
	var rows [][]ui.Safe
	if a.Key != "" {
		rows = append(rows, safe("key", keyText(a.Key)))
	}
	for _, r := range a.References {
		rows = append(rows, safe(r.Name, keyText(r.Value)))
	}
	rows = append(rows, safe("last sent", s.voice.instant(a.LastSent)+s.dot+"the call: "+s.Verdict.Original.String()))
	for _, l := range s.Links {
		rows = append(rows, safe(l.Name, l.Text))
	}
	return s.labelled(rows)
}
