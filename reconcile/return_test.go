package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestAReturnHidesNothingOfItsSale: what went back had come in, so an attempt is
// not rightly failed of which only a return is known; and a sale whose lines
// contradict each other stays one, though a return is booked under its id.
func TestAReturnHidesNothingOfItsSale(t *testing.T) {
	t.Parallel()
	line := func(id string, kind payment.Kind, gross int64) payment.Line {
		return payment.Line{ID: id, Unit: "pay_1", Kind: kind, Gross: gross, Net: gross}
	}
	refund := line("r1", payment.KindRefund, -1000)
	conflict := []payment.Line{line("l1", payment.KindCharge, 1290), line("l1", payment.KindCharge, 12990), refund}
	for name, c := range map[string]struct {
		status payment.Status
		lines  []payment.Line
		want   reconcile.Class
	}{
		"failed, a refund alone":                  {payment.Failed, []payment.Line{refund}, reconcile.FailedButCharged},
		"failed, a chargeback alone":              {payment.Failed, []payment.Line{line("d1", payment.KindChargeback, -1290)}, reconcile.FailedButCharged},
		"failed, a fee alone":                     {payment.Failed, []payment.Line{line("f1", payment.KindFee, -39)}, reconcile.NoClass},
		"failed, a contradiction and a refund":    {payment.Failed, conflict, reconcile.ConflictingLines},
		"succeeded, a contradiction and a refund": {payment.Succeeded, conflict, reconcile.ConflictingLines},
		"succeeded, a refund won back besides":    {payment.Succeeded, append(conflict, line("r2", payment.KindRefundReversal, 1000)), reconcile.ConflictingLines},
	} {
		found := ofOneAttempt(c.status, c.lines)
		told := slices.ContainsFunc(found, func(d reconcile.Divergence) bool { return d.Class == c.want })
		if c.want == reconcile.NoClass && len(found) != 0 || c.want != reconcile.NoClass && !told {
			t.Errorf("%s: want %s, got %+v", name, c.want, found)
		}
	}
}

// ofOneAttempt are the divergences about one attempt beside lines of pay_1.
func ofOneAttempt(status payment.Status, lines []payment.Line) []reconcile.Divergence {
	const at = payment.Instant(1_000_000_000_000)
	brl := money.MustCurrency("BRL")
	lines = slices.Clone(lines)
	for i := range lines {
		l := &lines[i]
		l.Provider, l.Statement, l.At, l.Day, l.Currency, l.Row = "psp", "ledger", at, payment.DayOf(at, time.UTC), brl, int32(i+1)
	}
	policy := reconcile.NewPolicy("psp")
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	r := reconcile.Match(reconcile.Input{
		Now: at.Add(48 * time.Hour), Policies: []reconcile.Policy{policy},
		Statements: []payment.Statement{{Name: "ledger", Provider: "psp", Sort: payment.Ledger, Grade: payment.Proven, From: at.Add(-time.Hour), Through: at.Add(48 * time.Hour)}},
		Attempts: []payment.Attempt{{
			ID: "1", Charge: "c1", Provider: "psp", ProviderID: "pay_1", Status: status, CreatedAt: at, LastSent: at, Amount: money.Amount{Minor: 12990, Currency: brl},
		}},
		Lines: lines,
	})
	if r.Defect != "" {
		panic(r.Defect)
	}
	return r.Divergences
}
