package report

import (
	"cmp"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/ui"
)

// history lists what the provider was asked and said, newest first, then what
// stored events and people said.
func (s attemptScreen) history() ([]string, error) {
	var rows [][]ui.Safe
	for _, round := range rounds(s.lookups()) {
		rows = append(rows, safe("asked", s.roundText(round)))
	}
	rows = atMost(rows, "answers")
	var events [][]ui.Safe
	for i := range s.Case.Events {
		e := &s.Case.Events[i]
		events = append(events, safe("event", s.voice.instant(e.At), strings.ReplaceAll(e.State.String(), "_", " "), e.Unit))
	}
	rows = append(rows, atMost(events, "events")...)
	for _, m := range s.Manuals {
		rows = append(rows, safe("seen", m.Name+": "+freeText(m.Text)))
	}
	return s.labelled(rows)
}

// rounds puts together what was answered alike at about the same time.
func rounds(lookups []payment.Lookup) (all [][]payment.Lookup) {
	for _, l := range lookups {
		i := slices.IndexFunc(all, func(round []payment.Lookup) bool {
			first := &round[0]
			return first.At.Sub(l.At) < oneRound && answerText(first) == answerText(&l)
		})
		if i < 0 {
			all = append(all, []payment.Lookup{l})
			continue
		}
		all[i] = append(all[i], l)
	}
	return all
}

// answerText is what was answered, whatever was asked by.
func answerText(l *payment.Lookup) string {
	text := strings.ReplaceAll(l.Outcome.String(), "_", " ")
	for i := range l.Units {
		text += " " + l.Units[i].ID + " (" + stateText(&l.Units[i]) + ")"
	}
	if l.Reason != "" {
		text += ": " + strings.ReplaceAll(l.Reason, "_", " ")
	}
	if l.NoControl && l.Outcome != payment.Found {
		text += ", without a positive control"
	}
	return text
}

func (s attemptScreen) roundText(round []payment.Lookup) string {
	var keys []string
	for i := range round {
		key := keyWords(round[i].Key)
		if !s.itsOwn(&round[i]) {
			key += " " + keyText(round[i].Key.Value)
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return sinceText(s.Now, round[0].At) + " by " + strings.Join(keys, ", ") + ": " + answerText(&round[0])
}

// itsOwn tells whether the value that was asked by stands elsewhere on the
// screen.
func (s attemptScreen) itsOwn(l *payment.Lookup) bool {
	a, value := s.self(), l.Key.Value
	return value == a.Key || value == a.ProviderID ||
		slices.ContainsFunc(a.References, func(r payment.Reference) bool { return r.Value == value }) ||
		slices.ContainsFunc(l.Units, func(u payment.Unit) bool { return u.ID == value })
}

// siblings lists the other attempts of the charge, and the lines of all.
func (s attemptScreen) siblings() ([]string, error) {
	self := s.self()
	rows := s.others(func(*payment.Attempt) bool { return true })
	lines := slices.Clone(s.Case.Lines)
	slices.SortStableFunc(lines, func(x, y payment.Line) int { return cmp.Compare(x.At, y.At) })
	var told [][]ui.Safe
	for i := range lines {
		l := &lines[i]
		amount := self.Amount
		amount.Minor, amount.Currency = l.Gross, l.Currency
		told = append(told, safe("line", l.Kind.String(), amount.String(), s.voice.instant(l.At), cmp.Or(l.Unit, l.ID)))
	}
	return s.labelled(append(rows, atMost(told, "lines")...))
}

// rivals lists those other attempts of the charge that paid it or may have:
// whoever is about to give it an outcome has to know of them.
func (s attemptScreen) rivals() ([]string, error) {
	return s.labelled(s.others(func(a *payment.Attempt) bool {
		return a.Charge == s.self().Charge && a.Charge != "" && a.Status != payment.Failed
	}))
}

// others are the attempts of the case but its own.
func (s attemptScreen) others(listed func(*payment.Attempt) bool) (rows [][]ui.Safe) {
	self := s.self()
	for i := range s.Case.Attempts {
		a := &s.Case.Attempts[i]
		if a.ID == self.ID || !listed(a) {
			continue
		}
		why := "sibling"
		if a.Charge != self.Charge || a.Charge == "" {
			why = "related"
		}
		status := cmp.Or(a.RawStatus, a.Status.String())
		rows = append(rows, safe(why, a.ID, status, a.Amount.String(), s.voice.instant(a.CreatedAt), cmp.Or(a.ProviderID, "no object")))
	}
	return atMost(rows, "attempts")
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
	rows = append(rows, safe("last sent", s.voice.instant(a.LastSent), "the call: "+s.Verdict.Original.String()))
	for _, l := range s.Links {
		rows = append(rows, safe(l.Name, l.Text))
	}
	return s.labelled(rows)
}
