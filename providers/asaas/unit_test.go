package asaas

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

func testOwner(t testing.TB) *owner {
	t.Helper()
	return &owner{name: "asaas", account: "wallet-1", mode: payment.Live, zone: saoPaulo(t), places: []provider.Place{
		{Name: "try", Scope: payment.ScopeAttempt, There: PlaceReference},
		{Name: "sale", Scope: payment.ScopeCharge, There: PlaceRefunded},
	}}
}

func read[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	return &v
}

// card is a payment in the provider's words, with every field that holds
// somebody's data; status and more come on top.
func card(id, status, more string) string {
	return fmt.Sprintf(`{"object":"payment","id":%q,"dateCreated":"2026-05-03","customer":"cus_0001","value":89.9,"netValue":86.72,
		"description":"Pedido de Maria da Silva, CPF 529.982.247-25","billingType":"CREDIT_CARD","confirmedDate":"2026-05-03",
		"creditCard":{"creditCardNumber":"0000","creditCardBrand":"VISA","creditCardToken":null},"status":%q,"dueDate":"2026-05-03",
		"externalReference":"order-1002-try-1","deleted":false,"creditDate":"2026-06-04","estimatedCreditDate":"2026-06-04",
		"discount":{"value":0,"type":"FIXED"},"refunds":null%s}`, id, status, more)
}

func TestEveryStatusOfAPaymentIsMapped(t *testing.T) {
	t.Parallel()
	type outcome struct {
		State    payment.State
		Final    bool
		Captured payment.Stated
	}
	paid := payment.Known(8990)
	for status, want := range map[string]outcome{
		"PENDING":                      {payment.StateRequiresAction, false, payment.Stated{}},
		"AWAITING_RISK_ANALYSIS":       {payment.StateProcessing, false, payment.Stated{}},
		"AUTHORIZED":                   {payment.StateAuthorized, false, payment.Stated{}},
		"CONFIRMED":                    {payment.StateCaptured, true, paid},
		"RECEIVED":                     {payment.StateCaptured, true, paid},
		"RECEIVED_IN_CASH":             {payment.StateCaptured, false, paid},
		"OVERDUE":                      {payment.StateRequiresAction, false, payment.Stated{}},
		"REFUND_REQUESTED":             {payment.StateCaptured, false, paid},
		"REFUND_IN_PROGRESS":           {payment.StateCaptured, false, paid},
		"REFUNDED":                     {payment.StateRefunded, true, paid},
		"CHARGEBACK_REQUESTED":         {payment.StateDisputed, false, paid},
		"CHARGEBACK_DISPUTE":           {payment.StateDisputed, false, paid},
		"AWAITING_CHARGEBACK_REVERSAL": {payment.StateDisputed, false, paid},
		"DUNNING_REQUESTED":            {payment.StateRequiresAction, false, payment.Stated{}},
		"DUNNING_RECEIVED":             {payment.StateCaptured, true, paid},
		"SOMETHING_NEW":                {payment.StateUnmapped, false, payment.Stated{}},
		"received":                     {payment.StateUnmapped, false, payment.Stated{}},
		"":                             {payment.StateUnmapped, false, payment.Stated{}},
	} {
		units, err := testOwner(t).payment(read[paymentObject](t, card("pay_1", status, "")))
		if err != nil || len(units) != 1 {
			t.Errorf("%s: %d units, %v", status, len(units), err)
			continue
		}
		u := units[0]
		if got := (outcome{u.State, u.Final, u.Captured}); got != want || u.RawState != status {
			t.Errorf("%s is %v, raw %q; want %v", status, got, u.RawState, want)
		}
	}
}

func TestAPaymentSaysWhatIsKnownOfASale(t *testing.T) {
	t.Parallel()
	o := testOwner(t)
	units, err := o.payment(read[paymentObject](t, card("pay_1", "CONFIRMED", "")))
	if err != nil {
		t.Fatal(err)
	}
	want := []payment.Unit{{
		ID: "pay_1", Provider: "asaas", Account: "wallet-1", State: payment.StateCaptured, RawState: "CONFIRMED", Final: true,
		References: []payment.Reference{{Name: "try", Scope: payment.ScopeAttempt, Value: "order-1002-try-1"}},
		Asked:      payment.Known(8990), Captured: payment.Known(8990), Principal: payment.Known(8990), Currency: brl, Method: "card",
		CreatedAt: payment.InstantOf(time.Date(2026, 5, 3, 3, 0, 0, 0, time.UTC)), Precision: 24 * time.Hour,
	}}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasPaidLateKeepsItsPrincipal(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("89.9,", "93.25,", `"refunds":null`, `"originalValue":89.9,"interestValue":3.35,"refunds":null`).
		Replace(card("pay_1", "RECEIVED", ""))
	units, err := testOwner(t).payment(read[paymentObject](t, text))
	if err != nil {
		t.Fatal(err)
	}
	if u := units[0]; u.Captured != payment.Known(9325) || u.Principal != payment.Known(8990) {
		t.Errorf("captured %v, principal %v; want 93.25 and 89.90", u.Captured, u.Principal)
	}
}

func TestARemovedChargeIsCanceledUnlessItWasPaid(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]payment.State{
		"PENDING": payment.StateCanceled, "OVERDUE": payment.StateCanceled, "AUTHORIZED": payment.StateCanceled,
		"RECEIVED": payment.StateCaptured, "REFUNDED": payment.StateRefunded, "SOMETHING_NEW": payment.StateUnmapped,
	} {
		text := strings.Replace(card("pay_1", status, ""), `"deleted":false`, `"deleted":true`, 1)
		units, err := testOwner(t).payment(read[paymentObject](t, text))
		if err != nil {
			t.Fatal(err)
		}
		if u := units[0]; u.State != want || want == payment.StateCanceled && !u.Final {
			t.Errorf("%s, removed, is %s, final %v; want %s", status, u.State, u.Final, want)
		}
	}
}

func TestMethodsAreToldInCommonWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"billingType":"PIX"}`: "pix", `{"billingType":"BOLETO"}`: "boleto", `{"billingType":"CREDIT_CARD"}`: "card",
		`{"billingType":"DEBIT_CARD"}`: "debit_card", `{"billingType":"UNDEFINED"}`: "", `{"billingType":"TRANSFER"}`: "transfer",
		`{"billingType":"DEPOSIT"}`: "deposit", `{"billingType":"NEW"}`: "NEW", `{}`: "",
		`{"billingType":"PIX","status":"RECEIVED_IN_CASH"}`:                     "cash",
		`{"billingType":"PIX","pixQrCodeId":"QR1"}`:                             "pix_static",
		`{"billingType":"PIX","pixQrCodeId":"QR1","externalReference":"order"}`: "pix",
	} {
		if got := methodOf(read[paymentObject](t, text)); got != want {
			t.Errorf("%s is paid by %q, want %q", text, got, want)
		}
	}
}

func TestParcelsAreOneGroupWithTheirDays(t *testing.T) {
	t.Parallel()
	units, err := testOwner(t).payment(read[paymentObject](t, card("pay_3", "CONFIRMED", `,"installment":"inst-1","installmentNumber":3`)))
	if err != nil {
		t.Fatal(err)
	}
	due := payment.DayOfDate(2026, 6, 4)
	if u := units[0]; u.Group != "inst-1" || u.N != 3 || !cmp.Equal(u.Plan, []payment.Parcel{{N: 3, Due: due, Minor: 8990}}) {
		t.Errorf("group %q, parcel %d, plan %v", u.Group, u.N, u.Plan)
	}
	units, err = testOwner(t).payment(read[paymentObject](t, card("pay_3", "PENDING", `,"installment":"inst-1","installmentNumber":3`)))
	if err != nil || units[0].Plan != nil {
		t.Errorf("an unpaid parcel has the plan %v, %v; want none", units[0].Plan, err)
	}
}

func TestRefundsOfOnePaymentAreOneUnit(t *testing.T) {
	t.Parallel()
	refund := func(status, value, at string) string {
		return fmt.Sprintf(`{"dateCreated":%q,"status":%q,"value":%s,"endToEndIdentifier":"D0001","description":"de Maria"}`, at, status, value)
	}
	for name, c := range map[string]struct {
		refunds         []string
		state           payment.State
		final           bool
		asked, captured int64
		raw             string
	}{
		"one done":       {[]string{refund("DONE", "50.0", "2026-05-06 10:12:13")}, payment.StateCaptured, true, 5000, 5000, "DONE"},
		"two done":       {[]string{refund("DONE", "50", "2026-05-07 10:12:13"), refund("DONE", "9.9", "2026-05-06 10:12:13")}, payment.StateCaptured, true, 5990, 5990, "DONE"},
		"one to come":    {[]string{refund("DONE", "50", "2026-05-06 10:12:13"), refund("PENDING", "9.9", "2026-05-07 10:12:13")}, payment.StateCaptured, false, 5990, 5000, "DONE"},
		"none yet":       {[]string{refund("AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION", "5", "2026-05-06 10:12:13")}, payment.StateRequiresAction, false, 500, 0, "AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION"},
		"critical":       {[]string{refund("AWAITING_CRITICAL_ACTION_AUTHORIZATION", "5", "2026-05-06 10:12:13")}, payment.StateRequiresAction, false, 500, 0, "AWAITING_CRITICAL_ACTION_AUTHORIZATION"},
		"pending":        {[]string{refund("PENDING", "5", "2026-05-06 10:12:13")}, payment.StateProcessing, false, 500, 0, "PENDING"},
		"given up":       {[]string{refund("CANCELLED", "5", "2026-05-06 10:12:13")}, payment.StateCanceled, true, 0, 0, "CANCELLED"},
		"given up, done": {[]string{refund("CANCELLED", "5", "2026-05-06 10:12:13"), refund("DONE", "5", "2026-05-08 10:12:13")}, payment.StateCaptured, true, 500, 500, "DONE"},
		"unknown":        {[]string{refund("DONE", "5", "2026-05-06 10:12:13"), refund("NEW", "5", "2026-05-08 10:12:13")}, payment.StateUnmapped, false, 1000, 500, "NEW"},
	} {
		text := strings.Replace(card("pay_1", "RECEIVED", ""), `"refunds":null`, `"refunds":[`+strings.Join(c.refunds, ",")+`]`, 1)
		units, err := testOwner(t).payment(read[paymentObject](t, text))
		if err != nil || len(units) != 2 {
			t.Errorf("%s: %d units, %v; want the sale and its refunds", name, len(units), err)
			continue
		}
		u := units[1]
		if u.ID != "pay_1/refunds" || u.Parent != "pay_1" || u.State != c.state || u.Final != c.final || u.RawState != c.raw {
			t.Errorf("%s: %s of %s is %s (%s), final %v; want %s (%s), final %v", name, u.ID, u.Parent, u.State, u.RawState, u.Final, c.state, c.raw, c.final)
		}
		if u.Asked != payment.Known(c.asked) || u.Captured != payment.Known(c.captured) {
			t.Errorf("%s: asked %v, given back %v; want %d and %d", name, u.Asked, u.Captured, c.asked, c.captured)
		}
		want := []payment.Reference{{Name: "try", Value: "order-1002-try-1"}, {Name: "sale", Scope: payment.ScopeCharge, Value: "pay_1"}, {Name: "sale", Scope: payment.ScopeCharge, Value: "pay_1/refunds"}}
		if diff := cmp.Diff(want, u.References); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if units[0].State != payment.StateCaptured {
			t.Errorf("%s: a partial refund made the sale %s", name, units[0].State)
		}
	}
}

func TestEveryStatusOfMoneySentIsMapped(t *testing.T) {
	t.Parallel()
	o := testOwner(t)
	for status, want := range map[string]meaning{
		"PENDING": {payment.StateProcessing, false}, "BANK_PROCESSING": {payment.StateProcessing, false},
		"DONE": {payment.StateCaptured, true}, "CANCELLED": {payment.StateCanceled, true}, "FAILED": {payment.StateDeclined, true},
		"BLOCKED": {payment.StateUnmapped, false},
	} {
		u, err := o.transfer(&transferObject{ID: "t", DateCreated: "2026-05-07", Value: "500.0", Status: status})
		check(t, "transfer "+status, &u, err, want)
	}
	for status, want := range map[string]meaning{
		"AWAITING_BALANCE_VALIDATION": {payment.StateProcessing, false}, "AWAITING_INSTANT_PAYMENT_ACCOUNT_BALANCE": {payment.StateProcessing, false},
		"AWAITING_CRITICAL_ACTION_AUTHORIZATION": {payment.StateRequiresAction, false}, "AWAITING_CHECKOUT_RISK_ANALYSIS_REQUEST": {payment.StateProcessing, false},
		"AWAITING_CASH_IN_RISK_ANALYSIS_REQUEST": {payment.StateProcessing, false}, "SCHEDULED": {payment.StateProcessing, false},
		"AWAITING_REQUEST": {payment.StateProcessing, false}, "REQUESTED": {payment.StateProcessing, false},
		"DONE": {payment.StateCaptured, true}, "REFUSED": {payment.StateDeclined, true}, "CANCELLED": {payment.StateCanceled, true},
		"NEW": {payment.StateUnmapped, false},
	} {
		u, err := o.pix(&pixObject{ID: "t", Value: "500.0", Status: status})
		check(t, "Pix "+status, &u, err, want)
	}
	for status, want := range map[string]meaning{
		"PENDING": {payment.StateProcessing, false}, "BANK_PROCESSING": {payment.StateProcessing, false}, "PAID": {payment.StateCaptured, true},
		"FAILED": {payment.StateDeclined, true}, "CANCELLED": {payment.StateCanceled, true}, "REFUNDED": {payment.StateRefunded, true},
		"AWAITING_CHECKOUT_RISK_ANALYSIS_REQUEST": {payment.StateProcessing, false}, "": {payment.StateUnmapped, false},
	} {
		u, err := o.bill(&billObject{ID: "t", Value: "500.0", Status: status})
		check(t, "bill "+status, &u, err, want)
	}
}

func check(t *testing.T, what string, u *payment.Unit, err error, want meaning) {
	t.Helper()
	captured := payment.Stated{}
	if want.state.Money() {
		captured = payment.Known(50000)
	}
	if err != nil || u.State != want.state || u.Final != want.final || u.Captured != captured || u.Asked != payment.Known(50000) {
		t.Errorf("%s is %s, final %v, %v of %v, %v; want %s, final %v", what, u.State, u.Final, u.Captured, u.Asked, err, want.state, want.final)
	}
}

func TestATransferKeepsNobodysData(t *testing.T) {
	t.Parallel()
	u, err := testOwner(t).transfer(read[transferObject](t, `{"object":"transfer","id":"11111111-2222-3333-4444-555555555501","type":"BANK_ACCOUNT",
		"dateCreated":"2026-05-07","value":500.0,"netValue":495.0,"status":"FAILED","transferFee":5.0,"endToEndIdentifier":"E0001",
		"failReason":"conta de 529.982.247-25 inválida","externalReference":"payout-77","operationType":"PIX",
		"bankAccount":{"ownerName":"Maria da Silva","cpfCnpj":"52998224725","pixAddressKey":"maria@example.com"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := payment.Unit{
		ID: "11111111-2222-3333-4444-555555555501", Aliases: []string{"E0001"}, Provider: "asaas", Account: "wallet-1",
		References: []payment.Reference{{Name: "try", Value: "payout-77"}}, State: payment.StateDeclined, RawState: "FAILED", Final: true,
		Asked: payment.Known(50000), Principal: payment.Known(50000), Currency: brl, Method: "pix", Reason: "conta de ***.***.***-25 inválida",
		CreatedAt: payment.InstantOf(time.Date(2026, 5, 7, 3, 0, 0, 0, time.UTC)), Precision: 24 * time.Hour,
	}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Error(diff)
	}
}

func TestAPixIsTheTransferThatItCarriesOut(t *testing.T) {
	t.Parallel()
	o := testOwner(t)
	u, err := o.pix(&pixObject{ID: "pix-1", TransferID: "tra-1", EndToEnd: "E1", Value: "5", Status: "DONE"})
	if err != nil || u.ID != "tra-1" || !cmp.Equal(u.Aliases, []string{"pix-1", "E1"}) {
		t.Errorf("a Pix of a transfer is %q %v, %v", u.ID, u.Aliases, err)
	}
	u, err = o.pix(&pixObject{ID: "pix-1", EndToEnd: "E1", Value: "5", Status: "DONE"})
	if err != nil || u.ID != "pix-1" || !cmp.Equal(u.Aliases, []string{"E1"}) {
		t.Errorf("a Pix without transfer is %q %v, %v", u.ID, u.Aliases, err)
	}
}

func TestAnObjectThatSaysTooLittleIsRefused(t *testing.T) {
	t.Parallel()
	o := testOwner(t)
	whole := card("pay_1", "RECEIVED", "")
	for _, change := range []string{
		`"id":"pay_1"|"id":null`, `"value":89.9|"value":null`, `"value":89.9|"value":-89.9`, `"value":89.9|"value":89.999`,
		`"dateCreated":"2026-05-03"|"dateCreated":null`, `"dateCreated":"2026-05-03"|"dateCreated":"03/05/2026"`,
		`"refunds":null|"originalValue":-1`, `"refunds":null|"refunds":[{}]`, `"refunds":null|"refunds":[{"value":1}]`,
		`"refunds":null|"refunds":[{"value":-1,"dateCreated":"2026-05-03"}]`,
	} {
		from, to, _ := strings.Cut(change, "|")
		if !strings.Contains(whole, from) {
			t.Fatalf("%s: nothing to change", change)
		}
		if units, err := o.payment(read[paymentObject](t, strings.Replace(whole, from, to, 1))); err == nil {
			t.Errorf("%s: taken as %v", change, units)
		}
	}
	for _, bad := range []transferObject{{}, {ID: "t"}, {ID: "t", Value: "1"}, {Value: "1", DateCreated: "2026-05-07"}, {ID: "t", Value: "-1", DateCreated: "2026-05-07"}} {
		if u, err := o.transfer(&bad); err == nil {
			t.Errorf("%v: taken as %v", bad, u)
		}
	}
	if _, err := o.pix(&pixObject{ID: "x"}); err == nil {
		t.Error("a Pix without amount was taken")
	}
	if _, err := o.bill(&billObject{Value: "1"}); err == nil {
		t.Error("a bill without id was taken")
	}
}
