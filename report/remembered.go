package report

import (
	"cmp"
	"fmt"
	"slices"

	"desfecho/internal/money"
	"desfecho/reconcile"
)

// Remembered is what a run over a database knows beyond its result. The zero
// value is a comparison of files.
type Remembered struct {
	Run string // id of the saved run, "" where it was not saved
	// Folded are the ids, sorted, of divergences that stand as they stood: where
	// a reader has seen them before they are summed up in one line. csv and json
	// list them all.
	Folded []string
	Ended  []reconcile.Item // what no longer stands since the run before
}

// listed tells whether a divergence has a row of its own or is part of a
// group's: not where people put it aside, or it was told before.
func (doc *Document) listed(d *reconcile.Divergence) bool { return !d.Aside() && !doc.folded(d) }

// listedGroup is the group without what people put aside; ok is false where
// nothing of it is to be listed.
func (doc *Document) listedGroup(g *reconcile.Group) (reconcile.Group, bool) {
	left := *g
	left.Members, left.Amounts, left.Count = nil, nil, 0
	fresh := false
	for _, member := range g.Members {
		d := &doc.Result.Divergences[member]
		if d.Aside() {
			continue
		}
		if !doc.folded(d) && !fresh {
			fresh, left.Example = true, member
		}
		left.Members = append(left.Members, member)
		if d.SameMoneyAs == nil {
			left.Amounts = plus(left.Amounts, money.Amount{Minor: d.Amount, Currency: d.Currency})
		}
	}
	if len(left.Members) == len(g.Members) && left.Example == g.Example {
		return *g, fresh
	}
	left.Count = len(left.Members)
	return left, fresh
}

// plus adds an amount to a list of one per currency, sorted. What does not fit
// was refused before any group was made.
func plus(all []money.Amount, a money.Amount) []money.Amount {
	if a.Currency.IsZero() {
		return all
	}
	i, found := slices.BinarySearchFunc(all, a, func(x, y money.Amount) int { return cmp.Compare(x.Currency.String(), y.Currency.String()) })
	if !found {
		return slices.Insert(all, i, a)
	}
	all[i].Minor += a.Minor
	return all
}

// rememberedFacts says in one line each what is not listed above, and what
// ended.
func rememberedFacts(doc *Document, add func(label string, parts ...string)) {
	var folded, aside []*reconcile.Divergence
	for i := range doc.Result.Divergences {
		switch d := &doc.Result.Divergences[i]; {
		case d.Aside():
			aside = append(aside, d)
		case doc.folded(d):
			folded = append(folded, d)
		}
	}
	add("unchanged", summed(folded)...)
	add("accepted", summed(aside)...)
	ended := make([]string, 0, min(len(doc.Ended), listedAlone)+1)
	for i := range doc.Ended {
		if i == listedAlone {
			ended = append(ended, fmt.Sprintf("and %s more", number(len(doc.Ended)-i)))
			break
		}
		ended = append(ended, endedText(&doc.Ended[i]))
	}
	add("ended", ended...)
	add("run", doc.Run)
}

// summed says how many divergences and how much money, by severity and
// currency.
func summed(all []*reconcile.Divergence) []string {
	if len(all) == 0 {
		return nil
	}
	var count [reconcile.P4 + 1]int
	var amounts []money.Amount
	for _, d := range all {
		count[d.Severity]++
		if d.SameMoneyAs == nil {
			amounts = plus(amounts, money.Amount{Minor: d.Amount, Currency: d.Currency})
		}
	}
	var parts []string
	for severity := reconcile.P1; severity <= reconcile.P4; severity++ {
		if count[severity] > 0 {
			parts = append(parts, number(count[severity])+" "+severity.String())
		}
	}
	if count[0] > 0 {
		parts = append(parts, number(count[0])+" of coverage")
	}
	for _, a := range amounts {
		parts = append(parts, a.String())
	}
	return parts
}

func endedText(item *reconcile.Item) string {
	how := item.State.String()
	if item.Cause != "" {
		how += ": " + item.Cause
	}
	return fmt.Sprintf("%s %s %s (%s)", item.Class, item.Subject.Kind, subjectText(item.Subject), how)
}

func (doc *Document) folded(d *reconcile.Divergence) bool {
	_, told := slices.BinarySearch(doc.Folded, d.ID)
	return told
}
