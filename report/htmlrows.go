package report

import (
	"cmp"
	"slices"
	"strconv"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// htmlClass is one class with what it means and everything found of it.
type htmlClass struct {
	Name, Severity, Count, Money    string
	Meaning, Cause, Do, Never, Next string
	Open                            bool // unfolded where it is short
	Groups                          []htmlGroup
	Rows                            []htmlRow
}

// htmlGroup is what many divergences of a class share.
type htmlGroup struct{ Cause, Provider, Count, Money, Absence string }

// htmlRow is one divergence.
type htmlRow struct {
	Severity, Kind, Provider, Amount, Age, Since, Life, Hint, Next, Notes string
	Subject                                                               string
	Command, Aside                                                        bool
}

// list sorts all divergences by class, worst first, and within one by money.
func (view *htmlPage) list(d *Document, v voice) {
	all := make([]*reconcile.Divergence, len(d.Result.Divergences))
	for i := range d.Result.Divergences {
		all[i] = &d.Result.Divergences[i]
	}
	order := worstOf(all)
	slices.SortStableFunc(all, func(a, b *reconcile.Divergence) int {
		return cmp.Or(
			cmp.Compare(order[a.Class], order[b.Class]), cmp.Compare(a.Class, b.Class), cmp.Compare(rank(a.Severity), rank(b.Severity)),
			cmp.Compare(a.Currency.String(), b.Currency.String()), cmp.Compare(b.Amount, a.Amount), slices.Compare(a.Subject.IDs, b.Subject.IDs),
		)
	})
	view.Listed = number(len(all))
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Class == all[from].Class {
			to++
		}
		class := htmlClassOf(all[from:to], order[all[from].Class])
		for _, g := range d.Result.Groups {
			if g.Class == all[from].Class && g.Attribute != "" {
				class.Groups = append(class.Groups, htmlGroupOf(d, &g))
			}
		}
		for _, one := range all[from:min(to, max(from, htmlRows))] {
			class.Rows = append(class.Rows, htmlRowOf(d, one, v))
		}
		view.Classes = append(view.Classes, class)
		from = to
	}
	if left := len(all) - htmlRows; left > 0 {
		view.LeftOut = number(left)
	}
	view.Choices = htmlChoicesOf(all)
}

// worstOf is the worst severity found of each class.
func worstOf(all []*reconcile.Divergence) map[reconcile.Class]int {
	worst := map[reconcile.Class]int{}
	for _, d := range all {
		if old, seen := worst[d.Class]; !seen || rank(d.Severity) < old {
			worst[d.Class] = rank(d.Severity)
		}
	}
	return worst
}

func htmlClassOf(members []*reconcile.Divergence, worst int) htmlClass {
	entry := Explanation(members[0].Class)
	var amounts []money.Amount
	for _, d := range members {
		if counts(d) {
			amounts = plus(amounts, money.Amount{Minor: d.Amount, Currency: d.Currency})
		}
	}
	return htmlClass{
		Name: members[0].Class.String(), Severity: severityCell(reconcile.Severity(worst)).String(), Count: number(len(members)), Money: amountsCell(amounts).String(),
		Meaning: entry.Meaning, Cause: entry.Cause, Do: entry.Do, Never: entry.Never, Next: entry.Next, Open: len(members) <= listedAlone,
	}
}

// counts tells whether a divergence's money is in a sum of what is at stake: it
// stands, nobody put it aside, and no other divergence counts it.
func counts(d *reconcile.Divergence) bool {
	return open(d) && !d.Aside() && d.SameMoneyAs == nil
}

func htmlGroupOf(doc *Document, g *reconcile.Group) htmlGroup {
	first, weakest := &doc.Result.Divergences[g.Example], payment.Proven
	for _, member := range g.Members {
		weakest = min(weakest, doc.Result.Divergences[member].Grade)
	}
	absence := ""
	if restsOnAbsence(first) {
		absence = "absence rests on " + weakest.String() + " coverage"
	}
	return htmlGroup{clean(freeText(g.Attribute)), clean(g.Provider), number(g.Count), amountsCell(g.Amounts).String(), absence}
}

func htmlRowOf(doc *Document, d *reconcile.Divergence, v voice) htmlRow {
	next, command := nextStep(doc, d)
	row := htmlRow{
		Severity: severityCell(d.Severity).String(), Kind: d.Subject.Kind.String(), Subject: subjectText(d.Subject).String(),
		Provider: clean(scope{d.Provider, d.Account, d.Mode}.String()), Age: age(doc.Result.Now, since(d)), Since: v.instant(since(d)),
		Life: d.LifeState.String(), Hint: clean(freeText(d.Hint)), Next: clean(next), Command: command, Aside: d.Aside() || !open(d),
		Notes: ui.Join(notesOf(doc, d, v), v.dot).String(),
	}
	if d.Amount != 0 || !d.Currency.IsZero() {
		row.Amount = moneyText(d.Amount, d.Currency)
	}
	return row
}

func htmlChoicesOf(all []*reconcile.Divergence) htmlChoices {
	var c htmlChoices
	add := func(list *[]string, word string) {
		if i, found := slices.BinarySearch(*list, word); !found {
			*list = slices.Insert(*list, i, word)
		}
	}
	for _, d := range all {
		add(&c.Severities, severityCell(d.Severity).String())
		add(&c.Providers, clean(scope{d.Provider, d.Account, d.Mode}.String()))
		add(&c.Lives, d.LifeState.String())
	}
	return c
}

// htmlInput says what was read of one source.
type htmlInput struct{ Side, Name, Profile, Rows, Movements, Information, Errors, Repeats, Covers, SHA256, Notes string }

func (view *htmlPage) inputs(d *Document, v voice) {
	for i := range d.Inputs {
		in := &d.Inputs[i]
		one := htmlInput{
			Side: clean(in.Side), Name: clean(freeText(in.Name)), Profile: clean(in.Profile), Rows: number(in.Rows), Movements: number(in.Movements),
			Information: number(in.Information), Errors: number(in.Errors), Repeats: number(in.Repeats), SHA256: clean(in.SHA256),
		}
		if !in.Covers.Empty() {
			one.Covers = in.Grade.String() + " " + v.period(in.Covers)
		}
		notes := make([]string, len(in.Notes))
		for n, note := range in.Notes {
			notes[n] = freeText(note)
		}
		one.Notes = ui.Join(say(notes...), v.dot).String()
		view.Inputs = append(view.Inputs, one)
	}
}

// share of a whole, in thousandths: the length of a bar.
func thousandths(part, whole int64) string {
	if whole <= 0 || part <= 0 {
		return "0"
	}
	return strconv.Itoa(max(3, int(float64(part)/float64(whole)*1000)))
}
