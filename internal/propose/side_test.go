package propose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/check"
	"desfecho/internal/propose"
	"desfecho/internal/shop"
	"desfecho/internal/store"
)

// TestEventsAndEntriesAreProposedToo with the paths in whose place the payloads
// hold what stands in the attempts.
func TestEventsAndEntriesAreProposedToo(t *testing.T) {
	t.Parallel()
	const rows = attemptRows + `
INSERT INTO webhook_events (provider, external_id, type, payload, status, created_at) VALUES
 ('loja', 'evt_1', 'payment.paid', '{"id":"evt_1","livemode":true,"object":{"id":"pay_1","metadata":{"idempotency_key":"5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01","n":1},"mode":"payment"}}', 'processed', '2025-11-29 10:00:02'),
 ('loja', 'evt_2', 'payment.created', '{"id":"evt_2","livemode":false,"list":["pay_1"]}', 'pending', '2025-11-29 10:00:02');
INSERT INTO ledger_entries (entry_key, charge_id, kind, amount_cents, currency, created_at) VALUES
 ('charge:1', 1, 'credit', 1000, 'BRL', '2025-11-29 10:00:01'), ('charge:2', 2, 'debit', 2000, 'BRL', '2025-11-29 10:00:01');`
	for name, dialect := range map[string]shop.Dialect{"sqlite": shop.SQLite, "postgres": shop.PostgreSQL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := propose.Propose(t.Context(), open(t, dialect, shop.Schema(dialect, shop.Right)+rows), propose.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			got := parse(t, p.YAML())
			events := store.EventsTable{
				Read: "webhook_events", Pending: []string{"pending"}, Processed: []string{"processed"}, Settles: []string{"payment.paid"}, Unit: "object.id", Mode: "livemode",
				Columns: store.EventColumns{
					ID: "id", Provider: "provider", ExternalID: "external_id", Type: "type", Status: "status", Payload: "payload",
					CreatedAt: "created_at", ProcessedAt: "processed_at",
				},
				References: []store.EventReference{{Path: "object.metadata.idempotency_key", Here: "idempotency_key"}},
			}
			business := check.BusinessTable{
				Read: "ledger_entries", Credits: []string{"credit"}, Columns: check.BusinessColumns{ID: "id", Charge: "charge_id", Kind: "kind", Key: "entry_key"},
			}
			if diff := cmp.Diff(events, got.Events) + cmp.Diff(business, got.Business); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, p.YAML())
			}
		})
	}
}

// proposed looks at a database of SQLite.
func proposed(t *testing.T, statements string) *propose.Proposal {
	t.Helper()
	p, err := propose.Propose(t.Context(), open(t, shop.SQLite, statements), propose.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func asks(p *propose.Proposal, key string) bool {
	return slices.ContainsFunc(p.Questions, func(q propose.Question) bool { return q.Key == key })
}

// TestWhatAChargeWantsIsMeasured: the amount where the charge leads is taken
// only if rows show that it is the charge's; else it is asked, or left out.
func TestWhatAChargeWantsIsMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		orders, wants, says string
		asked               bool
	}{
		"parts of it":  {"CREATE TABLE orders (id INTEGER PRIMARY KEY, amount_cents INTEGER); INSERT INTO orders VALUES (1, 300), (2, 100)", "orders.amount_cents", "of 3 attempts 1 are of exactly it, none of more", false},
		"more than it": {"CREATE TABLE orders (id INTEGER PRIMARY KEY, amount_cents INTEGER); INSERT INTO orders VALUES (1, 100), (2, 90)", "", "of 3 attempts 1 are of exactly it, 2 of more", true},
		"none equals":  {"CREATE TABLE orders (id INTEGER PRIMARY KEY, amount_cents INTEGER); INSERT INTO orders VALUES (1, 999), (2, 999)", "", "of 3 attempts 0 are of exactly it, 0 of more", true},
		"no row":       {"CREATE TABLE orders (id INTEGER PRIMARY KEY, amount_cents INTEGER)", "", "of 0 attempts 0 are", true},
		"other unit":   {"CREATE TABLE orders (id INTEGER PRIMARY KEY, total numeric(12,2)); INSERT INTO orders VALUES (1, 3), (2, 1)", "", "orders.total is not seen to be in the unit of amount_cents", false},
		"not unique":   {"CREATE TABLE orders (n INTEGER PRIMARY KEY, id INTEGER, total INTEGER)", "", "no amount was found where order_id leads", false},
		"nothing":      {"", "", "no amount was found where order_id leads", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			link := "REFERENCES orders (id)"
			p := proposed(t, c.orders+`;CREATE TABLE attempts (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, order_id INTEGER `+link+`, status TEXT, amount_cents INTEGER,
				currency TEXT, provider TEXT, created_at TEXT);
				INSERT INTO attempts VALUES (1, 'a', 1, 'paid', 200, 'BRL', 'x', '2025-11-29 10:00:00'), (2, 'b', 1, 'paid', 100, 'BRL', 'x', '2025-11-29 10:00:00'),
				(3, 'c', 2, 'paid', 100, 'BRL', 'x', '2025-11-29 10:00:00')`)
			text := p.YAML()
			got := parse(t, text).Attempts
			joined := len(got.Joins) == 1
			if got.Columns.ChargeAmount != c.wants || joined != (c.wants != "") || asks(p, "attempts.columns.charge_amount") != c.asked || !strings.Contains(text, c.says) {
				t.Errorf("%+v\n%s", got, text)
			}
		})
	}
}

// TestAReserveIsJoinedWhereOneRowIsAnAttempts, and its words are sorted.
func TestAReserveIsJoinedWhereOneRowIsAnAttempts(t *testing.T) {
	t.Parallel()
	const attempts = `CREATE TABLE payouts (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, pedido_id INTEGER, status TEXT, amount_cents INTEGER, currency TEXT, provider TEXT, created_at TEXT);
		CREATE TABLE `
	words := store.ReserveWords{Held: []string{"retido"}, Released: []string{"liberado"}}
	for name, c := range map[string]struct {
		reserves string
		join     *store.Join
		column   string
		words    store.ReserveWords
		says     string
	}{
		"by the foreign key": {
			"bloqueios (n INTEGER PRIMARY KEY, de INTEGER UNIQUE REFERENCES payouts (id), situacao TEXT); INSERT INTO bloqueios VALUES (1, 1, 'retido'), (2, 2, 'liberado'), (3, 3, 'sumido')",
			&store.Join{Table: "bloqueios", Here: "id", There: "de"}, "bloqueios.situacao", words, `??? reserves, "sumido": put it into one of held, released, consumed`,
		},
		"by its name":   {"reserves (n INTEGER PRIMARY KEY, payout_id INTEGER UNIQUE, status TEXT DEFAULT 'held')", &store.Join{Table: "reserves", Here: "id", There: "payout_id"}, "reserves.status", store.ReserveWords{Held: []string{"held"}}, `no row yet, a new one says it`},
		"by the charge": {"reserves (n INTEGER PRIMARY KEY, pedido_id INTEGER UNIQUE, status TEXT)", &store.Join{Table: "reserves", Here: "pedido_id", There: "pedido_id"}, "reserves.status", store.ReserveWords{}, `held, released and consumed stand for themselves`},
		"several rows":  {"reserves (n INTEGER PRIMARY KEY, payout_id INTEGER, status TEXT)", nil, "", store.ReserveWords{}, "which of its rows is an attempt's cannot be told"},
		"no way here":   {"reserves (n INTEGER PRIMARY KEY, status TEXT)", nil, "", store.ReserveWords{}, "nothing in it leads here"},
		"own column":    {"x (id INTEGER); ALTER TABLE payouts ADD reserve_status TEXT; INSERT INTO payouts (id, reserve_status) VALUES (1, 'retido'), (2, 'liberado')", nil, "reserve_status", words, "reserve: reserve_status  # by its name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := proposed(t, attempts+c.reserves).YAML()
			got := parse(t, text).Attempts
			var joins []store.Join
			if c.join != nil {
				joins = append(joins, *c.join)
			}
			if diff := cmp.Diff(joins, got.Joins) + cmp.Diff(c.words, got.Reserves); diff != "" || got.Columns.Reserve != c.column || !strings.Contains(text, c.says) {
				t.Errorf("%s (-want +got):\n%s\n%s", got.Columns.Reserve, diff, text)
			}
		})
	}
}

// TestAModeIsAPathOfWordsForOne: what merely has that name is none, and what no
// payload shows is asked.
func TestAModeIsAPathOfWordsForOne(t *testing.T) {
	t.Parallel()
	const tables = `CREATE TABLE attempts (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, status TEXT, provider TEXT, created_at TEXT);
		CREATE TABLE webhooks (id INTEGER PRIMARY KEY, event_id TEXT, payload TEXT, status TEXT);`
	for payload, want := range map[string]string{
		`{"data":{"live":true},"livemode":false}`:              "livemode",
		`{"meta":{"mode":"test"}}`:                             "meta.mode",
		`{"mode":"subscription","object":{"is_live":"1"}}`:     "object.is_live",
		`{"mode":"sandbox","model":"live","livemodel":"true"}`: "",
		`not JSON`: "?",
		``:         "?",
	} {
		rows := ""
		if payload != "" {
			rows = "INSERT INTO webhooks VALUES (1, 'e', '" + payload + "', 'na_fila'), (2, 'f', NULL, 'tratada')"
		}
		p := proposed(t, tables+rows)
		if asked := asks(p, "events.mode"); asked != (want == "?") || p.Events.Mode != strings.Trim(want, "?") {
			t.Errorf("%s: %q, asked %v", payload, p.Events.Mode, asked)
		}
		if stored := rows != ""; asks(p, "events.pending") == stored || asks(p, "events.processed") == stored {
			t.Errorf("%s: %v %v", payload, p.Events.Pending, p.Events.Processed)
		}
	}
}

// TestAListIsAnsweredInWords, and - is none.
func TestAListIsAnsweredInWords(t *testing.T) {
	t.Parallel()
	p := proposed(t, `CREATE TABLE attempts (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, status TEXT, provider TEXT, created_at TEXT)`)
	for _, key := range []string{"attempts.status.pending", "attempts.status.succeeded", "attempts.status.failed"} {
		if !asks(p, key) {
			t.Errorf("%s is not asked, and no row says it", key)
		}
	}
	if err := p.Answer("attempts.status.failed", "recusada, negada"); err != nil {
		t.Fatal(err)
	}
	if err := p.Answer("attempts.status.pending", "-"); err != nil {
		t.Fatal(err)
	}
	want := store.StatusWords{Failed: []string{"recusada", "negada"}}
	if diff := cmp.Diff(want, parse(t, p.YAML()).Attempts.Status, cmp.Transformer("none", func(s []string) []string { return append([]string(nil), s...) })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAProviderThatNoColumnNamesIsToldInBothPlaces: the answer fills both; a
// blank says where its name stands.
func TestAProviderThatNoColumnNamesIsToldInBothPlaces(t *testing.T) {
	t.Parallel()
	p := proposed(t, `CREATE TABLE attempts (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, status TEXT, created_at TEXT)`)
	if text := p.YAML(); !strings.Contains(text, `- name: ""  # the same as attempts.provider`) {
		t.Error(text)
	}
	if err := p.Answer("attempts.provider", "psp"); err != nil {
		t.Fatal(err)
	}
	if got := parse(t, p.YAML()); got.Attempts.Provider != "psp" || got.Providers[0].Name != "psp" {
		t.Errorf("%+v", got)
	}
}

// TestWhatHasNoAmountAsksForIt: three tables, of which none that attempts lead
// to holds one.
func TestWhatHasNoAmountAsksForIt(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]shop.Dialect{"sqlite": shop.SQLite, "postgres": shop.PostgreSQL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const others = "DROP TABLE payments; DROP TABLE ledger_entries; DROP TABLE reserves;"
			tables := strings.Replace(shop.Schema(dialect, shop.Right), "payment_id bigint REFERENCES payments (id), ", "", 1)
			p, err := propose.Propose(t.Context(), open(t, dialect, tables+"DROP TABLE charges;"+others), propose.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for _, q := range p.Questions {
				asked = append(asked, q.Key)
			}
			want := []string{
				"database.url_file", "attempts.columns.amount", "attempts.columns.unit", "attempts.currency", "attempts.status.succeeded", "attempts.status.failed",
				"attempts.timezone", "attempts.references.charge_id", "attempts.references.idempotency_key",
				"events.processed", "events.settles", "events.unit", "events.mode",
				"providers.new.name", "providers.new.account", "providers.new.timezone", "providers.new.succeeded_means.charge",
			}
			got := parse(t, p.YAML())
			if diff := cmp.Diff(want, asked); diff != "" || got.Attempts.Read != "charge_attempts" || !slices.Equal(got.Events.Pending, []string{"pending"}) || len(got.Providers) != 1 ||
				strings.Count(p.YAML(), propose.Blank) != len(asked)+1 {
				t.Errorf("(-want +got):\n%s\n%s", diff, p.YAML())
			}
		})
	}
}
