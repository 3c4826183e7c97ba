package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

const checkLong = `Look at your database for what lets a payment go wrong: an index that is missing,
a timeout that was taken for a no, a key made from the order, a credit given
twice. It reads and never writes, and asks no provider. Where providers are named it is
about them alone.

Each audit is one line: how it ended, its name, how many rows it is about, one of
them, what was found and what to do. At the end stand the questions that a payments
team should be able to answer yes to, each with the answer found. desfecho help check
explains every audit.

With --provider it asks the providers instead: whether they can be reached, whose
account the credential opens and whether it may move money, how far the clocks are
apart, and whether each statement and each way to ask shows what is known to exist.

EXIT STATUS
  0  no fault
  3  an audit found a fault
  4  a provider did not answer
  8  the only account that was asked refused the credential`

func newCheckCommand(d *deps) *cobra.Command {
	var asking bool
	c := &cobra.Command{
		Use:   "check [PROVIDER…]",
		Short: "Audit the database, or what providers answer, for what lets payments go wrong",
		Long:  checkLong,
		RunE: func(c *cobra.Command, names []string) error {
			if asking {
				return d.checkProviders(c.Context(), names, c.Flags())
			}
			return d.check(c.Context(), names, c.Flags())
		},
	}
	c.Flags().BoolVar(&asking, "provider", false, "ask the providers, and not the database")
	return c
}

func (d *deps) check(ctx context.Context, names []string, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	r, err := d.newDatabaseRun(&reconcileOptions{}, config, names)
	if err != nil {
		return err
	}
	database, replica, closed, err := d.askers(ctx, &config)
	if err != nil {
		return err
	}
	found, err := r.audit(ctx, database, replica)
	if err := errors.Join(err, closed()); err != nil {
		return err
	}
	code := exitDone
	if found.Worst() == check.Fault {
		code = exitDivergences
	}
	return d.endCheck(ctx, found, code)
}

func (d *deps) endCheck(ctx context.Context, found *check.Report, code exitCode) error {
	if err := d.tellCheck(ctx, found, code); err != nil {
		return err
	}
	return endWith(code)
}

// askers opens the database, and the replica where one is named, for questions
// about their catalogues.
func (d *deps) askers(ctx context.Context, config *Config) (database catalog.Database, replica *catalog.Database, closed func() error, err error) {
	primary, read, err := config.Database.urls(ctx, d.env)
	if err != nil {
		return database, nil, nil, err
	}
	limit, err := config.Database.limit()
	if err != nil {
		return database, nil, nil, err
	}
	kind, err := dialectOf(primary.Reveal())
	if err != nil {
		return database, nil, nil, err
	}
	if kind == dialectSQLite {
		if err := sqliteThere(primary.Reveal(), false); err != nil {
			return database, nil, nil, err
		}
		rows, err := sqlite.OpenRows(ctx, primary.Reveal(), limit)
		if err != nil {
			return database, nil, nil, err
		}
		return catalog.Database{Asker: rows, Dialect: catalog.SQLite}, nil, rows.Close, nil
	}
	rows, err := postgres.OpenRows(ctx, primary.Reveal(), limit)
	if err != nil {
		return database, nil, nil, err
	}
	database = catalog.Database{Asker: rows, Dialect: catalog.PostgreSQL}
	if read == "" {
		return database, nil, rows.Close, nil
	}
	second, err := postgres.OpenRows(ctx, read.Reveal(), limit)
	if err != nil {
		return database, nil, nil, errors.Join(err, rows.Close())
	}
	return database, &catalog.Database{Asker: second, Dialect: catalog.PostgreSQL}, func() error { return errors.Join(second.Close(), rows.Close()) }, nil
}

// audit asks every audit, about what is configured and what is known by the
// statements that were stored: nothing where desfecho's tables are not there
// yet.
func (r *databaseRun) audit(ctx context.Context, database catalog.Database, replica *catalog.Database) (*check.Report, error) {
	in := check.Input{
		Database: database, Replica: replica, Attempts: r.config.described(), Events: r.config.events(), Business: r.config.business(), Clock: r.d.now,
		Configured: r.config.providerNames(),
	}
	var err error
	if in.Generated, err = r.config.generated(); err != nil {
		return nil, err
	}
	for _, name := range r.providers {
		policy, err := r.configuredPolicy(name)
		if err != nil {
			return nil, err
		}
		audited, err := r.config.audited(policy)
		if err != nil {
			return nil, err
		}
		in.Providers = append(in.Providers, audited)
	}
	if ownTables(ctx, database) {
		known, err := r.known(ctx)
		if err != nil {
			return nil, err
		}
		if known != nil {
			in.Pairs, in.Links = &known.pairs, known.linked()
		}
	}
	return check.Run(ctx, in)
}

// ownTables tells whether desfecho's tables are there, before a store is
// opened: opening one for writing would leave its mark in a SQLite file.
func ownTables(ctx context.Context, database catalog.Database) bool {
	question := "SELECT 1 WHERE to_regclass('desfecho.migrations') IS NOT NULL"
	if database.Dialect == catalog.SQLite {
		question = "SELECT 1 FROM sqlite_schema WHERE name = 'desfecho_migrations'"
	}
	rows, err := database.Rows(ctx, question)
	return err == nil && len(rows) > 0
}
