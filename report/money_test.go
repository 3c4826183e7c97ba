package report

import (
	"strings"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestMoneyThatStandsElsewhereIsSaidWithItsFigure: of three that doubled, none
// is 0.00, and no sum holds a line's money twice.
func TestMoneyThatStandsElsewhereIsSaidWithItsFigure(t *testing.T) {
	t.Parallel()
	const kind = reconcile.SubjectAttempt
	brl := money.Currency{'B', 'R', 'L'}
	one := func(class reconcile.Class, amount int64, id string) reconcile.Divergence {
		return reconcile.Divergence{Class: class, Severity: reconcile.P1, Provider: "p", Currency: brl, Amount: amount, Subject: reconcile.Subject{Kind: kind, IDs: []string{id}}}
	}
	twice := func(amount int64, id, same string) reconcile.Divergence {
		d := one(reconcile.DuplicateCharge, amount, id)
		d.SameMoneyAs = &reconcile.Subject{Kind: kind, IDs: []string{same}}
		return d
	}
	failed, unknown, own := one(reconcile.FailedButCharged, 5000, "f"), one(reconcile.UnknownCharged, 7000, "u"), one(reconcile.DuplicateCharge, 100, "o")
	foreign := one(reconcile.UnknownCharged, 1, "f")
	foreign.Provider = "q"
	accepted := failed
	accepted.Attributes = []string{reconcile.AttributeAccepted}
	for name, c := range map[string]struct {
		divergences []reconcile.Divergence
		want        string
	}{
		"none":             {nil, "doubled 0 ·"},
		"all, in one":      {[]reconcile.Divergence{failed, twice(5000, "a", "f"), twice(70, "b", "f")}, "charged and not recorded 50.00 BRL (1) · doubled 50.70 BRL (2), counted in charged and not recorded ·"},
		"some":             {[]reconcile.Divergence{own, unknown, twice(7000, "a", "u")}, "doubled 1.00 BRL (2; 1 of them, 70.00 BRL, counted in stuck) · out unexplained 0.00 · stuck 70.00 BRL (1)"},
		"in several":       {[]reconcile.Divergence{failed, unknown, twice(5000, "a", "f"), twice(7000, "b", "u")}, "doubled 120.00 BRL (2), counted in other figures ·"},
		"of an accepted":   {[]reconcile.Divergence{accepted, twice(5000, "a", "f")}, "charged and not recorded 0.00 · doubled 50.00 BRL (1), counted with what was put aside ·"},
		"another's name":   {[]reconcile.Divergence{foreign, failed, twice(5000, "a", "f")}, "counted in charged and not recorded ·"},
		"of its own kind":  {[]reconcile.Divergence{own, twice(100, "a", "o")}, "doubled 1.00 BRL (2) ·"},
		"in the test mode": {[]reconcile.Divergence{tested(failed), tested(twice(5000, "a", "f"))}, "test mode: charged and not recorded 50.00 BRL (1) · doubled 50.00 BRL (1), counted in charged and not recorded ·"},
	} {
		figures, err := headlines(&reconcile.Result{Divergences: c.divergences})
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, part := range moneyLines(figures)[0] {
			parts = append(parts, part.String())
		}
		if got := strings.Join(parts, " · "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q lacks %q", name, got, c.want)
		}
	}
}

func tested(d reconcile.Divergence) reconcile.Divergence {
	d.Mode = payment.Test
	return d
}
