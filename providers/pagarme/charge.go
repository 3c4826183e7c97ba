package pagarme

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
)

// order is one sale of the merchant's, with its charges.
type order struct {
	ID       string          `json:"id"`
	Code     string          `json:"code"`
	Metadata json.RawMessage `json:"metadata"`
	Charges  []charge        `json:"charges"`
}

// charge is one movement of money, with its last transaction.
type charge struct {
	ID            string          `json:"id"`
	Code          string          `json:"code"`
	Amount        json.Number     `json:"amount"`
	Paid          json.Number     `json:"paid_amount"`
	Canceled      json.Number     `json:"canceled_amount"`
	Extra         json.Number     `json:"interest_and_fine_paid"`
	Status        string          `json:"status"`
	Currency      string          `json:"currency"`
	PaymentMethod string          `json:"payment_method"`
	CreatedAt     string          `json:"created_at"`
	PaidAt        string          `json:"paid_at"`
	CanceledAt    string          `json:"canceled_at"`
	Metadata      json.RawMessage `json:"metadata"`
	Last          struct {
		Status  string `json:"status"`
		Message string `json:"acquirer_message"`
	} `json:"last_transaction"`
	Order *order `json:"order"`
}

// meaning is what a provider's word means; final: it will not change any more.
type meaning struct {
	state payment.State
	final bool
}

// states are the words of a charge's status; what is not here is unmapped.
var states = map[string]meaning{
	"pending":     {payment.StateProcessing, false},
	"processing":  {payment.StateProcessing, false},
	"paid":        {payment.StateCaptured, true},
	"overpaid":    {payment.StateCaptured, true},
	"underpaid":   {payment.StateCaptured, true},
	"failed":      {payment.StateDeclined, true},
	"canceled":    {payment.StateCanceled, true},
	"chargedback": {payment.StateDisputed, false},
}

// transactions are the words of a transaction that change what its charge's
// status means, without their underscores: both spellings are in use.
var transactions = map[string]string{
	"authorizedpendingcapture": "authorized", "waitingcapture": "authorized",
	"witherror": "doubtful", "erroronvoiding": "doubtful",
	"captured": "captured", "refunded": "captured", "partialrefunded": "captured", "partialcapture": "captured",
	"pendingrefund": "returning",
}

func (c *charge) transaction() string {
	return transactions[strings.ToLower(strings.ReplaceAll(c.Last.Status, "_", ""))]
}

// wasCaptured: the money of a canceled charge had come, and was given back.
func (c *charge) wasCaptured(paid, canceled int64) bool {
	return c.PaidAt != "" || paid > 0 || canceled > 0 && slices.Contains([]string{"captured", "returning"}, c.transaction())
}

// means reads the status with what else tells of it.
func (c *charge) means(paid, canceled int64) meaning {
	says, known := states[c.Status]
	switch {
	case !known:
		return meaning{state: payment.StateUnmapped}
	case says.state == payment.StateProcessing && c.transaction() == "authorized":
		return meaning{payment.StateAuthorized, false}
	case c.Status == "pending" && (c.PaymentMethod == "boleto" || c.PaymentMethod == "pix"):
		return meaning{payment.StateRequiresAction, false}
	case c.Status == "canceled" && c.wasCaptured(paid, canceled):
		return meaning{payment.StateRefunded, true}
	case says.state.Dead() && c.transaction() == "doubtful":
		return meaning{payment.StateProcessing, false} // at the acquirer it may be otherwise
	}
	return says
}

// refundsOf is the name of all that was given back of a charge: refunds have
// no id of their own.
const refundsOf = "/refunds"

// methods are the payment methods in the words that other providers use too.
var methods = map[string]string{"credit_card": "card"}

// charge reads a charge; where something was given back, that too.
func (p *Provider) charge(c *charge) ([]payment.Unit, error) {
	if c.ID == "" {
		return nil, errors.New("a charge without id")
	}
	fail := func(field string, err error) ([]payment.Unit, error) {
		return nil, fmt.Errorf("charge %q: %s: %w", c.ID, field, err)
	}
	amount, err := unsigned(c.Amount)
	if err != nil {
		return fail("amount", err)
	}
	var told [3]int64
	for i, n := range [...]json.Number{c.Paid, c.Canceled, c.Extra} {
		if told[i], err = unsigned(cmp.Or(n, "0")); err != nil {
			return fail([...]string{"paid_amount", "canceled_amount", "interest_and_fine_paid"}[i], err)
		}
	}
	paid, canceled, extra := told[0], told[1], told[2]
	if c.Currency != brl.String() {
		return fail("currency", fmt.Errorf("%q: Pagar.me charges in BRL", c.Currency))
	}
	created, err := momentOf(c.CreatedAt)
	if err != nil {
		return fail("created_at", err)
	}
	says := c.means(paid, canceled)
	u := p.observed(c.ID, says, c.Status)
	u.Asked, u.CreatedAt, u.Precision, u.Method = payment.Known(amount), created, time.Second, cmp.Or(methods[c.PaymentMethod], c.PaymentMethod)
	u.References = p.references(c)
	switch {
	case says.state.Money():
		u.Captured = payment.Known(cmp.Or(paid, amount))
		u.Principal = payment.Known(max(u.Captured.Minor-extra, 0))
	case says.state.Dead():
		u.Reason = mask.Text(c.Last.Message)
	}
	units := []payment.Unit{u}
	if canceled > 0 && says.state.Money() && c.Status != "chargedback" {
		back, err := p.refunds(c, canceled)
		if err != nil {
			return fail("canceled_at", err)
		}
		units = append(units, back)
	}
	return units, nil
}

func (p *Provider) observed(id string, says meaning, word string) payment.Unit {
	return payment.Unit{
		ID: id, Provider: p.o.Name, Account: p.o.Account, Mode: p.o.Mode, Currency: brl, State: says.state, Final: says.final, RawState: word,
	}
}

// refunds is one unit of all that was given back of a charge. When the first
// was made is told of a whole one only.
func (p *Provider) refunds(c *charge, canceled int64) (u payment.Unit, err error) {
	u = p.observed(c.ID+refundsOf, meaning{payment.StateCaptured, true}, cmp.Or(c.Last.Status, c.Status))
	if c.transaction() == "returning" {
		u.State, u.Final = payment.StateProcessing, false
	} else {
		u.Captured = payment.Known(canceled)
	}
	u.Parent, u.Asked, u.Principal = c.ID, payment.Known(canceled), payment.Known(canceled)
	if c.CanceledAt != "" {
		u.CreatedAt, err = momentOf(c.CanceledAt)
	}
	for _, place := range p.o.References {
		if place.There == PlaceRefunded {
			u.References = append(u.References,
				payment.Reference{Name: place.Name, Scope: place.Scope, Value: c.ID}, payment.Reference{Name: place.Name, Scope: place.Scope, Value: u.ID})
		}
	}
	return u, err
}

// references are the merchant's own, of the charge and of its order.
func (p *Provider) references(c *charge) (found []payment.Reference) {
	above := c.Order
	if above == nil {
		above = &order{}
	}
	for _, place := range p.o.References {
		var values []string
		switch key, metadata := strings.CutPrefix(place.There, placeMetadata); {
		case place.There == PlaceCode:
			values = []string{c.Code, above.Code}
		case place.There == PlaceOrder:
			values = []string{above.ID}
		case metadata:
			values = []string{field(c.Metadata, key), field(above.Metadata, key)}
		}
		for _, value := range slices.Compact(values) {
			if value != "" {
				found = append(found, payment.Reference{Name: place.Name, Scope: place.Scope, Value: value})
			}
		}
	}
	return found
}

// field is a text of an object's metadata. What is no object of texts, such as
// an empty list, holds none.
func field(metadata json.RawMessage, key string) string {
	var fields map[string]json.RawMessage
	var value string
	if json.Unmarshal(metadata, &fields) != nil || json.Unmarshal(fields[key], &value) != nil {
		return ""
	}
	return value
}
