package propose

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/catalog"
	"desfecho/internal/store"
)

var minorName = regexp.MustCompile(`cent|minor`)

// amounts finds the amount here or in a table that the charge's column leads
// to, its unit and its currency.
func (b *builder) amounts(context.Context) error {
	a := &b.p.Attempts
	column, has := b.t.Column(b.columns["amount"])
	a.Columns.Amount, a.Columns.Currency = b.columns["amount"], b.columns["currency"]
	b.because("attempts.columns.amount", "%s", b.how["amount"])
	b.because("attempts.columns.currency", "%s", b.how["currency"])
	if !has {
		column, has = b.join()
	}
	if !has {
		b.ask(Question{
			Key: "attempts.columns.amount", Ask: "Which column holds the amount?", Why: "no column here, and none of a table that this one leads to, looks like one; join its table, or read a view",
			put: func(v string) { a.Columns.Amount = v },
		})
	}
	b.unit(column, has)
	if a.Columns.Currency == "" {
		suggest := ""
		if strings.Contains(column.Name, "valor") || strings.Contains(a.Columns.Amount, "valor") {
			suggest = "BRL"
		}
		b.ask(Question{
			Key: "attempts.currency", Ask: "Which currency are all amounts in?", Why: "no column says it", Suggest: suggest,
			put: func(v string) { a.Currency = v },
		})
	}
	return nil
}

func (b *builder) unit(column catalog.Column, has bool) {
	a := &b.p.Attempts
	const key = "attempts.columns.unit"
	if has {
		a.Columns.Unit = unitOf(column)
	}
	switch a.Columns.Unit {
	case "minor":
		b.because(key, "by the name of the amount's column")
	case "major":
		b.because(key, "by the amount's type, %s", column.Type)
	default:
		b.ask(Question{
			Key: key, Ask: "Are amounts in minor units (12990) or in major ones (129.90)?", Why: "neither the name nor the type of the column tells",
			Suggest: "minor", Options: []string{"minor", "major"}, put: func(v string) { a.Columns.Unit = v },
		})
	}
}

// unitOf is the unit that a column's name or type tells, "" where neither does.
func unitOf(column catalog.Column) string {
	switch {
	case minorName.MatchString(strings.ToLower(column.Name)):
		return "minor"
	case decimal.MatchString(column.Type):
		return "major"
	}
	return ""
}

// join looks for the amount where the charge's column leads: by a foreign key,
// else to a table of that name.
func (b *builder) join() (catalog.Column, bool) {
	a := &b.p.Attempts
	here := b.columns["charge"]
	if here == "" {
		return catalog.Column{}, false
	}
	for _, link := range b.leads(here) {
		t := b.table(link.Table)
		if t == nil {
			continue
		}
		there := link.There
		if there == "" {
			there = t.Primary()
		}
		columns, _ := fields(t)
		column, has := t.Column(columns["amount"])
		if !has || !alone(t, there) {
			continue
		}
		a.Joins = []store.Join{{Table: t.Name, Here: here, There: there}}
		why := "a foreign key leads there"
		if !slices.Contains(b.t.Links, link) {
			why = fmt.Sprintf("by its name: %s leads to %s", here, t.Name)
		}
		b.because("attempts.joins", "the amount is there; %s", why)
		name := a.Joins[0].Name()
		a.Columns.Amount = name + "." + columns["amount"]
		b.because("attempts.columns.amount", "joined; no column here looks like an amount")
		if a.Columns.Currency == "" && columns["currency"] != "" {
			a.Columns.Currency = name + "." + columns["currency"]
			b.because("attempts.columns.currency", "joined")
		}
		if b.columns["operation"] == "" && columns["operation"] != "" {
			b.columns["operation"] = name + "." + columns["operation"]
		}
		return column, true
	}
	return catalog.Column{}, false
}

// leads are the tables that a column may lead to: charge_id to charge, charges.
func (b *builder) leads(here string) []catalog.Link {
	var all []catalog.Link
	for _, l := range b.t.Links {
		if l.Here == here {
			all = append(all, l)
		}
	}
	stem := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(here), "id_"), "_id")
	for _, t := range b.tables {
		name := strings.ToLower(t.Name)
		known := slices.ContainsFunc(all, func(l catalog.Link) bool { return l.Table == t.Name })
		if t.Name != b.t.Name && !known && (name == stem || name == stem+"s" || name == stem+"es") {
			all = append(all, catalog.Link{Here: here, Table: t.Name, There: t.Primary()})
		}
	}
	return all
}

// alone tells whether the column gives one row.
func alone(t *catalog.Table, column string) bool {
	return column != "" && slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool {
		return x.Unique && x.Valid && x.Predicate == "" && len(x.Columns) == 1 && x.Columns[0] == column
	})
}
