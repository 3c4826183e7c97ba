package pagarme

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"desfecho/internal/payment"
)

// operation is one row of the balance.
type operation struct {
	ID        json.Number `json:"id"`
	Status    string      `json:"status"`
	Type      string      `json:"type"`
	Amount    json.Number `json:"amount"`
	Fee       json.Number `json:"fee"`
	CreatedAt string      `json:"created_at"`
	Moved     struct {
		ID   json.RawMessage `json:"id"`
		Type string          `json:"type"`
	} `json:"movement_object"`
}

// typePayable is a row of a receivable, which the receivables themselves tell
// of, on their day.
const typePayable = "payable"

// operationTypes are the types of the balance's rows; what is not here is
// other. A refund here gives back the fee of a boleto, not a sale.
var operationTypes = map[string]effect{
	"refund":              {payment.KindFeeReversal, 1},
	"transfer":            {payment.KindPayout, -1},
	"fee_collection":      {payment.KindFee, -1},
	"anticipation":        {payment.KindAnticipation, 0},
	"external_settlement": {payment.KindAdjustment, 0},
}

// moved is the line of a row of the balance. ok: it has one; a receivable's has
// not.
func (p *Provider) moved(o *operation) (l payment.Line, ok bool, err error) {
	if o.ID == "" || o.Type == "" {
		return l, false, errors.New("a row without id or type")
	}
	if o.Type == typePayable {
		return l, false, nil
	}
	fail := func(err error) (payment.Line, bool, error) { return l, false, fmt.Errorf("row %s: %w", o.ID, err) }
	at, err := momentOf(o.CreatedAt)
	if err != nil {
		return fail(fmt.Errorf("created_at: %w", err))
	}
	gross, kind, err := p.signed(o.Amount, operationTypes[o.Type])
	if err != nil {
		return fail(fmt.Errorf("amount: %w", err))
	}
	fee, err := orZero(o.Fee)
	if err != nil {
		return fail(fmt.Errorf("fee: %w", err))
	}
	l = p.line("operation_"+o.ID.String(), at, gross, fee)
	l.Kind, l.Raw, l.Status, l.Unit = kind, o.Type, o.Status, o.object()
	if kind == payment.KindPayout {
		l.Payout = cmp.Or(l.Unit, l.ID)
	}
	l.Still = o.Status == statusWaiting
	return l, true, nil
}

// object is the id of what moved the balance, with its type: the numbers of
// transfers and fees are counted apart.
func (o *operation) object() string {
	var id json.Number
	if json.Unmarshal(o.Moved.ID, &id) != nil || id == "" {
		return ""
	}
	return o.Type + "_" + id.String()
}
