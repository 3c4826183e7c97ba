package propose_test

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/propose"
	"desfecho/internal/shop"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/internal/store/sqlite"
)

func open(t *testing.T, dialect shop.Dialect, statements string) catalog.Database {
	t.Helper()
	if dialect == shop.SQLite {
		path := filepath.Join(t.TempDir(), "shop.db")
		db, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
		r, err := sqlite.OpenRows(t.Context(), "sqlite://"+path, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return catalog.Database{Asker: r, Dialect: catalog.SQLite}
	}
	address := pgtest.Database(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Server(t).SQL(t, strings.TrimPrefix(u.Path, "/"), statements)
	r, err := postgres.OpenRows(t.Context(), address, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return catalog.Database{Asker: r, Dialect: catalog.PostgreSQL}
}

// parsed is the configuration as it is read back.
type parsed struct {
	Database struct {
		URLFile string `yaml:"url_file"`
	} `yaml:"database"`
	Attempts  store.Description   `yaml:"attempts"`
	Events    store.EventsTable   `yaml:"events"`
	Business  check.BusinessTable `yaml:"business"`
	Providers []struct {
		Name     string            `yaml:"name"`
		Account  string            `yaml:"account"`
		Timezone string            `yaml:"timezone"`
		Means    map[string]string `yaml:"succeeded_means"`
	} `yaml:"providers"`
}

func parse(t *testing.T, text string) parsed {
	t.Helper()
	var p parsed
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// shape is one merchant's tables, and what must come out.
type shape struct {
	name      string
	ddl       string // in PostgreSQL's words
	want      store.Description
	asked     []string
	providers []string
	answers   map[string]string
}

const attemptRows = `
INSERT INTO charges (id, provider, operation, method, token, amount_cents, currency, status, created_at, updated_at) VALUES
 (1, 'loja', 'charge', 'card', 't', 1000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00'),
 (2, 'banco', 'transfer', 'ted', 't', 2000, 'BRL', 'paid', '2025-11-29 10:00:00', '2025-11-29 10:00:00');
INSERT INTO charge_attempts (id, charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, created_at, updated_at) VALUES
 (1, 1, '5b0e4a52-6b5d-4c55-9f52-0e9a4c1d7a01', 'loja', 'succeeded', 'pay_1', 'h1', '2025-11-29 10:00:00', '2025-11-29 10:00:01'),
 (2, 2, 'c1d7a0e9-4c55-4f9f-8a52-5b0e4a526b02', 'banco', 'failed', NULL, 'h2', '2025-11-29 10:00:00', '2025-11-29 10:00:01');
`

// another is a shape that the patterns were not written for: a schema of its
// own, a natural key, money in decimals, words of its own.
const another = `
CREATE TABLE transacoes (codigo text PRIMARY KEY, chave_idempotencia text NOT NULL UNIQUE, gateway text NOT NULL, situacao text NOT NULL,
  id_externo text, pedido_id bigint, valor numeric(12,2) NOT NULL, moeda text NOT NULL, tipo text NOT NULL, erro text,
  criado_em timestamp NOT NULL, atualizado_em timestamp);
CREATE TABLE pedidos (id bigint PRIMARY KEY, total numeric(12,2), criado_em timestamp);
INSERT INTO transacoes VALUES ('T1', 'k1', 'adyen', 'aprovada', 'ext1', 1, 10.50, 'BRL', 'pagamento', NULL, '2025-11-29 10:00:00', NULL),
 ('T2', 'k2', 'adyen', 'em análise', NULL, 2, 20.00, 'BRL', 'estorno', NULL, '2025-11-29 10:00:00', NULL),
 ('T3', 'k3', 'adyen', 'enviada', NULL, 3, 20.00, 'BRL', 'pagamento', NULL, '2025-11-29 10:00:00', NULL);
`

const cobrancaTable = `CREATE TABLE cobranca (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, idempotency_key text NOT NULL, pedido_id bigint NOT NULL,
  valor_centavos bigint NOT NULL, status text NOT NULL, resposta_http int, resposta_corpo jsonb, criada_em timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_cobranca_idempotency_key UNIQUE (idempotency_key));
INSERT INTO cobranca (idempotency_key, pedido_id, valor_centavos, status, criada_em) VALUES ('k1', 1, 100, 'pendente', '2025-11-29 10:00:00+00'), ('k2', 2, 100, 'paga', '2025-11-29 10:00:00+00'),
 ('k3', 3, 100, 'recusada', '2025-11-29 10:00:00+00');
`

func shapes() []shape {
	return []shape{
		{
			name: "charge_attempts", ddl: shop.Schema(shop.PostgreSQL, shop.Right) + attemptRows,
			providers: []string{"banco", "loja"},
			asked: []string{
				"database.url_file", "attempts.timezone", "attempts.references.charge_id", "attempts.references.idempotency_key",
				"events.processed", "events.settles", "events.unit", "events.mode", "business.credits",
				"providers.banco.account", "providers.banco.timezone", "providers.banco.succeeded_means.charge", "providers.banco.succeeded_means.transfer",
				"providers.loja.account", "providers.loja.timezone", "providers.loja.succeeded_means.charge", "providers.loja.succeeded_means.transfer",
			},
			want: store.Description{
				Read: "charge_attempts", Write: "charge_attempts", Timezone: "America/Sao_Paulo",
				Joins: []store.Join{{Table: "charges", Here: "charge_id", There: "id"}, {Table: "reserves", Here: "id", There: "attempt_id"}},
				Columns: store.Columns{
					ID: "id", Charge: "charge_id", Key: "idempotency_key", Provider: "provider", Status: "status", ProviderChargeID: "provider_charge_id",
					Amount: "charges.amount_cents", Unit: "minor", Currency: "charges.currency", CreatedAt: "created_at", UpdatedAt: "updated_at",
					ResolvedAt: "resolved_at", LastError: "last_error", Operation: "charges.operation", PayloadHash: "payload_hash", Reserve: "reserves.status",
				},
				References: []store.ReferenceAt{{Here: "charge_id", There: "metadata.charge_id", Scope: "charge"}, {Here: "idempotency_key", There: "metadata.idempotency_key", Scope: "attempt"}},
				Status:     store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
			},
		},
		{
			name: "cobranca", ddl: cobrancaTable, providers: []string{"caixa"},
			asked: []string{
				"database.url_file", "attempts.currency", "attempts.references.pedido_id", "attempts.references.idempotency_key", "attempts.provider",
				"providers.all.account", "providers.all.timezone", "providers.all.succeeded_means.charge",
			},
			answers: map[string]string{"attempts.provider": "caixa", "attempts.references.idempotency_key": "-"},
			want: store.Description{
				Read: "cobranca", Write: "cobranca", Provider: "caixa", Currency: "BRL", Operation: "charge",
				Columns: store.Columns{
					ID: "id", Charge: "pedido_id", Key: "idempotency_key", Status: "status", Amount: "valor_centavos", Unit: "minor", CreatedAt: "criada_em",
					LastError: "resposta_http",
				},
				References: []store.ReferenceAt{{Here: "pedido_id", There: "metadata.pedido_id", Scope: "charge"}},
				Status:     store.StatusWords{Pending: []string{"pendente"}, Succeeded: []string{"paga"}, Failed: []string{"recusada"}},
			},
		},
		transacoes(),
	}
}

func transacoes() shape {
	return shape{
		name: "transacoes", ddl: another, providers: []string{"adyen"},
		asked: []string{
			"database.url_file", "attempts.columns.charge_amount", "attempts.status.em análise", "attempts.status.failed", "attempts.timezone", "attempts.references.pedido_id", "attempts.references.chave_idempotencia",
			"providers.adyen.account", "providers.adyen.timezone", "providers.adyen.succeeded_means.charge", "providers.adyen.succeeded_means.refund",
		},
		answers: map[string]string{
			"attempts.status.em análise": "unknown", "attempts.columns.charge_amount": "pedidos.total", "attempts.status.failed": "recusada, negada",
		},
		want: store.Description{
			Read: "transacoes", Write: "transacoes", Timezone: "America/Sao_Paulo",
			Joins: []store.Join{{Table: "pedidos", Here: "pedido_id", There: "id"}},
			Columns: store.Columns{
				ChargeAmount: "pedidos.total", ID: "codigo", Charge: "pedido_id", Key: "chave_idempotencia", Provider: "gateway", Status: "situacao", ProviderChargeID: "id_externo",
				Amount: "valor", Unit: "major", Currency: "moeda", CreatedAt: "criado_em", UpdatedAt: "atualizado_em", LastError: "erro", Operation: "tipo",
			},
			References: []store.ReferenceAt{
				{Here: "pedido_id", There: "metadata.pedido_id", Scope: "charge"},
				{Here: "chave_idempotencia", There: "metadata.chave_idempotencia", Scope: "attempt"},
			},
			Status:     store.StatusWords{Pending: []string{"enviada"}, Unknown: []string{"em análise"}, Succeeded: []string{"aprovada"}, Failed: []string{"recusada", "negada"}},
			Operations: store.OperationWords{Charge: []string{"pagamento"}, Refund: []string{"estorno"}},
		},
	}
}

// inSQLite says a shape to SQLite as its merchant would.
func inSQLite(s shape) string {
	if s.name == "charge_attempts" {
		return shop.Schema(shop.SQLite, shop.Right) + attemptRows
	}
	return strings.NewReplacer("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "INTEGER PRIMARY KEY", "timestamptz NOT NULL DEFAULT now()", "TEXT NOT NULL", "jsonb", "TEXT").Replace(s.ddl)
}

func TestTheShapesAreProposed(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		for dialect, ddl := range map[shop.Dialect]string{shop.PostgreSQL: s.ddl, shop.SQLite: inSQLite(s)} {
			name := s.name + map[shop.Dialect]string{shop.PostgreSQL: "/postgres", shop.SQLite: "/sqlite"}[dialect]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s.test(t, open(t, dialect, ddl))
			})
		}
	}
}

func (s shape) test(t *testing.T, db catalog.Database) {
	t.Helper()
	p, err := propose.Propose(t.Context(), db, propose.Settings{Zones: []string{"America/Sao_Paulo"}})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, q := range p.Questions {
		asked = append(asked, q.Key)
	}
	if diff := cmp.Diff(s.asked, asked); diff != "" {
		t.Errorf("(-want to be asked +asked):\n%s", diff)
	}
	blank := p.YAML()
	t.Log("\n" + blank)
	if strings.Count(blank, propose.Blank) != len(p.Questions)+1 {
		t.Errorf("%d blanks for %d questions", strings.Count(blank, propose.Blank)-1, len(p.Questions))
	}
	parse(t, blank)
	for _, q := range p.Questions {
		answer := s.answers[q.Key]
		switch {
		case answer != "":
		case strings.HasSuffix(q.Key, ".timezone"):
			answer = "America/Sao_Paulo"
		case q.Suggest != "":
			answer = q.Suggest
		case len(q.Options) > 0:
			answer = q.Options[len(q.Options)-1]
		default:
			answer = "x1"
		}
		if err := p.Answer(q.Key, answer); err != nil {
			t.Error(err)
		}
	}
	whole := parse(t, p.YAML())
	if diff := cmp.Diff(s.want, whole.Attempts, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, p.YAML())
	}
	if _, err := whole.Attempts.Compile(); err != nil {
		t.Error(err)
	}
	var names []string
	for _, w := range whole.Providers {
		names = append(names, w.Name)
		if w.Account != "x1" || w.Timezone != "America/Sao_Paulo" || w.Means["charge"] != "captured" {
			t.Errorf("%+v", w)
		}
	}
	if !slices.Equal(names, s.providers) || strings.Count(p.YAML(), propose.Blank) != 1 {
		t.Errorf("providers %v\n%s", names, p.YAML())
	}
	r, err := check.Run(t.Context(), check.Input{Database: db, Attempts: &whole.Attempts})
	if err != nil || r.Find("description").Level != check.OK {
		t.Errorf("what is proposed cannot be read: %v %+v", err, r)
	}
}

func TestAZoneIsToldByTheNewestRow(t *testing.T) {
	t.Parallel()
	now := payment.InstantOf(time.Date(2025, 11, 29, 13, 2, 0, 0, time.UTC))
	zones := []string{"UTC", "", "America/Sao_Paulo", "UTC", "no/zone"}
	for _, c := range []struct {
		newest, name, why string
		sure              bool
	}{
		{"2025-11-29 10:00:00", "America/Sao_Paulo", "the newest row is 182 min old in UTC, 2 min old in America/Sao_Paulo", true},
		{"2025-11-29 13:00:00.5", "UTC", "the newest row is 2 min old in UTC, -178 min old in America/Sao_Paulo", true},
		{"2025-11-29 09:00:00", "America/Sao_Paulo", "the newest row is 242 min old in UTC, 62 min old in America/Sao_Paulo", false},
		{"2025-11-29 14:00:00", "", "the newest row is -58 min old in UTC, -238 min old in America/Sao_Paulo", false},
		{"", "", "there is no row to measure", false},
		{"soon", "", `"soon" is no time without zone`, false},
	} {
		name, why, sure := propose.Zone(c.newest, now, zones)
		if name != c.name || why != c.why || sure != c.sure {
			t.Errorf("%q: %s, %s, sure %v", c.newest, name, why, sure)
		}
	}
}

func TestAnAnswerThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	p, err := propose.Propose(t.Context(), open(t, shop.SQLite, inSQLite(shapes()[1])), propose.Settings{URLFile: "/etc/desfecho/url"})
	if err != nil {
		t.Fatal(err)
	}
	before := p.YAML()
	for key, value := range map[string]string{"attempts.provider": "", "providers.all.succeeded_means.charge": "paid", "no.such": "x"} {
		if err := p.Answer(key, value); err == nil {
			t.Errorf("%s: %q was taken", key, value)
		}
	}
	if p.YAML() != before {
		t.Error("a refused answer changed something")
	}
}

func TestNothingThatLooksLikeAttemptsIsSaid(t *testing.T) {
	t.Parallel()
	db := open(t, shop.SQLite, `CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)`)
	if p, err := propose.Propose(t.Context(), db, propose.Settings{}); err == nil {
		t.Error(p.YAML())
	}
	if p, err := propose.Propose(t.Context(), db, propose.Settings{Table: "people"}); err == nil {
		t.Error(p.YAML())
	}
}

// TestHostileNamesStayText: a table's name or word ends no string, no comment
// and no line.
func TestHostileNamesStayText(t *testing.T) {
	t.Parallel()
	db := open(t, shop.SQLite, `CREATE TABLE "pay""ments: {x}" (id INTEGER PRIMARY KEY, idempotency_key TEXT, "status" TEXT, amount_cents INTEGER, created_at TEXT, provider TEXT);
		INSERT INTO "pay""ments: {x}" VALUES (1, 'k', 'pa'||char(10)||'providers: []', 1, '2025-11-29 10:00:00+00:00', '"], x: [' || char(27) || '[31m')`)
	p, err := propose.Propose(t.Context(), db, propose.Settings{Table: `pay"ments: {x}`})
	if err != nil {
		t.Fatal(err)
	}
	text := p.YAML()
	got := parse(t, text)
	if got.Attempts.Read != `pay"ments: {x}` || len(got.Providers) != 1 || got.Providers[0].Name != "\"], x: [\x1b[31m" || strings.Contains(text, "\x1b") {
		t.Errorf("%+v\n%s", got, text)
	}
}

// TestTwoZonesThatFitAreAQuestion: clocks a quarter of an hour apart both make
// the newest row minutes old.
func TestTwoZonesThatFitAreAQuestion(t *testing.T) {
	t.Parallel()
	now := payment.InstantOf(time.Date(2025, 11, 29, 13, 0, 0, 0, time.UTC))
	_, why, sure := propose.Zone("2025-11-29 18:31:00", now, []string{"Asia/Kathmandu", "Asia/Kolkata"})
	if sure {
		t.Errorf("sure: %s", why)
	}
	if name, _, sure := propose.Zone("2025-11-29 18:31:00", now, []string{"Asia/Kolkata", "Asia/Colombo"}); !sure || name != "Asia/Kolkata" {
		t.Errorf("%s, sure %v: two names of one clock are one answer", name, sure)
	}
}
