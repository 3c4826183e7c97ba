//go:build linux && !race

package cmd

// The programs that are killed here are many, and start ten times as slowly
// under the race detector: there these tests leave themselves out.

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
)

// night is a shop with one attempt that is stuck, and a person who settles it
// in one of the two ways to write.
type night struct {
	t       *testing.T
	cluster *pgtest.Cluster
	name    string
	folder  string
	login   string
}

const nightTables = `CREATE TABLE attempts (id text PRIMARY KEY, charge text, key text, status text, object text, cents bigint, made timestamptz);
CREATE TABLE credits (charge text PRIMARY KEY, cents bigint);
INSERT INTO attempts VALUES ('4711', '993', 'k1', 'unknown', NULL, 12990, now() - interval '9 hours');`

const nightConfig = `attempts:
  read: attempts
  provider: loja
  currency: BRL
  columns: {id: id, charge: charge, key: key, status: status, provider_charge_id: object, amount: cents, unit: minor, created_at: made}
  status: {pending: [pending], unknown: [unknown], succeeded: [succeeded], failed: [failed]}
  write_by: WRITE_BY
  transitions: [{to: succeeded, follow_up: [{sql: "INSERT INTO credits (charge, cents) VALUES ($charge, $amount)"}]}]
providers:
  - {name: loja, type: loopback, base_url: "URL", lookup_by: [key], timezone: UTC, succeeded_means: {charge: captured}}
`

// atNight makes one.
func atNight(t *testing.T, by string) *night {
	t.Helper()
	n := &night{t: t, cluster: pgtest.Server(t), name: databaseName(t, pgtest.Database(t)), folder: t.TempDir(), login: "postgres"}
	n.query(nightTables)
	key := payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k1"}
	url := listen(t).answer("", []payment.Lookup{{Key: key, Outcome: payment.Found, Units: []payment.Unit{{
		ID: "pay_1", Key: "k1", State: payment.StateCaptured, Final: true, Asked: payment.Known(12990), Captured: payment.Known(12990),
		Currency: money.MustCurrency("BRL"), CreatedAt: payment.InstantOf(time.Now().Add(-9 * time.Hour)),
	}}}}, nil)
	text := strings.NewReplacer("WRITE_BY", by, "URL", url).Replace(nightConfig)
	if err := os.WriteFile(n.folder+"/desfecho.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n.must("schema", "--apply")
	if by == "function" {
		n.login = "night_" + n.name
		n.cluster.SQL(t, n.name, "SET client_min_messages = error; CREATE ROLE "+n.login+" LOGIN;"+n.must("schema", "--roles")+"; GRANT desfecho_resolve TO "+n.login)
	}
	return n
}

func (n *night) query(sql string) []string { return n.cluster.Query(n.t, n.name, sql) }

func (n *night) env(more ...string) []string {
	return append(more, "PATH="+os.Getenv("PATH"), "HOME="+n.folder, "TERM=xterm", "NO_COLOR=1", "USER=ana", "DESFECHO_CONFIG="+n.folder+"/desfecho.yaml",
		"DESFECHO_DATABASE_URL="+n.cluster.URL(n.login, n.name))
}

// must runs a command that ends well, and gives what it printed.
func (n *night) must(args ...string) string {
	n.t.Helper()
	out, told, code := inProcess(n.t.Context(), n.env(), args...)
	if code != 0 {
		n.t.Fatalf("desfecho %v: exit %d\n%s%s", args, code, out, told)
	}
	return out
}

// confirms lets a person resolve the attempt, whose program kills itself before
// a statement; 0: before none.
func (n *night) confirms(statement int) *seated {
	n.t.Helper()
	p, err := sit(n.folder, n.env(fmt.Sprint(killAt, "=", statement)), "desfecho", "resolve", "4711")
	if err != nil {
		n.t.Fatal(err)
	}
	if p.asked() {
		if err := p.types("succeeded 129.90\n"); err != nil {
			n.t.Fatal(err)
		}
	}
	return p
}

// ends waits for the end of it; the code of a program that was killed is -1.
func (n *night) ends(p *seated) (seen string, code int) {
	n.t.Helper()
	code, err := p.ended()
	if err != nil {
		n.t.Fatal(err)
	}
	return p.seen(), code
}

// stands is the attempt, its credits, and what the audit says of it.
func (n *night) stands() string {
	n.t.Helper()
	return strings.Join(n.query(`SELECT status, coalesce(object, 'none'), (SELECT count(*) FROM credits) || ' credits',
		(SELECT coalesce(string_agg(kind || ' ' || after, ', ' ORDER BY seq), 'no entry') FROM desfecho.audit) FROM attempts`), "")
}

// again lets the attempt be as it was.
func (n *night) again() {
	n.t.Helper()
	n.query(`SET session_replication_role = replica; DELETE FROM credits; UPDATE attempts SET status = 'unknown', object = NULL;
		DELETE FROM desfecho.audit; DELETE FROM desfecho.intents; DELETE FROM desfecho.lookups`)
}

const (
	asItWas = "unknown|none|0 credits|no entry"
	settled = "succeeded|pay_1|1 credits|settled succeeded pay_1"
)

// next is the next run of the same command, a while later: it says what became
// of the one before, and settles the attempt if that did not.
func (n *night) next(left string) {
	n.t.Helper()
	announced := len(n.query("UPDATE desfecho.intents SET intended_at = intended_at - interval '2 minutes' RETURNING 1")) > 0
	seen, code := n.ends(n.confirms(0))
	wantCode, wantText, want := exitDone, "unknown → succeeded pay_1 · audit ", settled
	switch {
	case left == settled:
		wantCode, wantText = exitNotConfirmed, "a final status never changes"
	case announced:
		wantText, want = "was not written, and will not be", strings.Replace(settled, "settled", "abandoned , settled", 1)
	}
	if code != int(wantCode) || !strings.Contains(seen, wantText) || n.stands() != want {
		n.t.Errorf("it left %s; the next run: exit %d, %s\n%s", left, code, n.stands(), seen)
	}
}

// everywhere kills the program before each of its statements, and tells how many
// there were, and how many of them after the write was announced.
func (n *night) everywhere() (announced, statements int) {
	n.t.Helper()
	for statement := 1; !n.t.Failed(); statement++ {
		n.again()
		if _, code := n.ends(n.confirms(statement)); code >= 0 {
			return announced, statement - 1 // there is no such statement
		}
		left := n.stands()
		if left != asItWas {
			n.t.Errorf("killed before statement %d: %s", statement, left)
		}
		told := len(n.query("SELECT 1 FROM desfecho.intents"))
		if announced += told; told > 0 || statement%20 == 0 {
			n.next(left)
		}
	}
	return announced, 0
}

// TestAPersonWhoseProgramIsKilledIsNeverLeftInTheDark: it is killed before each
// of its statements, in both ways to write. The attempt, what belongs to it and
// its entry are there together or not at all, and the next run settles it, once.
func TestAPersonWhoseProgramIsKilledIsNeverLeftInTheDark(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"direct", "function"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			n := atNight(t, by)
			announced, statements := 0, 0
			for range *rounds {
				a, s := n.everywhere()
				announced, statements = announced+a, statements+s
			}
			n.must("audit", "verify")
			if statements < 40**rounds || announced < 3**rounds {
				t.Errorf("killed before %d statements only, %d of them after it was announced", statements, announced)
			}
			t.Logf("killed before %d statements, %d of them after it was announced", statements, announced)
		})
	}
}

// theGate lets a commit wait, after everything else of its transaction, until
// the gate is opened.
const theGate = `CREATE TABLE gate (opened boolean);
CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
	WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER at_gate AFTER UPDATE ON attempts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_at_gate();`

// TestAProgramThatIsKilledWhileItCommitsMayHaveWritten: the server goes on, and
// the next run finds the attempt settled.
func TestAProgramThatIsKilledWhileItCommitsMayHaveWritten(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"direct", "function"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			n := atNight(t, by)
			n.query(theGate)
			p := n.confirms(0)
			const committing = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'desfecho' AND state = 'active'"
			for len(n.query(committing+" AND lower(query) = 'commit'")) == 0 {
				continue // patience ends it
			}
			if err := p.command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if seen, code := n.ends(p); code != -1 || n.stands() != asItWas {
				t.Fatalf("exit %d, %s\n%s", code, n.stands(), seen)
			}
			n.query("INSERT INTO gate VALUES (true)")
			for len(n.query(committing)) > 0 {
				continue
			}
			if left := n.stands(); left != settled {
				t.Errorf("it left %s, want %s", left, settled)
			}
			n.next(settled)
			n.must("audit", "verify")
		})
	}
}
