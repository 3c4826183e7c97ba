package reconcile_test

import (
	"testing"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// TestWhatALedgerAloneTellsWaitsForTheListThatNamesIt: rows without a reference
// are nobody's only where the list of objects was read, and until then their
// day stays open, so that what comes to light is judged (law 7).
func TestWhatALedgerAloneTellsWaitsForTheListThatNamesIt(t *testing.T) {
	t.Parallel()
	first := payment.DayOfDate(2025, time.March, 10)
	at := func(day payment.Day) payment.Instant { return day.Start(time.UTC) }
	brl := money.MustCurrency("BRL")
	for name, c := range map[string]struct {
		torn   bool // the list, on the day
		listed bool // the row carries a reference
		told   bool
		closed bool
	}{
		"the list was read":     {false, false, true, true},
		"the list is torn":      {true, false, false, false},
		"the row names a try":   {true, true, true, false},
		"all of it is in order": {false, true, true, true},
	} {
		line := payment.Line{
			ID: "l1", Unit: "pay_1", Provider: "psp", Statement: "ledger", Kind: payment.KindCharge, Gross: 500, Net: 500, Currency: brl,
			At: at(first + 1), Day: first + 1, DayOnly: true,
		}
		if c.listed {
			line.References = []payment.Reference{{Name: "try", Value: "1", Scope: payment.ScopeAttempt}}
		}
		list := payment.Statement{Name: "list", Provider: "psp", Sort: payment.ObjectList, Grade: payment.Proven, From: at(first), Through: at(first + 4)}
		if c.torn {
			list.Holes = []payment.Interval{{From: at(first + 1), To: at(first+1) + 1}}
		}
		ledger := list
		ledger.Name, ledger.Sort, ledger.Holes = "ledger", payment.Ledger, nil
		p := reconcile.NewPolicy("psp")
		p.HasObjectList = true
		p.SucceededMeans = map[payment.Operation]evidence.Means{payment.Charge: evidence.MeansCaptured}
		r := reconcile.Match(reconcile.Input{
			Now: at(first + 5), Window: payment.Interval{From: at(first), To: at(first + 4)}, Policies: []reconcile.Policy{p},
			Statements: []payment.Statement{list, ledger}, Lines: []payment.Line{line},
		})
		told, closed := false, false
		for _, d := range r.Divergences {
			told = told || d.Class == reconcile.UnrecordedCharge
		}
		for _, d := range r.Memory.Days {
			closed = closed || d.Day == first+1
		}
		row := r.Bridges[0].Lines[0].Row
		if told != c.told || told != (row == "unrecorded_in") || !told && row != "cannot_be_judged" || closed != c.closed || r.Defect != "" {
			t.Errorf("%s: told %v, closed %v, in row %s; %+v %s", name, told, closed, row, r.Divergences, r.Defect)
		}
	}
}
