package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// scopeOutside: of random rows, most of them outside of the window, those that
// share a key with one inside are loaded and no others, over any number of
// steps.
func scopeOutside(t *testing.T, fresh func(testing.TB) Database) {
	r := rand.New(rand.NewPCG(3, 9))
	pick := func(prefix string) string { return fmt.Sprint(prefix, r.IntN(400)) }
	var table strings.Builder
	table.WriteString("CREATE TABLE attempts (id text PRIMARY KEY, charge text, reference text, status text, amount bigint, made timestamptz, object text);")
	for i := range 120 {
		fmt.Fprintf(&table, "INSERT INTO attempts VALUES ('a%d', '%s', '%s', '%s', 100, '2025-03-%02d 12:00:00+00:00', '%s');",
			i, pick("c"), pick("r"), []string{"done", "void", "done", "open"}[r.IntN(8)/2], 1+r.IntN(28), pick("ch"))
	}
	b := setUp(t, fresh, scopeDescription(), table.String())
	kinds := []payment.Kind{payment.KindCharge, payment.KindFee, payment.KindRefund, payment.KindPayout, payment.KindChargeback}
	var lines []payment.Line
	var units []payment.Unit
	for i := range 120 {
		l := onDay(line(fmt.Sprint("l", r.IntN(100)), int64(i)), 1+r.IntN(28))
		l.Kind, l.Unit = kinds[r.IntN(len(kinds))], pick("ch")
		if r.IntN(3) == 0 {
			l.Parent, l.Payout = pick("ch"), pick("po")
		}
		if r.IntN(3) == 0 {
			l.References = []payment.Reference{{Name: []string{"ref", "other"}[r.IntN(2)], Value: pick("r")}}
		}
		if r.IntN(9) == 0 {
			l.ForeignCharge = pick("c")
		}
		lines = append(lines, l)
		units = append(units, payment.Unit{
			ID: pick("ch"), Aliases: []string{pick("pi")}, Parent: pick("ch"), Provider: provider, ObservedAt: payment.Instant(i + 1),
			CreatedAt: payment.DayOfDate(2025, 3, 1+r.IntN(28)).Start(time.UTC), References: l.References,
		})
	}
	b.page(lines...)
	b.store(store.Page{Units: units})
	view, sizes := b.view(), map[int]bool{}
	for day := 1; day <= 28; day += 3 {
		scope := wholeScope()
		scope.Window = payment.Interval{From: payment.DayOfDate(2025, 3, day).Start(time.UTC), To: payment.DayOfDate(2025, 3, day+1).Start(time.UTC)}
		loaded, err := load(t.Context(), view, scope)
		if err != nil {
			t.Fatal(err)
		}
		sizes[len(loaded.Input.Attempts)+len(loaded.Input.Lines)+len(loaded.Input.Units)] = true
	}
	if len(sizes) < 3 {
		t.Errorf("every window loads as much as every other: %v", sizes)
	}
}

// scopeBadOutside: a row that cannot be read ends a run that needs it, and no
// other.
func scopeBadOutside(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, scopeDescription(), scopeTable+`
INSERT INTO attempts VALUES ('bad', 'c99', 'r99', 'done', NULL, '2019-01-01 11:00:00+00:00', 'ch_99');`)
	b.page(line("1", 100))
	if _, err := load(t.Context(), b.view(), wholeScope()); err != nil {
		t.Fatal(err)
	}
	asks := line("2", 100)
	asks.Unit = "ch_99"
	b.page(asks)
	view := b.view()
	for _, upTo := range []int{0, -1} {
		scope := wholeScope()
		scope.AskUpTo = upTo
		_, err := view.Load(t.Context(), scope)
		if bad := new(store.BadRowError); !errors.As(err, &bad) || bad.ID != "bad" {
			t.Errorf("up to %d: %v", upTo, err)
		}
	}
}
