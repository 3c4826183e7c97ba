package evidence

import (
	"fmt"
	"testing"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// TestALineBooksTheParcelThatItNames: where each parcel is an object of its own,
// a line names the object and not its number; what is booked is not owed again.
func TestALineBooksTheParcelThatItNames(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	first := payment.DayOfDate(2026, 6, 1)
	for booked := range 4 {
		var c Component
		for n := 1; n <= 3; n++ {
			id := fmt.Sprint("parcel-", n)
			due := first + payment.Day(30*(n-1))
			c.Units = append(c.Units, &payment.Unit{
				ID: id, Group: "sale", N: n, Of: 3, Provider: "psp", State: payment.StateCaptured, Captured: payment.Known(100), Currency: brl,
				Plan: []payment.Parcel{{N: n, Due: due, Minor: 100}},
			})
			if n <= booked {
				c.Lines = append(c.Lines, &payment.Line{
					ID: fmt.Sprint("line-", n), Unit: id, Provider: "psp", Kind: payment.KindCharge, Gross: 100, Net: 100, Currency: brl, Day: due, Row: int32(n),
				})
			}
		}
		policy := NewPolicy("psp")
		now := (first + payment.Day(30*max(booked-1, 0)) + 2).Start(policy.Zone) // the next parcel is not due
		units := Look(c, func(string) *Policy { return &policy }, now).Units
		m := units[0].Money
		owed := int64(300 - 100*booked)
		if booked == 0 {
			owed = 0 // without a line the list alone speaks
		}
		if len(units) != 1 || m.Captured != payment.Known(300) || m.Booked != int64(100*booked) || m.NotDue != owed || m.Overdue != 0 {
			t.Errorf("%d of 3 booked: %d units, %+v", booked, len(units), m)
		}
	}
}

// TestALineThatDoesNotSayOfHowManyLeavesOpenWhatFollows: a parcel n of a sale
// that nothing else tells of is no sale of that amount.
func TestALineThatDoesNotSayOfHowManyLeavesOpenWhatFollows(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	for _, c := range []struct {
		n, of int16
		told  bool
		want  payment.Stated
		due   int64
	}{
		{2, 0, false, payment.Stated{}, 0},
		{2, 0, true, payment.Known(300), 200},
		{1, 1, false, payment.Known(100), 0},
		{0, 0, false, payment.Known(100), 0},
		{2, 3, false, payment.Stated{}, 0},
	} {
		in := Component{Lines: []*payment.Line{{
			ID: "line", Unit: "sale", Provider: "psp", Kind: payment.KindCharge, Gross: 100, Net: 100, Currency: brl, Day: 1, N: c.n, Of: c.of,
		}}}
		if c.told {
			in.Units = []*payment.Unit{{ID: "sale", Provider: "psp", State: payment.StateCaptured, Captured: payment.Known(300), Currency: brl}}
		}
		policy := NewPolicy("psp")
		m := Look(in, func(string) *Policy { return &policy }, payment.Day(9).Start(policy.Zone)).Units[0].Money
		if m.Captured != c.want || m.NotDue != c.due {
			t.Errorf("%d of %d, told %v: captured %+v, not due %d; want %+v, %d", c.n, c.of, c.told, m.Captured, m.NotDue, c.want, c.due)
		}
	}
}
