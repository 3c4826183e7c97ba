package propose

import (
	"context"
	"fmt"

	"desfecho/internal/catalog"
	"desfecho/internal/store"
)

// charge finds what a charge wants in all, where attempts have amounts of their
// own: in the table that the charge's column leads to. Rows must show that the
// column means this: none of an attempt is of more, and some are of exactly it.
func (b *builder) charge(ctx context.Context) error {
	a := &b.p.Attempts
	const key = "attempts.columns.charge_amount"
	own, has := b.t.Column(a.Columns.Amount)
	switch {
	case len(a.Joins) > 0:
		b.because(key, "not needed: %s is what the charge wants", a.Columns.Amount)
		return nil
	case !has || a.Columns.Charge == "":
		return nil
	}
	for _, link := range b.leads(a.Columns.Charge) {
		t := b.table(link.Table)
		if t == nil {
			continue
		}
		if link.There == "" {
			link.There = t.Primary()
		}
		columns, _ := fields(t)
		column, there := t.Column(columns["amount"])
		switch {
		case !there || !alone(t, link.There):
		case unitOf(own) != unitOf(column):
			b.because(key, "%s.%s is not seen to be in the unit of %s: the first attempt says what its charge wants", t.Name, column.Name, own.Name)
			return nil
		default:
			return b.measure(ctx, own, column, store.Join{Table: t.Name, Here: link.Here, There: link.There})
		}
	}
	b.because(key, "no amount was found where %s leads: the first attempt says what its charge wants", a.Columns.Charge)
	return nil
}

// measure compares the newest attempts' amounts with what their charges may
// want.
func (b *builder) measure(ctx context.Context, own, column catalog.Column, j store.Join) error {
	number := func(table string, c catalog.Column) string {
		return "CAST(" + table + "." + catalog.Identifier(c.Name) + " AS numeric)"
	}
	here, there := number("a", own), number("c", column)
	rows, err := b.db.Rows(ctx, fmt.Sprintf(`SELECT CAST(count(*) AS text), CAST(count(CASE WHEN %[1]s = %[2]s THEN 1 END) AS text),
		CAST(count(CASE WHEN %[1]s > %[2]s THEN 1 END) AS text) FROM (SELECT * FROM %[3]s ORDER BY %[7]s DESC LIMIT 10000) a
		JOIN %[4]s c ON CAST(c.%[5]s AS text) = CAST(a.%[6]s AS text)`, here, there, catalog.Quote(b.t.Name),
		catalog.Quote(j.Table), catalog.Identifier(j.There), catalog.Identifier(j.Here), catalog.Identifier(b.p.Attempts.Columns.ID)))
	if err != nil {
		return err
	}
	all, same, more := rows[0][0].Value, rows[0][1].Value, rows[0][2].Value
	take := func() {
		b.p.Attempts.Joins = append(b.p.Attempts.Joins, j)
		b.p.Attempts.Columns.ChargeAmount = j.Name() + "." + column.Name
	}
	const key = "attempts.columns.charge_amount"
	if same != "0" && more == "0" {
		take()
		b.tell("attempts.joins", j.Table+": what the charge wants is there")
		b.because(key, "of %s attempts %s are of exactly it, none of more", all, same)
		return nil
	}
	name := j.Name() + "." + column.Name
	b.ask(Question{
		Key: key, Ask: fmt.Sprintf("Is %s what the charge wants in all?", name), Why: fmt.Sprintf("of %s attempts %s are of exactly it, %s of more", all, same, more),
		Options: []string{name, "-"}, put: func(v string) {
			if v == name {
				take()
			}
		},
	})
	return nil
}
