package zoop

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// transaction is a sale, as far as it is read.
type transaction struct {
	ID          string          `json:"id"`
	Status      string          `json:"status"`
	Amount      json.Number     `json:"amount"` // a number, or a text that holds one
	Original    json.Number     `json:"original_amount"`
	Currency    string          `json:"currency"`
	PaymentType string          `json:"payment_type"`
	Captured    *bool           `json:"captured"`
	Seller      string          `json:"on_behalf_of"`
	Reference   string          `json:"reference_id"`
	Metadata    json.RawMessage `json:"metadata"`
	CreatedAt   string          `json:"created_at"`
	History     []operation     `json:"history"`
	Error       *fault          `json:"error"`
}

// operation is one step of a transaction's history.
type operation struct {
	Type    string `json:"operation_type"`
	Status  string `json:"status"`
	Message string `json:"response_message"`
}

// meaning is what a provider's word means; final: it will not change any more.
type meaning struct {
	state payment.State
	final bool
}

// states are the words of a transaction's status; what is not here is unmapped.
var states = map[string]meaning{
	"new":              {payment.StateProcessing, false},
	"pending":          {payment.StateProcessing, false},
	"pre_authorized":   {payment.StateAuthorized, false},
	"succeeded":        {payment.StateCaptured, true},
	"failed":           {payment.StateDeclined, true},
	"canceled":         {payment.StateCanceled, true},
	"reversed":         {payment.StateDeclined, true},
	"refunded":         {payment.StateRefunded, true},
	"partial_refunded": {payment.StateCaptured, true},
	"dispute":          {payment.StateDisputed, false},
	"charged_back":     {payment.StateDisputed, true},
}

// means reads the status with what else tells of it.
func (t *transaction) means() meaning {
	says, known := states[t.Status]
	card := t.PaymentType == "credit" || t.PaymentType == "debit"
	switch {
	case !known:
		return meaning{state: payment.StateUnmapped}
	case t.Status == "succeeded" && card && t.Captured != nil && !*t.Captured:
		return meaning{payment.StateAuthorized, false}
	case t.Status == "canceled" && t.wasCaptured():
		return meaning{payment.StateRefunded, true}
	case says.state == payment.StateProcessing && !card:
		return meaning{payment.StateRequiresAction, false} // a boleto or Pix waits for its payer
	}
	return says
}

// wasCaptured: a sale that is voided after it had been captured gave its money
// back.
func (t *transaction) wasCaptured() bool {
	return t.Captured != nil && *t.Captured ||
		slices.ContainsFunc(t.History, func(o operation) bool { return o.Type == "capture" && o.Status == "succeeded" })
}

// methods are the payment types in the words that other providers use too.
var methods = map[string]string{"credit": "card", "debit": "debit_card"}

// unit reads a transaction.
func (p *Provider) unit(t *transaction) (payment.Unit, error) {
	if t.ID == "" {
		return payment.Unit{}, errors.New("no id")
	}
	fail := func(field string, err error) (payment.Unit, error) {
		return payment.Unit{}, fmt.Errorf("transaction %q: %s: %w", t.ID, field, err)
	}
	currency, err := money.ParseCurrency(t.Currency)
	if err != nil {
		return fail("currency", err)
	}
	amount, err := p.minor(t.Amount, currency)
	if err != nil {
		return fail("amount", err)
	}
	original := amount
	if t.Original != "" {
		if original, err = p.minor(t.Original, currency); err != nil {
			return fail("original_amount", err)
		}
	}
	created, err := momentOf(t.CreatedAt)
	if err != nil {
		return fail("created_at", err)
	}
	says := t.means()
	u := payment.Unit{
		ID: t.ID, Provider: p.o.Name, Account: p.o.Account, Mode: p.o.Mode, Currency: currency, Method: methodOf(t.PaymentType),
		State: says.state, Final: says.final, RawState: t.Status, CreatedAt: created, Precision: time.Second,
		Asked: payment.Known(original), References: p.references(t),
	}
	switch {
	case t.Status == "succeeded" && says.state.Money():
		u.Captured = payment.Known(amount)
	case says.state.Money(): // what is left after a return says nothing of the sale
		u.Captured = payment.Known(original)
	case len(t.History) > 0 && says.state.Dead():
		u.Reason = mask.Text(t.History[len(t.History)-1].Message)
	}
	return u, nil
}

func methodOf(word string) string {
	if common, known := methods[word]; known {
		return common
	}
	return word
}

// minor reads reais with a point. Without one it may be centavos, as resellers
// of Zoop send them: nobody can tell, so it must be said.
func (p *Provider) minor(n json.Number, c money.Currency) (int64, error) {
	text := n.String()
	read := func() (int64, error) {
		if !strings.Contains(text, ".") && text != "0" {
			if !p.o.Centavos {
				return 0, fmt.Errorf("%q has no point: reais or centavos?", text)
			}
			return money.ParseMinor(text)
		}
		minor, _, err := money.ParseText(text, '.', c)
		return minor, err
	}
	minor, err := read()
	switch {
	case err != nil:
		return 0, err
	case minor < 0:
		return 0, fmt.Errorf("%q is below zero", text)
	}
	return minor, nil
}

// momentOf reads a time with its zone. 1970 stands for none.
func momentOf(text string) (payment.Instant, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Unix() <= 0 || t.Year() > 9999 {
		return 0, fmt.Errorf("%q is no time with a zone", text)
	}
	return payment.InstantOf(t), nil
}

// references are the merchant's own on the transaction. Metadata that is no
// object of texts, such as the empty list that some servers send, holds none.
func (p *Provider) references(t *transaction) []payment.Reference {
	var all []payment.Reference
	for _, place := range p.o.References {
		value := t.Reference
		if key, ok := strings.CutPrefix(place.There, placeMetadata); ok {
			value = t.metadata(key)
		}
		if value != "" {
			all = append(all, payment.Reference{Name: place.Name, Scope: place.Scope, Value: value})
		}
	}
	return all
}

func (t *transaction) metadata(key string) string {
	var fields map[string]json.RawMessage
	var value string
	if json.Unmarshal(t.Metadata, &fields) != nil || json.Unmarshal(fields[key], &value) != nil {
		return ""
	}
	return value
}
