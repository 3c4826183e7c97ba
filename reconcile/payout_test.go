package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestAPayoutInAHoleIsNotVerified: what it holds may stand on pages that were
// lost; where it was read to the end, its lines must add up (law 7).
func TestAPayoutInAHoleIsNotVerified(t *testing.T) {
	t.Parallel()
	const made, paid, now = payment.Instant(1_000_000_000_000), payment.Instant(1_000_000_500_000), payment.Instant(1_000_900_000_000)
	brl := money.MustCurrency("BRL")
	for through, want := range map[payment.Instant]bool{paid: false, paid + 1: true} {
		line := func(id string, kind payment.Kind, net int64, at payment.Instant) payment.Line {
			return payment.Line{
				ID: id, Provider: "psp", Statement: "ledger", Kind: kind, Gross: net, Net: net, Currency: brl, At: at, Day: payment.DayOf(at, time.UTC), Payout: "po_1",
			}
		}
		r := reconcile.Match(reconcile.Input{
			Now: now, Policies: []reconcile.Policy{reconcile.NewPolicy("psp")},
			Statements: []payment.Statement{{
				Name: "ledger", Provider: "psp", Sort: payment.Ledger, Grade: payment.Proven, From: made - 1, Through: through, Members: payment.AllMembers,
			}},
			Lines: []payment.Line{line("l1", payment.KindAdjustment, 400, made), line("l2", payment.KindPayout, -900, paid)},
		})
		told := slices.ContainsFunc(r.Divergences, func(d reconcile.Divergence) bool { return d.Class == reconcile.PayoutMismatch })
		if told != want || r.Defect != "" || len(r.Bridges) != 1 || r.Bridges[0].Payouts[0].Unverifiable == want {
			t.Errorf("read to %s, the payout is of %s: told %v; %+v %s", through, paid, told, r.Bridges, r.Defect)
		}
	}
}
