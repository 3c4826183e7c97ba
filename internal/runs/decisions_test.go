package runs

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// accepted is one decision and whether it still stands, kept the slow way.
type accepted struct {
	class reconcile.Class
	minor int64
	until payment.Instant
	lives bool
}

// TestAnAcceptanceLapsesForGood: over any course of runs in which class and
// amount change and come back, and in which people decide again, a divergence
// is aside exactly as long as nothing changed since the last decision and its
// time is not over; and the items of equation 7 add up in each run.
func TestAnAcceptanceLapsesForGood(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		classes := []reconcile.Class{reconcile.UnknownCharged, reconcile.DuplicateCharge}
		now := payment.Instant(1_700_000_000_000_000)
		var notes []store.Note
		var last accepted
		memory := &reconcile.Memory{Items: []reconcile.Item{item("d", classes[0], reconcile.P1, 100, reconcile.LifePersisting)}}
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			now++
			class := rapid.SampledFrom(classes).Draw(t, "class")
			minor := rapid.Int64Range(100, 101).Draw(t, "minor")
			if rapid.Bool().Draw(t, "decides") {
				old := &memory.Items[0]
				last = accepted{old.Class, old.Amount.Minor, now + payment.Instant(rapid.Int64Range(0, 3).Draw(t, "until")), true}
				notes = append(notes, store.Note{
					Number: int64(len(notes) + 1), Divergence: "d", Kind: rapid.SampledFrom([]store.NoteKind{store.NoteAccept, store.NoteSnooze, store.NoteBaseline}).Draw(t, "kind"),
					Class: last.class.String(), Minor: last.minor, Currency: "BRL", Until: last.until,
				})
			}
			last.lives = last.lives && last.class == class && last.minor == minor && now < last.until
			r := ofItem(memory, now, class, minor)
			lapsed := Apply(r, notes)
			for i := range lapsed {
				lapsed[i].Number = int64(len(notes) + 1 + i)
			}
			notes = append(notes, lapsed...)
			r.PutAside()
			if got := r.Divergences[0].Aside(); got != last.lives {
				t.Fatalf("aside %v, want %v after %+v", got, last.lives, notes)
			}
			addsUp(t, memory, r)
			memory = r.Memory
		}
	})
}

// ofItem is what Match concludes of one divergence that goes on, or was put
// aside before.
func ofItem(before *reconcile.Memory, now payment.Instant, class reconcile.Class, minor int64) *reconcile.Result {
	old := before.Items[0]
	d := divergence("d", class, reconcile.P1, minor)
	row := reconcile.ItemsRow{Currency: brl, Open: minor, OpenCount: 1}
	if old.State.Aside() {
		d.LifeState, row.Lapsed, row.LapsedCount = reconcile.LifeLapsed, minor, 1
	} else {
		d.LifeState, row.Yesterday, row.YesterdayCount, row.Restated = reconcile.LifePersisting, old.Amount.Minor, 1, minor-old.Amount.Minor
	}
	is := item("d", class, reconcile.P1, minor, d.LifeState)
	return &reconcile.Result{
		Now: now, Divergences: []reconcile.Divergence{d}, Items: []reconcile.ItemsRow{row}, Memory: &reconcile.Memory{Items: []reconcile.Item{is}},
	}
}

// addsUp: equation 7, and what is open is what is not aside.
func addsUp(t *rapid.T, before *reconcile.Memory, r *reconcile.Result) {
	row, open := r.Items[0], 0
	if !r.Divergences[0].Aside() {
		open = 1
	}
	was := 1
	if before.Items[0].State.Aside() {
		was = 0
	}
	if row.Open != row.Yesterday+row.Lapsed+row.Restated-row.Accepted || row.OpenCount != open || row.YesterdayCount != was ||
		row.OpenCount != row.YesterdayCount+row.LapsedCount-row.AcceptedCount || row.Open != int64(open)*r.Divergences[0].Amount {
		t.Fatalf("equation 7 does not hold: %+v", row)
	}
	if state := r.Memory.Items[0].State; state.Aside() != r.Divergences[0].Aside() || state != r.Divergences[0].LifeState {
		t.Fatalf("the next run goes on from %s", state)
	}
}

// TestALapseSaysWhy: which decision ended, and what is another now.
func TestALapseSaysWhy(t *testing.T) {
	t.Parallel()
	r := &reconcile.Result{Now: 10, Divergences: []reconcile.Divergence{divergence("d", reconcile.UnknownCharged, reconcile.P1, 120)}}
	note := store.Note{Number: 4, Divergence: "d", Kind: store.NoteAccept, Class: "unknown_charged", Minor: 100, Currency: "BRL"}
	got := Apply(r, []store.Note{note})
	want := store.Note{
		Divergence: "d", Kind: store.NoteLapsed, Ends: 4, Class: "unknown_charged", Minor: 120, Currency: "BRL", Operator: "desfecho",
		Text: "the amount is another: 1.20 BRL, it was 1.00 BRL",
	}
	if !slices.Equal(got, []store.Note{want}) {
		t.Errorf("got %+v", got)
	}
	if again := Apply(r, []store.Note{note, {Number: 5, Divergence: "d", Kind: store.NoteLapsed, Ends: 4}}); len(again) != 0 {
		t.Errorf("it lapses again: %+v", again)
	}
}
