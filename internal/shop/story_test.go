package shop_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/reconcile"
)

func TestTheStoryShowsItsAccidentsAndNothingElse(t *testing.T) {
	t.Parallel()
	story, err := shop.TellStory(t.Context(), memory(t), shop.SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer story.Close()
	books, err := story.Books(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judgeStory(t, story, books)
}

func judgeStory(t *testing.T, story *shop.Story, books *shop.Books) {
	t.Helper()
	in := reconcile.Input{
		Now: books.Now, Policies: policies(t), Attempts: books.Attempts, Statements: books.Statements, Units: books.Units,
		Lines: books.Lines, Lookups: books.Lookups,
	}
	for i := range in.Policies { // a provider that nothing is known of
		in.Policies[i].VisibleAfter = reconcile.NewPolicy("").VisibleAfter
		in.Policies[i].BooksAfterBy = nil
	}
	r := reconcile.Match(in)
	got := []shop.Finding{}
	for _, d := range r.Divergences {
		got = append(got, shop.Finding{Class: d.Class.String(), Severity: d.Severity.String(), Subject: d.Subject.String()})
	}
	slices.SortFunc(got, func(a, b shop.Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Subject, b.Subject))
	})
	want := slices.Clone(story.Findings)
	for i := range want {
		want[i].Happened = ""
	}
	if diff := gocmp.Diff(want, got); diff != "" || r.Defect != "" {
		t.Errorf("(-happened +listed):\n%s\n%s%s", diff, r.Defect, show(r))
	}
	if n := r.Places[reconcile.ExpectedWithoutAttempt]; n != story.Expected {
		t.Errorf("%d lines expected without attempt, want %d", n, story.Expected)
	}
	if n := len(books.Attempts); n < 40 || n > 70 {
		t.Errorf("%d attempts", n)
	}
	for _, a := range books.Attempts {
		if a.ID == story.Unpaid && a.Status != payment.Succeeded {
			t.Errorf("the unpaid boleto is %s", a.Status)
		}
	}
	t.Logf("%d attempts, %d units, %d lines, places %v, verdict %s", len(books.Attempts), len(books.Units), len(books.Lines), r.Places, r.Verdict)
}

func TestTheStoryIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	var all []*shop.Books
	for range 2 {
		story, err := shop.TellStory(t.Context(), memory(t), shop.SQLite, nil)
		if err != nil {
			t.Fatal(err)
		}
		books, err := story.Books(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := story.Close(); err != nil {
			t.Error(err)
		}
		all = append(all, books)
	}
	if diff := gocmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// The story's providers, closed and opened again from what was saved, show what
// they showed: only the order in which they are read differs.
func TestSavedProvidersShowWhatTheyShowed(t *testing.T) {
	t.Parallel()
	story, err := shop.TellStory(t.Context(), memory(t), shop.SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	books, err := story.Books(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := story.Save()
	if err != nil {
		t.Fatal(err)
	}
	if err := story.Close(); err != nil {
		t.Error(err)
	}
	again, err := shop.Reopen(saved, time.Date(2025, time.November, 28, 3, 0, 0, 0, time.UTC), story.Clock.Now(), saoPaulo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	shown, err := again.Shown(t.Context(), books.Attempts)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*shop.Books{books, shown} {
		slices.SortStableFunc(b.Units, func(x, y payment.Unit) int { return cmp.Compare(x.Provider, y.Provider) })
		slices.SortStableFunc(b.Lines, func(x, y payment.Line) int { return cmp.Compare(x.Provider, y.Provider) })
		slices.SortStableFunc(b.Statements, func(x, y payment.Statement) int { return cmp.Compare(x.Name, y.Name) })
	}
	if diff := gocmp.Diff(books, shown); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if _, err := shop.Reopen(map[string][]byte{shop.Loja: []byte("{}")}, time.Time{}, time.Time{}, nil); err == nil {
		t.Error("an empty state is opened")
	}
}
