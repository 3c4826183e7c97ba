package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/ui"
)

// attemptScreen lays one attempt out. Whatever the width, ids are whole: what
// does not fit beside something else stands below it.
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
	if s.Verdict.Status.Final() { // since when it has been so is not known
		parts = append(parts, status, fmt.Sprintf("made %s (%s)", since, age(s.Now, a.CreatedAt)))
	} else {
		parts = append(parts, fmt.Sprintf("%s since %s (%s)", status, since, age(s.Now, a.CreatedAt)))
	}
	return s.sentence(say(parts...), s.paint.headline), nil
}

// side is what one of the two says of the attempt.
type side struct{ header, status, amount, object string }

// sides puts request, provider and business side by side, or one below the
// other where the terminal is too narrow for that.
func (s attemptScreen) sides() ([]string, error) {
	here, there := s.here(), s.there()
	units, _, _ := s.units()
	rows := [][]ui.Safe{
		safe("", here.header, there.header), safe("status", here.status, there.status),
		safe("amount", here.amount, there.amount), safe("object", here.object, there.object),
	}
	if len(s.Business) > 0 {
		rows[0] = append(rows[0], ui.Clean("business"))
		for i := range rows[1:] {
			cell := ui.Safe{}
			if i < len(s.Business) {
				cell = s.businessText(i)
			}
			rows[i+1] = append(rows[i+1], cell)
		}
	}
	lines, err := grid(rows)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if columns(ui.Clean(line)) > s.width {
			return s.stacked(here, there)
		}
	}
	below := s.lately()
	for i := range units[min(1, len(units)):] {
		below = append(below, safe(append([]string{"also"}, unitParts(&units[i+1])...)...))
	}
	for i := 3; i < len(s.Business); i++ {
		below = append(below, []ui.Safe{ui.Clean("business"), s.businessText(i)})
	}
	more, err := s.labelled(atMost(below, "objects"))
	return append(lines, more...), err
}

// stacked is the same with one line or more for each side.
func (s attemptScreen) stacked(here, there side) ([]string, error) {
	units, _, _ := s.units()
	rows := [][]ui.Safe{
		safe("here", here.status, here.amount, "object "+here.object),
		safe(s.provider(), strings.TrimPrefix(there.header, s.provider()+", "), there.status, there.amount, there.object),
	}
	if len(units) == 0 {
		rows[1] = safe(s.provider(), there.status)
	}
	var also [][]ui.Safe
	for i := range units[min(1, len(units)):] {
		also = append(also, safe(append([]string{"also"}, unitParts(&units[i+1])...)...))
	}
	rows = append(append(rows, s.lately()...), atMost(also, "objects")...)
	for i := range s.Business {
		rows = append(rows, []ui.Safe{ui.Clean("business"), s.businessText(i)})
	}
	return s.labelled(rows)
}

func (s attemptScreen) here() side {
	a := s.self()
	status := s.Word
	if a.Reserve != payment.ReserveNone {
		status += ", reserve " + a.Reserve.String()
	}
	return side{"here", status, a.Amount.String(), cmp.Or(a.ProviderID, "none")}
}

func (s attemptScreen) there() side {
	units, at, by := s.units()
	if len(units) == 0 {
		return side{header: s.provider(), status: s.answer()}
	}
	header := s.provider() + ", " + by
	if when := sinceText(s.Now, at); when != "" {
		header = s.provider() + ", " + strings.Replace(by, "asked", "asked "+when, 1)
		if !strings.HasPrefix(by, "asked") {
			header += " " + when
		}
	}
	return side{header, stateText(&units[0]), unitAmount(&units[0]), units[0].ID}
}

func (s attemptScreen) businessText(i int) ui.Safe {
	return ui.Clean(strings.TrimSpace(s.Business[i].Name + " " + s.Business[i].Text))
}

func unitParts(u *payment.Unit) []string { return []string{u.ID, stateText(u), unitAmount(u)} }

// oneRound is within how much time the answers by several keys are one answer.
const oneRound = time.Minute

// answer says in a few words what the provider answered last, where it showed
// no object. Of several answers the unclear one counts: it is what stands in
// the way.
func (a *Attempt) answer() string {
	all := a.lookups()
	if len(all) == 0 {
		return "not asked yet"
	}
	last := &all[0]
	for i := range all {
		if l := &all[i]; all[0].At.Sub(l.At) < oneRound && doubt(l) > doubt(last) {
			last = l
		}
	}
	return without(last) + ", " + sinceText(a.Now, last.At)
}

// without says what an answer is that shows no object.
func without(l *payment.Lookup) string {
	switch {
	case l.Outcome == payment.Inconclusive:
		return "no clear answer: " + strings.ReplaceAll(l.Reason, "_", " ")
	case l.NoControl:
		return "not found, which proves nothing"
	}
	return "not found"
}

// lately says where the same question is answered otherwise since the objects
// on the screen were found.
func (s attemptScreen) lately() [][]ui.Safe {
	all := s.lookups()
	found := slices.IndexFunc(all, func(l payment.Lookup) bool { return l.Outcome == payment.Found && len(l.Units) > 0 })
	for i := range all[:max(found, 0)] {
		if l := &all[i]; l.Key == all[found].Key && l.Account == all[found].Account {
			return [][]ui.Safe{safe("now", "asked again by "+keyWords(l.Key)+" "+sinceText(s.Now, l.At), without(l))}
		}
	}
	return nil
}

// doubt orders answers without an object: clear, not controlled, unclear.
func doubt(l *payment.Lookup) int {
	switch {
	case l.Outcome == payment.Inconclusive:
		return 2
	case l.NoControl:
		return 1
	}
	return 0
}

// sinceText is how long ago something was, in words.
func sinceText(now, then payment.Instant) string {
	if then.IsZero() {
		return ""
	}
	return cmp.Or(ago(now, then), "0 s") + " ago"
}

// most is how many rows of one sort stand on the screen; json has them all.
const most = 12

// atMost keeps the first rows and counts the others.
func atMost(rows [][]ui.Safe, what string) [][]ui.Safe {
	if len(rows) <= most {
		return rows
	}
	more := fmt.Sprintf("and %d more %s: --json has them all", len(rows)-most+1, what)
	return append(rows[:most-1:most-1], safe("", more))
}

// labelled puts a label before sentences, which are wrapped under each other;
// the further lines of one stand a little to the right of its first.
func (s attemptScreen) labelled(rows [][]ui.Safe) ([]string, error) {
	const hang = "  "
	width := 0
	for _, row := range rows {
		row[0] = cut(row[0], longestName, s.ellipsis)
		width = max(width, columns(row[0]))
	}
	var lines []string
	for _, row := range rows {
		label := row[0].String() + strings.Repeat(" ", width-columns(row[0])+2)
		parts := slices.DeleteFunc(slices.Clone(row[1:]), func(part ui.Safe) bool { return part.String() == "" })
		for i, part := range wrap(parts, s.dot, max(s.width-width-2-len(hang), 24)) {
			if i > 0 {
				label = strings.Repeat(" ", width+2) + hang
			}
			lines = append(lines, label+part.String())
		}
	}
	return lines, nil
}

// longestName is the width from which names of providers, references and links
// are cut: what they name stands beside them, whole.
const longestName = 20
