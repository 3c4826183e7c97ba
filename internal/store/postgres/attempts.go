package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// described is the merchant's relation as the catalog knows it.
type described struct {
	reading *store.Reading
	from    string            // FROM clause
	place   map[string]string // selected column → quoted, with its relation
	types   map[string]string // selected column → type
	version string            // expression of the row's version, "" where there is none
}

// relation is one table or view of the description.
type relation struct {
	stored  bool              // a table whose rows have an xmin that the role may read
	rows    bool              // a table, whose rows can be locked
	columns map[string]string // name → type
}

func lookUp(ctx context.Context, q queryer, name string) (relation, error) {
	r := relation{columns: map[string]string{}}
	quoted := pgx.Identifier(store.SplitName(name)).Sanitize()
	rows, err := q.Query(ctx, `SELECT c.relkind = 'r' AND has_column_privilege(c.oid, 'xmin', 'SELECT'), c.relkind IN ('r', 'p'), a.attname::text, format_type(a.atttypid, NULL)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.oid = to_regclass($1::text) AND a.attnum > 0 AND NOT a.attisdropped`, quoted)
	if err != nil {
		return r, err
	}
	var column, typ string
	_, err = pgx.ForEachRow(rows, []any{&r.stored, &r.rows, &column, &typ}, func() error {
		r.columns[column] = typ
		return nil
	})
	return r, err
}

// describe finds every described column in the catalog. The error is a
// *store.DescriptionError where one is not there.
func describe(ctx context.Context, q queryer, reading *store.Reading) (*described, error) {
	d := &described{reading: reading, place: map[string]string{}, types: map[string]string{}}
	names := []string{reading.Read}
	for _, j := range reading.Joins {
		names = append(names, j.Table)
	}
	relations := make([]relation, len(names))
	for i, name := range names {
		var err error
		if relations[i], err = lookUp(ctx, q, name); err != nil {
			return nil, err
		}
		if len(relations[i].columns) == 0 {
			return nil, &store.DescriptionError{
				Key: "attempts.read", Problem: fmt.Sprintf("there is no table or view %s that this role can see", name),
				Advice: "check the name, its schema, and the role's grants",
			}
		}
	}
	for i, j := range reading.Joins {
		for at, column := range map[int]string{0: j.Here, i + 1: j.There} {
			if relations[at].columns[column] == "" {
				return nil, noColumn(names[at], column, relations[at])
			}
		}
	}
	d.from = fromClause(reading)
	for _, column := range reading.Selected() {
		join, name := reading.Place(column)
		r := relations[join+1]
		if r.columns[name] == "" {
			return nil, noColumn(names[join+1], name, r)
		}
		d.place[column] = fmt.Sprintf("t%d.%s", join+1, quote(name))
		d.types[column] = r.columns[name]
	}
	if relations[0].stored && len(reading.Joins) == 0 {
		d.version = "t0.xmin::text"
	}
	return d, nil
}

// fromClause joins the described relations: t0 is the read one.
func fromClause(reading *store.Reading) string {
	from := pgx.Identifier(store.SplitName(reading.Read)).Sanitize() + " t0"
	for i, j := range reading.Joins {
		from += fmt.Sprintf(" LEFT JOIN %s t%d ON t%d.%s = t0.%s", pgx.Identifier(store.SplitName(j.Table)).Sanitize(), i+1,
			i+1, quote(j.There), quote(j.Here))
	}
	return from
}

func noColumn(relation, column string, r relation) error {
	have := make([]string, 0, len(r.columns))
	for name := range r.columns {
		have = append(have, name)
	}
	slices.Sort(have)
	return &store.DescriptionError{
		Key: "attempts.columns", Problem: fmt.Sprintf("%s has no column %q", relation, column), Advice: "it has " + strings.Join(have, ", "),
	}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// query is one statement with its values in the making.
type query struct {
	values []any
}

func (q *query) value(v any, as string) string {
	q.values = append(q.values, v)
	return "$" + strconv.Itoa(len(q.values)) + "::" + as
}

// form of the columns that a statement selects.
type form bool

const (
	asText form = true
	// asGiven leaves instants as they are, which is many times cheaper to write
	// and to read. Where the row's version is made of its texts, they are texts.
	asGiven form = false
)

// statement selects the described columns as the database prints them. ok is
// false where no row can meet the filter.
func (d *described) statement(f store.AttemptFilter, form form) (sql string, values []any, ok bool) {
	var q query
	selected := make([]string, 0, len(d.place)+1)
	for _, column := range d.reading.Selected() {
		place := d.place[column]
		if form == asText || d.version == "" || d.types[column] != "timestamp with time zone" {
			place += "::text"
		}
		selected = append(selected, place)
	}
	if d.version != "" {
		selected = append(selected, d.version)
	}
	sql = "SELECT " + strings.Join(selected, ", ") + " FROM " + d.from
	var all, anyOf []string
	if f.Providers != nil {
		column := d.reading.ProviderColumn()
		switch {
		case f.Others && column == "":
			return "", nil, false
		case f.Others:
			all = append(all, fmt.Sprintf("(%[1]s::text <> '' AND NOT %[1]s::text = ANY(%[2]s))", d.place[column], q.value(f.Providers, "text[]")))
		case column != "":
			all = append(all, fmt.Sprintf("(%[1]s IS NULL OR %[1]s::text = '' OR %[1]s::text = ANY(%[2]s))", d.place[column], q.value(f.Providers, "text[]")))
		case !slices.Contains(f.Providers, d.reading.Provider):
			return "", nil, false
		}
	}
	created := d.reading.CreatedColumn()
	open := func() string {
		return fmt.Sprintf("%s::text = ANY(%s)", d.place[d.reading.StatusColumn()], q.value(d.reading.OpenWords(), "text[]"))
	}
	if f.Created != nil {
		anyOf = append(anyOf, within(&q, d.place[created], d.types[created], d.reading.Zone(), *f.Created, 1))
	}
	if f.Open {
		anyOf = append(anyOf, open())
	}
	if f.Outside != nil {
		all = append(all, "("+within(&q, d.place[created], d.types[created], d.reading.Zone(), *f.Outside, -1)+" OR "+open()+") IS NOT TRUE")
	}
	if len(f.Values) > 0 {
		if condition := d.keyed(&q, f); condition != "" {
			anyOf = append(anyOf, condition)
		}
	}
	switch {
	case len(anyOf) > 0:
		all = append(all, "("+strings.Join(anyOf, " OR ")+")")
	case len(f.Values) > 0:
		return "", nil, false
	}
	if len(all) > 0 {
		sql += " WHERE " + strings.Join(all, " AND ")
	}
	return sql, q.values, true
}

// atMost is ErrMore where a query would give more rows than the limit, which
// the server counts without making them; 0: there is none.
func (t *transaction) atMost(ctx context.Context, limit int, sql string, values []any) error {
	if limit == 0 {
		return nil
	}
	var n int
	if err := t.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) AS few", sql, limit+1), values...).Scan(&n); err != nil {
		return err
	}
	if n > limit {
		return store.ErrMore
	}
	return nil
}

// within asks for rows whose column is in the interval, a little more where it
// has no zone, for clocks repeat an hour, and with side -1 a little less.
func within(q *query, column, typ string, zone *time.Location, w payment.Interval, side time.Duration) string {
	if zone == nil {
		zone = time.UTC
	}
	layout, as, slack := "2006-01-02 15:04:05.999999", "text", 48*time.Hour
	switch typ {
	case "timestamp with time zone":
		layout, as, slack = time.RFC3339Nano, "timestamptz", 0
	case "timestamp without time zone":
		as, slack = "timestamp", 3*time.Hour
	case "date":
		layout, as = time.DateOnly, "date"
	case "bigint", "integer", "numeric": // since 1970, in a unit that the reader finds out
		if side < 0 {
			return "FALSE"
		}
		return column + " IS NOT NULL"
	default:
		layout = time.DateOnly
	}
	bound := func(at payment.Instant, slack time.Duration) string {
		return q.value(at.Time().Add(slack).In(zone).Format(layout), "text::"+as)
	}
	return fmt.Sprintf("%[1]s >= %[2]s AND %[1]s < %[3]s", column, bound(w.From, -side*slack), bound(w.To, side*slack))
}

// keyed asks for rows by values of a column in the column's own type, so that
// its index serves. What cannot be a value of it is left out.
func (d *described) keyed(q *query, f store.AttemptFilter) string {
	column, ok := d.reading.Key(f.By)
	if !ok {
		return ""
	}
	place, wanted := d.place[column], f.Values
	var as string
	switch typ := d.types[column]; typ {
	case "smallint", "integer", "bigint":
		bits := map[string]int{"smallint": 16, "integer": 32, "bigint": 64}[typ]
		wanted, as = only(wanted, func(v string) bool { return isInteger(v, bits) }), "text[]::"+typ+"[]"
	case "uuid":
		wanted, as = only(wanted, isUUID), "text[]::uuid[]"
	case "text", "character varying":
		as = "text[]"
	case "citext":
		as = "text[]::citext[]"
	default:
		place, as = place+"::text", "text[]"
	}
	wanted = only(wanted, func(v string) bool { return !strings.ContainsRune(v, 0) })
	if len(wanted) == 0 {
		return ""
	}
	return fmt.Sprintf("%s = ANY(%s)", place, q.value(wanted, as))
}

func only(values []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !keep(v) })
}

// isInteger tells whether the text is what the database prints for a number:
// 007 is another text than 7.
func isInteger(v string, bits int) bool {
	n, err := strconv.ParseInt(v, 10, bits)
	return err == nil && strconv.FormatInt(n, 10) == v
}

func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := v[i] >= '0' && v[i] <= '9' || v[i] >= 'a' && v[i] <= 'f'
		if dash != (v[i] == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

// Attempts streams the described rows that meet the filter.
func (v *view) Attempts(ctx context.Context, filter store.AttemptFilter, each func(payment.Attempt) error) error {
	d, err := v.relation(ctx)
	if err != nil {
		return fmt.Errorf("read attempts: %w", explain(err))
	}
	sql, values, ok := d.statement(filter, asGiven)
	if !ok {
		return nil
	}
	if err := v.theirs.atMost(ctx, filter.Limit, sql, values); err != nil {
		return fmt.Errorf("count attempts: %w", explain(err))
	}
	rows, err := v.theirs.Query(ctx, sql, v.s.primary.described(values)...)
	if err != nil {
		return fmt.Errorf("read attempts: %w", explain(err))
	}
	defer rows.Close()
	reader := d.reading.Reader()
	row := attemptRow{columns: make([]store.Text, len(d.reading.Selected()))}
	for _, column := range rows.FieldDescriptions() {
		row.instant = append(row.instant, column.DataTypeOID == pgtype.TimestamptzOID && column.Format == pgx.BinaryFormatCode)
	}
	for rows.Next() {
		version, err := row.take(rows.RawValues())
		if err != nil {
			return fmt.Errorf("read attempts: %w", err)
		}
		if err := reader.Each(&filter, row.columns, version, each); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read attempts: %w", explain(err))
	}
	return nil
}

// attemptRow is a row of the described columns, of which some may be instants.
type attemptRow struct {
	columns []store.Text
	instant []bool
	texts   []byte
}

// take reads a row, and the version that follows its columns where there is
// one.
func (r *attemptRow) take(raw [][]byte) (version string, err error) {
	r.texts = r.texts[:0]
	for i, column := range raw {
		if !r.instant[i] {
			r.texts = append(r.texts, column...)
		}
	}
	rest := string(r.texts) // one text for all columns of the row
	for i := range r.columns {
		r.columns[i] = store.Text{Null: raw[i] == nil}
		if !r.instant[i] {
			r.columns[i].Value, rest = rest[:len(raw[i])], rest[len(raw[i]):]
			continue
		}
		at, err := readInstant(raw[i])
		if errors.Is(err, errInfinite) {
			r.columns[i].Value = map[bool]string{false: "infinity", true: "-infinity"}[raw[i][0] >= 0x80]
		} else if err != nil {
			return "", err
		}
		r.columns[i].At = payment.Instant(at)
	}
	return rest, nil
}
