package report

import (
	"fmt"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/resolve"
)

// marks lists each mark, whether it is offered, why, and when that can change.
func (s attemptScreen) marks() ([]string, error) {
	var rows [][]ui.Safe
	var offers []*resolve.Offer
	for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
		o := s.Verdict.Offers(mark)
		if mark == resolve.Unknown && !o.Allowed && o.Reason != resolve.ReasonInFlight {
			continue
		}
		offers = append(offers, o)
		rows = append(rows, safe(mark.String(), s.offerWord(o)))
	}
	labels, err := grid(rows)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, label := range labels {
		width = max(width, len(label))
	}
	var lines []string
	for i, label := range labels {
		lines = append(lines, s.offer(label+strings.Repeat(" ", width-len(label)+2), offers[i])...)
	}
	return lines, nil
}

func (s attemptScreen) offerWord(o *resolve.Offer) string {
	switch {
	case awaitsApproval(o) && s.NoLogins:
		return "not here"
	case awaitsApproval(o):
		return "after approval"
	case o.Allowed:
		return "allowed"
	}
	return "refused"
}

func awaitsApproval(o *resolve.Offer) bool { return o.Allowed && o.ApprovalDue && o.ApprovedBy == "" }

// offer is one mark: its sentence behind the label, everything else below.
func (s attemptScreen) offer(label string, o *resolve.Offer) []string {
	margin := strings.Repeat(" ", len(label))
	paint := func(text string) string { return text }
	switch {
	case awaitsApproval(o):
		paint = s.paint.headline
	case o.Allowed:
		paint = s.paint.allowed
	}
	var lines []string
	for i, part := range wrap(say(o.Sentence+s.when(o.ChangesAt)), "", max(s.width-len(label), 24)) {
		before := margin
		if i == 0 {
			before = paint(label)
		}
		lines = append(lines, before+part.String())
	}
	for _, r := range s.remarks(o) {
		before := "- "
		for _, part := range wrap(say(r.text), "", max(s.width-len(label)-len(before), 24)) {
			lines = append(lines, margin+r.paint(before+part.String()))
			before = "  "
		}
	}
	return lines
}

// remark is what else there is to say about an offer.
type remark struct {
	text  string
	paint func(string) string
}

func (s attemptScreen) remarks(o *resolve.Offer) (all []remark) {
	if o.Transition == resolve.ToSucceededDuplicate {
		text := fmt.Sprintf("DUPLICATE: the charge is paid already; %s too much is to be given back by its owner", s.surplus())
		all = append(all, remark{text, s.paint.alarm})
	}
	if o.ApprovedBy != "" {
		all = append(all, remark{"approved by " + o.ApprovedBy, s.paint.headline})
	}
	if awaitsApproval(o) && s.NoLogins {
		all = append(all, remark{"a second person has to approve it, and this database is a file that knows no logins to tell two people apart: " +
			"desfecho cannot write it; decide it in your own system", s.paint.headline})
	} else if awaitsApproval(o) {
		all = append(all, remark{"a second person runs: desfecho approve " + shellWord(s.Case.Attempt), s.paint.headline})
	}
	if o.Mark == resolve.Failed && o.Reason == resolve.ReasonNoLookup {
		all = append(all, remark{"record what a person sees there: desfecho evidence add " + shellWord(s.Case.Attempt), s.paint.headline})
	}
	if units, _, _ := s.units(); o.Mark != resolve.Failed || o.Allowed || len(units) > 0 {
		return all // what the provider holds stands in the way, not the gate
	}
	for _, c := range s.Verdict.Gate {
		if !c.Met && c.Sentence != o.Sentence {
			all = append(all, remark{c.Sentence + s.when(c.ChangesAt), s.paint.faint})
		}
	}
	return all
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
	return " (until " + s.voice.until(at) + ")"
}

// effects says exactly what each offered mark would write, and what it will
// not do.
func (s attemptScreen) effects() ([]string, error) {
	var rows [][]ui.Safe
	for _, mark := range []resolve.Mark{resolve.Succeeded, resolve.Failed, resolve.Unknown} {
		o := s.Verdict.Offers(mark)
		if !o.Allowed || awaitsApproval(o) && s.NoLogins {
			continue
		}
		rows = append(rows, safe("will write", fmt.Sprintf("%s: %s %s %s", s.Case.Attempt, s.Word, s.arrow, s.written(o))))
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
