package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// remembered is the input of a run over one account with a ledger of three
// days.
func remembered(statements ...payment.Statement) reconcile.Input {
	day := func(n int) payment.Instant { return payment.DayOfDate(2025, time.March, n).Start(time.UTC) }
	p := reconcile.NewPolicy("psp")
	p.Accounts = []string{"a"}
	in := reconcile.Input{
		Now: day(20), Window: payment.Interval{From: day(10), To: day(13)}, Policies: []reconcile.Policy{p},
		Statements: []payment.Statement{{Name: "ledger", Provider: "psp", Account: "a", Grade: payment.Proven, From: day(10), Through: day(13)}},
	}
	in.Statements = append(in.Statements, statements...)
	return in
}

// TestABalanceThatIsNotLoadedExplainsNothing: a run that holds only some lines
// of a statement cannot say that its residual ended.
func TestABalanceThatIsNotLoadedExplainsNothing(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	in := remembered()
	in.Statements[0].Opening, in.Statements[0].Closing = payment.Known(0), payment.Known(500)
	in.Lines = []payment.Line{{ID: "l1", Kind: payment.KindAdjustment, Provider: "psp", Account: "a", Statement: "ledger", Gross: 400, Net: 400, Currency: brl, At: in.Window.From + 1, Day: payment.DayOf(in.Window.From, time.UTC)}}
	first := reconcile.Match(in)
	if len(first.Divergences) != 1 || first.Divergences[0].Class != reconcile.Unexplained || first.Defect != "" {
		t.Fatalf("found %+v, defect %q", first.Divergences, first.Defect)
	}
	in.Previous = first.Memory
	for range 2 {
		in.Statements[0].Opening, in.Statements[0].Closing = payment.Stated{}, payment.Stated{}
		next := reconcile.Match(in)
		if next.Defect != "" || len(next.Divergences) != 1 {
			t.Fatalf("found %+v, defect %q", next.Divergences, next.Defect)
		}
		d := next.Divergences[0]
		if d.ID != first.Divergences[0].ID || d.LifeState != reconcile.LifePersisting || d.Amount != 100 || d.Reason != "balance_not_loaded" {
			t.Errorf("found %+v", d)
		}
		in.Previous = next.Memory
	}
	in.Statements[0].Opening, in.Statements[0].Closing = payment.Known(0), payment.Known(400)
	if last := reconcile.Match(in); last.Defect != "" || len(last.Divergences) != 0 || last.Memory.Items[0].State != reconcile.LifeResolved {
		t.Errorf("found %+v, %+v, defect %q", last.Divergences, last.Memory.Items, last.Defect)
	}
}

// TestDaysCloseByWhatHadBegun: a second ledger that begins later holds no
// earlier day open, a list alone closes its days, and what nothing was read of
// closes not at all.
func TestDaysCloseByWhatHadBegun(t *testing.T) {
	t.Parallel()
	whole := remembered()
	from := whole.Window.From
	late := payment.Statement{Name: "second", Provider: "psp", Account: "a", Grade: payment.Proven, From: from.Add(24 * time.Hour), Through: whole.Window.To}
	gap := late
	gap.Holes = []payment.Interval{{From: late.From, To: late.From.Add(time.Hour)}}
	list := remembered()
	list.Statements[0].Sort = payment.ObjectList
	noon := remembered()
	noon.Statements[0].From = from.Add(12 * time.Hour)
	for _, test := range []struct {
		name string
		in   reconcile.Input
		want []int
	}{
		{"one ledger", whole, []int{10, 11, 12}},
		{"a second one, later", remembered(late), []int{10, 11, 12}},
		{"a second one, with a hole", remembered(gap), []int{10, 12}},
		{"a list alone", list, []int{10, 11, 12}},
		{"from noon on", noon, []int{11, 12}},
	} {
		var got []int
		for _, d := range reconcile.Match(test.in).Memory.Days {
			got = append(got, int(d.Day-payment.DayOfDate(2025, time.March, 1))+1)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: days %v are closed, want %v", test.name, got, test.want)
		}
	}
}

// TestADoubledChargeStandsUntilItsMoneyIsBack: a later window does not end what
// is still so (RULES §8, part 6).
func TestADoubledChargeStandsUntilItsMoneyIsBack(t *testing.T) {
	t.Parallel()
	brl := money.MustCurrency("BRL")
	in := remembered()
	in.Policies[0].SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	for i, id := range []string{"a1", "a2"} {
		at := in.Window.From.Add(time.Duration(i+1) * time.Hour)
		in.Attempts = append(in.Attempts, payment.Attempt{
			ID: id, Charge: "c1", Provider: "psp", ProviderID: "u" + id, Status: payment.Succeeded, CreatedAt: at, LastSent: at,
			Amount: money.Amount{Minor: 100, Currency: brl},
		})
		in.Lines = append(in.Lines, payment.Line{
			ID: "l" + id, Unit: "u" + id, Kind: payment.KindCharge, Provider: "psp", Account: "a", Statement: "ledger",
			Gross: 100, Net: 100, Currency: brl, At: at, Day: payment.DayOf(at, time.UTC),
		})
	}
	first := reconcile.Match(in)
	if len(first.Divergences) != 1 || first.Divergences[0].Class != reconcile.DuplicateCharge || first.Defect != "" {
		t.Fatalf("found %+v, defect %q", first.Divergences, first.Defect)
	}
	in.Previous = first.Memory
	in.Window.From = in.Window.From.Add(48 * time.Hour)
	next := reconcile.Match(in)
	if len(next.Divergences) != 1 || next.Divergences[0].LifeState != reconcile.LifePersisting || next.Defect != "" {
		t.Errorf("found %+v, remembered %+v, defect %q", next.Divergences, next.Memory.Items, next.Defect)
	}
}
