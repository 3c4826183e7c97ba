package shop_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"desfecho/internal/catalog"
	"desfecho/internal/check"
	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/internal/store"
)

// asker lets the audits look at the shop's own connection.
type asker struct{ db *sql.DB }

func (a asker) Rows(ctx context.Context, query string, args ...any) (all []catalog.Row, err error) {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		row := make(catalog.Row, len(cells))
		for i, c := range cells {
			row[i] = store.Text{Value: c.String, Null: !c.Valid}
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// described is the demo's description of the shop's tables.
type described struct {
	Attempts store.Description   `yaml:"attempts"`
	Events   store.EventsTable   `yaml:"events"`
	Business check.BusinessTable `yaml:"business"`
}

func describe(t testing.TB) (d described) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "cmd", "demo", "desfecho.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// table is the shop's attempts beside all that its providers hold.
func (tr *traffic) table(twin shop.Twin) *table {
	tr.t.Helper()
	attempts, err := tr.stage.Shop.Attempts(tr.t.Context())
	tr.must(err)
	objects := append(tr.stage.Providers[shop.Loja].Objects(), tr.stage.Providers[shop.Banco].Objects()...)
	return &table{provider: shop.Loja, twin: twin, attempts: attempts, objects: objects}
}

// pairs are the attempts and the objects whose id they store.
func (t *table) pairs() (all []check.Pair) {
	for i := range t.attempts {
		a := &t.attempts[i]
		at := slices.IndexFunc(t.objects, func(o fakepsp.Object) bool { return o.ID == a.ProviderID })
		if at < 0 {
			continue
		}
		o := &t.objects[at]
		all = append(all, check.Pair{Attempt: a, Unit: o.ID, UnitKey: o.Key, UnitMade: payment.InstantOf(o.CreatedAt), UnitIsPaid: paid(*o)})
	}
	return all
}

// audited demands that the audits find what a broken rule has left in the
// tables, and nothing else.
func (tr *traffic) audited(twin shop.Twin, seed uint64) {
	tr.t.Helper()
	of, as := tr.table(twin), describe(tr.t)
	as.Attempts.Timezone = "UTC" // of the traffic's shop
	in := check.Input{
		Database: catalog.Database{Asker: asker{tr.db}, Dialect: catalog.SQLite}, Attempts: &as.Attempts, Events: &as.Events, Business: &as.Business,
		Pairs: check.PairsOf(of.pairs()), AsOf: payment.InstantOf(tr.stage.Clock.Now()),
	}
	for _, p := range policies(tr.t) {
		in.Providers = append(in.Providers, check.Provider{Policy: p, KeyRetention: 24 * time.Hour})
		in.Configured = append(in.Configured, p.Provider)
	}
	r, err := check.Run(tr.t.Context(), in)
	tr.must(err)
	x := told{audits: map[string]audit{}}
	for _, f := range r.Findings {
		if f.Level == check.Fault {
			x.audits[f.Name] = audit{Audit: f.Name, Rows: f.Rows, Example: f.Example, Says: f.Says}
		}
	}
	if diff := x.against(left(tr.t, tr.db, of)); diff != "" {
		tr.t.Fatalf("seed %d of %s: %s", seed, twin, diff)
	}
}
