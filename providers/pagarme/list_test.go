package pagarme

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

func decodeInto(text string, into any) error { return httpx.Decode([]byte(text), into) }

func wantReason(t *testing.T, what string, err error, want provider.Reason) {
	t.Helper()
	var got *provider.Error
	if !errors.As(err, &got) || got.Reason != want {
		t.Errorf("%s: %v; want the reason %s", what, err, want)
	}
}

var wholeDay = payment.Interval{From: instant(4, 3), To: instant(5, 3)}

// TestPagesOfAnySizeTellTheSame: where pages end has no influence on what is
// known, of charges and of the parcels of one.
func TestPagesOfAnySizeTellTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := reader(t, clientOf(t, s.URL))
	read := func(t *rapid.T, statement string) map[string]payment.Unit {
		units := map[string]payment.Unit{}
		for cursor := ""; ; {
			page, err := p.Page(t.Context(), provider.Request{Statement: statement, Slice: wholeDay, Cursor: cursor})
			if err != nil {
				t.Fatalf("%s from %q: %v", statement, cursor, err)
			}
			for _, u := range page.Units {
				units[u.ID] = u
			}
			if cursor = page.Next; cursor == "" {
				return units
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s.Lists = map[string][]map[string]any{}
		for i := range rapid.IntRange(0, 8).Draw(t, "charges") {
			s.Lists["charges"] = append(s.Lists["charges"], providertest.Object(chargeOf(fmt.Sprint("ch_", i), "paid", paid)))
			for n := range rapid.IntRange(1, 4).Draw(t, "parcels") {
				text := payableOf(i*100+n, "credit", "waiting_funds", "5000", "2026-06-05", n+1)
				s.Lists["payables"] = append(s.Lists["payables"], providertest.Object(strings.Replace(text, "ch_1", fmt.Sprint("ch_", i), 1)))
			}
		}
		for _, statement := range []string{Charges, Plans} {
			s.Page = 100
			want := read(t, statement)
			s.Page = rapid.IntRange(1, 9).Draw(t, "size")
			if diff := gocmp.Diff(want, read(t, statement)); diff != "" {
				t.Fatalf("%s by %d rows: %s", statement, s.Page, diff)
			}
		}
	})
}

func TestWhatIsNotTheListThatWasAskedForIsNoAnswer(t *testing.T) {
	t.Parallel()
	one := chargeOf("ch_1", "paid", paid)
	for name, body := range map[string]string{
		"another day":      listOf(0, strings.Replace(one, "2026-05-04T11", "2026-05-05T11", 1)),
		"the same page":    listOf(1, one),
		"a page left out":  listOf(3, one),
		"more of nothing":  listOf(2),
		"no data":          `{"paging":{"next":null}}`,
		"no paging":        `{"data":[]}`,
		"no page to go on": `{"data":[` + one + `],"paging":{"next":"https://api.pagar.me/core/v5/charges"}}`,
		"no address":       `{"data":[` + one + `],"paging":{"next":"::"}}`,
		"an error":         noCharge,
	} {
		_, err := fixed(t, 200, body).Page(t.Context(), provider.Request{Statement: Charges, Slice: wholeDay})
		wantReason(t, name, err, provider.Unparsable)
	}
	for statement, body := range map[string]string{
		Plans: listOf(0, payableOf(1, "refund", "paid", "5", "2026-05-05", 1)), Payables: listOf(0, payableOf(1, "credit", "paid", "5", "2026-05-06", 1)),
		Operations: listOf(0, operationOf(1, "transfer", "paid", "5")),
	} {
		_, err := fixed(t, 200, body).Page(t.Context(), provider.Request{Statement: statement, Slice: wholeDay})
		wantReason(t, statement, err, provider.Unparsable)
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	t.Cleanup(s.Close)
	p := reader(t, clientOf(t, s.URL))
	for name, r := range map[string]provider.Request{
		"cursor":    {Statement: Charges, Slice: wholeDay, Cursor: "1"},
		"statement": {Statement: "ledger", Slice: wholeDay},
		"fraction":  {Statement: Charges, Slice: payment.Interval{From: instant(4, 0) + 1, To: instant(4, 1)}},
		"empty":     {Statement: Charges},
	} {
		if _, err := p.Page(t.Context(), r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, q := range []provider.Question{
		{Attempt: attempt(payment.Transfer), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "ch_1"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "tran_1"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "ch_../x"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "sale", Value: "ch_1"}},
		{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "try"}},
		{Attempt: attempt(payment.Refund), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "try", Value: "order-1"}},
		{Attempt: attempt(payment.Refund), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "x/refunds"}},
		{Attempt: &payment.Attempt{}, Key: payment.LookupKey{Kind: payment.KeyReference, Name: "meta", Value: "a-1"}},
	} {
		_, err := p.LookUp(t.Context(), q)
		wantReason(t, fmt.Sprint(q.Attempt.Operation, q.Key), err, provider.OtherReference)
	}
}

func TestALookUpReadsItsListsToTheEnd(t *testing.T) {
	t.Parallel()
	key := payment.LookupKey{Kind: payment.KeyReference, Name: "meta", Value: "a-1"}
	s := serve(t)
	s.Page = 1
	for i := range 3 {
		s.Lists["charges"] = append(s.Lists["charges"], providertest.Object(chargeOf(fmt.Sprint("ch_", i), "paid", paid)))
	}
	q := provider.Question{Attempt: attempt(payment.Charge), Key: key}
	if answer, err := reader(t, clientOf(t, s.URL)).LookUp(t.Context(), q); err != nil || len(answer.Units) != 3 {
		t.Errorf("%+v, %v; want three pages", answer.Units, err)
	}
	s.Lists["charges"][2] = s.Lists["charges"][0]
	_, err := reader(t, clientOf(t, s.URL)).LookUp(t.Context(), q)
	wantReason(t, "a row twice", err, provider.Shifted)
	s.Lists["charges"] = nil
	for i := range mostPages + 1 {
		s.Lists["charges"] = append(s.Lists["charges"], providertest.Object(chargeOf(fmt.Sprint("ch_", i), "paid", paid)))
	}
	_, err = reader(t, clientOf(t, s.URL)).LookUp(t.Context(), q)
	wantReason(t, "without an end", err, provider.Partial)
	empty := `{"id":"or_1","code":"order-1","charges":[]}`
	_, err = fixed(t, 200, empty).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "or_1"}})
	wantReason(t, "an order without charges", err, provider.Partial)
	_, err = fixed(t, 200, listOf(0, empty)).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyReference, Name: "try", Value: "order-1"}})
	wantReason(t, "an order of the code without charges", err, provider.Partial)
}

// TestOnlyTheProvidersOwnNoIsOne: a gateway says 404 too.
func TestOnlyTheProvidersOwnNoIsOne(t *testing.T) {
	t.Parallel()
	q := provider.Question{Attempt: attempt(payment.Charge), Key: payment.LookupKey{Kind: payment.KeyUnit, Value: "ch_1"}}
	for body, own := range map[string]bool{
		noCharge: true, `{"message":"charge not found"}`: true, noOrder: true, `{"message":"no Route matched with those values"}`: false, `{}`: false,
		`{"message":"Not Found"}`: false, `{"message":["Charge not found."]}`: false,
	} {
		answer, err := fixed(t, 404, body).LookUp(t.Context(), q)
		if own && (err != nil || answer.Outcome != payment.NotFound) {
			t.Errorf("%s: %+v, %v", body, answer, err)
		} else if !own {
			wantReason(t, body, err, provider.Unparsable)
		}
	}
}

// FuzzList reads any bytes as pages of each list: what is taken is whole and
// within bounds.
func FuzzList(f *testing.F) {
	f.Add([]byte(listOf(2, chargeOf("ch_1", "canceled", paid+`"canceled_amount":"5",`))))
	f.Add([]byte(listOf(0, payableOf(1, "refund", "paid", `"-5"`, "2026-05-05", 1))))
	f.Add([]byte(listOf(0, operationOf(1, "transfer", "transferred", "-5"))))
	f.Add([]byte(noCharge))
	p := reader(f, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		var charges list[charge]
		if httpx.Decode(body, &charges) == nil && charges.Data != nil {
			for i := range *charges.Data {
				units, err := p.charge(&(*charges.Data)[i])
				for _, u := range units {
					if err == nil && (u.ID == "" || u.CreatedAt < 0 || u.Asked.Minor < 0 || u.Captured.Minor < 0 || u.Final && u.State.Open()) {
						t.Errorf("%+v", u)
					}
				}
			}
		}
		var payables list[receivable]
		if httpx.Decode(body, &payables) == nil && payables.Data != nil {
			for i := range *payables.Data {
				l, ok, err := p.settled(&(*payables.Data)[i])
				if err == nil && ok && (l.Unit == "" || l.At.IsZero() || l.Day == 0 || l.Net != l.Gross-l.Fee || l.Kind == payment.KindCharge && l.Gross < 0) {
					t.Errorf("%+v", l)
				}
				_, _ = p.plan("ch_1", *payables.Data)
			}
		}
		var operations list[operation]
		if httpx.Decode(body, &operations) == nil && operations.Data != nil {
			for i := range *operations.Data {
				if l, ok, err := p.moved(&(*operations.Data)[i]); err == nil && ok && (l.At.IsZero() || l.Day == 0 || l.Net != l.Gross-l.Fee) {
					t.Errorf("%+v", l)
				}
			}
		}
	})
}
