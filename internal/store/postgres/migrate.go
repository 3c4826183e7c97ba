package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step: its number is its place in the sorted list, from 1.
type migration struct{ name, sql string }

func steps() []migration {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted by name
	if err != nil {
		panic(err) // the pattern is the program's own
	}
	list := make([]migration, len(names))
	for i, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			panic(err) // it was embedded
		}
		list[i] = migration{strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql"), string(text)}
	}
	return list
}

const base = `CREATE SCHEMA IF NOT EXISTS desfecho;
CREATE TABLE IF NOT EXISTS desfecho.migrations (
    number     integer     PRIMARY KEY,
    name       text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`

// Schema is the SQL of all tables, as Migrate would make them.
func (s *Store) Schema() string { return Schema() }

// Schema is the SQL of desfecho's own tables.
func Schema() string {
	var b strings.Builder
	b.WriteString("BEGIN;\n" + base)
	for i, m := range steps() {
		fmt.Fprintf(&b, "\n-- %s\n%s\nINSERT INTO desfecho.migrations (number, name) VALUES (%d, '%s');\n", m.name, m.sql, i+1, m.name)
	}
	b.WriteString("COMMIT;\n")
	return b.String()
}

// migrationLock is an arbitrary number: one migrator at a time, for the length
// of its transaction.
const migrationLock = 7_340_032_601

// Migrate applies what is missing.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	var applied []string
	for i, m := range steps() {
		done := false
		err := s.writeAgain(ctx, "apply "+m.name, func(tx *transaction) error {
			if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", int64(migrationLock))); err != nil {
				return err
			}
			version, err := version(ctx, tx)
			switch {
			case errors.Is(err, store.ErrNoSchema):
				if _, err := tx.Exec(ctx, base); err != nil {
					return err
				}
			case err != nil:
				return err
			}
			if version > len(steps()) {
				return store.ErrNewerSchema
			}
			if version > i {
				return nil
			}
			if _, err := tx.Exec(ctx, m.sql); err != nil {
				return err
			}
			done = true
			_, err = tx.Exec(ctx, "INSERT INTO desfecho.migrations (number, name) VALUES ($1, $2)", i+1, m.name)
			return err
		})
		if err != nil {
			return applied, err
		}
		if done {
			applied = append(applied, m.name)
		}
	}
	return applied, nil
}

// version is the number of the last migration, ErrNoSchema where there is no
// table of them.
func version(ctx context.Context, q queryer) (int, error) {
	var there bool
	if err := q.QueryRow(ctx, "SELECT to_regclass('desfecho.migrations') IS NOT NULL").Scan(&there); err != nil {
		return 0, err
	}
	if !there {
		return 0, store.ErrNoSchema
	}
	var version int
	err := q.QueryRow(ctx, "SELECT coalesce(max(number), 0)::int FROM desfecho.migrations").Scan(&version)
	return version, err
}

// CheckSchema compares the tables with the program.
func (s *Store) CheckSchema(ctx context.Context) error {
	tx, err := s.begin(ctx, s.primary, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("look at the schema: %w", explain(err))
	}
	defer tx.rollback(ctx)
	version, err := version(ctx, tx)
	switch {
	case err != nil:
		return fmt.Errorf("look at the schema: %w", explain(err))
	case version == 0:
		return store.ErrNoSchema
	case version < len(steps()):
		return store.ErrOldSchema
	case version > len(steps()):
		return store.ErrNewerSchema
	}
	return nil
}
