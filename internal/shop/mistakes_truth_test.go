package shop_test

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
)

// What is true of an open attempt, whatever the class it is listed under at
// that moment.
const (
	openCharged = "open, carried out there"
	openAbsent  = "open, nothing there"
)

// plain gives classes that say the same of an open attempt one name.
func plain(class string) string {
	switch class {
	case "unknown_charged", "pending_charged":
		return openCharged
	case "unknown_not_found", "unknown_waiting", "pending_stale":
		return openAbsent
	}
	return class
}

// table is one of the shop's two tables of attempts.
type table struct {
	config   string
	provider string
	twin     shop.Twin
	attempts []payment.Attempt // ids and charges as in the table
	objects  []fakepsp.Object
}

func (d *drama) tables(twin shop.Twin) []table {
	d.t.Helper()
	attempts, err := d.Shop.Attempts(d.t.Context())
	d.must(err)
	cobrancas, err := d.Shop.Cobrancas(d.t.Context())
	d.must(err)
	for i := range cobrancas {
		cobrancas[i].ID = strings.TrimPrefix(cobrancas[i].ID, "cobranca-")
		cobrancas[i].Charge = strings.TrimPrefix(cobrancas[i].Charge, "pedido-")
	}
	return []table{
		{"desfecho.yaml", shop.Loja, twin, attempts, d.Providers[shop.Loja].Objects()},
		{"cobranca.yaml", shop.Caixa, twin, cobrancas, d.Providers[shop.Caixa].Objects()},
	}
}

// bare tells that the table is the one with no word for unknown, no provider's
// id and no error.
func (t *table) bare() bool { return t.provider == shop.Caixa }

// of are the objects that were made for a charge.
func (t *table) of(charge string) (all []fakepsp.Object) {
	for _, o := range t.objects {
		if o.Metadata[shop.RefCharge] == charge || o.Metadata[shop.RefPedido] == charge {
			all = append(all, o)
		}
	}
	return all
}

// own are those that were made for one attempt.
func (t *table) own(a *payment.Attempt) (all []fakepsp.Object) {
	for _, o := range t.of(a.Charge) {
		if t.bare() || o.Metadata[shop.RefKey] == a.Key {
			all = append(all, o)
		}
	}
	return all
}

func paid(o fakepsp.Object) bool { return o.PaidAt != nil }

// harm is what really stands between the provider's books and the table, in
// classes and their subjects, without a word of the judged code.
func (t *table) harm() map[string][]string {
	all := map[string][]string{}
	add := func(class, subject string) {
		if !slices.Contains(all[class], subject) {
			all[class] = append(all[class], subject)
			slices.Sort(all[class])
		}
	}
	for i := range t.attempts {
		a := &t.attempts[i]
		var taken, times int64
		for _, o := range t.of(a.Charge) {
			if paid(o) {
				taken, times = taken+o.Captured-o.Refunded, times+1
			}
		}
		if times > 1 && taken > a.Amount.Minor {
			add("duplicate_charge", a.Charge)
		}
		if open := t.sharing(a, func(b *payment.Attempt) bool { return b.Status.Open() }); a.Status.Open() && len(open) > 1 {
			add("two_open_attempts", a.Charge)
		}
		same := t.sharing(a, func(b *payment.Attempt) bool { return b.Key == a.Key })
		own := t.own(a)
		switch {
		case len(same) > 1: // whose the one object is cannot be told
			add("ambiguous_match", strings.Join(same, "+"))
		case a.Status == payment.Failed && slices.ContainsFunc(own, paid):
			add("failed_but_charged", a.ID)
		case a.Status.Open() && slices.ContainsFunc(own, paid):
			add(openCharged, a.ID)
		case a.Status.Open() && len(own) == 0:
			add(openAbsent, a.ID)
		}
	}
	return all
}

// sharing are the attempts of the same charge of which something is true.
func (t *table) sharing(a *payment.Attempt, is func(*payment.Attempt) bool) (ids []string) {
	for i := range t.attempts {
		if b := &t.attempts[i]; b.Charge == a.Charge && is(b) {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// left is what a broken rule has left in the table: the audits that must end as
// a fault, and their rows.
func left(tb testing.TB, db *sql.DB, t *table) map[string][]string {
	tb.Helper()
	all := map[string][]string{}
	add := func(name, row string) {
		if !slices.Contains(all[name], row) {
			all[name] = append(all[name], row)
		}
	}
	if t.bare() || t.twin == shop.CheckThenAct {
		all["open_index"] = nil // the table of cobranças has none in any shop
	}
	if t.bare() && t.twin == shop.CheckThenAct {
		all["unique_key"] = nil
	}
	for i := range t.attempts {
		a := &t.attempts[i]
		if t.twin == shop.KeyFromOrder {
			add("key_from_order", a.ID)
		}
		if ids := t.sharing(a, func(b *payment.Attempt) bool { return b.Status.Open() }); len(ids) > 1 {
			add("two_open_attempts", a.Charge)
		}
		accepted := a.Operation == payment.Refund || a.Provider == shop.Banco // no payment yet, or a part of one
		if ids := t.sharing(a, func(b *payment.Attempt) bool { return b.Status == payment.Succeeded }); len(ids) > 1 && !accepted {
			add("several_succeeded", a.Charge)
		}
		if a.Status == payment.Failed && a.LastError != payment.ErrorCardRefused && a.LastError != payment.Error4xx && !t.bare() {
			add("failed_on_doubt", a.ID)
		}
		if a.Reserve == payment.ReserveReleased && a.Status != payment.Failed {
			add("reserve_freed", a.ID)
		}
		for _, o := range t.objects {
			if o.ID == a.ProviderID && o.Key != a.Key {
				add("key_per_call", a.ID)
			}
		}
	}
	if t.bare() {
		return all
	}
	seen := map[string]bool{}
	for id, charge := range credits(tb, db) {
		if seen[charge] {
			add("double_credit", charge)
		}
		if seen[charge] = true; !slices.ContainsFunc(t.of(charge), paid) {
			add("credit_without_payment", id)
		}
	}
	return all
}

// credits are the ledger's, id to charge.
func credits(tb testing.TB, db *sql.DB) map[string]string {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), `SELECT CAST(id AS text), CAST(charge_id AS text) FROM ledger_entries WHERE kind = 'credit'`)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var id, charge string
		if err := rows.Scan(&id, &charge); err != nil {
			tb.Fatal(err)
		}
		all[id] = charge
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// against compares the faults that the audits found with what was left behind:
// names, numbers and examples; "" where they are the same.
func (x *told) against(want map[string][]string) string {
	text := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(x.audits)))
	for name, rows := range want {
		if f, ok := x.audits[name]; ok && (f.Rows != int64(len(rows)) || len(rows) > 0 && !slices.Contains(rows, f.Example)) {
			text += fmt.Sprintf("%s tells %d rows such as %s, want %v\n", name, f.Rows, f.Example, rows)
		}
	}
	return text
}

// judge demands that what is told is what is true: every harm by its name with
// its row, and nothing else.
func (d *drama) judge(t *testing.T, of *table, x told, when string) {
	t.Helper()
	listed := map[string][]string{}
	for class, ids := range x.classes {
		listed[plain(class)] = append(listed[plain(class)], ids...)
	}
	for _, ids := range listed {
		slices.Sort(ids)
	}
	if diff := cmp.Diff(of.harm(), listed); diff != "" {
		t.Errorf("%s, %s: reconcile (-happened +listed)\n%s", when, of.provider, diff)
	}
	if diff := x.against(left(t, d.db, of)); diff != "" {
		t.Errorf("%s, %s: check (-left behind +found)\n%s", when, of.provider, diff)
	}
	for name := range x.warned {
		if name != "orphans" || !of.bare() {
			t.Errorf("%s, %s: check warns of %s", when, of.provider, fmt.Sprint(x.warned[name]))
		}
	}
}
