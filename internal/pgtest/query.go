package pgtest

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Query runs statements as the superuser, in one transaction, and gives their
// rows as SQL prints them. It is for tests that ask often: no program is
// started.
func (c *Cluster) Query(tb testing.TB, database, sql string) (rows []string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	conn, err := pgconn.Connect(ctx, c.URL("postgres", database))
	if err != nil {
		tb.Fatal(err)
	}
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		tb.Fatalf("%v\n%s", err, sql)
	}
	for _, result := range results {
		for _, row := range result.Rows {
			cells := make([]string, len(row))
			for i := range row {
				cells[i] = string(row[i])
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	if err := conn.Close(ctx); err != nil {
		tb.Fatal(err)
	}
	return rows
}
