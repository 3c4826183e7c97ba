package reconcile

import (
	"testing"
	"time"

	"desfecho/internal/bankday"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// What is due on a day on which no bank books is late only after the next one
// that is a working day: a sale that is listed and not booked, a parcel of a
// plan, and the absence of a sale that only a ledger would show.
func TestNothingIsLateBeforeTheBanksOpen(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	sold := payment.DayOfDate(2026, time.February, 13).Start(time.UTC).Add(12 * time.Hour) // the Friday before Carnival
	attempt := payment.Attempt{
		ID: "1", Charge: "c1", Provider: "acme", ProviderID: "u1", Status: payment.Succeeded, Amount: money.Amount{Minor: 300, Currency: brl}, CreatedAt: sold, LastSent: sold,
	}
	unit := payment.Unit{
		ID: "u1", Provider: "acme", State: payment.StateCaptured, Captured: payment.Known(300), Currency: brl, CreatedAt: sold, Source: payment.FromList, Statement: "objects",
	}
	parcels := unit
	due := payment.DayOf(sold, time.UTC) + 1 // a Saturday
	parcels.Plan = []payment.Parcel{{N: 1, Due: due - 1, Minor: 100}, {N: 2, Due: due, Minor: 200}}
	first := payment.Line{
		ID: "l1", Unit: "u1", Provider: "acme", Statement: "ledger", Kind: payment.KindCharge, Gross: 100, Net: 100, Currency: brl, At: sold, Day: due - 1, N: 1, Of: 2, Row: 1,
	}
	for name, c := range map[string]struct {
		units []payment.Unit
		lines []payment.Line
		late  Class
	}{
		"listed and not booked": {[]payment.Unit{unit}, nil, SettlementLate},
		"a parcel":              {[]payment.Unit{parcels}, []payment.Line{first}, SettlementLate},
		"in no ledger":          {nil, nil, MissingAtProvider},
	} {
		for closed, opens := range map[bool]payment.Instant{
			false: sold.Add(24 * time.Hour),                                                       // Saturday
			true:  payment.DayOfDate(2026, time.February, 18).Start(time.UTC).Add(12 * time.Hour), // Ash Wednesday
		} {
			if name == "a parcel" {
				opens = payment.DayOf(opens, time.UTC).Start(time.UTC).Add(24 * time.Hour) // the end of its day
			}
			for after, late := range map[time.Duration]bool{-time.Minute: false, 11 * time.Minute: true} { // publish_lag is 10 minutes
				policy := NewPolicy("acme")
				policy.SucceededMeans = map[payment.Operation]Means{payment.Charge: MeansCaptured}
				policy.BooksAfter, policy.HasObjectList = 24*time.Hour, len(c.units) > 0
				if closed {
					policy.Closed = bankday.Brazil
				}
				now := opens.Add(after)
				in := Input{
					Now: now, Policies: []Policy{policy}, Attempts: []payment.Attempt{attempt}, Units: c.units, Lines: c.lines,
					Window: payment.Interval{From: sold.Add(-24 * time.Hour), To: sold.Add(24 * time.Hour)},
				}
				in.Statements = readUntil(now, sold, len(c.units) > 0)
				found := false
				for _, d := range Match(in).Divergences {
					found = found || d.Class == c.late
				}
				if found != late {
					t.Errorf("%s, closed days kept: %v, %v after the day: late %v, want %v", name, closed, after, found, late)
				}
			}
		}
	}
}

// readUntil is a ledger that was read up to a moment, and an object list where
// there is one.
func readUntil(now, sold payment.Instant, listed bool) []payment.Statement {
	ledger := payment.Statement{Name: "ledger", Provider: "acme", Sort: payment.Ledger, Grade: payment.Proven, From: sold.Add(-48 * time.Hour), Through: now}
	if !listed {
		return []payment.Statement{ledger}
	}
	objects := ledger
	objects.Name, objects.Sort = "objects", payment.ObjectList
	return []payment.Statement{ledger, objects}
}
