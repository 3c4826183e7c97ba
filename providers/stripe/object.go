package stripe

import (
	"bytes"
	"encoding/json"
	"fmt"

	"desfecho/providers/httpx"
)

// object holds what is read of Stripe's objects, of every kind: their fields
// have one meaning wherever they stand. Amounts are in Stripe's own units
// (amounts), instants in seconds. An absent and a null field are the same.
type object struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	Livemode      *bool             `json:"livemode"`
	Created       int64             `json:"created"`
	Amount        *int64            `json:"amount"`
	Currency      string            `json:"currency"`
	Status        string            `json:"status"`
	Metadata      map[string]string `json:"metadata"`
	Description   string            `json:"description"`
	TransferGroup string            `json:"transfer_group"`
	PaymentIntent node              `json:"payment_intent"`
	Charge        node              `json:"charge"`
	Transaction   node              `json:"balance_transaction"`
	Type          string            `json:"type"`
	Category      string            `json:"reporting_category"`

	charge
	intent
	returned
	outgoing
}

// charge holds the fields of charges alone.
type charge struct {
	AmountCaptured *int64 `json:"amount_captured"`
	AmountRefunded *int64 `json:"amount_refunded"`
	Captured       bool   `json:"captured"`
	Refunded       bool   `json:"refunded"`
	Disputed       bool   `json:"disputed"`
	FailureCode    string `json:"failure_code"`
	FailedBy       node   `json:"failure_balance_transaction"`
	Method         struct {
		Type string `json:"type"`
	} `json:"payment_method_details"`
}

// intent holds the fields of payment intents alone.
type intent struct {
	AmountReceived     *int64   `json:"amount_received"`
	CancellationReason string   `json:"cancellation_reason"`
	LatestCharge       node     `json:"latest_charge"`
	MethodTypes        []string `json:"payment_method_types"`
	LastError          *struct {
		Code        string `json:"code"`
		DeclineCode string `json:"decline_code"`
	} `json:"last_payment_error"`
}

// returned holds the fields of refunds and disputes alone.
type returned struct {
	FailureReason string `json:"failure_reason"`
	Transactions  []node `json:"balance_transactions"`
}

// outgoing holds the fields of transfers, their reversals and payouts alone.
type outgoing struct {
	Reversed       bool   `json:"reversed"`
	Transfer       node   `json:"transfer"`
	Automatic      bool   `json:"automatic"`
	Reconciliation string `json:"reconciliation_status"`
}

// entry is a balance transaction. Stripe's exchange_rate is not read: no amount
// is ever made with it.
type entry struct {
	object
	AvailableOn int64       `json:"available_on"`
	Fee         *int64      `json:"fee"`
	Net         *int64      `json:"net"`
	FeeDetails  []feeDetail `json:"fee_details"`
	Source      node        `json:"source"`
}

type feeDetail struct {
	Type     string `json:"type"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// node is a place where Stripe puts an id, or the object itself where it was
// asked to expand it. The zero node is null.
type node struct {
	ID   string
	Full *object // nil: only the id is known, or the object is of a kind that is not read
}

// UnmarshalJSON reads an id, an object or null.
func (n *node) UnmarshalJSON(text []byte) error {
	*n = node{}
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	if len(text) == 0 || text[0] != '{' {
		return json.Unmarshal(text, &n.ID)
	}
	var full object
	err := httpx.Decode(text, &full)
	if err != nil { // an object of a new kind may hold anything
		var head struct{ ID, Object string }
		if json.Unmarshal(text, &head) != nil || isRead(head.Object) {
			return err
		}
		full.ID, full.Object = head.ID, head.Object
	}
	n.ID = full.ID
	switch {
	case !isRead(full.Object):
	case n.ID == "":
		return fmt.Errorf("an expanded %s has no id", full.Object)
	default:
		n.Full = &full
	}
	return nil
}

// full is the object where it was expanded as that kind, else nil.
func (n node) full(kind string) *object {
	if n.Full != nil && n.Full.Object == kind {
		return n.Full
	}
	return nil
}

// list is a page of Stripe's lists and searches. HasMore is nil where the
// answer does not say whether it is the end.
type list[T any] struct {
	Object   string `json:"object"`
	HasMore  *bool  `json:"has_more"`
	NextPage string `json:"next_page"`
	Data     []T    `json:"data"`
}

// The kinds of objects, as Stripe names them.
const (
	kindIntent      = "payment_intent"
	kindCharge      = "charge"
	kindRefund      = "refund"
	kindDispute     = "dispute"
	kindTransfer    = "transfer"
	kindReversal    = "transfer_reversal"
	kindPayout      = "payout"
	kindTransaction = "balance_transaction"
)

// isRead tells whether objects of the kind are read where they are expanded.
func isRead(kind string) bool {
	switch kind {
	case kindIntent, kindCharge, kindRefund, kindDispute, kindTransfer, kindReversal, kindPayout, kindTransaction:
		return true
	}
	return false
}
