package store

import (
	"testing"

	"desfecho/internal/payment"
)

func TestEveryWriteHasTheEffectOfItsOwnTransition(t *testing.T) {
	t.Parallel()
	d := Description{
		Read: "a", Columns: Columns{ID: "id", Status: "s", Amount: "m", Unit: "minor", CreatedAt: "c"}, Currency: "BRL", Provider: "p",
		Status: StatusWords{Pending: []string{"pending"}, Unknown: []string{"?"}, Succeeded: []string{"yes"}, Failed: []string{"no"}},
		Transitions: []Transition{
			{To: "unknown"},
			{To: "succeeded"},
			{To: "failed", FollowUp: []FollowUp{{SQL: "UPDATE reserves SET state = 'released' WHERE attempt = $id"}}},
		},
	}
	r, err := d.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to payment.Status
		steps    int
	}{{payment.Pending, payment.Unknown, 0}, {payment.Unknown, payment.Succeeded, 0}, {payment.Unknown, payment.Failed, 1}} {
		w := Settlement{Seen: &Seen{Attempt: payment.Attempt{Status: c.from}}, Status: c.to, Transition: c.to.String()}
		effect, err := r.Settleable(&w)
		if err != nil || effect.To != c.to.String() || len(effect.Steps) != c.steps {
			t.Errorf("from %s to %s: the effect of %q, %v", c.from, c.to, effect.To, err)
		}
	}
}
