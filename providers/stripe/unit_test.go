package stripe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
)

const intentHead = `"id":"pi_1","object":"payment_intent","created":1793091659,"currency":"usd","livemode":false,"amount":5000`

const chargeHead = `"id":"ch_1","object":"charge","created":1793091660,"currency":"usd","livemode":false,"amount":5000`

type intentStatus struct{ fields, want string }

// intentStatuses are intents and the one unit that each must be, by their state.
func intentStatuses(paid, refused string) map[string]intentStatus {
	return map[string]intentStatus{
		"succeeded": {
			`,"amount_received":5000,"status":"succeeded","metadata":{"attempt_id":"att_1","charge_id":"c_1","else":"x"},"transfer_group":"g_1"` + paid,
			"pi_1 | = ch_1 | captured final (succeeded) | asked 50.00 USD | captured 50.00 USD | attempt:attempt=att_1 | charge:charge=c_1 | charge:group=g_1 | by card",
		},
		"succeeded, its charge not told yet": {
			`,"amount_received":5000,"status":"succeeded","latest_charge":null`,
			"pi_1 | captured final (succeeded) | asked 50.00 USD | captured 50.00 USD",
		},
		"succeeded in part": {
			`,"amount_received":2000,"status":"succeeded","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":true,"amount_captured":2000,"amount_refunded":3000,"refunded":false}`,
			"pi_1 | = ch_1 | captured final (succeeded) | asked 50.00 USD | captured 20.00 USD",
		},
		"wholly refunded": {
			`,"amount_received":5000,"status":"succeeded","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":true,"amount_captured":5000,"amount_refunded":5000,"refunded":true}`,
			"pi_1 | = ch_1 | refunded final (succeeded, refunded) | asked 50.00 USD | captured 50.00 USD",
		},
		"two captured amounts": {
			`,"amount_received":5000,"status":"succeeded","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":true,"amount_captured":4000,"amount_refunded":0}`,
			"pi_1 | = ch_1 | unmapped open (succeeded, received 5000, captured 4000) | asked 50.00 USD",
		},
		"processing":            {`,"amount_received":0,"status":"processing"`, "pi_1 | processing open (processing) | asked 50.00 USD"},
		"requires_action":       {`,"amount_received":0,"status":"requires_action","payment_method_types":["pix"]`, "pi_1 | requires_action open (requires_action) | asked 50.00 USD | by pix"},
		"requires_confirmation": {`,"amount_received":0,"status":"requires_confirmation"`, "pi_1 | requires_action open (requires_confirmation) | asked 50.00 USD"},
		"requires_capture": {
			`,"amount_received":0,"status":"requires_capture","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":false,"amount_captured":0}`,
			"pi_1 | = ch_1 | authorized open (requires_capture) | asked 50.00 USD",
		},
		"requires_capture, captured in part": {
			`,"amount_received":2000,"status":"requires_capture","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":true,"amount_captured":2000}`,
			"pi_1 | = ch_1 | captured open (requires_capture) | asked 50.00 USD | captured 20.00 USD",
		},
		"requires_payment_method, never tried": {
			`,"amount_received":0,"status":"requires_payment_method"`,
			"pi_1 | requires_action open (requires_payment_method) | asked 50.00 USD",
		},
		"requires_payment_method, refused": {
			`,"amount_received":0,"status":"requires_payment_method","last_payment_error":{"code":"card_declined","decline_code":"insufficient_funds"}` + refused,
			"pi_1 | declined open (requires_payment_method) | asked 50.00 USD | because insufficient_funds",
		},
		"canceled": {
			`,"amount_received":0,"status":"canceled","cancellation_reason":"requested_by_customer","latest_charge":{` + chargeHead + `,"status":"succeeded","captured":false,"refunded":true,"amount_captured":0,"amount_refunded":5000}`,
			"pi_1 | = ch_1 | canceled final (canceled) | asked 50.00 USD | because requested_by_customer",
		},
		"canceled as its authorisation expired": {
			`,"amount_received":0,"status":"canceled","cancellation_reason":"automatic"`,
			"pi_1 | expired final (canceled, automatic) | asked 50.00 USD | because automatic",
		},
		"expired":                      {`,"status":"canceled","cancellation_reason":"expired"`, "pi_1 | expired final (canceled, expired) | asked 50.00 USD | because expired"},
		"canceled after some captures": {`,"amount_received":2000,"status":"canceled","cancellation_reason":"abandoned"`, "pi_1 | captured final (canceled) | asked 50.00 USD | captured 20.00 USD | because abandoned"},
		"a status of next year":        {`,"status":"partially_funded"`, "pi_1 | unmapped open (partially_funded) | asked 50.00 USD"},
		"no status":                    {`,"status":null`, "pi_1 | unmapped open (no status) | asked 50.00 USD"},
	}
}

func TestEveryStatusOfAnIntentIsOneState(t *testing.T) {
	t.Parallel()
	paid := `,"latest_charge":{` + chargeHead + `,"status":"succeeded","captured":true,"paid":true,"amount_captured":5000,"amount_refunded":0,"refunded":false,"disputed":false,"payment_method_details":{"type":"card"}}`
	refused := `,"latest_charge":{` + chargeHead + `,"status":"failed","captured":false,"amount_captured":0,"amount_refunded":0,"refunded":false,"disputed":false}`
	for name, test := range intentStatuses(paid, refused) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := testAccount().intentUnit(read[object](t, "{"+intentHead+test.fields+"}"), nil)
			if diff := cmp.Diff(test.want+" | at 2026-10-27T09:00:59Z", writtenUnit(u)); diff != "" {
				t.Error(diff)
			}
			if u.Provider != "stripe" || u.Account != "acct_1" || u.Mode != payment.Test {
				t.Errorf("unit of %s %s %s", u.Provider, u.Account, u.Mode)
			}
		})
	}
}

func TestEveryStatusOfAChargeIsOneState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ fields, want string }{
		"captured":            {`,"status":"succeeded","captured":true,"amount_captured":5000,"payment_method_details":{"type":"card"}`, "ch_1 | captured final (succeeded) | asked 50.00 USD | captured 50.00 USD | by card | at 2026-10-27T09:01:00Z"},
		"captured in part":    {`,"status":"succeeded","captured":true,"amount_captured":1000,"amount_refunded":4000`, "ch_1 | captured final (succeeded) | asked 50.00 USD | captured 10.00 USD | at 2026-10-27T09:01:00Z"},
		"refunded":            {`,"status":"succeeded","captured":true,"amount_captured":5000,"amount_refunded":5000,"refunded":true`, "ch_1 | refunded final (succeeded, refunded) | asked 50.00 USD | captured 50.00 USD | at 2026-10-27T09:01:00Z"},
		"authorized":          {`,"status":"succeeded","captured":false,"amount_captured":0`, "ch_1 | authorized open (succeeded, not captured) | asked 50.00 USD | at 2026-10-27T09:01:00Z"},
		"released or expired": {`,"status":"succeeded","captured":false,"amount_captured":0,"amount_refunded":5000,"refunded":true`, "ch_1 | canceled final (succeeded, not captured, released) | asked 50.00 USD | at 2026-10-27T09:01:00Z"},
		"pending":             {`,"status":"pending","captured":true`, "ch_1 | processing open (pending) | asked 50.00 USD | at 2026-10-27T09:01:00Z"},
		"failed":              {`,"status":"failed","failure_code":"card_declined"`, "ch_1 | declined final (failed) | asked 50.00 USD | because card_declined | at 2026-10-27T09:01:00Z"},
		"unknown":             {`,"status":"half"`, "ch_1 | unmapped open (half) | asked 50.00 USD | at 2026-10-27T09:01:00Z"},

		"captured, of an intent":              {`,"payment_intent":"pi_1","status":"succeeded","captured":true,"amount_captured":5000`, "pi_1 | = ch_1 | captured final (succeeded) | asked 50.00 USD | captured 50.00 USD"},
		"released, of an intent, which tells": {`,"payment_intent":"pi_1","status":"succeeded","captured":false,"refunded":true`, "pi_1 | = ch_1"},
		"refused try of an intent is itself":  {`,"payment_intent":"pi_1","status":"failed"`, "ch_1 | declined final (failed) | asked 50.00 USD | at 2026-10-27T09:01:00Z"},
		"failed after it was booked":          {`,"payment_intent":"pi_1","status":"failed","balance_transaction":"txn_1","failure_balance_transaction":"txn_2"`, "pi_1 | = ch_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, writtenUnit(testAccount().chargeUnit(read[object](t, "{"+chargeHead+test.fields+"}"), nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestADisputedSaleIsDisputedWhileTheMoneyIsGone(t *testing.T) {
	t.Parallel()
	c := read[object](t, "{"+chargeHead+`,"status":"succeeded","captured":true,"amount_captured":5000,"disputed":true}`)
	for status, want := range map[string]string{
		"needs_response":         "disputed open (succeeded, dispute needs_response)",
		"under_review":           "disputed open (succeeded, dispute under_review)",
		"lost":                   "disputed open (succeeded, dispute lost)",
		"won":                    "captured final (succeeded)",
		"prevented":              "captured final (succeeded)",
		"warning_needs_response": "captured final (succeeded)",
		"warning_under_review":   "captured final (succeeded)",
		"warning_closed":         "captured final (succeeded)",
		"arbitration":            "unmapped open (succeeded, dispute arbitration)",
		"":                       "unmapped open (succeeded, dispute without status)",
	} {
		u := testAccount().chargeUnit(c, []row{{object: object{Status: status}}})
		u.Asked, u.Captured, u.CreatedAt = payment.Stated{}, payment.Stated{}, 0
		if got := writtenUnit(u); got != "ch_1 | "+want {
			t.Errorf("%q: %s, want %s", status, got, want)
		}
	}
}

func TestEveryStatusOfARefundIsOneState(t *testing.T) {
	t.Parallel()
	head := `{"id":"re_1","object":"refund","amount":2000,"currency":"usd","created":1793091660,"charge":"ch_1","payment_intent":"pi_1","metadata":{"attempt_id":"att_9"}`
	tail := " | asked 20.00 USD | attempt:attempt=att_9 | at 2026-10-27T09:01:00Z"
	for name, test := range map[string]struct{ fields, want string }{
		"succeeded":        {`,"status":"succeeded","balance_transaction":{"id":"txn_1","object":"balance_transaction","reporting_category":"refund"}}`, "re_1 | of pi_1 | captured open (succeeded) | asked 20.00 USD | captured 20.00 USD | attempt:attempt=att_9 | at 2026-10-27T09:01:00Z"},
		"nothing books it": {`,"status":"succeeded","balance_transaction":null}`, "re_1 | of pi_1 | processing open (succeeded, not booked)" + tail},
		"pending":          {`,"status":"pending"}`, "re_1 | of pi_1 | processing open (pending)" + tail},
		"requires_action":  {`,"status":"requires_action"}`, "re_1 | of pi_1 | requires_action open (requires_action)" + tail},
		"failed":           {`,"status":"failed","failure_reason":"lost_or_stolen_card"}`, "re_1 | of pi_1 | declined final (failed) | asked 20.00 USD | attempt:attempt=att_9 | because lost_or_stolen_card | at 2026-10-27T09:01:00Z"},
		"canceled":         {`,"status":"canceled"}`, "re_1 | of pi_1 | canceled final (canceled)" + tail},
		"unknown":          {`,"status":"reversed"}`, "re_1 | of pi_1 | unmapped open (reversed)" + tail},
		"none":             {`,"status":null}`, "re_1 | of pi_1 | unmapped open (no status)" + tail},
	} {
		u, ok := testAccount().refundUnit(read[object](t, head+test.fields))
		if got := writtenUnit(u); !ok || got != test.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, ok, got, test.want)
		}
	}
	if _, ok := testAccount().refundUnit(read[object](t, head+`,"status":"succeeded","balance_transaction":{"id":"txn_1","object":"balance_transaction","reporting_category":"partial_capture_reversal"}}`)); ok {
		t.Error("the rest of a partial capture was taken for a refund")
	}
}

func TestDisputesTransfersAndPayoutsAreUnits(t *testing.T) {
	t.Parallel()
	a := testAccount()
	dispute := `{"id":"du_1","object":"dispute","amount":5000,"currency":"usd","charge":"ch_1","payment_intent":"pi_1","status":"`
	u, ok := a.disputeUnit(read[object](t, dispute+`won"}`))
	if ok {
		t.Errorf("a dispute that took nothing is told: %s", writtenUnit(u))
	}
	if u, ok = a.disputeUnit(read[object](t, dispute+`won","balance_transactions":["txn_1","txn_2"]}`)); !ok || writtenUnit(u) != "du_1 | of pi_1" {
		t.Errorf("won after it took the money: %v %s", ok, writtenUnit(u))
	}
	if u, ok = a.disputeUnit(read[object](t, dispute+`needs_response"}`)); !ok || writtenUnit(u) != "du_1 | of pi_1" {
		t.Errorf("needs_response: %v %s", ok, writtenUnit(u))
	}
	transfer := `{"id":"tr_1","object":"transfer","amount":700,"currency":"usd","created":1793091660,"transfer_group":"g_2"`
	for fields, want := range map[string]string{
		`}`:                 "tr_1 | captured final (created) | asked 7.00 USD | captured 7.00 USD | charge:group=g_2 | at 2026-10-27T09:01:00Z",
		`,"reversed":true}`: "tr_1 | refunded final (reversed) | asked 7.00 USD | captured 7.00 USD | charge:group=g_2 | at 2026-10-27T09:01:00Z",
	} {
		if got := writtenUnit(a.transferUnit(read[object](t, transfer+fields))); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	payout := `{"id":"po_1","object":"payout","amount":700,"currency":"usd","created":1793091660,"status":"`
	for status, want := range map[string]string{
		"paid":       "captured open (paid) | asked 7.00 USD | captured 7.00 USD",
		"pending":    "processing open (pending) | asked 7.00 USD",
		"in_transit": "processing open (in_transit) | asked 7.00 USD",
		"failed":     "declined final (failed) | asked 7.00 USD",
		"canceled":   "canceled final (canceled) | asked 7.00 USD",
		"held":       "unmapped open (held) | asked 7.00 USD",
	} {
		if got := writtenUnit(a.payoutUnit(read[object](t, payout+status+`"}`))); got != "po_1 | "+want+" | at 2026-10-27T09:01:00Z" {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestWhatCannotBeCountedIsUnmapped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, want string }{
		"no such currency": {`"amount":5000,"currency":"usdc"`, `unmapped open (succeeded: unknown currency "usdc": want an ISO 4217 code such as BRL)`},
		"no currency":      {`"amount":5000,"currency":null`, `unmapped open (succeeded: unknown currency "": want an ISO 4217 code such as BRL)`},
		"half a króna":     {`"amount":550,"currency":"isk"`, "unmapped open (succeeded: amount 550 ISK is no whole number of its minor unit)"},
		"negative":         {`"amount":-1,"currency":"usd"`, "unmapped open (succeeded: negative amount -1)"},
		"beyond reason":    {`"amount":1000000000000000,"currency":"usd"`, "unmapped open (succeeded: amount 1000000000000000 USD: too large: an amount of 10^15 minor units or more)"},
		"decimals unknown": {`"amount":1,"currency":"iqd"`, "unmapped open (succeeded: amount in IQD: it is not known in which unit Stripe counts it)"},
	} {
		u := testAccount().chargeUnit(read[object](t, `{"id":"ch_1","object":"charge","status":"succeeded","captured":true,`+test.amount+`}`), nil)
		if got := writtenUnit(u); got != "ch_1 | "+test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, "ch_1 | "+test.want)
		}
	}
}
