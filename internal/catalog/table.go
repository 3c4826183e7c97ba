package catalog

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"desfecho/internal/store"
)

// Table is a table or view.
type Table struct {
	Name    string // as the configuration writes it
	View    bool
	Columns []Column
	Indexes []Index
	Links   []Link
}

// Column of a table. Words are those that its type allows, where it lists them;
// Default is the word that a row has which says none, "" where that is no word.
type Column struct {
	Name    string
	Type    string
	NotNull bool
	Words   []string
	Default string
}

// Link is a foreign key of one column.
type Link struct{ Here, Table, There string }

// Column finds a column by its name.
func (t *Table) Column(name string) (Column, bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

// Primary is the column that is the primary key by itself, "" where none is.
func (t *Table) Primary() string {
	for _, i := range t.Indexes {
		if i.Primary && len(i.Columns) == 1 {
			return i.Columns[0]
		}
	}
	return ""
}

// Look reads what the catalogue says of one table or view; nil where there is
// none that this role can see.
func (d Database) Look(ctx context.Context, name string) (*Table, error) {
	steps := []func(context.Context, string, *Table) error{d.sqliteKind, d.sqliteColumns, d.sqliteIndexes, d.sqliteLinks}
	if d.Dialect == PostgreSQL {
		steps = []func(context.Context, string, *Table) error{d.kind, d.columns, d.indexes, d.links}
	}
	t := &Table{}
	for _, step := range steps {
		if err := step(ctx, name, t); err != nil {
			return nil, fmt.Errorf("look at table %s: %w", name, err)
		}
		if t.Name == "" {
			return nil, nil //nolint:nilnil // there is none, and that is no error
		}
	}
	return t, nil
}

// List names all tables and views but the database's own and desfecho's.
func (d Database) List(ctx context.Context) ([]string, error) {
	query := `SELECT name, 'true', '' FROM sqlite_master WHERE type IN ('table', 'view')
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'desfecho\_%' ESCAPE '\' ORDER BY name`
	if d.Dialect == PostgreSQL {
		query = `SELECT c.relname::text, pg_table_is_visible(c.oid)::text, n.nspname::text
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'desfecho')
			AND n.nspname NOT LIKE 'pg\_%' AND has_table_privilege(c.oid, 'SELECT') ORDER BY n.nspname, c.relname`
	}
	rows, err := d.Rows(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = part(r[0].Value)
		if !truth(r[1]) {
			names[i] = part(r[2].Value) + "." + names[i]
		}
	}
	return names, nil
}

// part writes a name as the configuration does.
func part(name string) string {
	if strings.ContainsAny(name, `."`) {
		return `"` + name + `"`
	}
	return name
}

func (d Database) kind(ctx context.Context, name string, t *Table) error {
	rows, err := d.Rows(ctx, `SELECT c.relkind::text FROM pg_class c WHERE c.oid = to_regclass(CAST($1 AS text))`, Quote(name))
	if err == nil && len(rows) > 0 {
		t.Name, t.View = name, rows[0][0].Value == "v" || rows[0][0].Value == "m"
	}
	return err
}

func (d Database) columns(ctx context.Context, name string, t *Table) error {
	rows, err := d.Rows(ctx, `SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
		(SELECT string_agg(e.enumlabel::text, chr(31) ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = a.atttypid),
		coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = to_regclass(CAST($1 AS text)) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, Quote(name))
	t.take(rows)
	return err
}

func (t *Table) take(rows []Row) {
	for _, r := range rows {
		t.Columns = append(t.Columns, Column{Name: r[0].Value, Type: strings.ToLower(r[1].Value), NotNull: truth(r[2]), Words: list(r[3]), Default: word(r[4].Value)})
	}
}

var wholeWord = regexp.MustCompile(`^'((?:[^']|'')*)'(?:::[\w" ]+)?$`)

// word is the text that a default stands for, "" where it is anything else.
func word(expression string) string {
	if m := wholeWord.FindStringSubmatch(expression); m != nil {
		return strings.ReplaceAll(m[1], "''", "'")
	}
	return ""
}

func (d Database) links(ctx context.Context, name string, t *Table) error {
	rows, err := d.Rows(ctx, `SELECT h.attname::text, c.relname::text, a.attname::text, pg_table_is_visible(c.oid)::text, n.nspname::text
		FROM pg_constraint k JOIN pg_class c ON c.oid = k.confrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute h ON h.attrelid = k.conrelid AND h.attnum = k.conkey[1]
		JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = k.confkey[1]
		WHERE k.contype = 'f' AND cardinality(k.conkey) = 1 AND k.conrelid = to_regclass(CAST($1 AS text)) ORDER BY 1, 2`, Quote(name))
	for _, r := range rows {
		link := Link{Here: r[0].Value, Table: part(r[1].Value), There: r[2].Value}
		if !truth(r[3]) {
			link.Table = part(r[4].Value) + "." + link.Table
		}
		t.Links = append(t.Links, link)
	}
	return err
}

// bare is the table's own name and its schema, for SQLite's pragmas.
func bare(name string) (table, schema string) {
	parts := store.SplitName(name)
	if len(parts) > 1 {
		return parts[len(parts)-1], parts[0]
	}
	return parts[0], "main"
}

func (d Database) sqliteKind(ctx context.Context, name string, t *Table) error {
	table, schema := bare(name)
	rows, err := d.Rows(ctx, `SELECT type FROM `+Identifier(schema)+`.sqlite_master WHERE name = $1 AND type IN ('table', 'view')`, table)
	if err == nil && len(rows) > 0 {
		t.Name, t.View = name, rows[0][0].Value == "view"
	}
	return err
}

func (d Database) sqliteColumns(ctx context.Context, name string, t *Table) error {
	table, schema := bare(name)
	rows, err := d.Rows(ctx, `SELECT name, type, CAST("notnull" OR pk > 0 AS text), '', coalesce(dflt_value, ''), CAST(pk AS text)
		FROM pragma_table_info($1, $2) ORDER BY cid`, table, schema)
	t.take(rows)
	keys := 0
	for _, r := range rows {
		if r[5].Value != "0" {
			keys++
		}
	}
	for i, r := range rows {
		// INTEGER PRIMARY KEY has no index of its own: it is the row itself.
		if keys == 1 && r[5].Value == "1" && t.Columns[i].Type == "integer" {
			t.Indexes = append(t.Indexes, Index{Name: "primary key", Columns: []string{r[0].Value}, Unique: true, Valid: true, Primary: true, Ordered: true})
		}
	}
	return err
}

func (d Database) sqliteLinks(ctx context.Context, name string, t *Table) error {
	table, schema := bare(name)
	rows, err := d.Rows(ctx, `SELECT "from", "table", coalesce("to", '') FROM pragma_foreign_key_list($1, $2) f
		WHERE (SELECT count(*) FROM pragma_foreign_key_list($1, $2) g WHERE g.id = f.id) = 1 ORDER BY 1, 2`, table, schema)
	for _, r := range rows {
		t.Links = append(t.Links, Link{Here: r[0].Value, Table: part(r[1].Value), There: r[2].Value})
	}
	return err
}
