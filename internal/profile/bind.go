package profile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// Binding ties the fields of a profile to the columns of one file.
type Binding struct {
	Profile    *Profile
	File       string         // its name, for messages
	Zone       *time.Location // of days
	References []BoundReference

	textZone *time.Location // of text without a zone
	find     func(heading string) (place, bool, error)
	match    func(pattern string) []matched
	fields   map[string]*Cells
	amounts  map[string]*AmountColumn
	dates    map[string]*DateColumn
}

// BoundReference is one reference that the file carries.
type BoundReference struct {
	Name  string
	Scope payment.Scope
	Cells Cells
	kinds []payment.Kind
}

// For tells whether the reference says anything about a line of that kind.
func (r *BoundReference) For(kind payment.Kind) bool {
	return r.kinds == nil || slices.Contains(r.kinds, kind)
}

// matched is a heading that fits a pattern with a star, and what the star stood for.
type matched struct {
	place
	star string
}

// Cells are the columns of a field; without columns they are empty.
func (b *Binding) Cells(field string) *Cells { return b.fields[field] }

// Style words how amounts and dates are read as far as rows have shown it.
func (b *Binding) Style() string {
	var style strings.Builder
	for _, field := range fieldsFor(b.Profile.Kind) {
		if a := b.amounts[field]; a != nil {
			fmt.Fprintf(&style, "%s %c ", field, rune(a.mark))
		}
		if d := b.dates[field]; d != nil {
			fmt.Fprintf(&style, "%s %q ", field, d.layouts)
		}
	}
	return style.String()
}

// Fault is the error of a field's cell.
func (b *Binding) Fault(field string, row tabular.Row, problem, hint string) *tabular.Error {
	return b.fields[field].Fault(b.File, row, problem, hint)
}

// bind finds every field's columns. The error is a *UsageError or a
// *tabular.Error about the heading row.
func bind(p *Profile, file string, t *tabular.Table, sample []tabular.Row) (*Binding, error) {
	b := &Binding{Profile: p, File: file, fields: map[string]*Cells{}, amounts: map[string]*AmountColumn{}, dates: map[string]*DateColumn{}}
	var there headings
	if t.Format() == "csv" {
		there = newHeadings(t.Header())
		b.lookIn(t)
	} else {
		there = b.lookInRows(p, sample)
	}
	if missing := p.lacks(there); len(missing) > 0 && (t.Format() == "csv" || len(sample) > 0) {
		return nil, missingColumns(p, file, missing, there, t)
	}
	for _, field := range fieldsFor(p.Kind) {
		cells, err := b.Columns(p.Columns[field])
		if err != nil {
			return nil, err
		}
		b.fields[field] = cells
	}
	if err := b.references(p); err != nil {
		return nil, err
	}
	if p.RefuseOthers && t.Format() == "csv" {
		return b, b.refuseOthers(p, t)
	}
	return b, nil
}

func (b *Binding) lookIn(t *tabular.Table) {
	b.find = func(heading string) (place, bool, error) {
		folded := tabular.Fold(heading)
		base, _, _ := strings.Cut(heading, "#")
		if !slices.ContainsFunc(t.Header(), func(h string) bool { f := tabular.Fold(h); return f == folded || f == tabular.Fold(base) }) {
			return place{}, false, nil
		}
		column, err := t.Column(heading)
		if err != nil {
			return place{}, false, fmt.Errorf("heading row: %w", err)
		}
		return place{column: column, heading: t.Header()[column]}, true, nil
	}
	b.match = func(pattern string) []matched {
		var found []matched
		before, after, _ := strings.Cut(pattern, "*")
		for i, h := range t.Header() {
			if len(h) > len(before)+len(after) && strings.EqualFold(h[:len(before)], before) && strings.EqualFold(h[len(h)-len(after):], after) {
				found = append(found, matched{place{column: i, heading: h}, h[len(before) : len(h)-len(after)]})
			}
		}
		return found
	}
}

// lookInRows binds JSON rows, which have paths instead of headings. A path
// counts as a heading where one of the first rows has it.
func (b *Binding) lookInRows(p *Profile, sample []tabular.Row) headings {
	there := headings{}
	for _, heading := range p.headingsUsed() {
		for _, row := range sample {
			if _, ok := row.Field(heading); ok {
				there[tabular.Fold(heading)] = true
				break
			}
		}
	}
	b.find = func(heading string) (place, bool, error) {
		return place{column: -1, path: heading, heading: heading}, true, nil
	}
	b.match = func(string) []matched { return nil }
	return there
}

// headingsUsed are all headings that the profile names.
func (p *Profile) headingsUsed() []string {
	var all []string
	add := func(columns []Column) {
		for _, c := range columns {
			all = append(all, c.Heading)
		}
	}
	for _, columns := range p.Columns {
		add(columns)
	}
	for _, r := range p.References {
		add(r.Columns)
	}
	for _, u := range p.Units {
		add(u.Unit)
		add(u.Parent)
		add(u.Payout)
	}
	return all
}

// Columns binds a list of columns; those that the file lacks are left out. The
// error is a *tabular.Error about a heading that stands twice.
func (b *Binding) Columns(columns []Column) (*Cells, error) {
	cells := &Cells{}
	for _, c := range columns {
		at, ok, err := b.find(c.Heading)
		if err != nil {
			return nil, err
		}
		if ok {
			at.inner = c.Path
			cells.places = append(cells.places, at)
		}
	}
	return cells, nil
}

// references binds them in order; a column is taken by the first that names
// it, a * takes what is left.
func (b *Binding) references(p *Profile) error {
	taken := map[int]bool{}
	for _, r := range p.References {
		var plain []Column
		for _, c := range r.Columns {
			if !strings.Contains(c.Heading, "*") {
				plain = append(plain, c)
				continue
			}
			for _, m := range b.match(c.Heading) {
				if taken[m.column] {
					continue
				}
				taken[m.column] = true
				name := strings.ReplaceAll(r.Name, "*", m.star)
				b.References = append(b.References, BoundReference{name, r.Scope, Cells{[]place{m.place}}, r.Kinds})
			}
		}
		cells, err := b.Columns(plain)
		if err != nil {
			return err
		}
		for _, at := range cells.places {
			taken[at.column] = taken[at.column] || at.column >= 0
		}
		if cells.Has() {
			b.References = append(b.References, BoundReference{r.Name, r.Scope, *cells, r.Kinds})
		}
	}
	return nil
}

func missingColumns(p *Profile, file string, missing []string, there headings, t *tabular.Table) error {
	problem := "no column " + strings.Join(missing, ", no column ")
	if header := t.Header(); len(header) > 0 {
		problem += fmt.Sprintf("; the file has %s (cut at %q)", strings.Join(shown(header), ", "), t.Delimiter())
	}
	return &tabular.Error{File: file, Line: max(t.HeaderLine(), 1), Problem: problem, Hint: p.mendColumns(there)}
}

// refuseOthers names the first heading that the profile does not know: it may
// be a misspelt one, or say something that would be overlooked.
func (b *Binding) refuseOthers(p *Profile, t *tabular.Table) error {
	known := newHeadings(append(p.headingsUsed(), p.Ignore...))
	for i, heading := range t.Header() {
		if heading == "" || known.has(heading) || slices.ContainsFunc(p.Ignore, func(s string) bool { return newHeadings([]string{heading}).has(s) }) {
			continue
		}
		return &tabular.Error{File: b.File, Line: t.HeaderLine(), Column: i + 1, Heading: heading, Problem: "the profile " + p.Name + " knows no such column", Hint: p.mendOther(heading)}
	}
	return nil
}
