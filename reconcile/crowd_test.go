package reconcile_test

import (
	"fmt"
	"testing"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// A column that says the same for everybody links nobody, makes one entry, and
// does not make the run quadratic (a hundred thousand rows here).
func TestAReferenceThatEverybodySharesIsOneCollision(t *testing.T) {
	t.Parallel()
	const n = 100_000
	in := plainMonth(n)
	for i := range in.Attempts {
		in.Attempts[i].ProviderID = ""
		in.Attempts[i].References = []payment.Reference{{Name: "reference", Value: "N/A"}}
		in.Lines[i].Unit = fmt.Sprint("u", i)
		in.Lines[i].References = []payment.Reference{{Name: "reference", Value: "N/A"}}
	}
	r := reconcile.Match(in)
	if len(r.Divergences) != 1 || r.Divergences[0].Class != reconcile.ReferenceCollision {
		t.Fatalf("got %d divergences, want one reference_collision", len(r.Divergences))
	}
	d := r.Divergences[0]
	if d.Reference != "N/A" || len(d.Attempts) != n || r.Defect != "" {
		t.Errorf("reference %q of %d attempts, defect %q", d.Reference, len(d.Attempts), r.Defect)
	}
	for _, row := range r.Bridges[0].Lines {
		if row.Row != "cannot_be_judged" {
			t.Errorf("line row %s: want cannot_be_judged alone", row.Row)
		}
	}
}
