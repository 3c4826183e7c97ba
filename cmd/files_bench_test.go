//go:build unix && !race

package cmd

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"desfecho/internal/pgtest"
	"desfecho/internal/world"
)

// BenchmarkFiles asks every tool that a user might take instead for the classes
// of one pair of CSV files, and holds each answer against what is true: desfecho
// with its whole report, DuckDB with its defaults and with 1 GB, PostgreSQL's
// COPY and SQL over indexes, and sort and join, which look at one key only. It
// tells seconds, rows a second and most memory of the process (make bench). A
// tool that is not installed is left out and named.
func BenchmarkFiles(b *testing.B) {
	program := filepath.Join(b.TempDir(), "desfecho")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "./desfecho").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, size := range []int{100_000, 1_000_000, 10_000_000} {
		f := newFiles(b, size)
		tools := map[string]func(*testing.B) ran{
			"desfecho":   func(b *testing.B) ran { return f.desfecho(b, program) },
			"duckdb":     func(b *testing.B) ran { return f.duckdb(b, "") },
			"duckdb-1GB": func(b *testing.B) ran { return f.duckdb(b, "1GB") },
			"sort-join":  f.sortJoin,
			"postgresql": f.postgres,
		}
		for _, name := range []string{"desfecho", "duckdb", "duckdb-1GB", "sort-join", "postgresql"} {
			if size == 10_000_000 && (name == "sort-join" || name == "postgresql") {
				continue // minutes, to tell what a tenth of it tells
			}
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				most, busy := int64(0), time.Duration(0)
				for b.Loop() {
					got := tools[name](b)
					if want := f.answer(); got.answer != want {
						b.Fatalf("%s says\n%s\ntrue is\n%s", name, got.answer, want)
					}
					most, busy = max(most, got.memory), busy+got.busy
				}
				b.ReportMetric(float64(f.rows*b.N)/b.Elapsed().Seconds(), "rows/s")
				b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s")
				b.ReportMetric(float64(most)/1024, "MiB")
			})
		}
		for _, path := range []string{f.attempts, f.statement} { // 10,000,000 of each are 2.5 GB
			if err := os.Remove(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// files are a pair of files, with what is true of them.
type files struct {
	attempts, statement string
	rows                int
	truth               world.WorkloadTruth
}

// ran is what a tool said, the most memory that its process held, in KiB, and
// for how long it had a processor.
type ran struct {
	answer string
	memory int64
	busy   time.Duration
}

func newFiles(b *testing.B, size int) *files {
	b.Helper()
	folder := b.TempDir()
	f := &files{attempts: filepath.Join(folder, "attempts.csv"), statement: filepath.Join(folder, "statement.csv")}
	attempts, err := os.Create(f.attempts)
	if err != nil {
		b.Fatal(err)
	}
	statement, err := os.Create(f.statement)
	if err != nil {
		b.Fatal(err)
	}
	if f.truth, err = (world.Workload{Rows: size, Seed: 1, Rare: 2000}).Write(attempts, statement); err != nil {
		b.Fatal(err)
	}
	for _, file := range []*os.File{attempts, statement} {
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
	f.rows = f.truth.Attempts + f.truth.Lines
	return f
}

// answer is the classes and their numbers, a line each.
func (f *files) answer() string {
	var lines []string
	for class, n := range f.truth.Classes {
		lines = append(lines, fmt.Sprintf("%s %d", class, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// measured runs a program and gives what it printed.
func measured(b *testing.B, code int, program string, args ...string) ran {
	b.Helper()
	c := exec.CommandContext(b.Context(), program, args...)
	out, err := c.Output()
	if got := c.ProcessState.ExitCode(); got != code {
		b.Fatalf("%s: exit %d, %v\n%s", program, got, err, out)
	}
	used, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the system does not tell how much memory a process held")
	}
	return ran{strings.TrimSpace(string(out)), used.Maxrss, c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
}

func (f *files) desfecho(b *testing.B, program string) ran {
	b.Helper()
	covers := f.truth.Covers.From.String() + ".." + f.truth.Covers.To.String()
	got := measured(b, int(exitDivergences), program, "reconcile", "--attempts", f.attempts, "--statement", f.statement, "--provider", "acme",
		"--covers", covers, "--attempts-cover", covers, "--as-of", f.truth.AsOf.String(), "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(got.answer)).ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	class := slices.Index(rows[0], "class")
	count := map[string]int{}
	for _, row := range rows[1:] {
		if row[class] != "" {
			count[row[class]]++
		}
	}
	var lines []string
	for name, n := range count {
		lines = append(lines, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(lines)
	got.answer = strings.Join(lines, "\n")
	return got
}

// duckdb needs Node and the folder with @duckdb/node-api that DESFECHO_DUCKDB
// names.
func (f *files) duckdb(b *testing.B, limit string) ran {
	b.Helper()
	folder := os.Getenv("DESFECHO_DUCKDB")
	if folder == "" {
		b.Skip("DuckDB is not there: make bench installs it")
	}
	args := []string{filepath.Join(folder, "duckdb.mjs"), f.attempts, f.statement}
	if limit != "" {
		args = append(args, limit)
	}
	return measured(b, 0, "node", args...)
}

// sortJoin looks at the provider's id alone, and at amounts as the statement
// writes them.
func (f *files) sortJoin(b *testing.B) ran {
	b.Helper()
	return measured(b, 0, "bash", "-c", `set -euo pipefail; export LC_ALL=C
join -t, -a1 -a2 -e - -o 0,1.2,1.3,1.4,1.5,1.6,2.2,2.3 \
  <(tail -n +2 "$1" | awk -F, '{print $6","$1","$5","$7","$8","$2}' | sort -t, -k1,1) \
  <(tail -n +2 "$2" | awk -F, '{printf "%s,%.0f,%s\n", $2, $5*100, $8}' | sort -t, -k1,1) |
awk -F, '
  $2 == "-" {n["unrecorded_charge"]++; next}
  $7 == "-" {if ($3 == "succeeded") n["missing_at_provider"]++; next}
  {if (++seen[$6] == 2) n["duplicate_charge"]++}
  $3 == "failed" {n["failed_but_charged"]++; next}
  $5 != $8 {n["currency_mismatch"]++; next}
  $4 != $7 {n["amount_mismatch"]++}
  END {for (c in n) print c, n[c]}' | sort`, "-", f.attempts, f.statement)
}

const benchTables = `CREATE TABLE a (id text, charge_id text, idempotency_key text, provider text, status text, provider_charge_id text,
  amount_cents bigint, currency text, created_at timestamptz, resolved_at timestamptz);
CREATE TABLE l (line_id text, provider_charge_id text, reference text, type text, gross numeric, fee numeric, net numeric, currency text, status text, occurred_at timestamptz);
\copy a FROM '%s' CSV HEADER
\copy l FROM '%s' CSV HEADER
CREATE INDEX ON a (provider_charge_id COLLATE "C") INCLUDE (id, status, charge_id, amount_cents, currency);
CREATE INDEX ON a (idempotency_key COLLATE "C") INCLUDE (id, status, charge_id, amount_cents, currency);
CREATE INDEX ON l (provider_charge_id COLLATE "C") INCLUDE (reference, gross, currency);
ANALYZE a; ANALYZE l;`

const benchQuestion = `WITH by_id AS MATERIALIZED (
  SELECT l.provider_charge_id AS unit, l.reference, (l.gross * 100)::bigint AS gross, l.currency AS paid,
    a.id, a.status, a.charge_id AS charge, a.amount_cents AS asked, a.currency AS wanted
  FROM l LEFT JOIN a ON a.provider_charge_id COLLATE "C" = l.provider_charge_id COLLATE "C"),
m AS MATERIALIZED (
  SELECT unit, gross, paid, id, status, charge, asked, wanted FROM by_id WHERE id IS NOT NULL
  UNION ALL SELECT unit, gross, paid, a.id, a.status, a.charge_id, a.amount_cents, a.currency
  FROM by_id LEFT JOIN a ON a.idempotency_key COLLATE "C" = by_id.reference COLLATE "C" WHERE by_id.id IS NULL),
twice AS (SELECT charge FROM m WHERE charge IS NOT NULL GROUP BY charge HAVING count(DISTINCT unit) > 1),
classes AS (
  SELECT CASE WHEN id IS NULL THEN 'unrecorded_charge' WHEN status = 'failed' THEN 'failed_but_charged' WHEN paid <> wanted THEN 'currency_mismatch'
    WHEN gross <> asked THEN 'amount_mismatch' END AS class FROM m
  UNION ALL SELECT 'missing_at_provider' FROM a WHERE status = 'succeeded' AND NOT EXISTS (SELECT FROM m WHERE m.id = a.id)
  UNION ALL SELECT 'duplicate_charge' FROM twice)
SELECT class || ' ' || count(*) FROM classes WHERE class IS NOT NULL GROUP BY class ORDER BY class`

// postgres copies both files into an empty database, as a user with files would
// have to. Its memory is the server's own, which is not told.
func (f *files) postgres(b *testing.B) ran {
	b.Helper()
	b.StopTimer()
	c, name := pgtest.Server(b), databaseName(b, pgtest.Database(b))
	before := c.Busy(b)
	b.StartTimer()
	c.SQL(b, name, fmt.Sprintf(benchTables, f.attempts, f.statement))
	out := c.SQL(b, name, benchQuestion)
	b.StopTimer()
	busy := c.Busy(b) - before
	c.SQL(b, "postgres", "DROP DATABASE "+name)
	b.StartTimer()
	return ran{strings.TrimSpace(out), 0, busy}
}
