package likeness

import (
	"strings"

	"desfecho/internal/fakepsp"
)

// booking is how Stripe calls a sort of ledger rows.
var booking = map[string]struct{ kind, category string }{
	"charge":          {"charge", "charge"},
	"refund":          {"refund", "refund"},
	"transfer":        {"transfer", "transfer"},
	"transfer_return": {"transfer_refund", "transfer_reversal"},
	"chargeback":      {"adjustment", "dispute"},
	"payout":          {"payout", "payout"},
}

// ledger are the balance transactions that are shown, or all that objects name
// where an object is asked for; or the payouts among them.
func (s stripe) ledger(collection string, v fakepsp.View) (all []thing) {
	rows := s.Entries()
	fees := map[string]int64{}
	for _, e := range rows {
		if e.Type == "fee" {
			fees[e.Object] -= e.Amount
		}
	}
	if v == fakepsp.InLedger {
		rows = s.Booked()
	}
	for _, e := range rows {
		switch {
		case collection == "payouts" && e.Type == "payout":
			all = append(all, thing{
				"id": e.Payout, "object": "payout", "livemode": true, "created": e.At.Unix(), "amount": -e.Amount, "currency": strings.ToLower(e.Currency),
				"status": "paid", "automatic": true, "reconciliation_status": "completed", "balance_transaction": e.ID,
			})
		case collection == "balance_transactions" && e.Type != "fee":
			fee := int64(0)
			if e.Type == "charge" {
				fee = fees[e.Object]
			}
			all = append(all, entry(&e, fee))
		}
	}
	return all
}

func entry(e *fakepsp.Entry, fee int64) thing {
	word := booking[e.Type]
	t := thing{
		"id": e.ID, "object": "balance_transaction", "created": e.At.Unix(), "available_on": e.At.Unix(), "amount": e.Amount, "fee": fee,
		"net": e.Amount - fee, "currency": strings.ToLower(e.Currency), "type": word.kind, "reporting_category": word.category,
		"status": "available", "fee_details": []thing{}, "source": e.Object, "payout": e.Payout,
	}
	switch e.Type {
	case "charge":
		t["source"] = chargeOf(e.Object)
	case "chargeback":
		t["source"] = "du_" + strings.TrimPrefix(e.Object, "pi_")
	case "transfer_return":
		t["source"] = thing{
			"id": "trr_" + strings.TrimPrefix(e.Object, "tr_"), "object": "transfer_reversal", "transfer": e.Object,
			"amount": e.Amount, "currency": strings.ToLower(e.Currency), "created": e.At.Unix(),
		}
	case "payout":
		t["source"] = e.Payout
	}
	return t
}
