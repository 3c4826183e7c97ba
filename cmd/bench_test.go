//go:build !race

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"desfecho/internal/pgtest"
	"desfecho/internal/world"
)

const monthTable = `CREATE TABLE charge_attempts (id text PRIMARY KEY, charge_id text NOT NULL, idempotency_key text NOT NULL UNIQUE,
  provider text NOT NULL, status text NOT NULL, provider_charge_id text UNIQUE, amount_cents bigint NOT NULL, currency text NOT NULL,
  created_at timestamptz NOT NULL, resolved_at timestamptz);
\copy charge_attempts FROM '%s' CSV HEADER
CREATE INDEX ON charge_attempts (charge_id);
CREATE INDEX ON charge_attempts (created_at);`

const monthConfig = `attempts:
  read: charge_attempts
  columns: {id: id, charge: charge_id, key: idempotency_key, provider: provider, status: status, provider_charge_id: provider_charge_id,
    amount: amount_cents, unit: minor, currency: currency, created_at: created_at, resolved_at: resolved_at}
  references: [{here: idempotency_key, there: reference, scope: attempt}]
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
providers:
  - {name: acme, account: acct_1, timezone: UTC, succeeded_means: {charge: captured}}
`

// BenchmarkReconcileDatabase runs the program that is built over a month in
// PostgreSQL of which 0.3 % diverges, at two sizes, and tells the seconds, those
// in which the process had a processor, the rows a second, how many times as
// long it took as psql takes to throw away the same rows, and the most memory of
// the process, and how much that grew from the smaller size to the larger (make
// bench-database).
func BenchmarkReconcileDatabase(b *testing.B) {
	program := filepath.Join(b.TempDir(), "desfecho")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "./desfecho").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	smaller := int64(0)
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := newMonth(b, program, size)
			most, busy, bare := int64(0), time.Duration(0), time.Duration(0)
			for b.Loop() {
				memory, cpu := m.reconcile()
				most, busy, bare = max(most, memory), busy+cpu, bare+m.copied()
			}
			b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(float64(m.rows*b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(b.Elapsed())/float64(bare), "times-the-copy")
			b.ReportMetric(float64(most)/1024, "MiB")
			if smaller > 0 {
				b.ReportMetric(float64(most)/float64(smaller), "times-the-memory")
			}
			smaller = most
		})
	}
}

// month is a filled database.
type month struct {
	*testing.B
	program, name string
	env           []string
	rows          int
	truth         world.WorkloadTruth
}

func newMonth(b *testing.B, program string, size int) *month {
	b.Helper()
	folder := b.TempDir()
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	attempts, statement, config := file("attempts.csv"), file("statement.csv"), file("desfecho.yaml")
	m := &month{B: b, program: program}
	var err error
	if m.truth, err = (world.Workload{Rows: size, Seed: 1, Rare: 2000}).Write(attempts, statement); err != nil {
		b.Fatal(err)
	}
	if _, err := config.WriteString(monthConfig); err != nil {
		b.Fatal(err)
	}
	for _, f := range []*os.File{attempts, statement, config} {
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	m.rows = m.truth.Attempts + m.truth.Lines
	url := pgtest.Database(b)
	m.name = databaseName(b, url)
	m.env = append(os.Environ(), "DESFECHO_CONFIG="+config.Name(), "DESFECHO_DATABASE_URL="+url)
	pgtest.Server(b).SQL(b, m.name, fmt.Sprintf(monthTable, attempts.Name()))
	m.must(0, "schema", "--apply")
	m.must(0, "pull", "acme", "--file", statement.Name(), "--covers", m.covers())
	pgtest.Server(b).SQL(b, m.name, "VACUUM ANALYZE")
	return m
}

func (m *month) covers() string {
	day := func(at time.Time) string { return at.Format(time.DateOnly) }
	return day(m.truth.Covers.From.Time()) + ".." + day(m.truth.Covers.To.Time())
}

// must runs the program, wants its exit code and gives the most memory that it
// held, in KiB, and the time that it had a processor.
func (m *month) must(code int, args ...string) (memory int64, busy time.Duration) {
	m.Helper()
	run := exec.CommandContext(m.Context(), m.program, args...)
	run.Env = m.env
	out, err := run.CombinedOutput()
	if got := run.ProcessState.ExitCode(); got != code {
		m.Fatalf("%s: exit %d, %v\n%s", strings.Join(args, " "), got, err, out)
	}
	used, ok := run.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		m.Fatal("the system does not tell how much memory a process held")
	}
	return used.Maxrss, run.ProcessState.UserTime() + run.ProcessState.SystemTime()
}

// reconcile compares the whole month as if for the first time.
func (m *month) reconcile() (memory int64, busy time.Duration) {
	m.Helper()
	m.StopTimer()
	pgtest.Server(m.B).SQL(m.B, m.name, `TRUNCATE desfecho.heads, desfecho.divergences, desfecho.life, desfecho.transit, desfecho.days, desfecho.runs CASCADE`)
	m.StartTimer()
	covers := m.truth.Covers
	return m.must(3, "reconcile", "--as-of", m.truth.AsOf.String(), "--since", covers.From.String(), "--until", covers.To.String(),
		"--format", "json", "-o", filepath.Join(m.TempDir(), "report.json"))
}

// copied is how long the server and psql take for all columns of the same rows,
// in the same minute: machines differ, and shared ones from hour to hour.
func (m *month) copied() time.Duration {
	m.Helper()
	m.StopTimer()
	defer m.StartTimer()
	began := time.Now()
	for _, table := range []string{"charge_attempts", "desfecho.lines"} {
		pgtest.Server(m.B).SQL(m.B, m.name, `\copy (SELECT * FROM `+table+`) TO /dev/null WITH (FORMAT binary)`)
	}
	return time.Since(began)
}
