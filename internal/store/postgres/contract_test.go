package postgres

import (
	"context"
	"flag"
	"net/url"
	"os"
	"strings"
	"testing"

	"desfecho/internal/pgtest"
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
	d := database{url: pgtest.Database(t)}
	storetest.Kill(t, d, d.url)
}

// killRounds is how often a settlement is killed at each of its statements.
var killRounds = flag.Int("kill-rounds", 1, "rounds of killing a settlement at each statement")

func TestKilledSettlingIsWholeOrNot(t *testing.T) {
	t.Parallel()
	d := database{url: pgtest.Database(t)}
	storetest.KillSettling(t, d, d.url, *killRounds)
}

type database struct {
	url    string
	simple bool
}

func (d database) Open(ctx context.Context, description *store.Description, trace func(string)) (store.Store, error) {
	return Open(ctx, Options{URL: d.url, Attempts: description, Simple: d.simple, Trace: trace})
}

func (d database) Exec(tb testing.TB, sql string) {
	tb.Helper()
	pgtest.Server(tb).SQL(tb, nameOf(tb, d.url), sql)
}

func (database) Own() string { return "desfecho." }

func (database) Dialect(sql string) string { return sql }

func nameOf(tb testing.TB, address string) string {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(tb testing.TB) storetest.Database { return database{url: pgtest.Database(tb)} })
}

func TestContractInSimpleProtocol(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(tb testing.TB) storetest.Database { return database{url: pgtest.Database(tb), simple: true} })
}

func BenchmarkVolume(b *testing.B) {
	storetest.Volume(b, func(tb testing.TB) storetest.Database { return database{url: pgtest.Database(tb)} })
}
