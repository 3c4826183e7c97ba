package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/check"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

const schemaLong = `Print the SQL of desfecho's own tables, or apply it. In PostgreSQL they are a schema
named desfecho, in SQLite tables whose names begin with desfecho_. Your own tables
are not touched.

--apply makes what is missing, each step in one transaction; run again it does
nothing. Tables that a newer desfecho made are refused, and never taken back.

--roles prints roles with the least privileges that each use needs, and the
function that writes the attempts for those who may not (attempts.write_by:
function). --guard adds a trigger that refuses to change a final status, to
everybody. They are printed, not applied: read them, and give them to psql as a
role that may.`

// schemaOptions is the command line of schema.
type schemaOptions struct {
	apply   bool
	roles   bool
	guard   bool
	dialect string
}

func newSchemaCommand(d *deps) *cobra.Command {
	o := &schemaOptions{}
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print or apply desfecho's own tables",
		Long:  schemaLong,
		Example: `  desfecho schema                      the SQL, for people who apply it themselves
  desfecho schema --apply              make or update the tables
  desfecho schema --roles | psql shop  the roles`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return d.schema(c.Context(), o, c.Flags()) },
	}
	c.Flags().BoolVar(&o.apply, "apply", false, "make what is missing in the configured database")
	c.Flags().BoolVar(&o.roles, "roles", false, "print the roles instead")
	c.Flags().BoolVar(&o.guard, "guard", false, "with --roles: also a trigger that keeps a final status final")
	c.Flags().StringVar(&o.dialect, "dialect", "", "postgres or sqlite: whose SQL is printed (default: the configured database's, else postgres)")
	return c
}

func (d *deps) schema(ctx context.Context, o *schemaOptions, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	if o.apply && (o.roles || o.dialect != "") {
		return &usageError{err: errors.New("--apply contradicts --roles and --dialect"), hint: "roles are printed, never applied"}
	}
	if o.guard && !o.roles {
		return &usageError{err: errors.New("--guard goes with --roles")}
	}
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if o.apply {
		return d.applySchema(ctx, &config)
	}
	kind, err := d.dialect(ctx, &config, o.dialect)
	if err != nil {
		return err
	}
	text := postgres.Schema()
	switch {
	case o.roles && kind == dialectSQLite:
		return &usageError{err: errors.New("SQLite has no roles"), hint: "who may read and write the file may read and write its tables"}
	case o.roles && config.described() == nil:
		return &usageError{err: errors.New("no attempts table is described, so nobody knows what the roles must read"), hint: "describe it under `attempts:`; see `desfecho help database`"}
	case o.roles:
		if text, err = roles(&config, o.guard); err != nil {
			return err
		}
	case kind == dialectSQLite:
		text = sqlite.Schema()
	}
	return d.write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// roles is the SQL of the roles, and what `check` reads beside the attempts.
func roles(config *Config, guard bool) (string, error) {
	terms, err := config.terms()
	if err != nil {
		return "", err
	}
	text, err := postgres.Roles(config.described(), terms)
	if err != nil {
		return "", err
	}
	if guard {
		trigger, err := postgres.Guard(config.described())
		if err != nil {
			return "", err
		}
		text += trigger
	}
	orders, err := config.Orders.grants()
	if err != nil {
		return "", err
	}
	text += orders
	audited, err := check.Grants("desfecho_run", config.events(), config.business())
	if err != nil || audited == "" {
		return text, err
	}
	return text + "\n-- What `desfecho check` looks at beside them.\n" + audited, nil
}

// dialect is the one that was asked for, else the configured database's.
func (d *deps) dialect(ctx context.Context, config *Config, asked string) (dialect, error) {
	switch asked {
	case "postgres":
		return dialectPostgres, nil
	case "sqlite":
		return dialectSQLite, nil
	case "":
	default:
		return dialectNone, &usageError{err: fmt.Errorf("--dialect %q: want postgres or sqlite", asked)}
	}
	if !config.Database.given() {
		return dialectPostgres, nil
	}
	address, _, err := config.Database.urls(ctx, d.env)
	if err != nil {
		return dialectNone, err
	}
	return dialectOf(address.Reveal())
}

// applySchema makes what is missing and names it.
func (d *deps) applySchema(ctx context.Context, config *Config) (err error) {
	s, err := d.openStore(ctx, config, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	applied, err := s.Migrate(ctx)
	if err != nil {
		return err
	}
	if d.global.quiet && !d.global.toFile() {
		return nil
	}
	return d.write(ctx, func(w io.Writer) error {
		for _, name := range applied {
			if _, err := fmt.Fprintln(w, "applied "+name); err != nil {
				return err
			}
		}
		if len(applied) == 0 {
			_, err := fmt.Fprintln(w, "nothing to apply: the tables are those of this program")
			return err
		}
		return nil
	})
}
