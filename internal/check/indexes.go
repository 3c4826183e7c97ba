package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/catalog"
)

// behind gives the table that a described column of the attempts is written
// in, and its name there; nil where that is not known.
func (l *look) behind(column string) (*catalog.Table, string) {
	join, name := l.reading.Place(column)
	table := l.written
	if join >= 0 {
		table = l.joined[join]
	}
	if table == nil {
		return nil, name
	}
	if _, there := table.Column(name); !there {
		return nil, name
	}
	return table, name
}

// unique looks for a unique index on the column, alone or with others of with.
// broken names one that was not built to its end.
func unique(t *catalog.Table, column string, with ...string) (found *catalog.Index, broken string) {
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if !x.Unique || !slices.Contains(x.Columns, column) || slices.ContainsFunc(x.Columns, func(c string) bool { return c != column && !slices.Contains(with, c) }) {
			continue
		}
		if partial := strings.TrimSpace(x.Predicate); partial != "" && !onlyNotNull(partial) {
			continue
		}
		if !x.Valid {
			broken = x.Name
			continue
		}
		return x, broken
	}
	return nil, broken
}

func onlyNotNull(predicate string) bool {
	return strings.HasSuffix(strings.ToLower(strings.Trim(predicate, "() \n\t")), " is not null") && !strings.Contains(strings.ToLower(predicate), " and ")
}

func (l *look) uniqueOn(column, what string) verdict {
	if l.missing != "" {
		return unseen("there is no %s", l.missing)
	}
	if column == "" {
		return unseen("no column holds %s", what)
	}
	t, name := l.behind(column)
	if t == nil {
		return unseen("%s is read through a view; name the table behind it as attempts.write", name)
	}
	index, broken := unique(t, name, l.nameOf(l.reading.Columns.Provider), l.nameOf(l.reading.Columns.Account), l.nameOf(l.reading.Columns.Operation))
	switch {
	case index != nil:
		return good("index %s on %s", index.Name, t.Name)
	case broken != "":
		return Fault.of(0, "", "index %s on %s is not valid: it was not built to its end", broken, t.Name)
	}
	return Fault.of(0, "", "no unique index on %s of %s", name, t.Name)
}

// nameOf is a described column's own name; one that no column has where none
// is described.
func (l *look) nameOf(column string) string {
	if column == "" {
		return "\x00"
	}
	_, name := l.reading.Place(column)
	return name
}

func (l *look) uniqueKey(context.Context) verdict {
	return l.uniqueOn(l.reading.Columns.Key, "the idempotency key")
}

func (l *look) uniqueProviderID(context.Context) verdict {
	return l.uniqueOn(l.reading.Columns.ProviderChargeID, "the provider's id")
}

func (l *look) openIndex(context.Context) verdict {
	if l.missing != "" {
		return unseen("there is no %s", l.missing)
	}
	if l.reading.Columns.Charge == "" {
		return unseen("no column holds the charge")
	}
	t, charge := l.behind(l.reading.Columns.Charge)
	if t == nil {
		return unseen("%s is read through a view; name the table behind it as attempts.write", charge)
	}
	best := Fault.of(0, "", "no unique index on %s of %s for open attempts", charge, t.Name)
	for i := range t.Indexes {
		x := &t.Indexes[i]
		others := slices.DeleteFunc(slices.Clone(x.Columns), func(c string) bool {
			return c == charge || c == l.nameOf(l.reading.Columns.Provider) || c == l.nameOf(l.reading.Columns.Operation)
		})
		if !x.Unique || !slices.Contains(x.Columns, charge) || len(others) > 0 {
			continue
		}
		v := l.forbidsTwo(x)
		if v.level == OK {
			return v
		}
		best = v
	}
	return best
}

// forbidsTwo compares the words of a partial index with those of the
// configuration.
func (l *look) forbidsTwo(x *catalog.Index) verdict {
	if !x.Valid {
		return Fault.of(0, "", "index %s is not valid: it was not built to its end", x.Name)
	}
	if x.Predicate == "" || onlyNotNull(x.Predicate) {
		return good("index %s allows one attempt of a charge, ever", x.Name)
	}
	h, known := catalog.Demands(x.Predicate, l.nameOf(l.reading.Columns.Status))
	if !known {
		return Warning.of(0, "", "index %s is for rows of another condition than the status: %s", x.Name, x.Predicate)
	}
	s := &l.reading.Status
	open, final := l.reading.OpenWords(), append(append([]string{}, s.Succeeded...), s.Failed...)
	left, over := without(open, h.Words), without(h.Words, open)
	if h.Negated {
		left, over = without(h.Words, final), without(final, h.Words)
	}
	switch {
	case len(left) > 0:
		return Fault.of(0, "", "index %s leaves out %s, which is open by your status map", x.Name, words(left))
	case len(over) > 0:
		return Warning.of(0, "", "index %s also holds %s, which is not open by your status map", x.Name, words(over))
	case h.Further:
		return Warning.of(0, "", "index %s has a further condition: %s", x.Name, x.Predicate)
	}
	return good("index %s", x.Name)
}

// without are the words of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

func words(list []string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}

// small is how many rows a table may have before it needs an index to be read.
const small = 10_000

// large tells whether a table has more rows than that.
func (l *look) large(ctx context.Context, t *catalog.Table) (bool, error) {
	n, _, err := counted(l.Database.Rows(ctx, fmt.Sprintf(`SELECT CAST(count(*) AS text), '' FROM (SELECT 1 FROM %s LIMIT %d) few`, catalog.Quote(t.Name), small+1)))
	return n > small, err
}

// led tells whether an index begins with the column.
func led(t *catalog.Table, column string, ordered bool) bool {
	return slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool {
		return x.Valid && len(x.Columns) > 0 && x.Columns[0] == column && (x.Ordered || !ordered) && (x.Predicate == "" || onlyNotNull(x.Predicate))
	})
}

func (l *look) windowIndex(ctx context.Context) verdict {
	return l.served(ctx, true, l.reading.Columns.CreatedAt)
}

func (l *look) referenceIndex(ctx context.Context) verdict {
	c := &l.reading.Columns
	columns := []string{c.ID, c.Key, c.ProviderChargeID, c.Charge}
	for _, r := range l.reading.References {
		if _, inner, template := strings.Cut(r.Here, "{"); template {
			inner, _, _ = strings.Cut(inner, "}")
			columns = append(columns, inner)
			continue
		}
		columns = append(columns, r.Here)
	}
	return l.served(ctx, false, columns...)
}

func (l *look) served(ctx context.Context, ordered bool, columns ...string) verdict {
	if l.missing != "" {
		return unseen("there is no %s", l.missing)
	}
	var bare []string
	for _, column := range columns {
		if column == "" || slices.Contains(bare, l.nameOf(column)) {
			continue
		}
		t, name := l.behind(column)
		if t == nil {
			return unseen("%s is read through a view; name the table behind it as attempts.write", name)
		}
		if led(t, name, ordered) {
			continue
		}
		large, err := l.large(ctx, t)
		if err != nil {
			return because(err)
		}
		if large {
			bare = append(bare, name)
		}
	}
	if len(bare) > 0 {
		return Warning.about(int64(len(bare)), "", "no index begins with %s, and the table has more than %d rows", strings.Join(bare, ", "), small)
	}
	return good("served by an index, or small")
}
