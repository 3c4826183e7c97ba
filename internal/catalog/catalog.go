// Package catalog reads what a database says about itself: its tables and
// views, their columns and types, indexes, foreign keys. It asks over a small
// port, with the names of tables as values, and speaks both SQL dialects.
//
// It never writes, reads no row of a merchant's table, and judges nothing:
// check and propose do.
package catalog

import (
	"context"
	"fmt"
	"strings"

	"desfecho/internal/store"
)

// Row is one row of an answer, each column as the database prints it.
type Row = []store.Text

// Asker answers a query, read-only, in a transaction of its own. $1 and so on
// stand for the values. An error says that nothing was read.
type Asker interface {
	Rows(ctx context.Context, query string, args ...any) ([]Row, error)
}

// Dialect is the SQL that a database speaks.
type Dialect uint8

// The two databases of the house.
const (
	PostgreSQL Dialect = iota
	SQLite
)

// Database is a database that can be asked, and what it speaks.
type Database struct {
	Asker
	Dialect Dialect
}

// Quote is a name of the configuration, such as public.attempts, for a
// statement: every part of it in double quotes.
func Quote(name string) string {
	parts := store.SplitName(name)
	for i, p := range parts {
		parts[i] = Identifier(p)
	}
	return strings.Join(parts, ".")
}

// Identifier is one name for a statement.
func Identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Query is a statement in the making: the values stand beside the text.
type Query struct{ Values []any }

// Value puts a text in and gives what stands for it.
func (q *Query) Value(text string) string {
	q.Values = append(q.Values, text)
	return fmt.Sprintf("CAST($%d AS text)", len(q.Values))
}

// In is the condition that the expression is one of the words; never true
// where there are none.
func (q *Query) In(expression string, words []string) string {
	if len(words) == 0 {
		return "(1 = 0)"
	}
	values := make([]string, len(words))
	for i, w := range words {
		values[i] = q.Value(w)
	}
	return "(" + expression + " IN (" + strings.Join(values, ", ") + "))"
}

// Ask sends the statement.
func (d Database) Ask(ctx context.Context, q *Query, statement string) ([]Row, error) {
	return d.Rows(ctx, statement, q.Values...)
}

// list takes apart what a query joined with the unit separator; names hold
// none.
func list(t store.Text) []string {
	if t.Value == "" {
		return nil
	}
	return strings.Split(t.Value, "\x1f")
}

func truth(t store.Text) bool { return t.Value == "true" || t.Value == "t" || t.Value == "1" }
