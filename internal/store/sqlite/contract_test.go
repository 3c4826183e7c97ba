package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"desfecho/internal/store"
	"desfecho/internal/store/storetest"
)

func TestMain(m *testing.M) {
	code := storetest.Main(m, func(ctx context.Context, address string, description *store.Description, trace func(string)) (store.Store, error) {
		return Open(ctx, Options{URL: address, Attempts: description, Trace: trace})
	})
	os.Exit(code) //nolint:forbidigo // a test binary
}

func TestKilledStoringLeavesWholePages(t *testing.T) {
	t.Parallel()
	d := database{filepath.Join(t.TempDir(), "shop.db")}
	storetest.Kill(t, d, "sqlite://"+d.path)
}

func TestKilledSettlingIsWholeOrNot(t *testing.T) {
	t.Parallel()
	d := database{filepath.Join(t.TempDir(), "shop.db")}
	storetest.KillSettling(t, d, "sqlite://"+d.path, 1)
}

type database struct{ path string }

func (d database) Open(ctx context.Context, description *store.Description, trace func(string)) (store.Store, error) {
	return Open(ctx, Options{URL: "sqlite://" + d.path, Attempts: description, Trace: trace})
}

func (d database) Exec(tb testing.TB, statements string) {
	tb.Helper()
	db, err := sql.Open("sqlite", dsn(d.path))
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(tb.Context(), statements); err != nil {
		tb.Fatalf("%v\n%s", err, statements)
	}
}

func (database) Own() string { return "desfecho_" }

// Dialect changes the few words of the suite's tables that SQLite does not know.
func (database) Dialect(sql string) string {
	return strings.NewReplacer("bigserial PRIMARY KEY", "INTEGER PRIMARY KEY", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "INTEGER PRIMARY KEY",
		"DEFAULT now()", "DEFAULT CURRENT_TIMESTAMP", "jsonb", "text", "json", "text").Replace(sql)
}

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(tb testing.TB) storetest.Database {
		return database{filepath.Join(tb.TempDir(), "it's a? #1%20.db")}
	})
}

func BenchmarkVolume(b *testing.B) {
	storetest.Volume(b, func(tb testing.TB) storetest.Database { return database{filepath.Join(tb.TempDir(), "volume.db")} })
}
