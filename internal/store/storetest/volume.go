package storetest

import (
	"fmt"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Volume measures storing and loading: each round stores a page of 20,000
// lines of shuffled ids, then a run over all of them is loaded.
func Volume(b *testing.B, fresh func(tb testing.TB) Database) {
	const size = 20_000
	s := setUp(b, fresh, scopeDescription(), scopeTable)
	total := 0
	for b.Loop() {
		numbers := store.NewNumbers(true)
		lines := make([]payment.Line, size)
		for i := range lines {
			n := total + i
			l := line(fmt.Sprintf("txn_%x", uint64(n)*0x9E3779B97F4A7C15), int64(n))
			l.Payout, l.Fee, l.Raw, l.Status = fmt.Sprint("po_", n/5000), 3, "payment", "available"
			l.References = []payment.Reference{{Name: "charge_id", Scope: payment.ScopeCharge, Value: fmt.Sprint(n)}}
			lines[i] = l
		}
		s.store(store.Page{Source: "volume", Lines: numbers.Lines(lines)})
		total += size
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "lines/s") //nolint:forbidigo // a rate, not money
	began := time.Now()                                             //nolint:forbidigo // a measurement
	loaded, err := load(b.Context(), s.view(), store.Scope{
		Now: at("23:00:00"), Window: payment.Interval{From: at("00:00:00"), To: at("23:00:00")}, Policies: []reconcile.Policy{reconcile.NewPolicy(provider)},
	})
	if err != nil || len(loaded.Input.Lines) != total {
		b.Fatal(err)
	}
	b.ReportMetric(float64(total)/time.Since(began).Seconds(), "loaded/s") //nolint:forbidigo // a rate, not money
}
