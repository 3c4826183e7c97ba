package evidence

import (
	"testing"

	"desfecho/internal/payment"
)

// A unit whose account only another one's parent tells may name a parent of a
// third account: it has none then.
func TestAParentOfAnotherAccountIsNone(t *testing.T) {
	t.Parallel()
	p := NewPolicy("psp")
	seen := []*payment.Unit{
		{ID: "p1", Provider: "psp", Parent: "pp", State: payment.StateCaptured},
		{ID: "pp", Provider: "psp", Account: "y", State: payment.StateCaptured},
		{ID: "p2", Provider: "psp", Account: "x", Parent: "p1", State: payment.StateCaptured},
	}
	facts := Look(Component{Units: seen}, func(string) *Policy { return &p }, 1)
	parents := map[string]string{}
	for _, u := range facts.Units {
		if u.Parent != nil {
			parents[u.ID] = u.Parent.ID
		}
	}
	if len(facts.Units) != 3 || parents["p1"] != "" || parents["p2"] != "p1" {
		t.Errorf("%d units, parents %v; want p2's to be p1, and p1 without", len(facts.Units), parents)
	}
}
