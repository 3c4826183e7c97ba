package shop

import (
	"testing"

	"desfecho/internal/payment"
)

func TestSuccessDominatesAndOnlyADeadEndIsANo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		states []string
		want   payment.Status
	}{
		{nil, payment.Unknown},
		{[]string{"processing"}, payment.Unknown},
		{[]string{"authorized"}, payment.Unknown},
		{[]string{"paid"}, payment.Succeeded},
		{[]string{"refunded"}, payment.Succeeded},
		{[]string{"waiting"}, payment.Succeeded},
		{[]string{"declined"}, payment.Failed},
		{[]string{"expired", "canceled"}, payment.Failed},
		{[]string{"declined", "paid"}, payment.Succeeded},
		{[]string{"paid", "declined"}, payment.Succeeded},
		{[]string{"declined", "processing"}, payment.Unknown},
		{[]string{"a word of tomorrow"}, payment.Unknown},
	} {
		var objects []object
		for _, state := range row.states {
			objects = append(objects, object{ID: state, State: state})
		}
		got := conclude(objects)
		if got.status != row.want || got.status == payment.Succeeded && got.object.dead() {
			t.Errorf("%v: %s", row.states, got.status)
		}
	}
}
