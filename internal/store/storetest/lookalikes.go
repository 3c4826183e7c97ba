package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// lookAlikesAreLoaded: what captured an unknown attempt's amount near it is
// there, however long ago, and with what tells whose it is (RULES §6, the gate).
func lookAlikesAreLoaded(t *testing.T, fresh func(testing.TB) Database) {
	d := scopeDescription()
	d.Status.Unknown = []string{"lost"}
	b := setUp(t, fresh, d, `CREATE TABLE attempts (id text PRIMARY KEY, charge text, reference text, status text, amount bigint, made timestamptz, object text);
INSERT INTO attempts VALUES
 ('lost',    'c1', 'r1', 'lost', 100, '2020-06-15 12:00:00+00:00', NULL),
 ('pending', 'c2', 'r2', 'open', 777, '2020-06-15 12:00:00+00:00', NULL),
 ('other',   'c3', 'r3', 'done', 100, '2020-06-15 12:00:00+00:00', NULL)`)
	near := payment.DayOfDate(2020, 6, 15).Start(time.UTC)
	moved := func(id string, gross int64, after time.Duration, change ...func(*payment.Line)) payment.Line {
		l := line(id, gross)
		l.At = near.Add(after)
		l.Day = payment.DayOf(l.At, time.UTC)
		for _, c := range change {
			c(&l)
		}
		return l
	}
	parcel := func(n int16) func(*payment.Line) {
		return func(l *payment.Line) { l.Unit, l.N, l.Of = "ch_parcels", n, 3 }
	}
	b.page(
		moved("same", 100, time.Hour),
		moved("before", 100, -11*time.Hour),
		moved("linked", 100, time.Hour, func(l *payment.Line) { l.References = []payment.Reference{{Name: "ref", Value: "r3"}} }),
		moved("back", -100, time.Hour, func(l *payment.Line) { l.Kind = payment.KindRefund }),
		moved("presented", 7, time.Hour, func(l *payment.Line) {
			l.Currency, l.Presented, l.PresentedCurrency = money.MustCurrency("USD"), payment.Known(100), brl
		}),
		moved("p1", 34, time.Hour, parcel(1)), moved("p2", 33, time.Hour, parcel(2)), moved("p3", 33, time.Hour, parcel(3)),
		moved("fee", 100, time.Hour, func(l *payment.Line) { l.Kind = payment.KindFee }),
		moved("more", 101, time.Hour),
		moved("late", 100, 72*time.Hour),
		moved("dollar", 100, time.Hour, func(l *payment.Line) { l.Currency = money.MustCurrency("USD") }),
		moved("pending's", 777, time.Hour),
	)
	unit := func(id string, captured int64, after time.Duration) payment.Unit {
		return payment.Unit{
			ID: id, Provider: provider, State: payment.StateCaptured, Captured: payment.Known(captured), Currency: brl,
			CreatedAt: near.Add(after), ObservedAt: near.Add(after),
		}
	}
	b.store(store.Page{Units: []payment.Unit{unit("u-same", 100, time.Hour), unit("u-more", 101, time.Hour), unit("u-late", 100, 72*time.Hour)}})
	loaded, err := load(t.Context(), b.view(), wholeScope())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range loaded.Input.Lines {
		got = append(got, l.ID)
	}
	for _, u := range loaded.Input.Units {
		got = append(got, u.ID)
	}
	for _, a := range loaded.Input.Attempts {
		got = append(got, a.ID)
	}
	slices.Sort(got)
	equal(t, "back before linked lost other p1 p2 p3 pending presented same u-same", strings.Join(got, " "))
}
