package shop_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/reconcile"
)

func TestTheStoryShowsItsAccidentsAndNothingElse(t *testing.T) {
	t.Parallel()
	story, err := shop.TellStory(t.Context(), memory(t), shop.SQLite)
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
		story, err := shop.TellStory(t.Context(), memory(t), shop.SQLite)
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
