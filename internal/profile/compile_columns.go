package profile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/datetext"
	"desfecho/internal/payment"
)

func (c *compiler) dates(p *Profile, d *document) {
	p.Dates.Layouts, p.Dates.UTC = d.Dates.Layouts, d.Dates.UTC
	for _, layout := range d.Dates.Layouts {
		if !datetext.Known(layout) {
			c.fail(fmt.Sprintf("unknown date layout %q", layout), "want iso, dd/mm/yyyy, mm/dd/yyyy, unix, or a layout such as 02/01/2006 15:04", "dates", "layouts")
		}
	}
	switch d.Dates.Zone {
	case "":
		return
	case "Local":
		c.fail("the zone of this machine is no zone of a file", "write the zone's name, such as America/Sao_Paulo", "dates", "zone")
		return
	}
	zone, err := time.LoadLocation(d.Dates.Zone)
	if err != nil {
		c.fail(fmt.Sprintf("unknown zone %q", d.Dates.Zone), "want a name such as America/Sao_Paulo or UTC", "dates", "zone")
		return
	}
	p.Dates.Zone = zone
}

func (c *compiler) columns(p *Profile, d *document) {
	known := fieldsFor(d.Kind)
	p.Columns = map[string][]Column{}
	for field, list := range d.Columns {
		if !slices.Contains(known, field) {
			c.fail(fmt.Sprintf("unknown field %q", field), suggestion(field, known), "columns", field)
		}
		p.Columns[field] = list
	}
	for _, r := range d.References {
		c.reference(p, r)
	}
	for _, u := range d.Units {
		rule := UnitRule{Kinds: c.kinds(u.Kinds, "units"), Unit: u.Unit, Parent: u.Parent, Payout: u.Payout}
		if len(rule.Kinds) == 0 {
			c.fail("a unit rule needs kinds", "add `kinds: [charge, …]`", "units")
		}
		p.Units = append(p.Units, rule)
	}
	for _, group := range d.Required {
		fields := strings.Split(group, "|")
		for i, field := range fields {
			fields[i] = strings.TrimSpace(field)
			if fields[i] != AnyReference && !slices.Contains(known, fields[i]) {
				c.fail(fmt.Sprintf("unknown field %q", fields[i]), suggestion(fields[i], known), "required")
			}
			if len(p.columnsOf(fields[i])) == 0 {
				c.fail(fmt.Sprintf("field %q is required and has no column", fields[i]), "add it under columns", "required")
			}
		}
		p.Required = append(p.Required, fields)
	}
	c.needed(p, d)
}

// needed refuses a profile that cannot give what RULES §1 asks of its kind.
func (c *compiler) needed(p *Profile, d *document) {
	groups := [][]string{{"occurred_at"}, {"gross", "debit", "net"}}
	switch {
	case d.Kind == KindAttempts:
		groups = [][]string{{"id"}, {"status"}, {"amount", "amount_minor"}, {"created_at"}}
	case d.Sort == "objects":
		groups = [][]string{{"unit"}, {"status"}, {"occurred_at"}}
	}
	for _, group := range groups {
		if !slices.ContainsFunc(group, func(f string) bool { return len(p.columnsOf(f)) > 0 }) {
			c.fail("no column for "+strings.Join(group, " or "), "add it under columns", "columns")
		}
	}
	if len(p.Columns["side"]) > 0 && len(d.Amounts.Debit) == 0 {
		c.fail("column side needs the words that mean debit", "add `amounts: {debit: [D, débito]}`", "amounts", "debit")
	}
}

func (c *compiler) reference(p *Profile, r referenceDocument) {
	scope := payment.ScopeAttempt
	if r.Scope != "" {
		parsed, err := payment.ParseScope(r.Scope)
		if err != nil {
			c.unknown(err, "scope", r.Scope, "references")
		}
		scope = parsed
	}
	if r.Name == "" || len(r.Columns) == 0 {
		c.fail("a reference needs a name and columns", "such as {name: reference, scope: attempt, columns: [reference]}", "references")
	}
	for _, column := range r.Columns {
		if strings.Count(column.Heading, "*") > 1 || strings.Contains(r.Name, "*") && !strings.Contains(column.Heading, "*") {
			c.fail(fmt.Sprintf("reference %q cannot take its name from heading %q", r.Name, column.Heading), "write one * in the heading where it stands in the name", "references")
		}
	}
	p.References = append(p.References, Reference{Name: r.Name, Scope: scope, Kinds: c.kinds(r.Kinds, "references"), Columns: r.Columns})
}

func (c *compiler) kinds(words []string, key string) []payment.Kind {
	var kinds []payment.Kind
	for _, word := range words {
		kind, err := payment.ParseKind(word)
		if err != nil {
			c.unknown(err, "kinds", word, key)
		}
		kinds = append(kinds, kind)
	}
	return kinds
}
