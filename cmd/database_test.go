package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/pgtest"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

const shopAttempts = `CREATE TABLE attempts (id integer PRIMARY KEY, charge_id text NOT NULL, status text NOT NULL, provider_charge_id text,
  amount_cents bigint NOT NULL, created_at text NOT NULL);
INSERT INTO attempts VALUES (1, 'c1', 'succeeded', 'pi_1', 12990, '2025-11-28 12:00:00Z'), (2, 'c2', 'failed', 'pi_2', 104500, '2025-11-28 13:00:00Z');`

const shopConfig = `attempts:
  read: attempts
  provider: stripe
  currency: BRL
  columns: {id: id, charge: charge_id, status: status, provider_charge_id: provider_charge_id, amount: amount_cents, unit: minor, created_at: created_at}
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
providers:
  - {name: stripe, account: acct_1, timezone: America/Sao_Paulo, succeeded_means: {charge: captured}}
`

const shopStatement = `line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at
l1,pi_1,,charge,129.90,0.00,129.90,BRL,captured,2025-11-28T12:00:05Z
l2,pi_2,,charge,1045.00,0.00,1045.00,BRL,captured,2025-11-28T13:00:05Z
`

// shop is a merchant's database with its configuration and one statement.
type shop struct {
	t      *testing.T
	url    string
	folder string
	exec   func(sql string)
	open   func(url string) (store.Store, error)
}

// shops makes one of each database. The test names what is wrong where.
func shops(t *testing.T) map[string]*shop {
	t.Helper()
	return map[string]*shop{"sqlite": sqliteShop(t), "postgres": postgresShop(t)}
}

func sqliteShop(t *testing.T) *shop {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	s := &shop{t: t, url: "sqlite://" + path}
	s.exec = func(text string) {
		t.Helper()
		if err := execSQLite(t.Context(), path, text); err != nil {
			t.Fatal(err)
		}
	}
	s.open = func(url string) (store.Store, error) { return sqlite.Open(t.Context(), sqlite.Options{URL: url}) }
	return s.made()
}

func postgresShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, url: pgtest.Database(t)}
	name := databaseName(t, s.url)
	s.exec = func(text string) {
		t.Helper()
		pgtest.Server(t).SQL(t, name, text)
	}
	s.open = func(url string) (store.Store, error) { return postgres.Open(t.Context(), postgres.Options{URL: url}) }
	return s.made()
}

func (s *shop) made() *shop {
	s.t.Helper()
	s.folder = s.t.TempDir()
	s.exec(shopAttempts)
	s.file("desfecho.yaml", shopConfig)
	s.file("stripe.csv", shopStatement)
	return s
}

func (s *shop) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// run is one command line as cron would run it.
func (s *shop) run(args ...string) (stdout, stderr string, code int) {
	return inProcess(context.WithoutCancel(s.t.Context()), s.env(), args...)
}

func (s *shop) env() []string {
	return []string{"DESFECHO_CONFIG=" + filepath.Join(s.folder, "desfecho.yaml"), "DESFECHO_DATABASE_URL=" + s.url, "USER=ana"}
}

// must wants an exit code and gives what was printed.
func (s *shop) must(code int, args ...string) string {
	s.t.Helper()
	out, told, got := s.run(args...)
	if got != code {
		s.t.Fatalf("%s: desfecho %s: exit %d, want %d\n%s%s", s.url, strings.Join(args, " "), got, code, out, told)
	}
	return out + told
}

func (s *shop) pull(code int, more ...string) string {
	s.t.Helper()
	return s.must(code, append([]string{"pull", "stripe", "--file", filepath.Join(s.folder, "stripe.csv"), "--covers", "2025-11-28..2025-11-29"}, more...)...)
}

func (s *shop) reconcile(code int, more ...string) string {
	s.t.Helper()
	return s.must(code, append([]string{"reconcile", "--as-of", "2025-11-29T12:00:00-03:00"}, more...)...)
}

func (s *shop) store(use func(store.Store)) {
	s.t.Helper()
	opened, err := s.open(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	use(opened)
	if err := opened.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// TestTheSameStateGivesTheSameBytes whatever the database, in every form.
func TestTheSameStateGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	story := func(s *shop) string {
		var told strings.Builder
		s.must(0, "schema", "--apply")
		told.WriteString(s.pull(0) + s.pull(0) + s.reconcile(3) + s.reconcile(3) + s.reconcile(3, "--always"))
		told.WriteString(s.must(0, "baseline", "--from", "2025-12-01"))
		for _, form := range []string{"table", "csv", "csv-br", "json", "ndjson", "md", "html", "xlsx"} {
			told.WriteString(s.reconcile(0, "--format", form) + s.must(0, "report", "--format", form))
		}
		return strings.ReplaceAll(told.String(), s.folder, "")
	}
	want := story(sqliteShop(t))
	for name, other := range map[string]*shop{"sqlite again": sqliteShop(t), "postgres": postgresShop(t)} {
		if diff := cmp.Diff(want, story(other)); diff != "" {
			t.Errorf("%s (-sqlite +%s)\n%s", name, name, diff)
		}
	}
}

// TestAnotherRunIsWaitedFor: while another holds the account nothing is
// written, and its name is told; what a dead owner held is free by itself.
func TestAnotherRunIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		s.must(0, "schema", "--apply")
		s.pull(0)
		hold := func(ttl time.Duration) (lease store.Lease) {
			s.store(func(opened store.Store) {
				var err error
				if lease, err = opened.Acquire(t.Context(), "stripe", "acct_1", "the other one", ttl); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			})
			return lease
		}
		lease := hold(time.Hour)
		for _, told := range []string{s.pull(75), s.reconcile(75)} {
			if !strings.Contains(told, "stripe acct_1 is in use by the other one") || !strings.Contains(told, "nothing was written") {
				t.Errorf("%s: told %q", name, told)
			}
		}
		if told := s.must(2, "report"); !strings.Contains(told, "no run of stripe was saved yet") {
			t.Errorf("%s: a run was saved beside another: %s", name, told)
		}
		s.store(func(opened store.Store) {
			if err := opened.Release(t.Context(), lease); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		})
		hold(time.Microsecond) // and dies
		s.pull(0)
		s.reconcile(3)
		s.store(func(opened store.Store) { // a run gives its lease back
			if _, err := opened.Acquire(t.Context(), "stripe", "acct_1", "the next", time.Hour); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestTwoRunsAtOnceSaveOneAfterTheOther: each ends as if it were alone or is
// told to wait, and the memory is of one of them.
func TestTwoRunsAtOnceSaveOneAfterTheOther(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		s.must(0, "schema", "--apply")
		s.pull(0)
		codes := make(chan int, 4)
		for range cap(codes) {
			go func() {
				_, _, code := s.run("reconcile", "--as-of", "2025-11-29T12:00:00-03:00")
				codes <- code
			}()
		}
		saved := 0
		for range cap(codes) {
			switch code := <-codes; code {
			case 3:
				saved++
			case 75:
			default:
				t.Errorf("%s: exit %d", name, code)
			}
		}
		if saved == 0 {
			t.Errorf("%s: nobody's run was saved", name)
		}
		if told := s.reconcile(3); told != "" {
			t.Errorf("%s: told again: %s", name, told)
		}
	}
}

// TestTablesOfAnotherProgramAreRefused and nothing is read or written.
func TestTablesOfAnotherProgramAreRefused(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		for _, told := range []string{s.pull(2), s.reconcile(2), s.must(2, "report")} {
			if !strings.Contains(told, "run `desfecho schema --apply`") {
				t.Errorf("%s, no tables: %s", name, told)
			}
		}
		s.must(0, "schema", "--apply")
		table := map[string]string{"sqlite": "desfecho_migrations", "postgres": "desfecho.migrations"}[name]
		s.exec("CREATE TABLE of_today AS SELECT * FROM " + table + "; DELETE FROM " + table + " WHERE number > 1")
		for _, told := range []string{s.pull(2), s.reconcile(2), s.must(2, "report"), s.must(2, "baseline", "--from", "2025-12-01")} {
			if !strings.Contains(told, "older than this program: nothing was read or written; run `desfecho schema --apply`") {
				t.Errorf("%s, older tables: %s", name, told)
			}
		}
		s.exec("DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM of_today")
		s.exec("INSERT INTO " + table + " (number, name) VALUES (9999, 'of tomorrow')")
		for _, told := range []string{s.pull(2), s.reconcile(2), s.must(2, "schema", "--apply")} {
			if !strings.Contains(told, "newer than this program") {
				t.Errorf("%s, newer tables: %s", name, told)
			}
		}
	}
}

// TestRolesMayDoWhatTheyAreForAndNoMore: cron's pulls and reconciles, finance's
// reads what was concluded.
func TestRolesMayDoWhatTheyAreForAndNoMore(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.must(0, "schema", "--apply")
	name := databaseName(t, s.url)
	cron, finance := "cron_"+name, "finance_"+name
	s.exec(s.must(0, "schema", "--roles") + "CREATE ROLE " + cron + " LOGIN IN ROLE desfecho_run; CREATE ROLE " + finance + " LOGIN IN ROLE desfecho_report;")
	owner := s.url
	as := func(role string) { s.url = pgtest.Server(t).URL(role, name) }
	as(cron)
	s.pull(0)
	s.reconcile(3)
	may := "SELECT string_agg(r || ' ' || p, ', ') FROM unnest(ARRAY['" + cron + "', '" + finance + "']) r, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p WHERE has_table_privilege(r, 'attempts', p)"
	if told := pgtest.Server(t).SQL(t, name, may); told != "" {
		t.Errorf("your attempts may be written by %s", told)
	}
	as(finance)
	if told := s.must(0, "report"); !strings.Contains(told, "failed_but_charged") {
		t.Errorf("finance is told %s", told)
	}
	s.must(0, "baseline", "--from", "2025-12-01")
	for _, told := range []string{s.pull(1), s.reconcile(1)} {
		if !strings.Contains(told, "the database role may not do this") || !strings.Contains(told, "desfecho schema --roles") {
			t.Errorf("finance is told %q", told)
		}
	}
	s.exec("ALTER ROLE " + cron + " SET default_transaction_read_only = on")
	as(cron)
	if told := s.must(0, "report"); !strings.Contains(told, "failed_but_charged") {
		t.Errorf("a read-only connection is told %s", told)
	}
	s.url = owner
	s.reconcile(0)
}

// TestHiddenRowsAreNotTakenForAll: where row-level security would leave
// attempts out, what they explain would be called unrecorded.
func TestHiddenRowsAreNotTakenForAll(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.must(0, "schema", "--apply")
	s.pull(0)
	name := databaseName(t, s.url)
	cron := "cron_" + name
	s.exec("CREATE ROLE " + cron + " LOGIN; GRANT USAGE ON SCHEMA desfecho TO " + cron + "; GRANT ALL ON ALL TABLES IN SCHEMA desfecho TO " + cron +
		"; GRANT SELECT ON attempts TO " + cron + "; ALTER TABLE attempts ENABLE ROW LEVEL SECURITY; CREATE POLICY a_few ON attempts USING (id = 1)")
	s.url = pgtest.Server(t).URL(cron, name)
	if told := s.reconcile(1); !strings.Contains(told, "row-level security may hide rows from this role: nothing was judged or written") || !strings.Contains(told, "BYPASSRLS") {
		t.Errorf("told %q", told)
	}
	s.exec("CREATE VIEW whole AS SELECT * FROM attempts; GRANT SELECT ON whole TO " + cron)
	s.file("desfecho.yaml", strings.Replace(shopConfig, "read: attempts", "read: whole", 1))
	if told := s.reconcile(3); !strings.Contains(told, "failed_but_charged") {
		t.Errorf("over a view whose owner sees every row: %q", told)
	}
	s.file("desfecho.yaml", shopConfig)
	s.exec("ALTER ROLE " + cron + " BYPASSRLS")
	s.reconcile(3)
}

// TestAStatementThatTakesTooLongIsToldAsSuch and leaves nothing behind.
func TestAStatementThatTakesTooLongIsToldAsSuch(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.must(0, "schema", "--apply")
	s.pull(0)
	s.exec("CREATE VIEW slow AS SELECT a.* FROM attempts a, LATERAL (SELECT pg_sleep(60 + a.id)) AS s")
	s.file("desfecho.yaml", strings.Replace(shopConfig, "read: attempts", "read: slow", 1)+"database: {statement_timeout: 300ms}\n")
	if told := s.reconcile(1); !strings.Contains(told, "the database ended the statement: nothing of this step was written") {
		t.Errorf("told %q", told)
	}
	s.file("desfecho.yaml", shopConfig)
	if told := s.reconcile(3); !strings.Contains(told, "\tnew\t") {
		t.Errorf("the first run that was saved tells %q", told)
	}
}

// TestAnInterruptedPullSaysWhatStays: the second page was not stored, the first
// stays, and no coverage is claimed.
func TestAnInterruptedPullSaysWhatStays(t *testing.T) {
	t.Parallel()
	p := &pulling{name: "stripe.csv", pages: 3}
	err := p.stopped(context.Canceled)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	problem := describe(ctx, err)
	if problem.Code != int(exitInterrupted) || !strings.Contains(problem.Message, "3 pages of stripe.csv were stored and stay, nothing is claimed to be covered") {
		t.Errorf("got %+v", problem)
	}
	p.pages = 0
	if err := p.stopped(context.Canceled); !errors.Is(err, context.Canceled) || describe(ctx, err).Message != "interrupted; no report was written" {
		t.Errorf("got %v", err)
	}
}
