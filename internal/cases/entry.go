package cases

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"desfecho/reconcile"
)

// differences collects, in words, what is not as expected.
type differences []string

func (d *differences) addf(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d *differences) text(what, got, want string) {
	if got != want {
		d.addf("%s %s, want %s", what, orNone(got), orNone(want))
	}
}

func (d *differences) number(what string, got int64, want *int64) {
	if want != nil && got != *want {
		d.addf("%s %d, want %d", what, got, *want)
	}
}

// given compares a text that was expected in so many words; "" was not.
func (d *differences) given(what, got, want string) {
	if want != "" {
		d.text(what, got, want)
	}
}

func (d *differences) nullable(what, got string, want nullable) {
	if want.Given {
		d.text(what, got, want.Value)
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// entries compares the whole list of divergences, in any order: those of one
// class and subject are held against each other first, then those of one
// subject.
func (d *differences) entries(got []reconcile.Divergence, want []Entry) {
	left := make([]*reconcile.Divergence, len(got))
	for i := range got {
		left[i] = &got[i]
	}
	unmet := want
	for _, same := range []func(*reconcile.Divergence, *Entry) bool{
		func(g *reconcile.Divergence, w *Entry) bool {
			return g.Class.String() == w.Class && g.Subject.String() == w.Subject
		},
		func(g *reconcile.Divergence, w *Entry) bool { return g.Subject.String() == w.Subject },
	} {
		var still []Entry
		for i := range unmet {
			if !d.pair(&left, &unmet[i], same) {
				still = append(still, unmet[i])
			}
		}
		unmet = still
	}
	for i := range unmet {
		d.addf("no %s of %s", unmet[i].Class, unmet[i].Subject)
	}
	for _, g := range left {
		d.addf("unexpected %s of %s", g.Class, g.Subject)
	}
}

// pair takes the nearest of the divergences left that the rule allows, and
// notes how it differs.
func (d *differences) pair(left *[]*reconcile.Divergence, want *Entry, same func(*reconcile.Divergence, *Entry) bool) bool {
	at, nearest := -1, differences(nil)
	for i, g := range *left {
		if !same(g, want) {
			continue
		}
		if found := want.differences(g); at < 0 || len(found) < len(nearest) {
			at, nearest = i, found
		}
	}
	if at < 0 {
		return false
	}
	*left = slices.Delete(slices.Clone(*left), at, at+1)
	if len(nearest) > 0 {
		d.addf("%s of %s: %s", want.Class, want.Subject, strings.Join(nearest, ", "))
	}
	return true
}

// differences of one divergence from what is given of the expected one.
func (e *Entry) differences(g *reconcile.Divergence) differences {
	var d differences
	same := ""
	if g.SameMoneyAs != nil {
		same = g.SameMoneyAs.String()
	}
	d.text("class", g.Class.String(), e.Class)
	d.text("subject", g.Subject.String(), e.Subject)
	d.given("severity", g.Severity.String(), e.Severity)
	d.nullable("unit", g.Unit, e.Unit)
	d.nullable("linked_charge", g.LinkedCharge, e.LinkedCharge)
	d.number("amount", g.Amount, e.Amount)
	d.nullable("expected", g.Expected, nullable(e.Expected))
	d.nullable("actual", g.Actual, nullable(e.Actual))
	d.given("hint", g.Hint, e.Hint)
	d.number("surplus", g.Surplus, e.Surplus)
	d.number("excess", g.Excess, e.Excess)
	d.nullable("same_money_as", same, e.SameMoneyAs)
	d.also(g.Also, e.Also)
	d.nullable("reason", g.Reason, e.Reason)
	d.nullable("raw", g.Raw, e.Raw)
	d.nullable("reference", g.Reference, e.Reference)
	d.nullable("key", g.Key, e.Key)
	if e.Lines != nil {
		d.text("lines", sorted(g.Lines), sorted(*e.Lines))
	}
	d.given("reserve", g.Reserve.String(), e.Reserve)
	d.number("returned", g.Returned, e.Returned)
	if e.Until != nil {
		d.text("until", g.Until.String(), e.Until.String())
	}
	if e.From != nil {
		d.text("from", g.Interval.From.String(), e.From.String())
	}
	if e.To != nil {
		d.text("to", g.Interval.To.String(), e.To.String())
	}
	return d
}

// also wants at least these classes among the attributes.
func (d *differences) also(got []reconcile.Class, want []string) {
	for _, name := range want {
		if class, _ := reconcile.ParseClass(name); !slices.Contains(got, class) {
			d.addf("also %v, want %s among them", got, name)
		}
	}
}

func sorted[T cmp.Ordered](list []T) string {
	return fmt.Sprint(slices.Sorted(slices.Values(list)))
}

func decimal(minor int64) string { return strconv.FormatInt(minor, 10) }
