//go:build linux && !race

package cmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/cases"
	"desfecho/internal/cases/overdb"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
)

// caseClock is a clock that stands before the server's own in the search path
// of the program's connections, and goes on from where a case puts it. The
// program has no say in what time it is: it asks the database.
const caseClock = `CREATE SCHEMA case_clock;
CREATE TABLE case_clock.shift AS SELECT interval '0' AS by;
CREATE FUNCTION case_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
	AS 'SELECT pg_catalog.clock_timestamp() + by FROM case_clock.shift';`

// room is where cases are played one after the other: a database with the
// clock, and a provider.
type room struct {
	*script
	cluster *pgtest.Cluster
	name    string
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{script: listen(t), cluster: pgtest.Server(t), name: databaseName(t, pgtest.Database(t))}
	r.cluster.SQL(t, r.name, caseClock)
	opened, err := r.open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Migrate(t.Context()); err != nil { // the columns' defaults are those of the clock in the path
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// role makes a login, once for all tests.
func role(t *testing.T, cluster *pgtest.Cluster, name string) {
	t.Helper()
	cluster.SQL(t, "postgres", "SET client_min_messages = error; DO $$ BEGIN CREATE ROLE "+name+
		" LOGIN SUPERUSER; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
}

func (r *room) url(login string) string {
	return r.cluster.URL(login, r.name) + "&search_path=case_clock,pg_catalog,public"
}

func (r *room) open(ctx context.Context, attempts *store.Description) (store.Store, error) {
	return postgres.Open(ctx, postgres.Options{URL: r.url("postgres"), Attempts: attempts})
}

// world is the room for one case, emptied.
func (r *room) world(t *testing.T) overdb.World {
	t.Helper()
	exec := func(text string) error {
		r.cluster.Query(t, r.name, "SET client_min_messages = error;\n"+text)
		return nil
	}
	_ = exec(`SET session_replication_role = replica;
		DO $$ DECLARE t text; BEGIN
			FOR t IN SELECT format('%I.%I', schemaname, tablename) FROM pg_catalog.pg_tables WHERE schemaname = 'desfecho' AND tablename <> 'migrations' LOOP
				EXECUTE 'DELETE FROM ' || t;
			END LOOP;
		END $$`)
	return overdb.World{
		Database: overdb.Database{URL: r.url("postgres"), Exec: exec, Open: r.open},
		Folder:   t.TempDir(), Own: "desfecho.",
		Clock: func(now payment.Instant) error {
			// A lease of before would lie in the future of a clock that was set back.
			return exec("DELETE FROM desfecho.leases; UPDATE case_clock.shift SET by = '" + now.String() + "'::timestamptz - pg_catalog.clock_timestamp()")
		},
		Query: func(sql string) ([]string, error) { return r.cluster.Query(t, r.name, sql), nil },
		Sit: func(login, config string, args ...string) (overdb.Terminal, error) {
			return takeSeat(r.url(login), login, config, args)
		},
		Script: r.answer,
	}
}

// takeSeat sits somebody down before the program.
func takeSeat(url, login, config string, args []string) (overdb.Terminal, error) {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(config), "TERM=xterm", "NO_COLOR=1", "USER=" + login, "DESFECHO_CONFIG=" + config,
		"DESFECHO_DATABASE_URL=" + url,
	}
	p, err := sit(filepath.Dir(config), env, "desfecho", args...)
	return &chair{seated: p}, err
}

// chair is a program as cases see it.
type chair struct {
	*seated
	read int // of what stood there
}

func (c *chair) told() string {
	text := strings.ReplaceAll(c.seen()[c.read:], "\r\n", "\n")
	c.read = len(c.seen())
	return text
}

func (c *chair) Asked() (string, bool, error) {
	asks := c.asked()
	return c.told(), asks, nil
}

func (c *chair) Type(line string) error { return c.types(line + "\n") }

func (c *chair) Ended() (screen, exit string, err error) {
	code, err := c.ended()
	return c.told(), exitCode(code).String(), err
}

// notForPersons are the cases that cannot be brought before the program so, by
// what stands in the way. One that passes all the same has no place here.
func notForPersons() map[string]string {
	return map[string]string{
		"own-292": "the loopback provider has no mode, so that it cannot answer with an object of the other one",
		"own-339": "an object that the loopback provider shows has a state, and this unit is known by its lines alone",
	}
}

// TestEveryCaseHoldsForAPersonAtATerminal brings what cases say of marks and
// confirmations before a person: the program on a pseudo-terminal, over
// PostgreSQL with the case's clock, asking a provider that answers as the case
// says. What is offered is compared, a wrong amount changes nothing, and what
// the one offered mark writes is read back.
func TestEveryCaseHoldsForAPersonAtATerminal(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Server(t)
	for _, login := range []string{"ana", "bia", "caio"} {
		role(t, cluster, login)
	}
	rooms := make(chan *room, 4)
	for range cap(rooms) {
		rooms <- newRoom(t)
	}
	not := notForPersons()
	for _, line := range everyCase(t) {
		if line.Err != nil || line.Case.File != nil || !line.Case.HasScreens() {
			continue
		}
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			r := <-rooms
			defer func() { rooms <- r }()
			report := cases.PlayPerson(line.Case, overdb.Sit(t.Context(), r.world(t)))
			why, listed := not[line.ID]
			switch {
			case listed && report.Passed():
				t.Errorf("%s: it passes: it is not to be listed", why)
			case !listed && !report.Passed():
				t.Error(strings.Join(report.Differences, "\n"))
			}
		})
	}
	for id := range not {
		if !slices.ContainsFunc(everyCase(t), func(line cases.Line) bool { return line.ID == id }) {
			t.Errorf("no case %s", id)
		}
	}
}

// TestAKeyThatIsRefusedAtTheLastLookWritesNothing: the screen offered a mark,
// and right before the write the provider no longer takes the key.
func TestAKeyThatIsRefusedAtTheLastLookWritesNothing(t *testing.T) {
	t.Parallel()
	all := everyCase(t)
	i := slices.IndexFunc(all, func(line cases.Line) bool { return line.ID == "open-03" })
	in, err := all[i].Case.Input()
	if err != nil {
		t.Fatal(err)
	}
	r := newRoom(t)
	role(t, r.cluster, "caio")
	person := overdb.Sit(t.Context(), r.world(t))
	if err := person.Place(&in, cases.Rules{Controlled: func(payment.LookupKey) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	screen, err := person.Open("a1", "", in.Lookups)
	if err != nil {
		t.Fatal(err)
	}
	refused := slices.Clone(in.Lookups)
	for i := range refused {
		refused[i].Outcome, refused[i].Reason, refused[i].Units = payment.Inconclusive, "credentials", nil
	}
	r.answer("", refused, nil)
	exit, err := screen.Type("succeeded " + in.Attempts[0].Amount.Decimal())
	if err != nil || exit != exitCredentials.String() {
		t.Errorf("exit %s (%v), want %s; the screen offered %v", exit, err, exitCredentials, screen.Marks())
	}
	if stored, err := person.Stored("a1"); err != nil || stored.Status != payment.Unknown {
		t.Errorf("the attempt is %s (%v), want it as it was", stored.Status, err)
	}
}
