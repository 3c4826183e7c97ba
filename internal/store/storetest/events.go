package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/store"
)

// eventsTable is beside scopeTable, whose attempt `open` is of 2019.
const eventsTable = `CREATE TABLE events (id text PRIMARY KEY, psp text, external text, came timestamptz, body jsonb);
INSERT INTO events VALUES
 ('ref',     'stripe', 'e1', '2025-03-10 12:00:00+00:00', '{"data": {"object": {"id": "ch_new", "ref": "r5"}}, "live": true}'),
 ('other',   'asaas',  'e2', '2025-03-10 12:00:00+00:00', '{"data": {"object": {"ref": "r5"}}}'),
 ('none',    NULL,     'e3', NULL,                        '{"data": {"object": {"ref": "r5"}}}'),
 ('early',   'stripe', 'e4', '2018-12-31 12:00:00+00:00', '{"data": {"object": {"ref": "r5"}}}'),
 ('window',  'stripe', 'e5', '2025-03-10 12:00:00+00:00', '{"data": {"object": {"id": "ch_w"}}}'),
 ('test',    'stripe', 'e6', '2025-03-10 12:00:00+00:00', '{"data": {"object": {"id": "ch_w"}}, "live": false}'),
 ('foreign', 'stripe', 'e7', '2025-03-10 12:00:00+00:00', '{"data": {"object": {"id": "ch_9"}}, "live": false}'),
 ('list',    'stripe', 'e8', '2025-03-10 12:00:00+00:00', '{"data": [{"ref": "r5"}], "data2": {"ref": 5}}');`

func eventsDescribed() *store.Description {
	d := scopeDescription()
	d.Events = &store.EventsTable{
		Read: "events", Columns: store.EventColumns{ID: "id", Provider: "psp", ExternalID: "external", Payload: "body", CreatedAt: "came"},
		Unit: "data.object.id", References: []store.EventReference{{Path: "data.object.ref", Here: "reference"}, {Path: "data.0.ref", Here: "reference"}},
	}
	return d
}

// events are those of a run over the suite's day, in a form that is easily
// compared: unit, reference, mode, time.
func (b *bench) events() []string {
	b.Helper()
	loaded, err := load(b.Context(), b.view(), wholeScope())
	if err != nil {
		b.Fatal(err)
	}
	var told []string
	for _, e := range loaded.Input.Events {
		words := []string{e.Provider, e.Unit}
		for _, r := range e.References {
			words = append(words, r.Name+"="+r.Value)
		}
		told = append(told, strings.Join(append(words, e.Mode.String()), " "))
		if e.At != 0 && e.At != at("12:00:00") {
			b.Errorf("an event of %s", e.At)
		}
	}
	slices.Sort(told)
	return told
}

// eventsOfOpen: law 15.
func eventsOfOpen(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, eventsDescribed(), scopeTable, eventsTable)
	equal(t, []string{"stripe  ref=r5 live", "stripe  ref=r5 live", "stripe ch_new ref=r5 live"}, b.events())
}

func eventsOfOtherMode(t *testing.T, fresh func(testing.TB) Database) {
	d := eventsDescribed()
	d.Events.Mode = "live"
	b := setUp(t, fresh, d, scopeTable, eventsTable, `UPDATE attempts SET status = 'void' WHERE status = 'open'`)
	equal(t, []string{"stripe ch_w test"}, b.events())
}

// eventsAboutOne: for the screen of one attempt there is no window, whether or
// not events tell their mode.
func eventsAboutOne(t *testing.T, fresh func(testing.TB) Database) {
	for _, mode := range []string{"", "live"} {
		d := eventsDescribed()
		d.Events.Mode = mode
		b := setUp(t, fresh, d, scopeTable, eventsTable)
		loaded, err := b.view().About(b.Context(), store.Scope{Now: wholeScope().Now, Policies: wholeScope().Policies}, "open")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(loaded.Input.Events); n != 3 {
			t.Errorf("mode at %q: %d events name the attempt, want 3: %+v", mode, n, loaded.Input.Events)
		}
	}
}

func eventsBroken(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, eventsDescribed(), scopeTable, strings.Replace(eventsTable, "jsonb", "text", 1),
		`INSERT INTO events VALUES ('form', 'stripe', 'f1', '2025-03-10 12:00:00+00:00', 'notificationCode=r5')`)
	equal(t, []string{"stripe  ref=r5 live", "stripe  ref=r5 live", "stripe ch_new ref=r5 live"}, b.events())
}

func eventsDescription(t *testing.T, fresh func(testing.TB) Database) {
	db := fresh(t)
	db.Exec(t, db.Dialect(scopeTable+eventsTable))
	for _, change := range []func(*store.EventsTable){
		func(e *store.EventsTable) { e.Read = "nowhere" },
		func(e *store.EventsTable) { e.Columns.Payload = "nothing" },
		func(e *store.EventsTable) { e.References[0].Here = "status" },
		func(e *store.EventsTable) { e.Columns.ID = "" },
	} {
		d := eventsDescribed()
		change(d.Events)
		err := loadWith(t, db, d)
		if bad, ok := errors.AsType[*store.DescriptionError](err); !ok || !strings.HasPrefix(bad.Key, "events") {
			t.Errorf("%+v: got error %v", d.Events, err)
		}
	}
}

// loadWith opens the database with the description and reads a run's data.
func loadWith(t *testing.T, db Database, d *store.Description) error {
	t.Helper()
	s, err := db.Open(t.Context(), d, nil)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // only read
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	view, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close() //nolint:errcheck // only read
	_, err = load(t.Context(), view, wholeScope())
	return err
}
