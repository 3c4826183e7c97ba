package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"desfecho/internal/check"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

// dialect is the sort of database that a URL names.
type dialect uint8

const (
	dialectNone dialect = iota
	dialectPostgres
	dialectSQLite
)

// dialectOf finds the sort by the scheme. The rest of the URL is not shown: it
// may hold a password.
func dialectOf(address string) (dialect, error) {
	scheme, _, ok := strings.Cut(address, "://")
	switch scheme {
	case "postgres", "postgresql":
		return dialectPostgres, nil
	case "sqlite":
		return dialectSQLite, nil
	}
	if !ok {
		scheme = ""
	}
	return dialectNone, &usageError{
		err:  fmt.Errorf("the database's URL begins with %q", scheme),
		hint: "want postgres://USER@HOST/DATABASE or sqlite://FILE",
	}
}

// settings finds and reads the configuration for a command.
func (d *deps) settings(flags *pflag.FlagSet) (Config, error) {
	path, err := configPath(d.global.config, d.env)
	if err != nil {
		return Config{}, err
	}
	config, err := loadConfig(path, d.env, flags)
	if err == nil && d.global.json {
		config.Format = "json"
	}
	d.format = config.Format
	return config, err
}

// openStore opens the configured database without looking at its tables. A
// SQLite file that is not there is only made where create says so: a misspelt
// path would else be an empty database.
func (d *deps) openStore(ctx context.Context, config *Config, create bool) (store.Store, error) {
	primary, replica, err := config.Database.urls(ctx, d.env)
	if err != nil {
		return nil, err
	}
	kind, err := dialectOf(primary.Reveal())
	if err != nil {
		return nil, err
	}
	attempts := config.described()
	if kind == dialectSQLite {
		if err := sqliteThere(primary.Reveal(), create); err != nil {
			return nil, err
		}
		if replica != "" {
			return nil, &usageError{err: errors.New("configuration, database.read_url: SQLite has no replicas"), hint: "leave it out"}
		}
		if attempts != nil && attempts.WritesByFunction() {
			return nil, &usageError{err: errors.New("configuration, attempts.write_by: SQLite has no functions"), hint: "leave it out: desfecho writes itself"}
		}
		return sqlite.Open(ctx, sqlite.Options{URL: primary.Reveal(), Attempts: attempts, Trace: d.trace})
	}
	limit, err := config.Database.limit()
	if err != nil {
		return nil, err
	}
	o := postgres.Options{URL: primary.Reveal(), ReadURL: replica.Reveal(), Attempts: attempts, StatementTimeout: limit, Trace: d.trace}
	if attempts != nil && attempts.WritesByFunction() {
		if o.Terms, err = config.terms(); err != nil {
			return nil, err
		}
	}
	return postgres.Open(ctx, o)
}

func sqliteThere(address string, create bool) error {
	path, ok := sqlite.Path(address)
	if !ok || create {
		return nil // Open says what is wrong
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &usageError{err: fmt.Errorf("there is no file %s", path), hint: "check database.url, or make it with `desfecho schema --apply`"}
	}
	return nil
}

// limit is statement_timeout, 0 where the server's own holds.
func (c *DatabaseConfig) limit() (time.Duration, error) {
	if c.StatementTimeout == "" {
		return 0, nil
	}
	limit, err := parseDuration(c.StatementTimeout)
	if err != nil {
		return 0, &usageError{err: fmt.Errorf("configuration, database.statement_timeout %w", err)}
	}
	return limit, nil
}

// described is the description of the attempts table, nil where there is none.
func (c *Config) described() *store.Description {
	if reflect.ValueOf(c.Attempts).IsZero() {
		return nil
	}
	described := c.Attempts
	described.Events = c.events()
	return &described
}

// business is the description of ledger entries, nil where there is none.
func (c *Config) business() *check.BusinessTable {
	if reflect.ValueOf(c.Business).IsZero() {
		return nil
	}
	return &c.Business
}

// events is the description of stored webhook events, nil where there is none.
func (c *Config) events() *store.EventsTable {
	if reflect.ValueOf(c.Events).IsZero() {
		return nil
	}
	return &c.Events
}

// withStore opens the database, checks its tables, and closes it after use.
func (d *deps) withStore(ctx context.Context, config *Config, use func(store.Store) error) (err error) {
	s, err := d.openStore(ctx, config, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.CheckSchema(ctx); err != nil {
		return err
	}
	if d.database != nil {
		s = d.database(s)
	}
	return use(s)
}
