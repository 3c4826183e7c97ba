package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

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

const base = `CREATE TABLE IF NOT EXISTS desfecho_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    applied_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER))
) STRICT;
`

// Schema is the SQL of all tables, as Migrate would make them.
func (s *Store) Schema() string { return Schema() }

// Schema is the SQL of desfecho's own tables.
func Schema() string {
	var b strings.Builder
	b.WriteString("BEGIN IMMEDIATE;\n" + base)
	for i, m := range steps() {
		fmt.Fprintf(&b, "\n-- %s\n%s\nINSERT INTO desfecho_migrations (number, name) VALUES (%d, '%s');\n", m.name, m.sql, i+1, m.name)
	}
	b.WriteString("COMMIT;\n")
	return b.String()
}

// Migrate applies what is missing. Each step's transaction is the only one of
// the file from its beginning on.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	var applied []string
	for i, m := range steps() {
		done := false
		err := s.write(ctx, "apply "+m.name, func(tx *transaction) error {
			if _, err := tx.exec(ctx, base); err != nil {
				return err
			}
			version, err := version(ctx, tx)
			switch {
			case err != nil:
				return err
			case version > len(steps()):
				return store.ErrNewerSchema
			case version > i:
				return nil
			}
			if _, err := tx.exec(ctx, m.sql); err != nil {
				return err
			}
			done = true
			_, err = tx.exec(ctx, "INSERT INTO desfecho_migrations (number, name) VALUES (?, ?)", i+1, m.name)
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
func version(ctx context.Context, tx *transaction) (version int, err error) {
	var tables int
	if err := tx.one(ctx, []any{&tables}, "SELECT count(*) FROM sqlite_schema WHERE name = 'desfecho_migrations'"); err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, store.ErrNoSchema
	}
	err = tx.one(ctx, []any{&version}, "SELECT coalesce(max(number), 0) FROM desfecho_migrations")
	return version, err
}

// CheckSchema compares the tables with the program.
func (s *Store) CheckSchema(ctx context.Context) error {
	err := s.read(ctx, func(tx *transaction) error {
		version, err := version(ctx, tx)
		switch {
		case err != nil:
			return err
		case version == 0:
			return store.ErrNoSchema
		case version < len(steps()):
			return store.ErrOldSchema
		case version > len(steps()):
			return store.ErrNewerSchema
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the schema: %w", err)
	}
	return nil
}
