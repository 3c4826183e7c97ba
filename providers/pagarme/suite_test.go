package pagarme

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
	"desfecho/providers/providertest"
)

// listOf is a page of a list as the API sends it; next 0: the last.
func listOf(next int, rows ...string) string {
	after := "null"
	if next > 0 {
		after = fmt.Sprintf(`"https://api.pagar.me/core/v5/x?page=%d&size=100"`, next)
	}
	return fmt.Sprintf(`{"data":[%s],"paging":{"total":1,"previous":null,"next":%s}}`, strings.Join(rows, ","), after)
}

const (
	noCharge = `{"message":"Charge not found."}`
	noOrder  = `{"message":"Order not found."}`
)

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

func attempt(o payment.Operation) *payment.Attempt {
	return &payment.Attempt{ID: "a", Operation: o, CreatedAt: instant(4, 12), LastSent: instant(4, 13)}
}

// TestTheContractOfAdapters holds Pagar.me to what every adapter must do.
func TestTheContractOfAdapters(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) { return reader(t, client), nil },
		Headers: func(key secret.Secret) map[string]secret.Secret {
			return map[string]secret.Secret{"Authorization": "Basic " + key}
		},
		Identity:   providertest.Talk{{Path: "/charges", Query: query("page", "1", "size", "1"), Body: listOf(2, chargeOf("ch_1", "paid", paid))}},
		Want:       provider.Identity{Account: "loja"},
		Errors:     []string{noCharge, `{"message":"The request is invalid.","errors":{"order.customer.name":["The name field is required."]}}`},
		Statements: suiteStatements(), Lookups: suiteLookups(),
	})
}

func suiteStatements() []providertest.Statement {
	slice := payment.Interval{From: instant(4, 3), To: instant(8, 3)}
	of := func(name, path string, first, second string, lines, units int, filter ...string) providertest.Statement {
		filter = append(filter, "size", "100")
		return providertest.Statement{
			Name: name, Slice: slice, Rows: 2, Lines: lines, Units: units,
			Pages: []providertest.Talk{
				{{Path: path, Query: query(append(filter, "page", "1")...), Body: listOf(2, first)}},
				{{Path: path, Query: query(append(filter, "page", "2")...), Body: listOf(0, second)}},
			},
			Empty: providertest.Talk{{Path: path, Query: query(append(filter, "page", "1")...), Body: listOf(0)}},
		}
	}
	created := []string{"created_since", "2026-05-04T03:00:00Z", "created_until", "2026-05-08T03:00:00Z"}
	settled := []string{"payment_date_since", "2026-05-04T03:00:00Z", "payment_date_until", "2026-05-08T02:59:59Z"}
	back := paid + `"canceled_amount":"2500",`
	credit := func(n int) string {
		return payableOf(n, "credit", "waiting_funds", "5000", fmt.Sprintf("2026-0%d-05", n+5), n)
	}
	all := []providertest.Statement{
		of(Charges, "/charges", chargeOf("ch_1", "paid", back), chargeOf("ch_2", "failed", ""), 0, 3, created...),
		of(Plans, "/payables", credit(1), credit(2), 0, 2, append(created, "type", "credit")...),
		of(Payables, "/payables", payableOf(1, "credit", "paid", "5000", "2026-05-05", 1), payableOf(2, "refund", "paid", "-100", "2026-05-06", 1), 2, 0, settled...),
		of(Operations, "/balance/operations", operationOf(1, "transfer", "transferred", `"-5000"`), operationOf(2, "payable", "available", "1"), 1, 0, created...),
	}
	all[1].Pages = all[1].Pages[:1] // where a page ends within a charge is tested on its own
	all[1].Pages[0][0].Body = listOf(0, credit(1), credit(2))
	all[1].Units = 1
	first := func(i int) providertest.Exchange { return all[i].Empty[0] }
	with := func(e providertest.Exchange, body string) providertest.Talk {
		e.Body = body
		return providertest.Talk{e}
	}
	all[0].Variants = []providertest.Variant{{
		Name: "AnUnknownStatusIsUnmapped", Talk: with(first(0), listOf(0, chargeOf("ch_1", "tomorrow", ""))),
		Check: func(t *testing.T, page provider.Page) {
			t.Helper()
			if u := page.Units[0]; u.State != payment.StateUnmapped || u.RawState != "tomorrow" {
				t.Errorf("%+v", u)
			}
		},
	}}
	for i, body := range map[int]string{2: payableOf(1, "tomorrow", "paid", "-5", "2026-05-05", 1), 3: operationOf(1, "tomorrow", "available", "-5")} {
		all[i].Variants = []providertest.Variant{{
			Name: "AnUnknownTypeIsOther", Talk: with(first(i), listOf(0, body)),
			Check: func(t *testing.T, page provider.Page) {
				t.Helper()
				if l := page.Lines[0]; l.Kind != payment.KindOther || l.Raw != "tomorrow" || l.Gross != -5 {
					t.Errorf("%+v", l)
				}
			},
		}}
	}
	return all
}

func suiteLookups() []providertest.Lookup {
	question := func(o payment.Operation, kind payment.KeyKind, name, value string) provider.Question {
		return provider.Question{Attempt: attempt(o), Key: payment.LookupKey{Kind: kind, Name: name, Value: value}}
	}
	get := func(path, body string) providertest.Talk { return providertest.Talk{{Path: path, Body: body}} }
	no := func(path, body string) providertest.Talk {
		return providertest.Talk{{Path: path, Status: http.StatusNotFound, Body: body}}
	}
	order := func(id, code string, charges ...string) string {
		return fmt.Sprintf(`{"id":%q,"code":%q,"amount":10000,"status":"paid","charges":[%s],"metadata":{}}`, id, code, strings.Join(charges, ","))
	}
	plain := strings.Replace(chargeOf("ch_1", "paid", paid), `"order":{"id":"or_1","code":"order-1","metadata":{"attempt":"a-1"}},`, "", 1)
	byCode := func(orders, charges string) providertest.Talk {
		q := query("code", "order-1", "page", "1", "size", "100")
		return providertest.Talk{{Path: "/orders", Query: q, Body: orders}, {Path: "/charges", Query: q, Body: charges}}
	}
	around := query("created_since", "2026-05-04T11:00:00Z", "created_until", "2026-05-07T13:00:00Z", "page", "1", "size", "100")
	other := strings.Replace(chargeOf("ch_2", "paid", paid), `"a-1"`, `"a-2"`, 1)
	refunded := chargeOf("ch_1", "paid", paid+`"canceled_amount":2500,`)
	return []providertest.Lookup{
		{
			Name: "ByID", Question: question(payment.Charge, payment.KeyUnit, "", "ch_1"), Units: []string{"ch_1"},
			Found: get("/charges/ch_1", plain), NotFound: no("/charges/ch_1", noCharge), Other: get("/charges/ch_1", other),
		},
		{
			Name: "ByOrder", Question: question(payment.Charge, payment.KeyReference, "order", "or_1"), Units: []string{"ch_1", "ch_3"},
			Found:    get("/orders/or_1", order("or_1", "order-1", chargeOf("ch_3", "failed", ""), plain)),
			NotFound: no("/orders/or_1", noOrder), Other: get("/orders/or_1", order("or_2", "order-1", plain)),
		},
		{
			Name: "ByCode", Question: question(payment.Charge, payment.KeyReference, "try", "order-1"), Units: []string{"ch_1", "ch_3"},
			Found:    byCode(listOf(0, order("or_1", "order-1", plain)), listOf(0, chargeOf("ch_3", "failed", ""), chargeOf("ch_1", "paid", paid))),
			NotFound: byCode(listOf(0), listOf(0)),
			Other:    byCode(listOf(0, order("or_1", "order-2", plain)), listOf(0)),
		},
		{
			Name: "ByMetadata", Question: question(payment.Charge, payment.KeyReference, "meta", "a-1"), Units: []string{"ch_1"},
			Found:    providertest.Talk{{Path: "/charges", Query: around, Body: listOf(0, other, chargeOf("ch_1", "paid", paid))}},
			NotFound: providertest.Talk{{Path: "/charges", Query: around, Body: listOf(0, other)}},
		},
		{
			Name: "ARefundByItsCharge", Question: question(payment.Refund, payment.KeyReference, "sale", "ch_1"), Units: []string{"ch_1/refunds"},
			Found: get("/charges/ch_1", refunded), NotFound: get("/charges/ch_1", plain), Other: no("/charges/ch_1", noCharge),
		},
		{
			Name: "ARefundByItsUnit", Question: question(payment.Refund, payment.KeyUnit, "", "ch_1/refunds"), Units: []string{"ch_1/refunds"},
			Found: get("/charges/ch_1", refunded),
		},
	}
}
