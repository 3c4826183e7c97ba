package reconcile_test

import (
	"fmt"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// BenchmarkMatch judges n attempts against n lines, of which one in two
// hundred is without attempt: the shape of docs/performance.md in memory.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := plainMonth(n)
			b.ReportAllocs()
			for b.Loop() {
				if r := reconcile.Match(in); r.Defect != "" {
					b.Fatal(r.Defect)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}

func plainMonth(n int) reconcile.Input {
	brl := money.MustCurrency("BRL")
	const start, end = 1_740_787_200_000_000, 1_743_465_600_000_000
	policy := reconcile.NewPolicy("psp")
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	in := reconcile.Input{
		Now: end + 3*86_400_000_000, Policies: []reconcile.Policy{policy},
		Attempts: make([]payment.Attempt, n), Lines: make([]payment.Line, n),
		Statements: []payment.Statement{{
			Name: "ledger", Provider: "psp", Sort: payment.Ledger, Grade: payment.Proven, From: start, Through: end,
		}},
	}
	for i := range n {
		at := payment.Instant(start + int64(i)*(end-start)/int64(n))
		id, unit, reference := fmt.Sprintf("a%09d", i), fmt.Sprintf("pi_%012d", i), fmt.Sprintf("order-%09d", i)
		in.Attempts[i] = payment.Attempt{
			ID: id, Charge: fmt.Sprintf("c%09d", i), Provider: "psp", ProviderID: unit, Key: fmt.Sprintf("k-%032d", i),
			References: []payment.Reference{{Name: "reference", Value: reference}}, Status: payment.Succeeded,
			Amount: money.Amount{Minor: int64(i%9000 + 100), Currency: brl}, CreatedAt: at, LastSent: at,
		}
		if i%200 == 0 {
			unit, reference = "x"+unit, "x"+reference
		}
		in.Lines[i] = payment.Line{
			ID: fmt.Sprintf("l%09d", i), Unit: unit, Provider: "psp", Statement: "ledger", Kind: payment.KindCharge,
			References: []payment.Reference{{Name: "reference", Value: reference}}, Gross: int64(i%9000 + 100),
			Net: int64(i%9000 + 100), Currency: brl, At: at.Add(8_000_000_000), Row: int32(i),
		}
		in.Lines[i].Day = payment.DayOf(in.Lines[i].At, policy.Zone)
	}
	return in
}
