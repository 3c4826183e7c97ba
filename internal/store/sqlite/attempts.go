package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// described is the merchant's relation as the file's schema knows it.
type described struct {
	reading *store.Reading
	from    string            // FROM clause
	place   map[string]string // selected column → quoted, with its relation
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteAll(name string) string {
	parts := store.SplitName(name)
	for i := range parts {
		parts[i] = quote(parts[i])
	}
	return strings.Join(parts, ".")
}

// lookUp lists the columns of a table or view.
func lookUp(ctx context.Context, tx *transaction, name string) (columns []string, err error) {
	parts := store.SplitName(name)
	schema := "main"
	if len(parts) > 1 {
		schema = parts[0]
	}
	var column string
	err = tx.rows(ctx, []any{&column}, func() error {
		columns = append(columns, column)
		return nil
	}, "SELECT name FROM pragma_table_info(?, ?)", parts[len(parts)-1], schema)
	return columns, err
}

// describe finds every described column. The error is a *store.DescriptionError
// where one is not there: SQLite itself would take a quoted name that it does
// not know for a text.
func describe(ctx context.Context, tx *transaction, reading *store.Reading) (*described, error) {
	d := &described{reading: reading, place: map[string]string{}}
	names := []string{reading.Read}
	for _, j := range reading.Joins {
		names = append(names, j.Table)
	}
	relations := make([][]string, len(names))
	for i, name := range names {
		var err error
		if relations[i], err = lookUp(ctx, tx, name); err != nil {
			return nil, err
		}
		if len(relations[i]) == 0 {
			return nil, &store.DescriptionError{Key: "attempts.read", Problem: fmt.Sprintf("there is no table or view %s", name), Advice: "check the name"}
		}
	}
	need := func(at int, column string) error {
		if slices.Contains(relations[at], column) {
			return nil
		}
		return &store.DescriptionError{
			Key: "attempts.columns", Problem: fmt.Sprintf("%s has no column %q", names[at], column), Advice: "it has " + strings.Join(relations[at], ", "),
		}
	}
	d.from = quoteAll(names[0]) + " t0"
	for i, j := range reading.Joins {
		if err := errors.Join(need(0, j.Here), need(i+1, j.There)); err != nil {
			return nil, err
		}
		d.from += fmt.Sprintf(" LEFT JOIN %s t%d ON t%d.%s = t0.%s", quoteAll(j.Table), i+1, i+1, quote(j.There), quote(j.Here))
	}
	for _, column := range reading.Selected() {
		join, name := reading.Place(column)
		if err := need(join+1, name); err != nil {
			return nil, err
		}
		d.place[column] = fmt.Sprintf("t%d.%s", join+1, quote(name))
	}
	return d, nil
}

// statement selects the described columns as text. ok is false where no row
// can meet the filter.
func (d *described) statement(f store.AttemptFilter) (statement string, values []any, ok bool) {
	selected := make([]string, 0, len(d.place))
	for _, column := range d.reading.Selected() {
		selected = append(selected, "CAST("+d.place[column]+" AS TEXT)")
	}
	statement = "SELECT " + strings.Join(selected, ", ") + " FROM " + d.from
	var all, anyOf []string
	if f.Providers != nil {
		column := d.reading.ProviderColumn()
		switch {
		case f.Others && column == "":
			return "", nil, false
		case f.Others:
			p := d.place[column]
			all = append(all, "("+p+" <> '' AND NOT "+p+inList+")")
			values = append(values, list(f.Providers))
		case column != "":
			p := d.place[column]
			all = append(all, "("+p+" IS NULL OR "+p+" = '' OR "+p+inList+")")
			values = append(values, list(f.Providers))
		case !slices.Contains(f.Providers, d.reading.Provider):
			return "", nil, false
		}
	}
	if f.Created != nil {
		condition, bounds := within(d.place[d.reading.CreatedColumn()], *f.Created)
		anyOf, values = append(anyOf, condition), append(values, bounds...)
	}
	if f.Open {
		anyOf = append(anyOf, "CAST("+d.place[d.reading.StatusColumn()]+" AS TEXT)"+inList)
		values = append(values, list(d.reading.OpenWords()))
	}
	if len(f.Values) > 0 {
		column, known := d.reading.Key(f.By)
		if !known {
			return "", nil, false
		}
		anyOf = append(anyOf, d.place[column]+inList)
		values = append(values, list(f.Values))
	}
	if len(anyOf) > 0 {
		all = append(all, "("+strings.Join(anyOf, " OR ")+")")
	}
	if len(all) > 0 {
		statement += " WHERE " + strings.Join(all, " AND ")
	}
	return statement, values, true
}

// within asks for rows whose column is in the interval, in each of the forms
// that times have in SQLite: ISO text, or seconds, milliseconds or microseconds since 1970. A
// number is less than any text, so that no form meets another's bounds. Text
// is compared by its date, two days wider, whatever its zone.
func within(column string, w payment.Interval) (condition string, values []any) {
	const slack = 48 * time.Hour
	condition = "(" + column + " >= ? AND " + column + " < ?"
	values = append(values, w.From.Time().Add(-slack).Format(time.DateOnly), w.To.Time().Add(slack).Format(time.DateOnly))
	for _, unit := range []int64{1_000_000, 1_000, 1} {
		condition += " OR " + column + " BETWEEN ? AND ?"
		values = append(values, int64(w.From)/unit, int64(w.To)/unit)
	}
	return condition + ")", values
}

// Attempts streams the described rows that meet the filter.
func (v *view) Attempts(ctx context.Context, filter store.AttemptFilter, each func(payment.Attempt) error) error {
	if v.s.reading == nil {
		return errors.New("read attempts: no attempts table is described")
	}
	if v.found == nil {
		var err error
		if v.found, err = describe(ctx, v.tx, v.s.reading); err != nil {
			return fmt.Errorf("read attempts: %w", explain(err))
		}
	}
	statement, values, ok := v.found.statement(filter)
	if !ok {
		return nil
	}
	reader := v.s.reading.Reader()
	cells := make([]*string, len(v.s.reading.Selected()))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	row := make([]store.Text, len(cells))
	if err := v.tx.atMost(ctx, filter.Limit, statement, values); err != nil {
		return fmt.Errorf("count attempts: %w", explain(err))
	}
	err := v.tx.rows(ctx, to, func() error {
		for i, c := range cells {
			row[i] = store.Text{Null: c == nil}
			if c != nil {
				row[i].Value = *c
			}
		}
		return reader.Each(&filter, row, "", each)
	}, statement, values...)
	if err != nil {
		return fmt.Errorf("read attempts: %w", explain(err))
	}
	return nil
}
