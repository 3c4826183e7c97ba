package pagarme

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/providers/providertest"
)

// story is one thing that happened at the provider, and what a run over it must
// say: the classes of all divergences, in order.
type story struct {
	charges, payables, operations []string
	attempts                      []payment.Attempt
	until                         string // today; the ledgers are read to here
	from                          string // where reading begins, "": in May
	want                          []string
}

// TestWhatARunSaysOfPagarme: the answers of the provider through the whole
// comparison, one story at a time.
func TestWhatARunSaysOfPagarme(t *testing.T) {
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
	for list, rows := range map[string][]string{"charges": s.charges, "payables": s.payables, "balance/operations": s.operations} {
		for _, text := range rows {
			server.Lists[list] = append(server.Lists[list], providertest.Object(text))
		}
	}
	p := reader(t, clientOf(t, server.URL))
	whole := payment.Interval{From: providertest.At("2026-05-01T03:00:00Z"), To: providertest.At(s.until + "T03:00:00Z")}
	if s.from != "" {
		whole.From = providertest.At(s.from + "T03:00:00Z")
	}
	told := providertest.Story{Provider: p, Name: "pagarme", Account: "loja", Zone: p.zone, Whole: whole, Attempts: s.attempts, Want: s.want}
	told.Run(t)
}

func tried(id string, o payment.Operation, status payment.Status, minor int64, refs ...payment.Reference) payment.Attempt {
	created := providertest.At("2026-05-04T11:57:59Z")
	if o == payment.Refund {
		created = providertest.At("2026-05-06T11:00:00Z")
	}
	return payment.Attempt{
		ID: id, Charge: "c" + id, Provider: "pagarme", Account: "loja", Operation: o, Status: status,
		Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: created, LastSent: created, ResolvedAt: created, References: refs,
	}
}

func try(value string) payment.Reference { return payment.Reference{Name: "try", Value: value} }

// parcels are n receivables of a sale of 100.00, the first some of them paid.
func parcels(n, settled int) (rows []string) {
	for i := 1; i <= n; i++ {
		amount, status := 10000/n, "waiting_funds"
		if i == n {
			amount = 10000 - amount*(n-1)
		}
		if i <= settled {
			status = "paid"
		}
		due := time.Date(2026, time.Month(5+i), 5, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		rows = append(rows, payableOf(i, "credit", status, fmt.Sprint(amount), due, i))
	}
	return rows
}

func stories() map[string]story {
	sold := tried("1", payment.Charge, payment.Succeeded, 10000, try("order-1"))
	unknown := tried("1", payment.Charge, payment.Unknown, 10000, try("order-1"))
	known := sold
	known.ProviderID = "ch_1"
	back := tried("2", payment.Refund, payment.Succeeded, 2500, payment.Reference{Name: "sale", Scope: payment.ScopeCharge, Value: "ch_1"})
	all := func(attempts ...payment.Attempt) []payment.Attempt { return attempts }
	pix := func(text string) string { return strings.Replace(text, `"credit_card"`, `"pix"`, 1) }
	one := []string{pix(chargeOf("ch_1", "paid", paid))}
	credit := pix(payableOf(1, "credit", "paid", "10000", "2026-05-05", 1))
	returned := []string{pix(chargeOf("ch_1", "paid", paid+`"canceled_amount":2500,"canceled_at":"2026-05-06T12:00:00Z",`))}
	minus := pix(payableOf(2, "refund", "paid", "-2500", "2026-05-06", 1))
	card := []string{chargeOf("ch_1", "paid", paid)}
	failed := `"last_transaction":{"status":"not_authorized"},`
	const soon = "2026-05-10"
	return map[string]story{
		"a Pix":                          {charges: one, payables: []string{credit}, attempts: all(sold), until: soon},
		"whose answer was lost":          {charges: one, payables: []string{credit}, attempts: all(unknown), until: soon, want: []string{"unknown_charged"}},
		"that nobody asked for":          {charges: one, payables: []string{credit}, until: soon, want: []string{"unrecorded_charge"}},
		"that is not booked":             {charges: one, attempts: all(sold), until: soon, want: []string{"settlement_late"}},
		"of another amount":              {charges: []string{pix(chargeOf("ch_1", "paid", `"paid_amount":9900,`))}, payables: []string{pix(payableOf(1, "credit", "paid", "9900", "2026-05-05", 1))}, attempts: all(sold), until: soon, want: []string{"amount_mismatch"}},
		"charged twice":                  {charges: append(slices.Clone(one), pix(chargeOf("ch_2", "paid", paid))), payables: []string{credit, strings.Replace(pix(payableOf(2, "credit", "paid", "10000", "2026-05-05", 1)), "ch_1", "ch_2", 1)}, attempts: all(sold), until: soon, want: []string{"duplicate_charge"}},
		"refused":                        {charges: []string{chargeOf("ch_1", "failed", failed)}, attempts: all(unknown), until: soon, want: []string{"unknown_declined"}},
		"refused, then paid":             {charges: append(slices.Clone(one), chargeOf("ch_2", "failed", failed)), payables: []string{credit}, attempts: all(sold), until: soon},
		"in doubt at the acquirer":       {charges: []string{chargeOf("ch_1", "failed", `"last_transaction":{"status":"with_error"},`)}, attempts: all(unknown), until: soon, want: []string{"unknown_open"}},
		"voided before its capture":      {charges: []string{chargeOf("ch_1", "canceled", `"canceled_amount":10000,"last_transaction":{"status":"voided"},`)}, attempts: all(sold), until: soon, want: []string{"declined_at_provider"}},
		"absent":                         {attempts: all(sold), until: soon, want: []string{"missing_at_provider"}},
		"a refund that is recorded":      {charges: returned, payables: []string{credit, minus}, attempts: all(sold, back), until: soon},
		"a refund that nobody noted":     {charges: returned, payables: []string{credit, minus}, attempts: all(sold), until: soon, want: []string{"refund_unrecorded"}},
		"a refund seen in the balance":   {charges: one, payables: []string{credit, minus}, attempts: all(sold), until: soon, want: []string{"refund_unrecorded"}},
		"a refund of another amount":     {charges: returned, payables: []string{credit, minus}, attempts: all(sold, tried("2", payment.Refund, payment.Succeeded, 2000, payment.Reference{Name: "sale", Scope: payment.ScopeCharge, Value: "ch_1"})), until: soon, want: []string{"amount_mismatch"}},
		"wholly canceled":                {charges: []string{pix(chargeOf("ch_1", "canceled", paid+`"canceled_amount":10000,`))}, payables: []string{credit, pix(payableOf(2, "refund", "paid", "-10000", "2026-05-06", 1))}, attempts: all(sold), until: soon, want: []string{"refund_unrecorded"}},
		"a chargeback":                   {charges: []string{chargeOf("ch_1", "chargedback", paid)}, payables: append(parcels(1, 1), payableOf(2, "chargeback", "paid", "-10000", "2026-06-06", 1)), attempts: all(sold), until: "2026-06-10", want: []string{"chargeback_unrecorded"}},
		"a chargeback that was won":      {charges: card, payables: append(parcels(1, 1), payableOf(2, "chargeback", "paid", "-10000", "2026-06-06", 1), payableOf(3, "chargeback_refund", "paid", "10000", "2026-06-08", 1)), attempts: all(sold), until: "2026-06-10"},
		"a card before its money":        {charges: card, payables: parcels(1, 0), attempts: all(sold), until: "2026-05-20"},
		"twelve parcels, first month":    {charges: card, payables: parcels(12, 1), attempts: all(sold), until: "2026-06-10"},
		"twelve parcels, half a year":    {charges: card, payables: parcels(12, 6), attempts: all(sold), until: "2026-11-10"},
		"twelve parcels, a whole year":   {charges: card, payables: parcels(12, 12), attempts: all(sold), until: "2027-05-10"},
		"a parcel that did not come":     {charges: card, payables: parcels(12, 1), attempts: all(sold), until: "2026-07-20", want: []string{"settlement_late"}},
		"the parcels of an old sale":     {charges: card, payables: parcels(12, 6), attempts: all(known), from: "2026-08-01", until: "2026-11-10"},
		"boleto, late and with interest": {charges: []string{strings.Replace(chargeOf("ch_1", "overpaid", `"paid_amount":10230,"interest_and_fine_paid":230,`), "credit_card", "boleto", 1)}, payables: []string{strings.Replace(payableOf(1, "credit", "paid", "10230", "2026-05-08", 1), "credit_card", "boleto", 1)}, attempts: all(sold), until: soon, want: []string{"amount_adjusted"}},
		"a payout and its fees":          {charges: one, payables: []string{credit}, operations: []string{operationOf(1, "transfer", "transferred", "-5000"), operationOf(2, "fee_collection", "available", "-99"), operationOf(3, "payable", "available", "10000")}, attempts: all(sold), until: soon},
		"a new type":                     {operations: []string{operationOf(1, "tomorrow", "available", "17")}, until: soon},
	}
}
