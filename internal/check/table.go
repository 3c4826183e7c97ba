package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/catalog"
)

func (l *look) description(ctx context.Context) verdict {
	if l.missing != "" {
		return Fault.of(0, "", "there is no %s that this role can see", l.missing)
	}
	for _, t := range []struct {
		described bool
		table     *catalog.Table
		key       string
	}{{l.Events != nil, l.events, "events"}, {l.Business != nil, l.business, "business"}} {
		if t.described && t.table == nil {
			return Fault.of(0, "", "%s.read names no table or view that this role can see", t.key)
		}
	}
	if l.events != nil {
		if gone := absentOf(l.events, eventsNamed(l.Events)); gone != "" {
			return Fault.of(0, "", "there is no %s", gone)
		}
	}
	if l.business != nil {
		if gone := absentOf(l.business, l.Business.named()); gone != "" {
			return Fault.of(0, "", "there is no %s", gone)
		}
	}
	s := l.newest(ctx)
	switch {
	case s.err != nil:
		return because(s.err)
	case s.bad != nil && s.bad.Advice != "":
		return Fault.of(s.unread, s.bad.ID, "rows that are not as described, such as column %s: %s (%s)", s.bad.Column, s.bad.Problem, s.bad.Advice)
	case s.bad != nil:
		return Fault.of(s.unread, s.bad.ID, "rows that are not as described, such as column %s: %s", s.bad.Column, s.bad.Problem)
	}
	return good("%d rows read%s", len(s.attempts), s.among())
}

func (l *look) statusWords(ctx context.Context) verdict {
	if l.missing != "" {
		return unseen("there is no %s", l.missing)
	}
	status := "CAST(" + l.place(l.reading.Columns.Status) + " AS text)"
	rows, err := l.Database.Rows(ctx, fmt.Sprintf(`SELECT %s, CAST(count(*) AS text), min(CAST(%s AS text)) FROM %s GROUP BY %[1]s ORDER BY count(*) DESC, 1 LIMIT 100`,
		status, l.place(l.reading.Columns.ID), l.from()))
	if err != nil {
		return because(err)
	}
	var strange []string
	total, example := int64(0), ""
	for _, r := range rows {
		if l.maps(r[0].Value) && !r[0].Null {
			continue
		}
		n, err := strconv.ParseInt(r[1].Value, 10, 64)
		if err != nil {
			return because(err)
		}
		strange, total = append(strange, r[0].Value), total+n
		if example == "" {
			example = r[2].Value
		}
	}
	if len(strange) > 0 {
		return Fault.about(total, example, "the map has no place for %s", words(strange))
	}
	if t, name := l.behind(l.reading.Columns.Status); t != nil {
		column, _ := t.Column(name)
		if allowed := slices.DeleteFunc(slices.Clone(column.Words), l.maps); len(allowed) > 0 {
			return Warning.of(0, "", "its type also allows %s, which the map has no place for", words(allowed))
		}
	}
	return good("%d words, all mapped", len(rows))
}

func (l *look) maps(word string) bool {
	s := &l.reading.Status
	return slices.Contains(s.Pending, word) || slices.Contains(s.Unknown, word) || slices.Contains(s.Succeeded, word) || slices.Contains(s.Failed, word)
}

// providerWords finds attempts of a provider that no run is about.
func (l *look) providerWords(ctx context.Context) verdict {
	switch {
	case l.missing != "":
		return unseen("there is no %s", l.missing)
	case l.reading.Columns.Provider == "":
		return good("all attempts are of one provider")
	}
	q := &catalog.Query{}
	provider := l.text(l.reading.Columns.Provider)
	rows, err := l.Database.Ask(ctx, q, fmt.Sprintf(`SELECT %[1]s, CAST(count(*) AS text), min(CAST(%[2]s AS text)) FROM %[3]s WHERE %[1]s IS NOT NULL AND NOT (%[4]s) GROUP BY %[1]s ORDER BY count(*) DESC, 1 LIMIT 100`,
		provider, l.place(l.reading.Columns.ID), l.from(), q.In(provider, l.Configured)))
	if err != nil {
		return because(err)
	}
	var strange []string
	total, example := int64(0), ""
	for _, r := range rows {
		n, err := strconv.ParseInt(r[1].Value, 10, 64)
		if err != nil {
			return because(err)
		}
		if strange, total = append(strange, r[0].Value), total+n; example == "" {
			example = r[2].Value
		}
	}
	if len(strange) > 0 {
		return Warning.of(total, example, "attempts name a provider that is not configured, and are never judged: %s", words(strange))
	}
	return good("every provider is configured")
}

func (l *look) joinedRows(context.Context) verdict {
	switch {
	case l.missing != "":
		return unseen("there is no %s", l.missing)
	case len(l.joined) == 0:
		return good("nothing is joined")
	}
	for i, j := range l.reading.Joins {
		if l.joined[i].View {
			return unseen("%s is a view", j.Table)
		}
		if index, _ := unique(l.joined[i], j.There); index == nil {
			return Fault.of(0, "", "no unique index on %s of %s: an attempt may come several times", j.There, j.Table)
		}
	}
	return good("every join is on a unique column")
}

func (l *look) missingCharge(ctx context.Context) verdict {
	if l.missing != "" {
		return unseen("there is no %s", l.missing)
	}
	var lacks []string
	if l.reading.Columns.Charge != "" {
		lacks = append(lacks, l.text(l.reading.Columns.Charge)+" IS NULL")
	}
	for i, j := range l.reading.Joins {
		if l.optional(j.Name()) {
			continue // a reserve is there for outflows only
		}
		lacks = append(lacks, fmt.Sprintf("t%d.%s IS NULL", i+1, catalog.Identifier(j.There)))
	}
	if len(lacks) == 0 {
		return unseen("no column holds the charge")
	}
	n, example, err := counted(l.Database.Rows(ctx, fmt.Sprintf(`SELECT CAST(count(*) AS text), min(CAST(%s AS text)) FROM %s WHERE %s`,
		l.place(l.reading.Columns.ID), l.from(), strings.Join(lacks, " OR "))))
	switch {
	case err != nil:
		return because(err)
	case n > 0:
		return Fault.of(n, example, "attempts without a charge, or whose joined row is not there")
	}
	return good("none is without")
}

// optional tells whether a join gives nothing but the reserve.
func (l *look) optional(join string) bool {
	return !slices.ContainsFunc(l.reading.Selected(), func(column string) bool {
		at, _ := l.reading.Place(column)
		return at >= 0 && l.reading.Joins[at].Name() == join && column != l.reading.Columns.Reserve
	})
}
