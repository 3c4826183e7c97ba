package postgres

import (
	"errors"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

const shopTable = `CREATE TABLE attempts (id text PRIMARY KEY, status text, amount bigint, made timestamptz, card text);
INSERT INTO attempts VALUES ('a1', 'open', 1, now(), '4111');`

func shopDescription() *store.Description {
	return &store.Description{
		Read: "attempts", Provider: "stripe", Currency: "BRL", Status: store.StatusWords{Pending: []string{"open"}},
		Columns: store.Columns{ID: "id", Status: "status", Amount: "amount", Unit: "minor", CreatedAt: "made", Version: "xmin"},
	}
}

// opened is the database through one login, closed by the test.
func opened(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // nothing is left to write
	return s
}

func TestRolesMayDoTheirWorkAndNoOther(t *testing.T) {
	t.Parallel()
	d := database{url: pgtest.Database(t)}
	d.Exec(t, shopTable+`CREATE TABLE events (id text, body json, signature text); INSERT INTO events VALUES ('e1', '{"id": "ch_1"}', 's')`)
	owner := opened(t, Options{URL: d.url})
	if _, err := owner.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	described := shopDescription()
	described.Columns.Version = ""
	described.Events = &store.EventsTable{Read: "events", Columns: store.EventColumns{ID: "id", ExternalID: "id", Payload: "body"}, Unit: "id"}
	described.Status.Unknown, described.Status.Failed = []string{"doubtful"}, []string{"refused"}
	described.Transitions = []store.Transition{{To: "failed"}}
	terms := usualTerms()
	sql, err := Roles(described, &terms)
	if err != nil {
		t.Fatal(err)
	}
	makeRoles(t, d, sql)
	makeRoles(t, d, sql) // again
	d.Exec(t, `CREATE ROLE u_cron LOGIN IN ROLE desfecho_run; CREATE ROLE u_finance LOGIN IN ROLE desfecho_report;
		CREATE ROLE u_oncall LOGIN IN ROLE desfecho_resolve;`)
	as := func(login string) *Store {
		return opened(t, Options{URL: pgtest.Server(t).URL(login, nameOf(t, d.url)), Attempts: described})
	}
	cron, finance, oncall := as("u_cron"), as("u_finance"), as("u_oncall")

	storesPages(t, cron)
	if got := readAll(t, cron); got != 1 {
		t.Errorf("cron reads %d attempts, want 1", got)
	}
	if got := readAll(t, oncall); got != 1 {
		t.Errorf("the on-call engineer reads %d attempts, want 1", got)
	}
	if got := readEvents(t, cron); got != 1 {
		t.Errorf("cron reads %d stored events, want 1", got)
	}
	if err := finance.Note(t.Context(), store.Note{Divergence: "d1", Kind: store.NoteText}); err != nil {
		t.Errorf("finance cannot note: %v", err)
	}
	refused(t, finance, "INSERT INTO desfecho.notes (divergence, kind, class, minor, currency, words, operator, login) VALUES ('d1', 'accepted', '', 0, '', '', '', 'somebody')")
	refused(t, owner, "UPDATE desfecho.notes SET operator = 'somebody'")
	refused(t, owner, "DELETE FROM desfecho.notes")
	refused(t, owner, "TRUNCATE desfecho.notes")
	refused(t, cron, "UPDATE desfecho.notes SET operator = 'somebody'")
	if _, err := finance.Acquire(t.Context(), "asaas", "", "finance", time.Hour); !errors.Is(err, store.ErrDenied) {
		t.Errorf("finance takes a lease: %v", err)
	}
	if _, err := finance.View(t.Context()); err != nil {
		t.Error(err)
	}
	refused(t, oncall, "UPDATE attempts SET status = 'done'")
	refused(t, cron, "UPDATE attempts SET status = 'done'")
	refused(t, cron, "SELECT card FROM attempts")
	refused(t, cron, "SELECT signature FROM events")
	refused(t, cron, "DELETE FROM desfecho.lines")
	refused(t, finance, "SELECT * FROM desfecho.lookups")
	refused(t, oncall, "UPDATE desfecho.lookups SET outcome = 'found'")
}

// storesPages: the second page joins its coverage with the first one's.
func storesPages(t *testing.T, cron *Store) {
	t.Helper()
	lease, err := cron.Acquire(t.Context(), "stripe", "acct_1", "cron", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	line := payment.Line{ID: "1", Provider: "stripe", Account: "acct_1", Day: 1}
	page := store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line}), Units: []payment.Unit{{ID: "u", Provider: "stripe"}}}
	for through := payment.Instant(2); through < 4; through++ { // the second joins the first
		page.Statements = []payment.Statement{{Name: "s", Provider: "stripe", Account: "acct_1", From: 1, Through: through}}
		if _, err := cron.StorePage(t.Context(), lease, page); err != nil {
			t.Errorf("cron cannot store: %v", err)
		}
	}
}

func readAll(t *testing.T, s *Store) int {
	t.Helper()
	v, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	n := 0
	if err := v.Attempts(t.Context(), store.AttemptFilter{}, func(payment.Attempt) error { n++; return nil }); err != nil {
		t.Error(err)
	}
	return n
}

func readEvents(t *testing.T, s *Store) int {
	t.Helper()
	v, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	n := 0
	if err := v.(store.Source).Events(t.Context(), []string{"stripe"}, 1, func(store.StoredEvent) error { n++; return nil }); err != nil {
		t.Error(err)
	}
	return n
}

func refused(t *testing.T, s *Store, sql string) {
	t.Helper()
	err := s.write(t.Context(), "try", func(tx *transaction) error {
		_, err := tx.Exec(t.Context(), sql)
		return err
	})
	if !errors.Is(err, store.ErrDenied) {
		t.Errorf("%s: %v, want it refused", sql, err)
	}
}

func TestReadOnlyConnectionReadsAndRefusesToWrite(t *testing.T) {
	t.Parallel()
	d := database{url: pgtest.Database(t)}
	d.Exec(t, shopTable)
	owner := opened(t, Options{URL: d.url})
	if _, err := owner.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	described := shopDescription()
	described.Columns.Version = ""
	s := opened(t, Options{URL: d.url + "&options=-c%20default_transaction_read_only%3Don", Attempts: described})
	if got := readAll(t, s); got != 1 {
		t.Errorf("read %d attempts, want 1", got)
	}
	_, err := s.Acquire(t.Context(), "stripe", "", "test", time.Hour)
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got error %v, want that the connection is read-only", err)
	}
}

// A session whose time zone, date style and search path are odd reads the same.
func TestOddSessionSettingsDoNotMatter(t *testing.T) {
	t.Parallel()
	d := database{url: pgtest.Database(t)}
	d.Exec(t, shopTable+`UPDATE attempts SET made = '2025-03-10 12:00:00+00';
		ALTER DATABASE `+nameOf(t, d.url)+` SET timezone = 'Asia/Kathmandu';
		ALTER DATABASE `+nameOf(t, d.url)+` SET datestyle = 'German, DMY'; ALTER DATABASE `+nameOf(t, d.url)+` SET lock_timeout = '1ms'`)
	described := shopDescription()
	described.Columns.Version = ""
	s := opened(t, Options{URL: d.url, Attempts: described})
	v, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	err = v.Attempts(t.Context(), store.AttemptFilter{}, func(a payment.Attempt) error {
		if got := a.CreatedAt.String(); got != "2025-03-10T12:00:00Z" {
			t.Errorf("created at %s", got)
		}
		if a.Version == "" {
			t.Error("a table's row has no version")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What the server says of a broken constraint or a bad value never holds the
// values, and an address never its password.
func TestErrorsHoldNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "canary-7f3a"
	for _, url := range []string{"postgres://u:" + secret + "@127.0.0.1:1/x?connect_timeout=1", "postgres://u:" + secret + "@h:port/x", "host=/nowhere password=" + secret} {
		_, err := Open(t.Context(), Options{URL: url})
		if err == nil || contains(err, secret) {
			t.Errorf("%s: error %v", url, err)
		}
	}
}

func contains(err error, text string) bool {
	for i := 0; i+len(text) <= len(err.Error()); i++ {
		if err.Error()[i:i+len(text)] == text {
			return true
		}
	}
	return false
}
