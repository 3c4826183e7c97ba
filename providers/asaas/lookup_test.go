package asaas

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

func wantReason(t *testing.T, what string, err error, want provider.Reason) {
	t.Helper()
	var got *provider.Error
	if !errors.As(err, &got) || got.Reason != want {
		t.Errorf("%s: %v; want the reason %s", what, err, want)
	}
}

const (
	group    = "77777777-0000-0000-0000-000000000001"
	transfer = "11111111-2222-3333-4444-555555555501"
	endToEnd = "E18236120202605041159abcdefghijk"
)

// account is a whole account: a sale with a refund, a sale in parcels, two
// sales of one reference, one that is removed, a transfer, a Pix, a bill.
func account(t testing.TB) *script {
	s := serve(t)
	parcel := func(n int) map[string]any {
		return sale(fmt.Sprint("pay_2", n), "2026-05-04", "order-2", fmt.Sprintf(`,"installment":%q,"installmentNumber":%d`, group, n))
	}
	s.Lists["payments"] = []map[string]any{
		sale("pay_1", "2026-05-04", "order-1", `,"refunds":[{"dateCreated":"2026-05-06 10:12:13","status":"DONE","value":5.0,"endToEndIdentifier":"D1"}]`),
		parcel(3), parcel(2), parcel(1),
		sale("pay_41", "2026-05-04", "order-4", ""), sale("pay_42", "2026-05-04", "order-4", ""),
		sale("pay_5", "2026-05-04", "order-5", `,"refunds":[]`),
		providertest.Object(`{"id":"pay_6","dateCreated":"2026-05-04","value":1,"status":"REFUND_IN_PROGRESS","externalReference":"order-6"}`),
	}
	for _, o := range s.Lists["payments"] {
		s.paths["/payments/"+o["id"].(string)] = func(w http.ResponseWriter, _ *http.Request) { providertest.Say(w, http.StatusOK, o) }
	}
	t1 := providertest.Object(fmt.Sprintf(`{"id":%q,"dateCreated":"2026-05-07","value":500.0,"status":"DONE","externalReference":"payout-77"}`, transfer))
	s.Lists["transfers"] = []map[string]any{t1, providertest.Object(`{"id":"t-2","dateCreated":"2026-05-06","value":1,"status":"DONE"}`)}
	s.paths["/transfers/"+transfer] = func(w http.ResponseWriter, _ *http.Request) { providertest.Say(w, http.StatusOK, t1) }
	s.Lists["pix/transactions"] = []map[string]any{
		providertest.Object(fmt.Sprintf(`{"id":"22222222-0000-0000-0000-000000000001","endToEndIdentifier":%q,"value":7.5,"type":"DEBIT","status":"DONE","externalReference":"qr-1"}`, endToEnd)),
		providertest.Object(`{"id":"22222222-0000-0000-0000-000000000002","endToEndIdentifier":"E00000000202605041159abcdefghijk","value":7.5,"type":"CREDIT","status":"DONE"}`),
	}
	for _, o := range s.Lists["pix/transactions"] {
		s.paths["/pix/transactions/"+o["id"].(string)] = func(w http.ResponseWriter, _ *http.Request) { providertest.Say(w, http.StatusOK, o) }
	}
	s.paths["/bill/33333333-0000-0000-0000-000000000001"] = says(200, "application/json",
		`{"object":"bill","id":"33333333-0000-0000-0000-000000000001","status":"PAID","value":29.90,"companyName":"Luz"}`)
	return s
}

func attempt(o payment.Operation) *payment.Attempt {
	at := payment.InstantOf(time.Date(2026, 5, 7, 10, 0, 0, 0, time.UTC))
	return &payment.Attempt{ID: "a", Operation: o, CreatedAt: at, LastSent: at}
}

func unitKey(id string) payment.LookupKey {
	return payment.LookupKey{Kind: payment.KeyUnit, Value: id}
}

func refKey(name, value string) payment.LookupKey {
	return payment.LookupKey{Kind: payment.KeyReference, Name: name, Value: value}
}

// asked is a question, what it finds, and where. Nothing found is a complete no,
// a reason is no answer.
type asked struct {
	operation payment.Operation
	key       payment.LookupKey
	found     string
	reason    provider.Reason
	endpoint  string
}

// nobody is the id of nothing.
const nobody = "99999999-0000-0000-0000-000000000009"

func questions() []asked {
	return []asked{
		{payment.Charge, unitKey("pay_1"), "pay_1 pay_1/refunds", "", byPayment},
		{payment.Authorize, unitKey("pay_5"), "pay_5", "", byPayment},
		{payment.Charge, unitKey("pay_22"), "pay_21 pay_22 pay_23", "", byPayment},
		{payment.Charge, unitKey(group), "pay_21 pay_22 pay_23", "", byPayment},
		{payment.Charge, unitKey("pay_9"), "", "", byPayment},
		{payment.Charge, unitKey(nobody), "", "", byPayment},
		{payment.Charge, unitKey("cus_1"), "", provider.OtherReference, ""},
		{payment.Charge, unitKey("../payments"), "", provider.OtherReference, ""},
		{payment.Charge, unitKey(""), "", provider.OtherReference, ""},
		{payment.Charge, refKey("try", "order-1"), "pay_1 pay_1/refunds", "", byReference},
		{payment.Charge, refKey("try", "order-2"), "pay_21 pay_22 pay_23", "", byReference},
		{payment.Capture, refKey("try", "order-4"), "pay_41 pay_42", "", byReference},
		{payment.Charge, refKey("try", "order-9"), "", "", byReference},
		{payment.Charge, refKey("try", ""), "", provider.OtherReference, ""},
		{payment.Charge, refKey("other", "order-1"), "", provider.OtherReference, ""},
		{payment.Charge, refKey("sale", "pay_1"), "", provider.OtherReference, ""},
		{payment.Charge, payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k"}, "", provider.OtherReference, ""},
		{payment.Refund, unitKey("pay_1/refunds"), "pay_1/refunds", "", byPayment},
		{payment.Refund, unitKey("pay_1"), "pay_1/refunds", "", byPayment},
		{payment.Refund, refKey("sale", "pay_1"), "pay_1/refunds", "", byPayment},
		{payment.Refund, refKey("try", "order-1"), "pay_1/refunds", "", byReference},
		{payment.Refund, unitKey("pay_5"), "", "", byPayment},
		{payment.Refund, refKey("try", "order-5"), "", "", byReference},
		{payment.Refund, unitKey("pay_6"), "", provider.Partial, ""},
		{payment.Refund, unitKey("pay_21"), "", provider.Partial, ""},
		{payment.Refund, unitKey("pay_9"), "", provider.OtherReference, ""},
		{payment.Refund, refKey("try", "order-9"), "", provider.OtherReference, ""},
		{payment.Transfer, unitKey(transfer), transfer, "", byTransfer},
		{payment.Transfer, unitKey("22222222-0000-0000-0000-000000000001"), "22222222-0000-0000-0000-000000000001", "", byTransfer},
		{payment.Transfer, unitKey(endToEnd), "22222222-0000-0000-0000-000000000001", "", byTransfer},
		{payment.Transfer, unitKey("22222222-0000-0000-0000-000000000002"), "", provider.OtherReference, ""},
		{payment.Transfer, unitKey(nobody), "", "", byTransfer},
		{payment.Transfer, unitKey("E00000000202605041159zzzzzzzzzzz"), "", "", byTransfer},
		{payment.Transfer, unitKey("pay_1"), "", provider.OtherReference, ""},
		{payment.Transfer, refKey("try", "payout-77"), transfer, "", byWindow},
		{payment.Transfer, refKey("try", "payout-78"), "", "", byWindow},
		{payment.BillPayment, unitKey("33333333-0000-0000-0000-000000000001"), "33333333-0000-0000-0000-000000000001", "", byBill},
		{payment.BillPayment, unitKey("22222222-0000-0000-0000-000000000001"), "22222222-0000-0000-0000-000000000001", "", byBill},
		{payment.BillPayment, unitKey(endToEnd), "22222222-0000-0000-0000-000000000001", "", byBill},
		{payment.BillPayment, unitKey(nobody), "", "", byBill},
		{payment.BillPayment, unitKey("x"), "", provider.OtherReference, ""},
		{payment.BillPayment, refKey("try", "qr-1"), "", provider.OtherReference, ""},
	}
}

// TestQuestionsAndTheirAnswers: what each key finds.
func TestQuestionsAndTheirAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range questions() {
		what := fmt.Sprintf("%s by %v", c.operation, c.key)
		s := account(t)
		for i, path := range []string{
			"/payments/pay_9", "/transfers/" + nobody, "/pix/transactions/" + nobody, "/bill/" + nobody,
			"/transfers/22222222-0000-0000-0000-000000000001", "/bill/22222222-0000-0000-0000-000000000001", "/transfers/22222222-0000-0000-0000-000000000002",
		} {
			s.paths[path] = says(404, "", "")
			if i%2 > 0 {
				s.paths[path] = says(404, "application/json", `{"errors":[{"code":"not_found","description":"?"}]}`)
			}
		}
		a, err := s.provider(t).LookUp(t.Context(), provider.Question{Attempt: attempt(c.operation), Key: c.key})
		if c.reason != "" {
			wantReason(t, what, err, c.reason)
			continue
		}
		var ids []string
		for _, u := range a.Units {
			ids = append(ids, u.ID)
			if u.Source != payment.FromLookup || u.Statement != "" || u.ObservedAt != 0 || u.Group != "" && u.Parent == "" && u.Of != 3 {
				t.Errorf("%s: %+v", what, u)
			}
		}
		want := payment.Found
		if c.found == "" {
			want = payment.NotFound
		}
		if err != nil || a.Outcome != want || strings.Join(ids, " ") != c.found || a.Endpoint != c.endpoint {
			t.Errorf("%s: %s %v at %s, %v; want %s %s at %s", what, a.Outcome, ids, a.Endpoint, err, want, c.found, c.endpoint)
		}
		if err == nil && (a.Account != "wallet-1" || a.Mode != payment.Live || a.Date.String() != "2026-05-07T12:00:00Z") {
			t.Errorf("%s: account %q, mode %s, date %s", what, a.Account, a.Mode, a.Date)
		}
	}
}

// TestEveryLookupThatIsDeclaredIsAnswered: capabilities name the endpoint that
// the answer then names, so that the positive control is of the same.
func TestEveryLookupThatIsDeclaredIsAnswered(t *testing.T) {
	t.Parallel()
	values := map[string]map[payment.KeyKind]string{
		byPayment: {payment.KeyUnit: "pay_1", payment.KeyReference: "pay_1"}, byReference: {payment.KeyReference: "order-1"},
		byTransfer: {payment.KeyUnit: transfer}, byWindow: {payment.KeyReference: "payout-77"},
		byBill: {payment.KeyUnit: "33333333-0000-0000-0000-000000000001"},
	}
	s := account(t)
	p := s.provider(t)
	for _, l := range p.Capabilities().Lookups {
		for _, operation := range l.Operations {
			k := l.Key
			k.Value = values[l.Endpoint][k.Kind]
			a, err := p.LookUp(t.Context(), provider.Question{Attempt: attempt(operation), Key: k})
			if err != nil || a.Outcome != payment.Found || a.Endpoint != l.Endpoint {
				t.Errorf("%s by %v at %s: %s at %q, %v", operation, k, l.Endpoint, a.Outcome, a.Endpoint, err)
			}
		}
	}
}

func TestTheSameFactsAreTheSameBytes(t *testing.T) {
	t.Parallel()
	ask := func(change func(map[string]any)) string {
		s := account(t)
		change(s.Lists["payments"][0])
		a, err := s.provider(t).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: unitKey("pay_1")})
		if err != nil {
			t.Fatal(err)
		}
		return string(a.Canonical)
	}
	plain := ask(func(map[string]any) {})
	if got := ask(func(o map[string]any) { o["description"], o["netValue"] = "other", 1 }); got != plain {
		t.Errorf("what says nothing of the sale changes its facts:\n%s\n%s", plain, got)
	}
	if got := ask(func(o map[string]any) { o["status"] = "REFUNDED" }); got == plain {
		t.Error("another status has the same facts")
	}
}

// TestAnAnswerAboutSomethingElseIsNone: law 5.
func TestAnAnswerAboutSomethingElseIsNone(t *testing.T) {
	t.Parallel()
	const kind = "application/json"
	list := func(more bool, total int, data string) string {
		return fmt.Sprintf(`{"object":"list","hasMore":%t,"totalCount":%d,"limit":100,"offset":0,"data":[%s]}`, more, total, data)
	}
	other := `{"id":"pay_7","dateCreated":"2026-05-04","value":1,"status":"RECEIVED","externalReference":"order-7","installment":"g7","installmentNumber":1}`
	for name, c := range map[string]struct {
		operation payment.Operation
		key       payment.LookupKey
		path      string
		answer    http.HandlerFunc
		want      provider.Reason
	}{
		"another id":             {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(200, kind, other), provider.OtherReference},
		"no id":                  {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(200, kind, `{}`), provider.Unparsable},
		"error in a 200":         {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(200, kind, `{"id":"pay_1","errors":[{"code":"x"}]}`), provider.Unparsable},
		"a list":                 {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(200, kind, `[]`), provider.Unparsable},
		"no value":               {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(200, kind, `{"id":"pay_1","dateCreated":"2026-05-04"}`), provider.Unparsable},
		"404 of a proxy":         {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(404, "text/html", "<html>"), provider.Unparsable},
		"404 with an object":     {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(404, kind, other), provider.Unparsable},
		"404 that is no object":  {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(404, kind, `"no"`), provider.Unparsable},
		"401":                    {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(401, kind, `{}`), provider.Credentials},
		"403":                    {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(403, "text/html", ``), provider.Credentials},
		"409":                    {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(409, kind, `{}`), provider.HTTP409},
		"500":                    {payment.Charge, unitKey("pay_1"), "/payments/pay_1", says(500, kind, `{}`), provider.HTTP5xx},
		"parcels of another":     {payment.Charge, unitKey(group), "/payments", says(200, kind, list(false, 1, other)), provider.OtherReference},
		"not among its parcels":  {payment.Charge, unitKey("pay_21"), "/payments", says(200, kind, list(false, 0, "")), provider.OtherReference},
		"another reference":      {payment.Charge, refKey("try", "order-1"), "/payments", says(200, kind, list(false, 1, other)), provider.OtherReference},
		"fewer than it says":     {payment.Charge, refKey("try", "order-7"), "/payments", says(200, kind, list(false, 2, other)), provider.Untied},
		"a row twice":            {payment.Charge, refKey("try", "order-7"), "/payments", says(200, kind, list(false, 2, other+","+other)), provider.Shifted},
		"a list without an end":  {payment.Charge, refKey("try", "order-7"), "/payments", endless, provider.Partial},
		"a Pix of somebody else": {payment.Transfer, unitKey(endToEnd), "/pix/transactions", says(200, kind, list(false, 1, `{"id":"x","endToEndIdentifier":"E","value":1,"type":"DEBIT","status":"DONE"}`)), provider.OtherReference},
		"a Pix without value":    {payment.Transfer, unitKey(endToEnd), "/pix/transactions", says(200, kind, list(false, 1, `{"id":"x","endToEndIdentifier":"`+endToEnd+`","type":"DEBIT","status":"DONE"}`)), provider.Unparsable},
		"a transfer of a day":    {payment.Transfer, refKey("try", "payout-77"), "/transfers", says(200, kind, list(false, 1, `{"id":"x","dateCreated":"2020-01-01","value":1,"status":"DONE"}`)), provider.Unparsable},
		"a transfer broken":      {payment.Transfer, unitKey(transfer), "/transfers/" + transfer, says(200, kind, `{"id":"`+transfer+`","dateCreated":"2026-05-07"}`), provider.Unparsable},
		"a bill broken":          {payment.BillPayment, unitKey(transfer), "/bill/" + transfer, says(200, kind, `{"id":"`+transfer+`"}`), provider.Unparsable},
	} {
		s := account(t)
		s.paths[c.path] = c.answer
		a, err := s.provider(t).LookUp(t.Context(), provider.Question{Attempt: attempt(c.operation), Key: c.key})
		wantReason(t, name, err, c.want)
		if !cmp.Equal(a, provider.Answer{}) {
			t.Errorf("%s: part of an answer came: %+v", name, a)
		}
	}
	a := attempt(payment.Transfer)
	a.CreatedAt = 0
	_, err := account(t).provider(t).LookUp(t.Context(), provider.Question{Attempt: a, Key: refKey("try", "payout-77")})
	wantReason(t, "an attempt without creation", err, provider.OtherReference)
}

// endless says that more follow, whatever was read.
func endless(w http.ResponseWriter, r *http.Request) {
	offset := r.URL.Query().Get("offset")
	if offset == "" {
		offset = "0"
	}
	says(200, "application/json", fmt.Sprintf(`{"object":"list","hasMore":true,"totalCount":999,"limit":1,"offset":%s,
		"data":[{"id":"pay_%s","dateCreated":"2026-05-04","value":1,"status":"RECEIVED","externalReference":"order-7"}]}`, offset, offset))(w, r)
}

// TestOnlyWhatCarriesTheReferenceIsFound: a filter that finds more than it was
// asked for makes nothing else the attempt's.
func TestOnlyWhatCarriesTheReferenceIsFound(t *testing.T) {
	t.Parallel()
	s := account(t)
	s.paths["/payments"] = func(w http.ResponseWriter, _ *http.Request) {
		s.list(w, url.Values{"limit": {"100"}}, s.Lists["payments"])
	}
	a, err := s.provider(t).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: refKey("try", "order-5")})
	if err != nil || len(a.Units) != 1 || a.Units[0].ID != "pay_5" {
		t.Errorf("%+v, %v", a.Units, err)
	}
}

func TestRowsThatMovedWhileTheyWereReadAreNoAnswer(t *testing.T) {
	t.Parallel()
	s := account(t)
	s.Page = 1
	asks := 0
	s.paths["/payments"] = func(w http.ResponseWriter, r *http.Request) {
		rows := s.Lists["payments"]
		if asks++; asks == 2 {
			rows = append(rows, sale("pay_43", "2026-05-04", "order-4", ""))
		}
		s.list(w, r.URL.Query(), rows)
	}
	_, err := s.provider(t).LookUp(t.Context(), provider.Question{Attempt: attempt(payment.Charge), Key: refKey("try", "order-4")})
	wantReason(t, "a total that changed", err, provider.Shifted)
}

func TestTheAccountIsItsWallet(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Lists["wallets"] = []map[string]any{providertest.Object(`{"object":"wallet","id":"w-1"}`)}
	id, err := s.provider(t).Identity(t.Context())
	if err != nil || id != (provider.Identity{Account: "w-1", Mode: payment.Live}) {
		t.Errorf("%+v, %v", id, err)
	}
	for _, rows := range [][]map[string]any{nil, {providertest.Object(`{}`)}, {providertest.Object(`{"id":"a"}`), providertest.Object(`{"id":"b"}`)}} {
		s.Lists["wallets"] = rows
		_, err := s.provider(t).Identity(t.Context())
		wantReason(t, fmt.Sprint(rows), err, provider.Unparsable)
	}
}
