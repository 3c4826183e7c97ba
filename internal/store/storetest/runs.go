package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// judged is a small world judged: one line that nothing here made, one attempt
// in transit, so that the result has something of everything.
func judged(previous *reconcile.Memory, more ...payment.Line) *reconcile.Result {
	policy := reconcile.NewPolicy(provider)
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{payment.Charge: reconcile.MeansCaptured}
	policy.BooksAfter = 48 * time.Hour
	moving := at("23:59:59").Add(3600 * 1e9) // on the next day, so that this one can close
	day := payment.Interval{From: at("00:00:00"), To: at("00:00:00").Add(24 * 3600 * 1e9)}
	result := reconcile.Match(reconcile.Input{
		Now: day.To.Add(2 * 3600 * 1e9), Window: payment.Interval{From: day.From, To: day.To.Add(2 * 3600 * 1e9)}, Policies: []reconcile.Policy{policy},
		Attempts: []payment.Attempt{
			{ID: "a1", Charge: "c1", Provider: provider, Account: account, ProviderID: "ch_1", Amount: money.Amount{Minor: 100, Currency: brl}, CreatedAt: at("11:00:00"), LastSent: at("11:00:00"), Status: payment.Succeeded},
			{ID: "a2", Charge: "c2", Provider: provider, Account: account, Amount: money.Amount{Minor: 70, Currency: brl}, CreatedAt: moving, LastSent: moving, Status: payment.Succeeded},
			{ID: "a3", Charge: "c3", Provider: provider, Account: account, Amount: money.Amount{Minor: 30, Currency: brl}, CreatedAt: at("11:00:00"), LastSent: at("11:00:00"), Status: payment.Unknown},
		},
		Lines:      append([]payment.Line{line("1", 100), line("9", 900)}, more...),
		Statements: []payment.Statement{{Name: "balance", Provider: provider, Account: account, From: day.From, Through: day.To, Grade: payment.Proven, Opening: payment.Known(0), Closing: payment.Known(1000)}},
		Previous:   previous,
	})
	return &result
}

func runOf(id string, result *reconcile.Result, from store.LoadedFrom) store.Run {
	if from.Days == nil {
		from.Days = []store.DayRange{{Provider: provider, First: payment.DayOfDate(2025, 3, 10), Last: payment.DayOfDate(2025, 3, 10)}}
	}
	return store.Run{ID: id, At: result.Now, Began: result.Now + 1, Program: "test", Providers: []string{provider}, Loaded: from, Result: result}
}

func someRun(id string) store.Run { return runOf(id, judged(nil), store.LoadedFrom{}) }

func (b *bench) save(run store.Run) {
	b.Helper()
	if err := b.SaveRun(b.Context(), []store.Lease{b.lease}, run); err != nil {
		b.Fatal(err)
	}
}

// memory is what a run over the suite's day would load.
func (b *bench) memory() (*reconcile.Memory, store.LoadedFrom) {
	b.Helper()
	days := []store.DayRange{{Provider: provider, First: payment.DayOfDate(2025, 3, 10), Last: payment.DayOfDate(2025, 3, 10)}}
	v, err := b.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close() //nolint:errcheck // only read
	m, from, err := v.(store.Source).Memory(b.Context(), []string{provider}, days)
	if err != nil {
		b.Fatal(err)
	}
	return m, from
}

func runWhole(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	if m, _ := b.memory(); m != nil {
		t.Errorf("a memory before the first run: %v", m)
	}
	run := someRun("r1")
	if len(run.Result.Divergences) == 0 || len(run.Result.Transit) == 0 || len(run.Result.Memory.Days) == 0 || len(run.Result.Bridges) == 0 || run.Result.Defect != "" {
		t.Fatalf("the suite's own run is too poor: %+v", run.Result)
	}
	b.save(run)
	got, err := b.Run(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	want := run
	slim := *run.Result
	slim.Memory = nil
	want.Result, want.Loaded = &slim, store.LoadedFrom{}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the run came back otherwise (-want +got)\n%s", diff)
	}
	memory, from := b.memory()
	if diff := cmp.Diff(run.Result.Memory, memory, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the memory came back otherwise (-want +got)\n%s", diff)
	}
	equal(t, "r1", from.Follows[provider])
	_, err = b.Run(t.Context(), "r2")
	wants(t, err, store.ErrNoRun)
}

func runReplayed(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	b.save(someRun("r1"))
	memory, from := b.memory()
	b.save(someRun("r1"))
	again, fromAgain := b.memory()
	equal(t, memory, again)
	equal(t, from, fromAgain)
}

func runMoved(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	b.save(someRun("r1"))
	wants(t, b.SaveRun(t.Context(), nil, someRun("r2")), store.ErrMoved) // it says that it is the first
	_, err := b.Run(t.Context(), "r2")
	wants(t, err, store.ErrNoRun)
	memory, from := b.memory()
	b.save(runOf("r3", judged(memory), from))
	wants(t, b.SaveRun(t.Context(), nil, runOf("r4", judged(memory), from)), store.ErrMoved)
	latest, err := b.view().LatestRun(t.Context(), provider)
	if err != nil || latest != "r3" {
		t.Errorf("the last run is %q, %v", latest, err)
	}
}

func runTold(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	untold := func() bool {
		_, from := b.memory()
		return from.Untold
	}
	tell := func(run string) {
		if err := b.Told(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, false, untold()) // there is none
	b.save(someRun("r1"))
	equal(t, true, untold())
	tell("r1")
	tell("another")
	equal(t, false, untold())
	memory, from := b.memory()
	b.save(runOf("r2", judged(memory), from))
	tell("r1") // late: another is the last one
	equal(t, true, untold())
}

func runLife(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	b.save(someRun("r1"))
	first, from := b.memory()
	b.page(line("8", 5)) // late: another report of the day
	late, err := b.view().LateDays(t.Context(), []string{provider})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []reconcile.DayDigest{{Provider: provider, Account: account, Day: payment.DayOfDate(2025, 3, 10), Lines: 1}}, late)
	closed, err := b.view().ClosedDays(t.Context(), []string{provider, "other"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, first.Days, closed)
	second := judged(first, line("8", 5))
	if len(second.Reopened) != 1 {
		t.Errorf("the day is not open again: %v", second.Reopened)
	}
	b.save(runOf("r2", second, from))
	memory, _ := b.memory()
	states := map[reconcile.Life]int{}
	for _, item := range memory.Items {
		states[item.State]++
		if item.State == reconcile.LifePersisting && item.FirstSeen == 0 {
			t.Errorf("%s forgot when it was first seen", item.ID)
		}
	}
	if states[reconcile.LifePersisting] != len(first.Items) || states[reconcile.LifeNew] != len(memory.Items)-len(first.Items) || len(memory.Items) == len(first.Items) {
		t.Errorf("after a second run with one line more: %v", memory.Items)
	}
}

func runNotes(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	note := store.Note{Divergence: "d1", Kind: store.NoteAccept, Until: at("12:00:00"), Class: "unrecorded_charge", Minor: 900, Currency: "BRL", Text: "gift", Operator: "ana"}
	other := store.Note{Divergence: "d2", Kind: store.NoteText, Text: "looked at", Operator: "bia"}
	for _, n := range []store.Note{note, other} {
		if err := b.Note(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	ignore := cmpopts.IgnoreFields(store.Note{}, "At", "Login", "Number")
	v := b.view()
	for _, c := range []struct {
		ids  []string
		want []store.Note
	}{{nil, []store.Note{note, other}}, {[]string{"d2"}, []store.Note{other}}, {[]string{}, nil}} {
		got, err := v.Notes(t.Context(), c.ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got, ignore, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("notes of %v (-want +got)\n%s", c.ids, diff)
		}
		for _, n := range got {
			if n.At.IsZero() || n.Number == 0 {
				t.Error("a note without time or number")
			}
		}
	}
}

// runLapses: what lapsed is noted with the run that says so or not at all.
func runLapses(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	lapsed := store.Note{Divergence: "d1", Kind: store.NoteLapsed, Ends: 7, Class: "unrecorded_charge", Minor: 5, Currency: "BRL", Text: "the amount is another", Operator: "desfecho"}
	run := someRun("r1")
	run.Lapsed = []store.Note{lapsed}
	b.save(run)
	b.save(run) // a lost reply is settled by saving again
	run.ID = "r2"
	wants(t, b.SaveRun(t.Context(), nil, run), store.ErrMoved)
	notes, err := b.view().Notes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Note{lapsed}, notes, cmpopts.IgnoreFields(store.Note{}, "At", "Login", "Number")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
