package cmd

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// execSQLite runs statements in a SQLite file, which is made where it is not
// there.
func execSQLite(ctx context.Context, path, text string) error {
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)&_pragma=synchronous(0)")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, text)
	return errors.Join(err, db.Close())
}

// inProcess is the program without a process of its own.
func inProcess(ctx context.Context, env []string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = Main(ctx, append([]string{"desfecho"}, args...), env, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// databaseName is the database that a URL names.
func databaseName(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}
