package cmd

import (
	"context"
	"database/sql"
	"errors"
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
