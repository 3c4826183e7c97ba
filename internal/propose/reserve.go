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

var reserveName = regexp.MustCompile(`reserv|hold|bloquei|provis|retenc|retenç`)

// reserve finds the state of the money that is set aside for an outflow: in a
// column here, else in a table of which one row at most belongs to an attempt.
func (b *builder) reserve(ctx context.Context) error {
	a := &b.p.Attempts
	const key = "attempts.columns.reserve"
	if name := b.columns["reserve"]; name != "" {
		column, _ := b.t.Column(name)
		a.Columns.Reserve = name
		b.because(key, "%s", b.how["reserve"])
		return b.reserveWords(ctx, b.t, column)
	}
	for _, t := range b.tables {
		if t == b.t || !reserveName.MatchString(strings.ToLower(t.Name)) {
			continue
		}
		columns, _ := fields(t)
		column, has := t.Column(columns["status"])
		here, there := b.ledFrom(t)
		switch {
		case !has || there == "":
			b.because(key, "%s looks like reserves, but it has no status, or nothing in it leads here", t.Name)
		case !alone(t, there):
			b.because(key, "%s looks like reserves, but its %s is not unique: which of its rows is an attempt's cannot be told", t.Name, there)
		default:
			j := store.Join{Table: t.Name, Here: here, There: there}
			a.Joins = append(a.Joins, j)
			a.Columns.Reserve = j.Name() + "." + column.Name
			b.tell("attempts.joins", fmt.Sprintf("%s: the reserve is there, %s is unique", t.Name, there))
			b.because(key, "joined; by the names of its table and its column")
			return b.reserveWords(ctx, t, column)
		}
	}
	return nil
}

// ledFrom is the column of another table that leads to an attempt, or to its
// charge, and what it equals here.
func (b *builder) ledFrom(t *catalog.Table) (here, there string) {
	id, charge := b.p.Attempts.Columns.ID, b.p.Attempts.Columns.Charge
	for _, l := range t.Links {
		if l.Table == b.t.Name && (l.There == id || l.There == "") {
			return id, l.Here
		}
	}
	one := strings.TrimSuffix(strings.ToLower(b.t.Name), "s")
	for _, name := range []string{one + "_id", "id_" + one, "attempt_id", "tentativa_id", "id_tentativa"} {
		if _, has := t.Column(name); has {
			return id, name
		}
	}
	if _, has := t.Column(charge); has && charge != "" {
		return charge, charge
	}
	return "", ""
}

// reserveWords sorts the words of the reserve. One that is in no list would
// refuse its row, so each that is not known is asked for.
func (b *builder) reserveWords(ctx context.Context, t *catalog.Table, column catalog.Column) error {
	all, counts, err := b.said(ctx, t, column)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		b.tell("attempts.columns.reserve", "no row yet: held, released and consumed stand for themselves")
	}
	r := &b.p.Attempts.Reserves
	lists := map[string]*[]string{"held": &r.Held, "released": &r.Released, "consumed": &r.Consumed}
	put := func(meaning, word, why string) {
		*lists[meaning] = append(*lists[meaning], word)
		b.tell("attempts.reserves."+meaning, why)
	}
	for _, w := range all {
		if meaning := meant(reserveWords(), w); meaning != "" {
			put(meaning, w, fmt.Sprintf("%q: %s", w, counts[w]))
			continue
		}
		b.p.reserved = append(b.p.reserved, w)
		b.ask(Question{
			Key: "attempts.reserves." + w, Ask: fmt.Sprintf("What does a reserve that is %q mean?", w), Why: "the word is not known; " + counts[w],
			Options: []string{"held", "released", "consumed"}, put: func(v string) { put(v, w, fmt.Sprintf("%q was answered", w)) },
		})
	}
	for _, list := range lists {
		slices.Sort(*list)
	}
	return nil
}
