package stripe

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// TestTheContractOfAdapters holds Stripe to what every adapter must do. What is
// asked and answered is what the fake of this package was asked and answered.
func TestTheContractOfAdapters(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := f.provider(Options{})
	if _, err := p.Identity(t.Context()); err != nil {
		t.Fatal(err)
	}
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) {
			return New(Options{Name: "stripe", Account: "acct_1", Mode: payment.Test, References: testAccount().places}, client)
		},
		Headers: func(key secret.Secret) map[string]secret.Secret {
			_, headers, err := Connection(payment.Test, key)
			if err != nil {
				t.Fatal(err)
			}
			return headers
		},
		Identity: f.requests(), Want: provider.Identity{Account: "acct_1", Mode: payment.Test},
		Errors:     []string{`{"error":{"type":"api_error","message":"An unknown error occurred"}}`},
		Statements: []providertest.Statement{suiteObjects(t), suiteBalance(t)},
		Lookups:    suiteLookups(t),
	})
}

// suiteSlice holds a few objects of every kind.
func suiteSlice(t *testing.T, f *fake, statement string) providertest.Statement {
	t.Helper()
	p := f.provider(Options{})
	from, to := at, at.Add(48*time.Hour)
	s := providertest.Statement{Name: statement, Slice: payment.Interval{From: payment.InstantOf(from), To: payment.InstantOf(to)}}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: s.Slice, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		s.Pages = append(s.Pages, f.requests())
		s.Rows, s.Lines, s.Units = s.Rows+len(page.Rows), s.Lines+len(page.Lines), s.Units+len(page.Units)
		cursor = page.Next
	}
	empty := serve(t)
	empty.keep()
	if _, err := empty.provider(Options{}).Page(t.Context(), provider.Request{Statement: statement, Slice: s.Slice}); err != nil {
		t.Fatal(err)
	}
	s.Empty = empty.requests()
	gone := s.Pages[1][0]
	gone.Status, gone.Body = http.StatusBadRequest, `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"starting_after","message":"No such object"}}`
	s.Expired = &gone
	return s
}

// keep leaves the objects of the ids in the fake's lists.
func (f *fake) keep(ids ...string) {
	for path, all := range f.Lists {
		f.Lists[path] = slices.DeleteFunc(all, func(o thing) bool {
			id, _ := o["id"].(string)
			return !slices.Contains(ids, id)
		})
	}
}

func suiteObjects(t *testing.T) providertest.Statement {
	t.Helper()
	f := serve(t)
	f.keep("pi_A", "ch_A", "pi_C", "ch_C1", "ch_C2", "re_C", "pi_F", "ch_F", "du_F", "tr_1", "po_1", "po_2", "txn_Cr")
	f.cap(2)
	s := suiteSlice(t, f, Objects)
	strange := s.Pages[0][0]
	strange.Body = strings.NewReplacer(`"status":"succeeded"`, `"status":"TOMORROW"`, `"disputed":true`, `"disputed":false`).Replace(strange.Body)
	s.Variants = []providertest.Variant{{
		Name: "AnUnknownStatusIsUnmapped", Talk: providertest.Talk{strange},
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			for _, u := range page.Units {
				if u.State != payment.StateUnmapped || u.RawState != "TOMORROW" || u.Final {
					t.Errorf("%+v", u)
				}
			}
		},
	}}
	return s
}

func suiteBalance(t *testing.T) providertest.Statement {
	t.Helper()
	f := serve(t)
	f.keep("txn_A", "ch_A", "txn_Cr", "re_C", "txn_po_1", "po_1", "po_2", "po_3")
	f.cap(2)
	s := suiteSlice(t, f, Balance)
	strange := s.Pages[0][0]
	strange.Body = strings.NewReplacer(`"reporting_category":"refund"`, `"reporting_category":"TOMORROW"`, `"type":"refund"`, `"type":"TODAY"`).Replace(strange.Body)
	s.Variants = []providertest.Variant{{
		Name: "AnUnknownTypeIsOther", Talk: providertest.Talk{strange},
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			l := page.Lines[slices.IndexFunc(page.Lines, func(l payment.Line) bool { return l.ID == "txn_Cr" })]
			if l.Kind != payment.KindOther || l.Raw != "TOMORROW/TODAY" || l.Gross != -1500 {
				t.Errorf("%+v", l)
			}
		},
	}}
	return s
}

func suiteLookups(t *testing.T) (all []providertest.Lookup) {
	t.Helper()
	group := payment.LookupKey{Kind: payment.KeyReference, Name: "group", Value: "g_1"}
	for _, ask := range []struct {
		name      string
		operation payment.Operation
		key       payment.LookupKey
		other     string // the first answer, about something else
	}{
		{"AnIntent", payment.Charge, byUnit("pi_C"), `{"id":"pi_A","object":"payment_intent","livemode":false}`},
		{"ADisputedIntent", payment.Charge, byUnit("pi_F"), `{"id":"ch_F","object":"charge","livemode":false}`},
		{"ACharge", payment.Charge, byUnit("ch_A"), `{"id":"ch_B1","object":"charge","livemode":false}`},
		{"ARefund", payment.Refund, byUnit("re_C"), `{"id":"re_E","object":"refund"}`},
		{"ATransfer", payment.Transfer, byUnit("tr_1"), `{"id":"tr_2","object":"transfer","livemode":false}`},
		{"APayout", payment.Transfer, byUnit("po_2"), `{"id":"po_1","object":"payout","livemode":false}`},
		{"AKey", payment.Charge, byIdempotency("key_1"), `{"object":"list","has_more":false,"data":[{"id":"evt_1","object":"event","created":1,"livemode":false}]}`},
		{"AReference", payment.Transfer, group, `{"object":"list","has_more":false,"data":[{"id":"tr_1","object":"transfer","created":1}]}`},
	} {
		f := serve(t)
		p := f.provider(Options{})
		a := attempt(ask.operation, at)
		a.LastSent = payment.InstantOf(at.Add(30 * time.Minute))
		l := providertest.Lookup{Name: ask.name, Question: provider.Question{Attempt: a, Key: ask.key}}
		found, err := p.LookUp(t.Context(), l.Question)
		if err != nil {
			t.Fatalf("%s: %v", ask.name, err)
		}
		for _, u := range found.Units {
			l.Units = append(l.Units, u.ID)
		}
		l.Found = f.requests()
		empty := serve(t)
		empty.keep()
		if _, err := empty.provider(Options{}).LookUp(t.Context(), l.Question); err != nil {
			t.Fatalf("%s: %v", ask.name, err)
		}
		l.NotFound = empty.requests()
		l.Other = providertest.Talk{l.Found[0]}
		l.Other[0].Body = ask.other
		all = append(all, l)
	}
	return all
}
