package providertest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/reconcile"
)

// Pages reads a slice of a statement to its end.
func Pages(t testing.TB, p provider.Provider, statement string, slice payment.Interval) (pages []provider.Page) {
	t.Helper()
	for cursor := ""; ; {
		page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: slice, Cursor: cursor})
		if err != nil {
			t.Fatalf("%s from %q: %v", statement, cursor, err)
		}
		pages = append(pages, page)
		if cursor = page.Next; cursor == "" {
			return pages
		}
	}
}

// Story is one thing that happened at a provider, and what a run over it must
// say.
type Story struct {
	Provider      provider.Provider
	Name, Account string // of the provider
	Mode          payment.Mode
	Zone          *time.Location
	Whole         payment.Interval // is read of every statement
	Now           payment.Instant  // when it is compared; 0: half a day later
	Attempts      []payment.Attempt
	Expected      []string
	Means         evidence.Means // of `succeeded` of a charge; 0: captured
	Want          []string       // the classes of all divergences, in order
}

// Run reads everything, compares it with the attempts, and
// holds what is said against the story.
func (s *Story) Run(t *testing.T) {
	t.Helper()
	result := reconcile.Match(s.input(t))
	var got []string
	for _, d := range result.Divergences {
		got = append(got, d.Class.String())
	}
	slices.Sort(got)
	if result.Defect != "" || !slices.Equal(got, s.Want) {
		t.Errorf("got %v, want %v; defect %q; %+v", got, s.Want, result.Defect, result.Divergences)
	}
}

func (s *Story) input(t *testing.T) reconcile.Input {
	t.Helper()
	able := s.Provider.Capabilities()
	in := reconcile.Input{Now: cmp.Or(s.Now, s.Whole.To.Add(12*time.Hour)), Policies: []reconcile.Policy{s.policy(&able)}, Attempts: s.Attempts}
	for i := range able.Statements {
		of := &able.Statements[i]
		in.Statements = append(in.Statements, payment.Statement{
			Name: of.Name, Provider: s.Name, Account: s.Account, Mode: s.Mode, Sort: of.Sort, Grade: payment.Proven,
			From: s.Whole.From, Through: s.Whole.To, PublishLag: time.Minute, Members: of.Members,
		})
		for from := s.Whole.From; from < s.Whole.To; {
			slice := payment.Interval{From: from, To: s.Whole.To}
			if of.Slice.Max > 0 {
				slice.To = min(slice.To, from.Add(of.Slice.Max))
			}
			for _, page := range Pages(t, s.Provider, of.Name, slice) {
				in.Units, in.Lines = append(in.Units, page.Units...), append(in.Lines, page.Lines...)
			}
			from = slice.To
		}
	}
	for i := range in.Units {
		in.Units[i].ObservedAt = in.Now
	}
	return in
}

func (s *Story) policy(able *provider.Capabilities) reconcile.Policy {
	policy := reconcile.NewPolicy(s.Name)
	policy.Zone, policy.Mode, policy.Expected, policy.Unlisted = s.Zone, s.Mode, s.Expected, able.Unlisted
	policy.HasObjectList, policy.LineIDsUnique = able.HasObjectList, able.LineIDsUnique
	policy.BooksAfter, policy.BooksAfterBy, policy.Variation = able.BooksAfter, able.BooksAfterBy, able.Variation
	for _, l := range able.Lookups {
		policy.LookupBy = append(policy.LookupBy, l.Key)
	}
	policy.SucceededMeans = map[payment.Operation]evidence.Means{}
	for o := payment.Charge; o <= payment.BillPayment; o++ {
		policy.SucceededMeans[o] = evidence.MeansCaptured
	}
	if s.Means != 0 {
		policy.SucceededMeans[payment.Charge] = s.Means
	}
	return policy
}
