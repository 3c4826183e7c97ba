package storetest

import (
	"errors"
	"strings"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// The tables of issue 3 that were not made for desfecho.
const (
	chargeAttempts = `CREATE TABLE charges (id bigint PRIMARY KEY, amount_cents bigint NOT NULL, currency text NOT NULL);
CREATE TABLE charge_attempts (id bigserial PRIMARY KEY, charge_id bigint NOT NULL, idempotency_key uuid NOT NULL UNIQUE, provider text NOT NULL,
  status text NOT NULL, provider_charge_id text UNIQUE, payload_hash char(64) NOT NULL, http_attempts smallint NOT NULL DEFAULT 0,
  last_error json, resolved_at timestamp, created_at timestamp, updated_at timestamp);
CREATE UNIQUE INDEX charge_attempts_one_open_per_charge ON charge_attempts (charge_id) WHERE status IN ('pending','unknown');
CREATE VIEW charge_attempts_with_amounts AS SELECT a.*, c.amount_cents, c.currency FROM charge_attempts a JOIN charges c ON c.id = a.charge_id;
INSERT INTO charges VALUES (9, 12990, 'BRL'), (10, 500, 'JPY');
INSERT INTO charge_attempts (charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, last_error, resolved_at, created_at, updated_at) VALUES
 (9, '0b7e4e0e-8a53-4a0e-9d52-0d4b1b3a2b01', 'stripe', 'unknown', NULL, 'h1', '{"class":"Net::ReadTimeout"}', NULL, '2025-03-10 09:00:00', '2025-03-10 09:00:30.5'),
 (10, '0b7e4e0e-8a53-4a0e-9d52-0d4b1b3a2b02', 'stripe', 'succeeded', 'ch_2', 'h2', NULL, '2025-03-10 09:01:00', '2025-03-10 09:00:01', '2025-03-10 09:01:00'),
 (10, '0b7e4e0e-8a53-4a0e-9d52-0d4b1b3a2b03', 'asaas', 'quarantined', NULL, 'h3', '{"status":503}', NULL, '2025-03-10 09:00:02', NULL);`
	cobranca = `CREATE TABLE cobranca (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, idempotency_key text NOT NULL, pedido_id bigint NOT NULL,
  valor_centavos bigint NOT NULL, status text NOT NULL, resposta_http int, resposta_corpo jsonb, criada_em timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_cobranca_idempotency_key UNIQUE (idempotency_key));
INSERT INTO cobranca (idempotency_key, pedido_id, valor_centavos, status, resposta_http, criada_em) VALUES
 ('k-1', 7, 25000, 'PENDENTE', NULL, '2025-03-10 09:00:00-03:00'), ('k-2', 8, 100, 'PAGA', 201, '2025-03-10 12:00:00.123456+00:00'),
 ('k-3', 9, 100, 'ERRO', 504, '2025-03-10 12:00:01+00:00');`
	decimals = `CREATE TABLE tentativas (codigo text PRIMARY KEY, cobranca text, situacao text, valor numeric(12,2), moeda char(3), quando timestamptz, objeto text);
INSERT INTO tentativas VALUES ('t1', 'c1', 'ok', 1234.50, 'BRL', '2025-03-10 12:00:00+00:00', 'ob_1'), ('t2', 'c1', 'ok', 0.07, 'BRL', '2025-03-10 12:00:00+00:00', NULL);`
)

func chargeAttemptsDescription() *store.Description {
	return &store.Description{
		Read: "charge_attempts_with_amounts", Write: "charge_attempts", Timezone: "America/Sao_Paulo",
		Columns: store.Columns{
			ID: "id", Charge: "charge_id", Key: "idempotency_key", Provider: "provider", Status: "status", ProviderChargeID: "provider_charge_id",
			Amount: "amount_cents", Unit: "minor", Currency: "currency", CreatedAt: "created_at", UpdatedAt: "updated_at", ResolvedAt: "resolved_at",
			LastError: "last_error", PayloadHash: "payload_hash",
		},
		References: []store.ReferenceAt{
			{Here: "charge_id", There: "metadata.charge_id", Scope: "charge"},
			{Here: "idempotency_key", There: "idempotency_key", Scope: "attempt"},
			{Here: "order-{id}", There: "metadata.order", Scope: "attempt", Name: "order"},
		},
		Status: store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
	}
}

func cobrancaDescription() *store.Description {
	return &store.Description{
		Read: "cobranca", Provider: "pix", Account: "banco", Currency: "BRL",
		Columns: store.Columns{ID: "id", Charge: "pedido_id", Key: "idempotency_key", Status: "status", Amount: "valor_centavos", Unit: "minor", CreatedAt: "criada_em", LastError: "resposta_http"},
		Status:  store.StatusWords{Pending: []string{"PENDENTE"}, Succeeded: []string{"PAGA"}, Failed: []string{"ERRO"}},
	}
}

func decimalsDescription() *store.Description {
	return &store.Description{
		Read: "tentativas", Provider: provider, Operation: "refund",
		Columns: store.Columns{ID: "codigo", Charge: "cobranca", Status: "situacao", Amount: "valor", Unit: "major", Currency: "moeda", CreatedAt: "quando", ProviderChargeID: "objeto"},
		Status:  store.StatusWords{Succeeded: []string{"ok"}, Pending: []string{"indo"}, Unknown: []string{"?"}},
	}
}

// read gives the attempts that meet the filter, by id, without versions; each
// must have one.
func (b *bench) read(f store.AttemptFilter) map[string]payment.Attempt {
	b.Helper()
	got := map[string]payment.Attempt{}
	v := b.view()
	defer v.Close() //nolint:errcheck // only read
	err := v.Attempts(b.Context(), f, func(a payment.Attempt) error {
		if a.Version == "" {
			b.Errorf("attempt %s has no version", a.ID)
		}
		a.Version = ""
		got[a.ID] = a
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// attemptsOfView: amounts of a view, times without zone.
func attemptsOfView(t *testing.T, fresh func(testing.TB) Database) {
	t.Parallel()
	brazil := func(clock string) payment.Instant { return at(clock) + 3*3600*1_000_000 }
	b := setUp(t, fresh, chargeAttemptsDescription(), chargeAttempts)
	key := "0b7e4e0e-8a53-4a0e-9d52-0d4b1b3a2b0"
	references := func(charge, n string) []payment.Reference {
		return []payment.Reference{{Name: "charge_id", Scope: payment.ScopeCharge, Value: charge}, {Name: "idempotency_key", Value: key + n}, {Name: "order", Value: "order-" + n}}
	}
	want := map[string]payment.Attempt{
		"1": {
			ID: "1", Charge: "9", Provider: provider, Key: key + "1", References: references("9", "1"), PayloadHash: "h1", Amount: money.Amount{Minor: 12990, Currency: brl},
			CreatedAt: brazil("09:00:00"), LastSent: brazil("09:00:30") + 500_000, Status: payment.Unknown, LastError: payment.ErrorTimeout,
		},
		"2": {
			ID: "2", Charge: "10", Provider: provider, Key: key + "2", ProviderID: "ch_2", References: references("10", "2"), PayloadHash: "h2",
			Amount: money.Amount{Minor: 500, Currency: money.MustCurrency("JPY")}, CreatedAt: brazil("09:00:01"), LastSent: brazil("09:01:00"),
			ResolvedAt: brazil("09:01:00"), Status: payment.Succeeded,
		},
		"3": {
			ID: "3", Charge: "10", Provider: "asaas", Key: key + "3", References: references("10", "3"), PayloadHash: "h3",
			Amount: money.Amount{Minor: 500, Currency: money.MustCurrency("JPY")}, CreatedAt: brazil("09:00:02"), LastSent: brazil("09:00:02"),
			RawStatus: "quarantined", LastError: payment.Error5xx,
		},
	}
	equal(t, want, b.read(store.AttemptFilter{}))
	filters(t, b)
}

func attemptsShapes(t *testing.T, fresh func(testing.TB) Database) {
	t.Run("amounts of a view, zone-less times", func(t *testing.T) { attemptsOfView(t, fresh) })
	t.Run("no word for unknown, no provider", func(t *testing.T) {
		t.Parallel()
		b := setUp(t, fresh, cobrancaDescription(), cobranca)
		got := b.read(store.AttemptFilter{Providers: []string{"pix"}})
		equal(t, payment.Attempt{
			ID: "1", Charge: "7", Provider: "pix", Account: "banco", Key: "k-1", Amount: money.Amount{Minor: 25000, Currency: brl},
			CreatedAt: at("12:00:00"), LastSent: at("12:00:00"), Status: payment.Pending,
		}, got["1"])
		if got["2"].LastError != payment.ErrorOK || got["3"].LastError != payment.Error5xx || got["2"].CreatedAt != at("12:00:00")+123456 {
			t.Errorf("got %v", got)
		}
		if !cobrancaDescription().NoUnknownWord() {
			t.Error("a table without a word for unknown is not told")
		}
		if got := b.read(store.AttemptFilter{Providers: []string{"stripe"}}); len(got) != 0 {
			t.Errorf("attempts of pix under stripe: %v", got)
		}
	})
	t.Run("decimal amounts", func(t *testing.T) {
		t.Parallel()
		b := setUp(t, fresh, decimalsDescription(), decimals)
		got := b.read(store.AttemptFilter{})
		if got["t1"].Amount.Minor != 123450 || got["t2"].Amount.Minor != 7 || got["t1"].Operation != payment.Refund {
			t.Errorf("got %v", got)
		}
	})
	t.Run("amounts of a join", func(t *testing.T) {
		t.Parallel()
		d := chargeAttemptsDescription()
		d.Read, d.Joins = "charge_attempts", []store.Join{{Table: "charges", Here: "charge_id", There: "id"}}
		d.Columns.Amount, d.Columns.Currency = "charges.amount_cents", "charges.currency"
		b := setUp(t, fresh, d, chargeAttempts)
		if got := b.read(store.AttemptFilter{}); len(got) != 3 || got["1"].Amount != (money.Amount{Minor: 12990, Currency: brl}) {
			t.Errorf("got %v", got)
		}
	})
}

func filters(t *testing.T, b *bench) {
	ids := func(f store.AttemptFilter) string {
		var out []string
		for _, id := range []string{"1", "2", "3"} {
			if _, ok := b.read(f)[id]; ok {
				out = append(out, id)
			}
		}
		return strings.Join(out, " ")
	}
	window := payment.Interval{From: at("12:00:01"), To: at("12:00:02")}
	for _, c := range []struct {
		name   string
		filter store.AttemptFilter
		want   string
	}{
		{"window is half open", store.AttemptFilter{Created: &window}, "2"},
		{"open", store.AttemptFilter{Open: true}, "1"},
		{"window or open", store.AttemptFilter{Created: &window, Open: true}, "1 2"},
		{"provider", store.AttemptFilter{Providers: []string{"asaas"}}, "3"},
		{"of other providers", store.AttemptFilter{Providers: []string{"asaas", "x"}, Others: true}, "1 2"},
		{"of other providers in a window", store.AttemptFilter{Providers: []string{"asaas"}, Others: true, Created: &window}, "2"},
		{"by id", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: []string{"3", "x", "1", "007", "99999999999999999999"}}, "1 3"},
		{"by charge", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByCharge}, Values: []string{"10"}}, "2 3"},
		{"by key", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByIdempotencyKey}, Values: []string{"0b7e4e0e-8a53-4a0e-9d52-0d4b1b3a2b02", "nope"}}, "2"},
		{"by provider id", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByProviderID}, Values: []string{"ch_2", "a'; --"}}, "2"},
		{"by reference", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByReference}, Values: []string{"9"}}, "1"},
		{"by nothing that can be", store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: []string{"x\x00"}}, ""},
	} {
		if got := ids(c.filter); got != c.want {
			t.Errorf("%s: attempts %q, want %q", c.name, got, c.want)
		}
	}
}

func attemptsNames(t *testing.T, fresh func(testing.TB) Database) {
	table := `CREATE TABLE "a.b""; DROP TABLE x; --" ("i d" text, "st'atus" text, "am""ount" bigint, "Select" timestamptz);
INSERT INTO "a.b""; DROP TABLE x; --" VALUES ('o''1', 'it''s', 1, '2025-03-10 12:00:00+00:00');`
	d := &store.Description{
		Read: `"a.b""; DROP TABLE x; --"`, Provider: provider, Currency: "BRL",
		Columns: store.Columns{ID: "i d", Status: "st'atus", Amount: `am"ount`, Unit: "minor", CreatedAt: "Select"},
		Status:  store.StatusWords{Pending: []string{"it's"}},
	}
	b := setUp(t, fresh, d, table)
	got := b.read(store.AttemptFilter{Open: true, By: store.AttemptKey{Kind: store.ByID}, Values: []string{"o'1"}})
	if got["o'1"].Status != payment.Pending {
		t.Errorf("got %v", got)
	}
}

func attemptsBad(t *testing.T, fresh func(testing.TB) Database) {
	for _, c := range []struct{ name, row, column, problem string }{
		{"amount with too many decimals", `'t3', 'c', 'ok', '1.234', 'BRL', '2025-03-10 12:00:00+00:00', NULL`, "valor", "more than 2 decimals"},
		{"no amount", `'t3', 'c', 'ok', NULL, 'BRL', '2025-03-10 12:00:00+00:00', NULL`, "valor", "without amount"},
		{"no number", `'t3', 'c', 'ok', 'NaN', 'BRL', '2025-03-10 12:00:00+00:00', NULL`, "valor", "no decimal number"},
		{"unknown currency", `'t3', 'c', 'ok', '1', 'XXX', '2025-03-10 12:00:00+00:00', NULL`, "moeda", "XXX"},
		{"no time", `'t3', 'c', 'ok', '1', 'BRL', NULL, NULL`, "quando", "without time"},
		{"infinite time", `'t3', 'c', 'ok', '1', 'BRL', 'infinity', NULL`, "quando", "no time that can be read"},
		{"time before all", `'t3', 'c', 'ok', '1', 'BRL', '-infinity', NULL`, "quando", "no time that can be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setUp(t, fresh, decimalsDescription(), strings.Replace(decimals, "numeric(12,2)", "numeric", 1), `INSERT INTO tentativas VALUES (`+c.row+`);`)
			err := b.view().Attempts(t.Context(), store.AttemptFilter{}, func(payment.Attempt) error { return nil })
			var bad *store.BadRowError
			if !errors.As(err, &bad) || bad.ID != "t3" || bad.Column != c.column || !strings.Contains(bad.Problem, c.problem) {
				t.Errorf("got error %v, want one about %s: %s", err, c.column, c.problem)
			}
		})
	}
}

func attemptsTimes(t *testing.T, fresh func(testing.TB) Database) {
	// Brazil had summer time until 2019: the same wall clock is two instants
	// half a year apart.
	table := `CREATE TABLE attempts (id text, status text, amount bigint, made timestamp, day date);
INSERT INTO attempts VALUES ('summer', 'x', 1, '2018-12-01 12:00:00', '2018-12-01'), ('winter', 'x', 1, '2018-06-01 12:00:00', '2018-06-01');`
	describe := func(zone, column string) *store.Description {
		return &store.Description{
			Read: "attempts", Provider: provider, Currency: "BRL", Timezone: zone, Status: store.StatusWords{Pending: []string{"x"}},
			Columns: store.Columns{ID: "id", Status: "status", Amount: "amount", Unit: "minor", CreatedAt: column},
		}
	}
	b := setUp(t, fresh, describe("America/Sao_Paulo", "made"), table)
	got := b.read(store.AttemptFilter{})
	equal(t, "2018-12-01T14:00:00Z", got["summer"].CreatedAt.String())
	equal(t, "2018-06-01T15:00:00Z", got["winter"].CreatedAt.String())
	window := payment.Interval{From: got["summer"].CreatedAt, To: got["summer"].CreatedAt + 1}
	if got := b.read(store.AttemptFilter{Created: &window}); len(got) != 1 {
		t.Errorf("in the microsecond of one attempt there are %v", got)
	}
	days := open(t, b.database, describe("America/Sao_Paulo", "day"))
	dated := &bench{TB: t, Store: days, database: b.database}
	equal(t, "2018-12-01T02:00:00Z", dated.read(store.AttemptFilter{})["summer"].CreatedAt.String())
	unsaid := &bench{TB: t, Store: open(t, b.database, describe("", "made")), database: b.database}
	err := unsaid.view().Attempts(t.Context(), store.AttemptFilter{}, func(payment.Attempt) error { return nil })
	var bad *store.BadRowError
	if !errors.As(err, &bad) || !strings.Contains(bad.Hint(), "timezone") {
		t.Errorf("got error %v for times without zone", err)
	}
}

func attemptsDescription(t *testing.T, fresh func(testing.TB) Database) {
	for _, c := range []struct {
		name   string
		change func(*store.Description)
	}{
		{"no such table", func(d *store.Description) { d.Read = "charge_attempt" }},
		{"no such column", func(d *store.Description) { d.Columns.Key = "key" }},
		{"no such joined table", func(d *store.Description) {
			d.Joins = []store.Join{{Table: "orders", Here: "charge_id", There: "id"}}
		}},
		{"no such joined column", func(d *store.Description) {
			d.Joins = []store.Join{{Table: "charges", Here: "charge_id", There: "key"}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := chargeAttemptsDescription()
			c.change(d)
			b := setUp(t, fresh, d, chargeAttempts)
			err := b.view().Attempts(t.Context(), store.AttemptFilter{}, func(payment.Attempt) error { return nil })
			var wrong *store.DescriptionError
			if !errors.As(err, &wrong) {
				t.Errorf("got error %v, want one about the description", err)
			}
		})
	}
}
