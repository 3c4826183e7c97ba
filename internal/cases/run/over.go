package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"desfecho/internal/cases"
	"desfecho/internal/cases/overdb"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

// over plays cases through the built program over a database.
type over struct {
	address string // "sqlite": a file for each case
	program string
	folder  string
	n       int
}

func newOver(database, program string) (*over, error) {
	path, err := filepath.Abs(program)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the program: %w; `make build` makes it", err)
	}
	if database != "sqlite" && !strings.HasPrefix(database, "postgres") {
		return nil, fmt.Errorf("-database %q: want sqlite or a postgres:// URL", database)
	}
	folder, err := os.MkdirTemp("", "cases")
	return &over{address: database, program: path, folder: folder}, err
}

func (o *over) close() { _ = os.RemoveAll(o.folder) }

// play plays one case in a folder of its own.
func (o *over) play(c *cases.Case) cases.Report {
	o.n++
	folder := filepath.Join(o.folder, fmt.Sprint(o.n))
	ctx := context.Background()
	db, err := o.fresh(ctx, folder)
	if err != nil {
		return cases.Report{ID: c.ID, Differences: []string{err.Error()}}
	}
	return overdb.Play(ctx, c, db, o.run, folder)
}

func (o *over) fresh(ctx context.Context, folder string) (overdb.Database, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return overdb.Database{}, err
	}
	if o.address != "sqlite" {
		exec := func(text string) error { return psql(ctx, o.address, text) }
		return overdb.Database{
			URL: o.address, Exec: exec,
			Open: func(ctx context.Context, attempts *store.Description) (store.Store, error) {
				return postgres.Open(ctx, postgres.Options{URL: o.address, Attempts: attempts})
			},
		}, exec("DROP SCHEMA IF EXISTS desfecho CASCADE")
	}
	path := filepath.Join(folder, "case.db")
	return overdb.Database{
		URL: "sqlite://" + path,
		Exec: func(text string) error {
			db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)&_pragma=synchronous(0)")
			if err != nil {
				return err
			}
			_, err = db.ExecContext(ctx, text)
			return errors.Join(err, db.Close())
		},
		Open: func(ctx context.Context, attempts *store.Description) (store.Store, error) {
			return sqlite.Open(ctx, sqlite.Options{URL: "sqlite://" + path, Attempts: attempts})
		},
	}, nil
}

// psql runs statements in a PostgreSQL database.
func psql(ctx context.Context, address, text string) error {
	command := exec.CommandContext(ctx, "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", address) //nolint:gosec // the address that the operator named
	command.Stdin = strings.NewReader("SET client_min_messages = error;\n" + text)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("psql: %w: %s", err, out)
	}
	return nil
}

// run is one process of the program.
func (o *over) run(ctx context.Context, env []string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	command := exec.CommandContext(ctx, o.program, args...) //nolint:gosec // the program that is to be tried
	command.Env, command.Stdout, command.Stderr = append(os.Environ(), env...), &out, &errs
	err := command.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), ended.ExitCode()
	}
	if err != nil {
		return "", err.Error(), -1
	}
	return out.String(), errs.String(), 0
}
