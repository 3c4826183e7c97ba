package asaas

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/providers/providertest"
)

// story is one thing that happened at the provider, and what a run over it must
// say: the classes of all divergences, in order.
type story struct {
	payments, transfers []string
	ledger              []string // type, date, value, and more
	attempts            []payment.Attempt
	expected            []string
	until               string // today; the ledger is read to here
	want                []string
}

// TestWhatARunSaysOfAsaas: the answers of the provider through the whole
// comparison, one story at a time.
func TestWhatARunSaysOfAsaas(t *testing.T) {
	t.Parallel()
	for name, s := range stories() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func (s *story) run(t *testing.T) {
	t.Helper()
	server := serve(t)
	server.Lists["payments"], server.Lists["transfers"], server.Lists["financialTransactions"] = rows(s.payments), rows(s.transfers), s.entries()
	p := server.provider(t)
	told := providertest.Story{
		Provider: p, Name: "asaas", Account: "wallet-1", Zone: p.zone, Whole: days(t, "2026-05-01", s.until), Attempts: s.attempts, Expected: s.expected, Want: s.want,
	}
	told.Run(t)
}

func rows(objects []string) []map[string]any {
	all := []map[string]any{}
	for _, o := range objects {
		all = append(all, providertest.Object(o))
	}
	return all
}

// entries makes the ledger of the story, with its balance.
func (s *story) entries() []map[string]any {
	all := rows(s.ledger)
	balance := int64(100000)
	for i, e := range all {
		minor, err := minorOf(e["value"].(json.Number))
		if err != nil {
			panic(err)
		}
		balance += minor
		e["id"], e["balance"] = fmt.Sprint("ftn_", i), reais(balance)
	}
	return all
}

func tried(id string, o payment.Operation, status payment.Status, minor int64, at, providerID string, refs ...payment.Reference) payment.Attempt {
	day, err := dayOf(at)
	if err != nil {
		panic(err)
	}
	created := payment.InstantOf(day.Start(time.UTC).Time().Add(15 * time.Hour))
	return payment.Attempt{
		ID: id, Charge: "c" + id, Provider: "asaas", Account: "wallet-1", Operation: o, Status: status, ProviderID: providerID,
		Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: created, LastSent: created, ResolvedAt: created, References: refs,
	}
}

func try(value string) payment.Reference { return payment.Reference{Name: "try", Value: value} }

func of(id string) payment.Reference {
	return payment.Reference{Name: "sale", Scope: payment.ScopeCharge, Value: id}
}

func stories() map[string]story {
	pix := `{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"PIX","status":"RECEIVED","externalReference":"order-1"}`
	paid := `{"type":"PAYMENT_RECEIVED","date":"2026-05-04","value":150.0,"paymentId":"pay_1"}`
	fee := `{"type":"PAYMENT_FEE","date":"2026-05-04","value":-1.99,"paymentId":"pay_1"}`
	sold := tried("1", payment.Charge, payment.Succeeded, 15000, "2026-05-04", "pay_1", try("order-1"))
	unknown := tried("1", payment.Charge, payment.Unknown, 15000, "2026-05-04", "", try("order-1"))
	refunded := `{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"PIX","status":"RECEIVED","externalReference":"order-1",
		"refunds":[{"dateCreated":"2026-05-06 10:12:13","status":"DONE","value":50.0}]}`
	reversal := `{"type":"PAYMENT_REVERSAL","date":"2026-05-06","value":-50.0,"paymentId":"pay_1"}`
	static := `{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"PIX","pixQrCodeId":"QR1","status":"RECEIVED"}`
	return map[string]story{
		"a Pix":                        {payments: []string{pix}, ledger: []string{paid, fee}, attempts: []payment.Attempt{sold}, until: "2026-05-10"},
		"a Pix whose answer was lost":  {payments: []string{pix}, ledger: []string{paid, fee}, attempts: []payment.Attempt{unknown}, until: "2026-05-10", want: []string{"unknown_charged"}},
		"a Pix that nobody asked for":  {payments: []string{pix}, ledger: []string{paid, fee}, until: "2026-05-10", want: []string{"unrecorded_charge"}},
		"a refund that is recorded":    {payments: []string{refunded}, ledger: []string{paid, fee, reversal}, attempts: []payment.Attempt{sold, tried("2", payment.Refund, payment.Succeeded, 5000, "2026-05-06", "", of("pay_1"))}, until: "2026-05-10"},
		"a refund that nobody noted":   {payments: []string{refunded}, ledger: []string{paid, fee, reversal}, attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"refund_unrecorded"}},
		"a refund seen in the ledger":  {payments: []string{pix}, ledger: []string{paid, fee, reversal}, attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"refund_unrecorded"}},
		"a refund of another amount":   {payments: []string{refunded}, ledger: []string{paid, fee, reversal}, attempts: []payment.Attempt{sold, tried("2", payment.Refund, payment.Succeeded, 6000, "2026-05-06", "", of("pay_1"))}, until: "2026-05-10", want: []string{"amount_mismatch"}},
		"charged twice":                {payments: []string{pix, pixOf("pay_2")}, ledger: []string{paid, fee, `{"type":"PAYMENT_RECEIVED","date":"2026-05-04","value":150.0,"paymentId":"pay_2"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"duplicate_charge"}},
		"absent":                       {attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"missing_at_provider"}},
		"a boleto paid late":           {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":155.50,"originalValue":150.0,"billingType":"BOLETO","status":"RECEIVED","externalReference":"order-1"}`}, ledger: []string{`{"type":"PAYMENT_RECEIVED","date":"2026-05-08","value":155.50,"paymentId":"pay_1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"amount_adjusted"}},
		"a boleto nobody paid":         {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"BOLETO","status":"OVERDUE","externalReference":"order-1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-10", want: []string{"succeeded_but_open"}},
		"paid in cash":                 {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"BOLETO","status":"RECEIVED_IN_CASH","externalReference":"order-1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-10"},
		"removed":                      {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"BOLETO","status":"PENDING","deleted":true,"externalReference":"order-1"}`}, attempts: []payment.Attempt{unknown}, until: "2026-05-10", want: []string{"unknown_declined"}},
		"a card before its money":      {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"CREDIT_CARD","status":"CONFIRMED","creditDate":"2026-06-05","externalReference":"order-1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-30"},
		"a chargeback":                 {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"CREDIT_CARD","status":"CHARGEBACK_REQUESTED","externalReference":"order-1"}`}, ledger: []string{paid, fee, `{"type":"CHARGEBACK","date":"2026-05-20","value":-150.0,"paymentId":"pay_1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-30", want: []string{"chargeback_unrecorded"}},
		"a chargeback that was won":    {payments: []string{pix}, ledger: []string{paid, fee, `{"type":"CHARGEBACK","date":"2026-05-20","value":-150.0,"paymentId":"pay_1"}`, `{"type":"CHARGEBACK_REVERSAL","date":"2026-05-25","value":150.0,"paymentId":"pay_1"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-30"},
		"an anticipated sale":          {payments: []string{`{"id":"pay_1","dateCreated":"2026-05-04","value":150.0,"billingType":"CREDIT_CARD","status":"RECEIVED","externalReference":"order-1"}`}, ledger: []string{`{"type":"RECEIVABLE_ANTICIPATION_GROSS_CREDIT","date":"2026-05-06","value":148.0,"paymentId":"pay_1","anticipationId":"a"}`, `{"type":"RECEIVABLE_ANTICIPATION_FEE","date":"2026-05-06","value":-3,"paymentId":"pay_1","anticipationId":"a"}`, `{"type":"PAYMENT_RECEIVED","date":"2026-06-05","value":150,"paymentId":"pay_1"}`, `{"type":"PAYMENT_FEE","date":"2026-06-05","value":-2,"paymentId":"pay_1"}`, `{"type":"RECEIVABLE_ANTICIPATION_DEBIT","date":"2026-06-05","value":-148.0,"paymentId":"pay_1","anticipationId":"a"}`}, attempts: []payment.Attempt{sold}, until: "2026-06-10"},
		"a sale that is shared":        {payments: []string{pix}, ledger: []string{paid, fee, `{"type":"INTERNAL_TRANSFER_DEBIT","date":"2026-05-04","value":-50,"paymentId":"pay_1","splitId":"s"}`}, attempts: []payment.Attempt{sold}, until: "2026-05-10"},
		"a transfer":                   {transfers: []string{`{"id":"t-1","dateCreated":"2026-05-07","value":500.0,"status":"DONE","externalReference":"payout-77"}`}, ledger: []string{`{"type":"TRANSFER","date":"2026-05-07","value":-500.0,"transferId":"t-1"}`, `{"type":"TRANSFER_FEE","date":"2026-05-07","value":-5,"transferId":"t-1"}`}, attempts: []payment.Attempt{tried("1", payment.Transfer, payment.Succeeded, 50000, "2026-05-07", "", try("payout-77"))}, until: "2026-05-10"},
		"a transfer nobody asked for":  {transfers: []string{`{"id":"t-1","dateCreated":"2026-05-07","value":500.0,"status":"DONE"}`}, ledger: []string{`{"type":"TRANSFER","date":"2026-05-07","value":-500.0,"transferId":"t-1"}`}, until: "2026-05-10", want: []string{"unrecorded_outflow"}},
		"a transfer that came back":    {transfers: []string{`{"id":"t-1","dateCreated":"2026-05-07","value":500.0,"status":"DONE","externalReference":"payout-77"}`}, ledger: []string{`{"type":"TRANSFER","date":"2026-05-07","value":-500.0,"transferId":"t-1"}`, `{"type":"TRANSFER_REVERSAL","date":"2026-05-08","value":500,"transferId":"t-1"}`}, attempts: []payment.Attempt{tried("1", payment.Transfer, payment.Succeeded, 50000, "2026-05-07", "", try("payout-77"))}, until: "2026-05-10", want: []string{"outflow_returned"}},
		"a bill":                       {ledger: []string{`{"type":"BILL_PAYMENT","date":"2026-05-07","value":-29.90,"billId":"b-1"}`}, attempts: []payment.Attempt{tried("1", payment.BillPayment, payment.Succeeded, 2990, "2026-05-07", "b-1")}, until: "2026-05-10"},
		"a bill that is not booked":    {attempts: []payment.Attempt{tried("1", payment.BillPayment, payment.Succeeded, 2990, "2026-05-07", "b-1")}, until: "2026-05-10"},
		"a bill never booked":          {attempts: []payment.Attempt{tried("1", payment.BillPayment, payment.Succeeded, 2990, "2026-05-07", "b-1")}, until: "2026-07-10", want: []string{"missing_at_provider"}},
		"a refund nobody can name":     {payments: []string{refunded}, ledger: []string{paid, fee, reversal}, attempts: []payment.Attempt{sold, tried("2", payment.Refund, payment.Unknown, 5000, "2026-05-06", "")}, until: "2026-05-10", want: []string{"refund_unrecorded", "unknown_waiting"}},
		"a printed QR code":            {payments: []string{static}, ledger: []string{paid, fee}, until: "2026-05-10", want: []string{"unrecorded_charge"}},
		"a printed QR code, expected":  {payments: []string{static}, ledger: []string{paid, fee}, until: "2026-05-10", expected: []string{"pix_static"}},
		"a new type":                   {ledger: []string{`{"type":"SOME_FUTURE_TYPE","date":"2026-05-07","value":0.17}`}, until: "2026-05-10"},
		"twelve parcels, first month":  parcels("2026-06-10", 1),
		"twelve parcels, half a year":  parcels("2026-11-10", 6),
		"twelve parcels, a whole year": parcels("2027-06-10", 12),
	}
}

func pixOf(id string) string {
	return fmt.Sprintf(`{"id":%q,"dateCreated":"2026-05-04","value":150.0,"billingType":"PIX","status":"RECEIVED","externalReference":"order-1"}`, id)
}

// parcels is a sale of 350.00 in twelve parcels, of which some are booked.
func parcels(until string, booked int) story {
	s := story{until: until, attempts: []payment.Attempt{tried("1", payment.Charge, payment.Succeeded, 35000, "2026-05-04", "pay_1", try("order-1"))}}
	for n := 1; n <= 12; n++ {
		value, status := "29.16", "CONFIRMED"
		if n == 12 {
			value = "29.24"
		}
		due := time.Date(2026, 5, 4+32*n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		if n <= booked {
			status = "RECEIVED"
			s.ledger = append(s.ledger, fmt.Sprintf(`{"type":"PAYMENT_RECEIVED","date":%q,"value":%s,"paymentId":"pay_%d"}`, due, value, n))
		}
		s.payments = append(s.payments, fmt.Sprintf(`{"id":"pay_%d","dateCreated":"2026-05-04","value":%s,"billingType":"CREDIT_CARD","status":%q,
			"externalReference":"order-1","installment":%q,"installmentNumber":%d,"creditDate":%q}`, n, value, status, group, n, due))
	}
	return s
}
