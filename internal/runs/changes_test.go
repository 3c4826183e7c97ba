package runs

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

var brl = money.MustCurrency("BRL")

func divergence(id string, class reconcile.Class, severity reconcile.Severity, minor int64) reconcile.Divergence {
	return reconcile.Divergence{ID: id, Class: class, Severity: severity, Amount: minor, Currency: brl}
}

func item(id string, class reconcile.Class, severity reconcile.Severity, minor int64, state reconcile.Life) reconcile.Item {
	return reconcile.Item{ID: id, Class: class, Severity: severity, Amount: money.Amount{Minor: minor, Currency: brl}, State: state}
}

// TestWhatIsNewIsToldOnce: new, back again, another class, severity or amount;
// and what ended, in the run in which it ended.
func TestWhatIsNewIsToldOnce(t *testing.T) {
	t.Parallel()
	before := &reconcile.Memory{Items: []reconcile.Item{
		item("same", reconcile.UnknownCharged, reconcile.P1, 100, reconcile.LifePersisting),
		item("class", reconcile.UnknownWaiting, reconcile.P4, 100, reconcile.LifeNew),
		item("severity", reconcile.UnknownOpen, reconcile.P3, 100, reconcile.LifeNew),
		item("amount", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeNew),
		item("back", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeResolved),
		item("gone", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeNew),
		item("long gone", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeResolved),
	}}
	r := &reconcile.Result{
		Divergences: []reconcile.Divergence{
			divergence("same", reconcile.UnknownCharged, reconcile.P1, 100), divergence("class", reconcile.UnknownCharged, reconcile.P4, 100),
			divergence("severity", reconcile.UnknownOpen, reconcile.P2, 100), divergence("amount", reconcile.DuplicateCharge, reconcile.P1, 99),
			divergence("back", reconcile.DuplicateCharge, reconcile.P1, 100), divergence("new", reconcile.DuplicateCharge, reconcile.P1, 1),
		},
		Memory: &reconcile.Memory{Items: []reconcile.Item{
			item("gone", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeResolved),
			item("long gone", reconcile.DuplicateCharge, reconcile.P1, 100, reconcile.LifeResolved),
		}},
	}
	got := Since(before, r)
	want := Changes{
		New: []string{"back", "new"}, Changed: []string{"class", "severity", "amount"}, Same: []string{"same"},
		Ended: r.Memory.Items[:1],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Nothing() {
		t.Error("nothing is said to be new")
	}
	if again := Since(&reconcile.Memory{Items: before.Items[:1]}, &reconcile.Result{Divergences: r.Divergences[:1]}); !again.Nothing() {
		t.Errorf("what stands as it stood is said to be new: %+v", again)
	}
	if first := Since(nil, r); len(first.New) != len(r.Divergences) {
		t.Errorf("of a first run not everything is new: %+v", first)
	}
}

// TestAnAcceptanceLapses when class or amount is another, or its time is over;
// the last note wins.
func TestAnAcceptanceLapses(t *testing.T) {
	t.Parallel()
	now := payment.InstantOf(time.Date(2025, 11, 10, 12, 0, 0, 0, time.UTC))
	note := func(kind store.NoteKind, class string, minor int64, until payment.Instant) store.Note {
		return store.Note{Divergence: "d", Kind: kind, Class: class, Minor: minor, Currency: "BRL", Until: until, Text: "why"}
	}
	class := reconcile.DuplicateCharge.String()
	for _, test := range []struct {
		name  string
		notes []store.Note
		want  string
	}{
		{"none", nil, "[]"},
		{"accepted", []store.Note{note(store.NoteAccept, class, 100, 0)}, "[accepted why]"},
		{"baseline", []store.Note{note(store.NoteBaseline, class, 100, 0)}, "[accepted why]"},
		{"another amount", []store.Note{note(store.NoteAccept, class, 99, 0)}, "[]"},
		{"another class", []store.Note{note(store.NoteAccept, "unknown_charged", 100, 0)}, "[]"},
		{"over", []store.Note{note(store.NoteSnooze, class, 100, now)}, "[]"},
		{"snoozed", []store.Note{note(store.NoteSnooze, class, 100, now+1)}, "[snoozed until 2025-11-10T12:00:00.000001Z: why]"},
		{"words alone", []store.Note{note(store.NoteText, class, 100, 0), note(store.NoteAcknowledge, class, 100, 0)}, "[]"},
		{"the last wins", []store.Note{note(store.NoteAccept, class, 100, 0), note(store.NoteSnooze, class, 100, now)}, "[]"},
	} {
		r := &reconcile.Result{Now: now, Divergences: []reconcile.Divergence{divergence("d", reconcile.DuplicateCharge, reconcile.P1, 100)}}
		Apply(r, test.notes)
		d := &r.Divergences[0]
		if got := fmt.Sprint(d.Attributes); got != test.want || d.Aside() != (test.want != "[]") {
			t.Errorf("%s: %s, aside %v; want %s", test.name, got, d.Aside(), test.want)
		}
	}
}

// TestReadingsComeBack as they went, and say the weakest of all profiles.
func TestReadingsComeBack(t *testing.T) {
	t.Parallel()
	r := Readings{
		"a": {LineIDsUnique: true, Expected: []string{"y", "x"}, BooksAfter: time.Hour, Variation: map[string]int64{"boleto": 5}},
		"b": {BooksAfterBy: map[string]time.Duration{"card": 30 * 24 * time.Hour}, Expected: []string{"x"}},
	}
	cursor, err := r.Cursor(payment.Live)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseReadings(cursor.Value)
	if diff := cmp.Diff(r, back); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	p := reconcile.NewPolicy("psp")
	back.Learn(&p)
	if p.LineIDsUnique || fmt.Sprint(p.Expected) != "[x y]" || p.BooksAfter != time.Hour || p.BooksAfterBy["card"] == 0 || p.Variation["boleto"] != 5 {
		t.Errorf("learned %+v", p)
	}
	if _, err := ParseReadings("{"); err == nil {
		t.Error("broken readings were taken")
	}
	if none, err := ParseReadings(""); err != nil || len(none) != 0 {
		t.Errorf("nothing reads as %v, %v", none, err)
	}
}

// TestPagesAreTheWholePart: every line and unit is on one page, in order, and
// what claims coverage comes last.
func TestPagesAreTheWholePart(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, PageSize, PageSize + 1, 2*PageSize + 7} {
		part := Part{Account: "a", Statements: []payment.Statement{{Name: "s"}}, Units: make([]payment.Unit, size/2)}
		for i := range size {
			part.Lines = append(part.Lines, payment.Line{ID: fmt.Sprint(i), Statement: "s"})
		}
		var lines, units, pages int
		var last store.Page
		err := part.Pages("f", store.NewNumbers(true), &store.Cursor{}, func(p store.Page) error {
			if len(last.Statements) > 0 || last.Cursor != nil {
				t.Error("a page came after coverage was claimed")
			}
			for i := range p.Lines {
				if p.Lines[i].ID != fmt.Sprint(lines+i) {
					t.Fatalf("line %s is in place %d", p.Lines[i].ID, lines+i)
				}
			}
			lines, units, pages, last = lines+len(p.Lines), units+len(p.Units), pages+1, p
			return nil
		})
		if err != nil || lines != size || units != size/2 || len(last.Statements) != 1 || last.StatementLines[0] != size {
			t.Errorf("%d: %v, %d lines, %d units on %d pages, last %+v", size, err, lines, units, pages, last.StatementLines)
		}
	}
}

// TestTheSameRunHasTheSameID and another one another.
func TestTheSameRunHasTheSameID(t *testing.T) {
	t.Parallel()
	run := func() *store.Run {
		return &store.Run{
			At: payment.InstantOf(time.Date(2025, 11, 10, 12, 0, 0, 0, time.UTC)), Providers: []string{"psp"}, Result: &reconcile.Result{},
			Loaded: store.LoadedFrom{Page: 3, Follows: map[string]string{"psp": "r1", "other": "r0"}},
		}
	}
	first, err := ID(run())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again := run()
		again.Loaded.Page++ // the way there, not the state
		if again, err := ID(again); err != nil || again != first {
			t.Fatalf("%s, %v; want %s", again, err, first)
		}
	}
	for name, change := range map[string]func(*store.Run){
		"follows": func(r *store.Run) { r.Loaded.Follows["psp"] = "r2" },
		"result":  func(r *store.Run) { r.Result.Repeats++ }, "providers": func(r *store.Run) { r.Providers = []string{"other"} },
	} {
		other := run()
		change(other)
		if id, err := ID(other); err != nil || id == first {
			t.Errorf("another %s has the same id %s, %v", name, id, err)
		}
	}
}
