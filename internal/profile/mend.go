package profile

import (
	"fmt"
	"slices"
	"strings"
)

// own tells a profile of the user's, whose text he can mend.
func (p *Profile) own() bool { return p.Origin != builtIn }

// mendColumns is what to do about columns that the file lacks: for a built-in
// profile in the provider's own words, for the user's own by the keys to set.
func (p *Profile) mendColumns(there headings) string {
	if !p.own() {
		if p.Hint != "" {
			return p.Hint
		}
		return "the profile " + p.Name + " requires it: is it the right profile?"
	}
	var headings, kept, must, free []string
	for i, n := range p.needs {
		group := p.Required[i]
		headings = append(headings, n.shown)
		switch {
		case n.met(there):
			kept = append(kept, strings.Join(group, "|"))
		case p.essential(group):
			kept = append(kept, strings.Join(group, "|"))
			must = append(must, strings.Join(group, " or "))
		default:
			free = append(free, group...)
		}
	}
	said := fmt.Sprintf("%s requires the headings %s", p.Origin, strings.Join(headings, ", "))
	if p.Hint != "" {
		said = p.Hint
	}
	todo := "correct them under `columns:`"
	if len(must) > 0 {
		todo = "say under `columns:` which heading has " + strings.Join(must, ", ")
	}
	if len(free) > 0 {
		todo += fmt.Sprintf("; for a file that has no column for %s write `required: [%s]`", strings.Join(free, ", "), strings.Join(kept, ", "))
	}
	if slices.Contains(free, "currency") && p.Amounts.Currency == "" {
		todo += " and `amounts: {currency: BRL}`, or what its rows are in"
	}
	return said + ": " + todo
}

// essential tells the columns without which no row can be read: taking them
// out of `required` would only move the mistake.
func (p *Profile) essential(group []string) bool {
	fields := []string{"occurred_at", "gross", "debit", "net", "type"}
	switch {
	case p.Kind == KindAttempts:
		fields = []string{"id", "status", "amount", "amount_minor", "created_at"}
	case p.Statement.Sort != 0:
		fields = []string{"unit", "status", "occurred_at"}
	}
	if !slices.ContainsFunc(group, func(f string) bool { return slices.Contains(fields, f) }) {
		return false
	}
	return !slices.Contains(group, "net") || len(p.Columns["gross"])+len(p.Columns["debit"]) == 0
}

// mendOther is what to do about a heading that the profile does not know.
func (p *Profile) mendOther(heading string) string {
	hint := fmt.Sprintf("take the column out, or use a profile of two lines: `extends: %s` and `ignore: [%q]`", p.Name, heading)
	if p.own() {
		hint = fmt.Sprintf("take the column out, or add it to `ignore: [%q]` in %s", heading, p.Origin)
	}
	if near := nearest(strings.ToLower(heading), p.headingsUsed()); near != "" {
		hint = "did you mean " + near + "? else " + hint
	}
	return hint
}
