package asaas

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

// listOf is a page of a list as the API sends it.
func listOf(offset, total int, rows ...string) string {
	return fmt.Sprintf(`{"object":"list","hasMore":%t,"totalCount":%d,"limit":100,"offset":%d,"data":[%s]}`,
		offset+len(rows) < total, total, offset, strings.Join(rows, ","))
}

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// pagesOf are two pages of a list of one row each, and the empty one.
func pagesOf(path string, filter []string, first, second string) ([]providertest.Talk, providertest.Talk) {
	pages := []providertest.Talk{
		{{Path: path, Query: query(filter...), Body: listOf(0, 2, first)}},
		{{Path: path, Query: query(append(filter, "offset", "1")...), Body: listOf(1, 2, second)}},
	}
	return pages, providertest.Talk{{Path: path, Query: query(filter...), Body: listOf(0, 0)}}
}

const (
	suitePayment = `{"object":"payment","id":"pay_1","dateCreated":"2026-05-04","value":150.0,"netValue":148.01,"billingType":"PIX","status":"RECEIVED",
		"externalReference":"order-1","deleted":false,"refunds":[{"dateCreated":"2026-05-06 10:12:13","status":"DONE","value":50.0}]}`
	suiteBoleto   = `{"object":"payment","id":"pay_2","dateCreated":"2026-05-04","value":9.9,"billingType":"BOLETO","status":"PENDING","externalReference":"order-2"}`
	suiteTransfer = `{"object":"transfer","id":"11111111-2222-3333-4444-555555555501","dateCreated":"2026-05-04","value":500.0,"status":"DONE","externalReference":"payout-77"}`
	suiteOther    = `{"object":"transfer","id":"11111111-2222-3333-4444-555555555502","dateCreated":"2026-05-04","value":1,"status":"PENDING"}`
	suitePix      = `{"id":"22222222-0000-0000-0000-000000000001","endToEndIdentifier":"E18236120202605041159abcdefghijk","value":7.5,"type":"DEBIT","status":"DONE"}`
	suiteBill     = `{"object":"bill","id":"33333333-0000-0000-0000-000000000001","status":"PAID","value":29.90}`
	suiteReceived = `{"object":"financialTransaction","id":"ftn_1","value":150.00,"balance":1150.00,"type":"PAYMENT_RECEIVED","date":"2026-05-04","paymentId":"pay_1"}`
	suiteFee      = `{"object":"financialTransaction","id":"ftn_2","value":-1.99,"balance":1148.01,"type":"PAYMENT_FEE","date":"2026-05-04","paymentId":"pay_1"}`
	suiteFault    = `{"errors":[{"code":"invalid_object","description":"Não encontrado"}]}`
)

// TestTheContractOfAdapters holds Asaas to what every adapter must do.
func TestTheContractOfAdapters(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Adapter{
		New: func(client *httpx.Client) (provider.Provider, error) {
			return New(Options{Name: "asaas", Account: "wallet-1", References: []provider.Place{
				{Name: "try", There: PlaceReference}, {Name: "sale", Scope: payment.ScopeCharge, There: PlaceRefunded},
			}}, client)
		},
		Headers: func(key secret.Secret) map[string]secret.Secret {
			_, headers, err := Connection(payment.Live, key)
			if err != nil {
				t.Fatal(err)
			}
			return headers
		},
		Identity:   providertest.Talk{{Path: "/wallets/", Body: listOf(0, 1, `{"object":"wallet","id":"wallet-1"}`)}},
		Want:       provider.Identity{Account: "wallet-1"},
		Errors:     []string{suiteFault, `{"id":"pay_1","dateCreated":"2026-05-04","value":1,"errors":[{"code":"x"}]}`},
		Statements: suiteStatements(t), Lookups: suiteLookups(),
	})
}

func suiteStatements(t *testing.T) []providertest.Statement {
	t.Helper()
	slice := days(t, "2026-05-04", "2026-05-04")
	created := []string{"dateCreated[ge]", "2026-05-04", "dateCreated[le]", "2026-05-04", "limit", "100"}
	booked := []string{"startDate", "2026-05-04", "finishDate", "2026-05-04", "order", "asc", "limit", "100"}
	variant := func(path string, filter []string, row string) providertest.Talk {
		return providertest.Talk{{Path: path, Query: query(filter...), Body: listOf(0, 1, row)}}
	}
	payments, noPayments := pagesOf("/payments", created, suitePayment, suiteBoleto)
	transfers, noTransfers := pagesOf("/transfers", created, suiteTransfer, suiteOther)
	rows, noRows := pagesOf("/financialTransactions", booked, suiteReceived, suiteFee)
	return []providertest.Statement{
		{
			Name: Payments, Slice: slice, Pages: payments, Rows: 2, Units: 3, Empty: noPayments,
			Variants: []providertest.Variant{{
				Name: "AnUnknownStatusIsUnmapped",
				Talk: variant("/payments", created, `{"id":"pay_9","dateCreated":"2026-05-04","value":1,"status":"TOMORROW"}`),
				Check: func(t *testing.T, page provider.Page) {
					t.Helper()
					if u := page.Units[0]; u.State != payment.StateUnmapped || u.RawState != "TOMORROW" || u.Final {
						t.Errorf("%+v", u)
					}
				},
			}},
		},
		{Name: Transfers, Slice: slice, Pages: transfers, Rows: 2, Units: 2, Empty: noTransfers},
		{
			Name: Ledger, Slice: slice, Pages: rows, Rows: 2, Lines: 2, Empty: noRows,
			Variants: []providertest.Variant{{
				Name: "AnUnknownTypeIsOther",
				Talk: variant("/financialTransactions", booked, `{"id":"ftn_9","date":"2026-05-04","value":-0.17,"balance":1,"type":"TOMORROW"}`),
				Check: func(t *testing.T, page provider.Page) {
					t.Helper()
					if l := page.Lines[0]; l.Kind != payment.KindOther || l.Raw != "TOMORROW" || l.Gross != -17 {
						t.Errorf("%+v", l)
					}
				},
			}},
		},
	}
}

func question(o payment.Operation, k payment.LookupKey) provider.Question {
	return provider.Question{Attempt: attempt(o), Key: k}
}

// one is an object by id, none a no for each path, whole a list in one page.
func one(path, body string) providertest.Talk { return providertest.Talk{{Path: path, Body: body}} }

func none(paths ...string) (talk providertest.Talk) {
	for _, path := range paths {
		talk = append(talk, providertest.Exchange{Path: path, Status: http.StatusNotFound, Body: suiteFault})
	}
	return talk
}

func whole(path, body string, filter ...string) providertest.Talk {
	return providertest.Talk{{Path: path, Query: query(append(filter, "limit", "100")...), Body: body}}
}

func suiteLookups() []providertest.Lookup {
	const (
		pix    = "/pix/transactions/22222222-0000-0000-0000-000000000001"
		bill   = "/bill/33333333-0000-0000-0000-000000000001"
		sent   = "/transfers/11111111-2222-3333-4444-555555555501"
		parcel = `{"id":"pay_%d","dateCreated":"2026-05-04","value":1,"status":"CONFIRMED","installment":"77777777-0000-0000-0000-000000000001","installmentNumber":%d}`
	)
	parcels := listOf(0, 2, fmt.Sprintf(parcel, 22, 2), fmt.Sprintf(parcel, 21, 1))
	around := []string{"dateCreated[ge]", "2026-05-06", "dateCreated[le]", "2026-05-08"}
	moved := strings.ReplaceAll(suiteTransfer, "2026-05-04", "2026-05-07")
	return []providertest.Lookup{
		{
			Name: "PaymentByID", Question: question(payment.Charge, unitKey("pay_1")), Units: []string{"pay_1", "pay_1/refunds"},
			Found: one("/payments/pay_1", suitePayment), NotFound: none("/payments/pay_1"), Other: one("/payments/pay_1", suiteBoleto),
		},
		{
			Name: "ParcelByID", Question: question(payment.Charge, unitKey("pay_21")), Units: []string{"pay_21", "pay_22"},
			Found: append(one("/payments/pay_21", fmt.Sprintf(parcel, 21, 1)), whole("/payments", parcels, "installment", group)...),
		},
		{
			Name: "PaymentByReference", Question: question(payment.Charge, refKey("try", "order-2")), Units: []string{"pay_2"},
			Found:    whole("/payments", listOf(0, 1, suiteBoleto), "externalReference", "order-2"),
			NotFound: whole("/payments", listOf(0, 0), "externalReference", "order-2"),
			Other:    whole("/payments", listOf(0, 1, suitePayment), "externalReference", "order-2"),
		},
		{
			Name: "RefundByPayment", Question: question(payment.Refund, refKey("sale", "pay_1")), Units: []string{"pay_1/refunds"},
			Found: one("/payments/pay_1", suitePayment), NotFound: one("/payments/pay_1", strings.ReplaceAll(suiteBoleto, "pay_2", "pay_1")),
			Other: one("/payments/pay_1", suiteBoleto),
		},
		{
			Name: "TransferByID", Question: question(payment.Transfer, unitKey("11111111-2222-3333-4444-555555555501")),
			Units: []string{"11111111-2222-3333-4444-555555555501"}, Found: one(sent, suiteTransfer),
			NotFound: none(sent, "/pix/transactions/11111111-2222-3333-4444-555555555501"), Other: one(sent, suiteOther),
		},
		{
			Name: "TransferByReference", Question: question(payment.Transfer, refKey("try", "payout-77")),
			Units: []string{"11111111-2222-3333-4444-555555555501"}, Found: whole("/transfers", listOf(0, 1, moved), around...),
			NotFound: whole("/transfers", listOf(0, 1, strings.ReplaceAll(moved, "payout-77", "payout-78")), around...),
		},
		{
			Name: "PixByEndToEnd", Question: question(payment.Transfer, unitKey(endToEnd)), Units: []string{"22222222-0000-0000-0000-000000000001"},
			Found:    whole("/pix/transactions", listOf(0, 1, suitePix), "endToEndIdentifier", endToEnd),
			NotFound: whole("/pix/transactions", listOf(0, 0), "endToEndIdentifier", endToEnd),
			Other:    whole("/pix/transactions", listOf(0, 1, strings.ReplaceAll(suitePix, "E1823", "E1824")), "endToEndIdentifier", endToEnd),
		},
		{
			Name: "BillByID", Question: question(payment.BillPayment, unitKey("33333333-0000-0000-0000-000000000001")),
			Units: []string{"33333333-0000-0000-0000-000000000001"}, Found: one(bill, suiteBill),
			NotFound: none(bill, "/pix/transactions/33333333-0000-0000-0000-000000000001"), Other: one(bill, suiteTransfer),
		},
		{
			Name: "PaidQRCodeByID", Question: question(payment.BillPayment, unitKey("22222222-0000-0000-0000-000000000001")),
			Units: []string{"22222222-0000-0000-0000-000000000001"},
			Found: append(none("/bill/22222222-0000-0000-0000-000000000001"), one(pix, suitePix)...),
		},
	}
}
