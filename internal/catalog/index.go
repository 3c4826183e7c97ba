package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// Index of a table. A column that is an expression is "". Predicate is what a
// partial index says of the rows it holds, as the database prints it.
type Index struct {
	Name      string
	Columns   []string
	Unique    bool
	Valid     bool // false: it was not built to its end, and holds nothing apart
	Primary   bool
	Ordered   bool // serves ranges of its first column
	Predicate string
}

func (d Database) indexes(ctx context.Context, name string, t *Table) error {
	rows, err := d.Rows(ctx, `SELECT i.relname::text, x.indisunique::text, (x.indisvalid AND x.indisready)::text, x.indisprimary::text,
		coalesce(pg_get_expr(x.indpred, x.indrelid), ''), (m.amname IN ('btree', 'brin'))::text,
		(SELECT string_agg(coalesce(a.attname::text, ''), chr(31) ORDER BY k.n) FROM unnest(x.indkey::int2[]) WITH ORDINALITY k (attnum, n)
		LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum AND k.attnum <> 0 WHERE k.n <= x.indnkeyatts)
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
		WHERE x.indrelid = to_regclass(CAST($1 AS text)) ORDER BY i.relname`, Quote(name))
	for _, r := range rows {
		t.Indexes = append(t.Indexes, Index{
			Name: r[0].Value, Unique: truth(r[1]), Valid: truth(r[2]), Primary: truth(r[3]), Predicate: r[4].Value, Ordered: truth(r[5]), Columns: list(r[6]),
		})
	}
	return err
}

var whereOfIndex = regexp.MustCompile(`(?is)\)\s*where\s+(.*)$`)

func (d Database) sqliteIndexes(ctx context.Context, name string, t *Table) error {
	table, schema := bare(name)
	rows, err := d.Rows(ctx, `SELECT l.name, CAST(l."unique" AS text), l.origin, coalesce(m.sql, ''),
		(SELECT group_concat(coalesce(i.name, ''), char(31)) FROM (SELECT name FROM pragma_index_info(l.name, $2) ORDER BY seqno) i)
		FROM pragma_index_list($1, $2) l LEFT JOIN `+Identifier(schema)+`.sqlite_master m ON m.type = 'index' AND m.name = l.name ORDER BY l.name`, table, schema)
	for _, r := range rows {
		i := Index{Name: r[0].Value, Unique: truth(r[1]), Valid: true, Primary: r[2].Value == "pk", Ordered: true, Columns: list(r[4])}
		if m := whereOfIndex.FindStringSubmatch(r[3].Value); m != nil {
			i.Predicate = strings.TrimSpace(m[1])
		}
		t.Indexes = append(t.Indexes, i)
	}
	return err
}

// Holds says what a predicate demands of one column.
type Holds struct {
	Words   []string // the values it names, sorted
	Negated bool     // it holds for all others
	Further bool     // it demands more than that
}

var (
	quotedWord = regexp.MustCompile(`'((?:[^']|'')*)'`)
	bareNumber = regexp.MustCompile(`\b[0-9]+\b`)
	isNotNull  = regexp.MustCompile(`(?i)[\w".]+\s+is\s+not\s+null`)
	conjoined  = regexp.MustCompile(`(?i)\band\b`)
	negation   = regexp.MustCompile(`(?i)<>|!=|\bnot\b|\ball\b`)
)

// Demands reads a predicate such as status IN ('pending','unknown'), as both
// databases print it. ok is false where it names no value of the column.
func Demands(predicate, column string) (h Holds, ok bool) {
	named := regexp.MustCompile(`(?i)(^|[^\w])"?` + regexp.QuoteMeta(column) + `"?([^\w]|$)`)
	for _, part := range conjoined.Split(isNotNull.ReplaceAllString(predicate, ""), -1) {
		if !named.MatchString(quotedWord.ReplaceAllString(part, "''")) {
			h.Further = h.Further || strings.Trim(part, "() \n\t") != ""
			continue
		}
		found := quotedWord.FindAllStringSubmatch(part, -1)
		for _, w := range found {
			h.Words = append(h.Words, strings.ReplaceAll(w[1], "''", "'"))
		}
		if len(found) == 0 {
			h.Words = append(h.Words, bareNumber.FindAllString(part, -1)...)
		}
		h.Negated = h.Negated || negation.MatchString(quotedWord.ReplaceAllString(part, "''"))
	}
	slices.Sort(h.Words)
	h.Words = slices.Compact(h.Words)
	return h, len(h.Words) > 0
}
