// Package providertest states what an adapter must do, as one suite over
// scripted servers on this machine: what it asks for, what it makes of whole
// answers, and that it takes nothing else for one (provider.Provider).
//
// The servers play the adapter's own fixtures and fail the test on a request
// that was not expected, on one that was not made, on anything but GET, and on
// a secret anywhere but in a header.
package providertest

import (
	"cmp"
	"net/url"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// Adapter is one adapter under test, with fixtures of its own.
type Adapter struct {
	// New makes it over a client whose base URL is the server's.
	New func(client *httpx.Client) (provider.Provider, error)
	// Headers carry the credential.
	Headers func(key secret.Secret) map[string]secret.Secret
	// Identity is how it finds out whose account it is.
	Identity   Talk
	Want       provider.Identity
	Statements []Statement
	Lookups    []Lookup
	// Errors are bodies of the provider's own that come with status 200 and are
	// no answer.
	Errors []string
}

// Talk is what is asked and answered, in order.
type Talk []Exchange

// Exchange is one request and its answer.
type Exchange struct {
	Path   string     // below the base URL, escaped
	Query  url.Values // exactly
	Status int        // 0: 200
	Body   string
	Header map[string]string // further ones
}

// Statement is one statement with a slice of several pages.
type Statement struct {
	Name  string
	Slice payment.Interval
	// Pages are the talks of each page: one request as a rule.
	Pages []Talk
	// Rows, Lines and Units are how many the slice has.
	Rows, Lines, Units int
	// Empty is the first page of the slice with nothing in it.
	Empty Talk
	// Expired is how the provider answers the second page's request when it no
	// longer knows the cursor; nil where it cannot say so.
	Expired *Exchange
	// Variants are first pages with something that the adapter has no word for.
	Variants []Variant
}

// Variant is a first page, and what must be made of what is strange in it.
type Variant struct {
	Name  string
	Talk  Talk
	Check func(*testing.T, provider.Page)
}

// Lookup is one kind of question.
type Lookup struct {
	Name     string
	Question provider.Question
	Found    Talk
	Units    []string // ids that are found
	// NotFound is the provider's own well-formed no.
	NotFound Talk
	// Other is an answer about something else.
	Other Talk
}

// Run runs the suite.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	t.Run("CapabilitiesAreWhole", a.capabilities)
	t.Run("IdentityIsTold", a.identity)
	for _, s := range a.Statements {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			a.statement(t, &s)
		})
	}
	for _, l := range a.Lookups {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			a.lookup(t, &l)
		})
	}
}

// capabilities must say what the rest of the program relies on.
func (a *Adapter) capabilities(t *testing.T) {
	t.Parallel()
	p, _ := a.over(t, nil)
	able := p.Capabilities()
	if diff := gocmp.Diff(able, p.Capabilities()); diff != "" {
		t.Errorf("they change:\n%s", diff)
	}
	if able.Type == "" || able.Type != "loopback" && (able.Rate.Requests <= 0 || able.Rate.Per <= 0) {
		t.Errorf("type %q and rate %+v: an adapter names itself and the limit that it keeps a share of", able.Type, able.Rate)
	}
	var names []string
	for _, s := range able.Statements {
		names = append(names, s.Name)
		if able.HasObjectList && s.Sort == payment.ObjectList && s.PublishLag <= 0 {
			t.Errorf("statement %s: a list that proves absence needs a publish_lag", s.Name)
		}
		if !slices.ContainsFunc(a.Statements, func(f Statement) bool { return f.Name == s.Name }) {
			t.Errorf("statement %s has no fixture", s.Name)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(able.Statements) || slices.Contains(names, "") {
		t.Errorf("the statements' names are not theirs alone: %q", names)
	}
	for _, l := range able.Lookups {
		if l.Endpoint == "" || l.VisibleAfter <= 0 || l.Key.Value != "" || (l.Key.Kind == payment.KeyReference) != (l.Key.Name != "") {
			t.Errorf("look-up %+v: an endpoint, a horizon and the name of a reference are wanted", l)
		}
	}
	for _, m := range able.Marks {
		if len(able.Means[m.Operation]) == 0 || !m.Status.Final() || cmp.Or(m.By, "") == "" {
			t.Errorf("mark %+v: the operation has no meaning of succeeded, or nothing it rests on", m)
		}
	}
}

func (a *Adapter) identity(t *testing.T) {
	t.Parallel()
	p, _ := a.over(t, a.Identity)
	got, err := p.Identity(t.Context())
	if err != nil || got != a.Want {
		t.Errorf("%+v, %v", got, err)
	}
	a.noAnswers(t, a.Identity, func(t *testing.T, p provider.Provider) error {
		t.Helper()
		got, err := p.Identity(t.Context())
		if err != nil && got != (provider.Identity{}) {
			t.Errorf("an identity beside the error: %+v", got)
		}
		return err
	})
}

func (a *Adapter) statement(t *testing.T, s *Statement) {
	t.Run("PagesAreReadToTheEnd", func(t *testing.T) {
		t.Parallel()
		a.paging(t, s)
	})
	t.Run("EmptyIsPositive", func(t *testing.T) {
		t.Parallel()
		p, _ := a.over(t, s.Empty)
		page, err := p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice})
		if err != nil || len(page.Rows)+len(page.Lines)+len(page.Units) > 0 || page.Next != "" || page.Date == 0 && page.Through == 0 {
			t.Errorf("%+v, %v", page, err)
		}
	})
	if s.Expired != nil {
		t.Run("AnExpiredCursorIsTold", func(t *testing.T) {
			t.Parallel()
			a.expired(t, s)
		})
	}
	for _, v := range s.Variants {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, _ := a.over(t, v.Talk)
			page, err := p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice})
			if err != nil {
				t.Fatal(err)
			}
			v.Check(t, page)
		})
	}
	a.noAnswers(t, s.Pages[0], func(t *testing.T, p provider.Provider) error {
		t.Helper()
		page, err := p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice})
		if err != nil && len(page.Rows)+len(page.Lines)+len(page.Units) > 0 {
			t.Error("part of an answer beside the error")
		}
		return err
	})
	a.mangled(t, s)
}

func (a *Adapter) paging(t *testing.T, s *Statement) {
	p, _ := a.over(t, slices.Concat(s.Pages...))
	cursor, rows, lines, units := "", 0, 0, 0
	for n := 1; ; n++ {
		page, err := p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		rows, lines, units = rows+len(page.Rows), lines+len(page.Lines), units+len(page.Units)
		for i := range page.Lines {
			if l := &page.Lines[i]; l.Statement != s.Name || l.Provider == "" || l.Currency.IsZero() || l.At.IsZero() || l.Day == 0 {
				t.Errorf("a line that lacks what every line has: %+v", l)
			}
		}
		for i := range page.Units {
			if u := &page.Units[i]; u.Statement != s.Name || u.Provider == "" || u.ID == "" || u.Source == 0 || u.ObservedAt != 0 {
				t.Errorf("a unit that lacks what every unit has, or has an ObservedAt: %+v", u)
			}
		}
		if cursor = page.Next; cursor == "" {
			if n != len(s.Pages) {
				t.Errorf("read %d pages, want %d", n, len(s.Pages))
			}
			break
		}
	}
	if rows != s.Rows || lines != s.Lines || units != s.Units {
		t.Errorf("%d rows, %d lines, %d units, want %d, %d, %d", rows, lines, units, s.Rows, s.Lines, s.Units)
	}
}

func (a *Adapter) expired(t *testing.T, s *Statement) {
	p, _ := a.over(t, append(slices.Clone(s.Pages[0]), *s.Expired))
	page, err := p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Page(t.Context(), provider.Request{Statement: s.Name, Slice: s.Slice, Cursor: page.Next})
	wantReason(t, err, provider.Expired)
}

func (a *Adapter) lookup(t *testing.T, l *Lookup) {
	ask := func(t *testing.T, p provider.Provider) (provider.Answer, error) {
		t.Helper()
		return p.LookUp(t.Context(), l.Question)
	}
	t.Run("Found", func(t *testing.T) {
		t.Parallel()
		p, _ := a.over(t, l.Found)
		got, err := ask(t, p)
		if err != nil || got.Outcome != payment.Found || got.Endpoint == "" || len(got.Canonical) == 0 || len(got.Raw) == 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		var ids []string
		for i := range got.Units {
			ids = append(ids, got.Units[i].ID)
			if u := &got.Units[i]; u.Source != payment.FromLookup || u.ObservedAt != 0 || u.Statement != "" {
				t.Errorf("a unit that does not say that it was looked up, or when: %+v", u)
			}
		}
		if diff := gocmp.Diff(l.Units, ids); diff != "" {
			t.Errorf("units (-want +got):\n%s", diff)
		}
	})
	if l.NotFound != nil {
		t.Run("NotFound", func(t *testing.T) {
			t.Parallel()
			p, _ := a.over(t, l.NotFound)
			if got, err := ask(t, p); err != nil || got.Outcome != payment.NotFound || len(got.Units) > 0 || got.Endpoint == "" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if l.Other != nil {
		t.Run("AnAnswerAboutSomethingElseIsNone", func(t *testing.T) {
			t.Parallel()
			p, _ := a.over(t, l.Other)
			_, err := ask(t, p)
			wantReason(t, err, provider.OtherReference)
		})
	}
	a.noAnswers(t, l.Found, func(t *testing.T, p provider.Provider) error {
		t.Helper()
		got, err := ask(t, p)
		if err != nil && (got.Outcome != payment.Inconclusive || len(got.Units) > 0) {
			t.Errorf("an answer beside the error: %+v", got)
		}
		return err
	})
}
