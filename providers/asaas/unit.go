package asaas

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// refundsOf is the name of all that was given back of a payment, or of an
// instalment sale: refunds have no id of their own at Asaas.
const refundsOf = "/refunds"

// owner is whose facts are read, and where the merchant's references stand.
type owner struct {
	name    string
	account string
	mode    payment.Mode
	zone    *time.Location
	places  []provider.Place
}

// The places at the provider where a merchant's reference can stand.
const (
	// PlaceReference is the field externalReference of payments, transfers, Pix
	// transactions and bills.
	PlaceReference = "externalReference"
	// PlaceRefunded is the id of the payment that a refund gives back. It is the
	// only thing that a refund can be known by, and stands on refunds alone.
	PlaceRefunded = "payment"
)

// references are the merchant's own of an object.
func (o *owner) references(place, value string) []payment.Reference {
	var all []payment.Reference
	for _, p := range o.places {
		if p.There == place && value != "" {
			all = append(all, payment.Reference{Name: p.Name, Scope: p.Scope, Value: value})
		}
	}
	return all
}

// unit begins an observation of an object in reais.
func (o *owner) unit(id string, says meaning, word string) payment.Unit {
	return payment.Unit{
		ID: id, Provider: o.name, Account: o.account, Mode: o.mode, Currency: brl,
		State: says.state, Final: says.final, RawState: word,
	}
}

var errNoID = errors.New("no id")

// payment reads a cobrança: the sale, and where something was given back, that.
func (o *owner) payment(p *paymentObject) ([]payment.Unit, error) {
	if p.ID == "" {
		return nil, errNoID
	}
	value, err := unsigned(p.Value)
	if err != nil {
		return nil, fmt.Errorf("payment %q: value: %w", p.ID, err)
	}
	principal := value
	if p.OriginalValue != "" { // what was asked for, where interest and fine were paid too
		if principal, err = unsigned(p.OriginalValue); err != nil {
			return nil, fmt.Errorf("payment %q: originalValue: %w", p.ID, err)
		}
	}
	created, err := dayOf(p.DateCreated)
	if err != nil {
		return nil, fmt.Errorf("payment %q: dateCreated: %w", p.ID, err)
	}
	says := meaningOf(paymentStates, p.Status)
	if p.Deleted && !says.state.Money() && says.state != payment.StateUnmapped {
		says = meaning{payment.StateCanceled, true}
	}
	u := o.unit(p.ID, says, p.Status)
	u.Method, u.References = methodOf(p), o.references(PlaceReference, p.ExternalReference)
	u.CreatedAt, u.Precision = created.Start(o.zone), wholeDay
	u.Asked, u.Principal = payment.Known(value), payment.Known(principal)
	if says.state.Money() {
		u.Captured = u.Asked
	}
	if p.Installment != "" {
		u.Group, u.N = p.Installment, int(p.InstallmentNumber)
		u.Plan = planOf(p, value, says)
	}
	back, err := o.refunds(p)
	if err != nil {
		return nil, fmt.Errorf("payment %q: %w", p.ID, err)
	}
	return append([]payment.Unit{u}, back...), nil
}

// planOf is when the ledger books one parcel of a paid sale: on the day that is
// told from the confirmation on. It is no proof that it was credited.
func planOf(p *paymentObject, value int64, says meaning) []payment.Parcel {
	due, err := dayOf(cmp.Or(p.CreditDate, p.EstimatedCreditDate))
	if err != nil || p.InstallmentNumber <= 0 || !says.state.Money() {
		return nil
	}
	return []payment.Parcel{{N: int(p.InstallmentNumber), Due: due, Minor: value}}
}

// refunds makes one unit of all that was given back of a payment. Several of
// them cannot be told apart: neither the ledger nor the list names them.
func (o *owner) refunds(p *paymentObject) ([]payment.Unit, error) {
	if len(p.Refunds) == 0 {
		return nil, nil
	}
	u := o.unit(p.ID+refundsOf, meaning{payment.StateCanceled, true}, "")
	u.Parent, u.Captured, u.Asked = p.ID, payment.Known(0), payment.Known(0)
	u.References = append(o.references(PlaceReference, p.ExternalReference), o.references(PlaceRefunded, p.ID)...)
	u.References = append(u.References, o.references(PlaceRefunded, u.ID)...) // as it stands where a refund was settled
	if p.Installment != "" {
		u.Group = p.Installment + refundsOf
		u.References = append(u.References, o.references(PlaceRefunded, p.Installment)...)
	}
	for i := range p.Refunds {
		if err := o.refund(&u, &p.Refunds[i]); err != nil {
			return nil, fmt.Errorf("refunds[%d]: %w", i, err)
		}
	}
	return []payment.Unit{u}, nil
}

// refund adds one to those of its payment. What was done counts as captured,
// what may still be done keeps the whole from being final.
func (o *owner) refund(all *payment.Unit, r *refundObject) error {
	value, err := unsigned(r.Value)
	if err != nil {
		return fmt.Errorf("value: %w", err)
	}
	at, precision, err := momentOf(r.DateCreated, o.zone)
	if err != nil {
		return fmt.Errorf("dateCreated: %w", err)
	}
	says := meaningOf(refundStates, r.Status)
	if all.CreatedAt == 0 || at < all.CreatedAt {
		all.CreatedAt, all.Precision = at, precision
	}
	if weight(says.state) > weight(all.State) || all.RawState == "" {
		all.State, all.RawState = says.state, r.Status
	}
	all.Final = all.Final && says.final
	sum, ok := money.Sum(all.Asked.Minor, value)
	if !ok {
		return money.ErrOverflow
	}
	if says.state != payment.StateCanceled {
		all.Asked.Minor = sum
	}
	if says.state == payment.StateCaptured {
		all.Captured.Minor += value // never above what was asked for
	}
	return nil
}

// weight orders the states of refunds by which of them speaks for all.
func weight(s payment.State) int {
	return slices.Index([]payment.State{
		payment.StateCanceled, payment.StateProcessing, payment.StateRequiresAction, payment.StateCaptured, payment.StateUnmapped,
	}, s)
}

// transfer reads money that was sent.
func (o *owner) transfer(t *transferObject) (payment.Unit, error) {
	created, err := dayOf(t.DateCreated)
	if err != nil {
		return payment.Unit{}, fmt.Errorf("transfer %q: dateCreated: %w", t.ID, err)
	}
	u, err := o.sent(t.ID, t.Value, meaningOf(transferStates, t.Status), t.Status)
	if err != nil {
		return u, fmt.Errorf("transfer %q: %w", t.ID, err)
	}
	u.CreatedAt, u.Precision = created.Start(o.zone), wholeDay
	u.Method, u.Reason = transferMethod(t.OperationType), mask.Text(t.FailReason)
	u.References = o.references(PlaceReference, t.ExternalReference)
	if t.EndToEnd != "" {
		u.Aliases = []string{t.EndToEnd}
	}
	return u, nil
}

func transferMethod(word string) string {
	switch word {
	case "PIX":
		return "pix"
	case "TED":
		return "ted"
	case "INTERNAL":
		return "internal"
	}
	return word
}

// pix reads a Pix that was sent. It is the transfer's unit where it has one.
func (o *owner) pix(x *pixObject) (payment.Unit, error) {
	u, err := o.sent(cmp.Or(x.TransferID, x.ID), x.Value, meaningOf(pixStates, x.Status), x.Status)
	if err != nil {
		return u, fmt.Errorf("transaction %q of Pix: %w", x.ID, err)
	}
	u.Method, u.Reason = "pix", mask.Text(x.RefusalReason)
	u.References = o.references(PlaceReference, x.ExternalReference)
	for _, alias := range []string{x.ID, x.EndToEnd} {
		if alias != "" && alias != u.ID {
			u.Aliases = append(u.Aliases, alias)
		}
	}
	return u, nil
}

// bill reads the payment of a bill.
func (o *owner) bill(b *billObject) (payment.Unit, error) {
	u, err := o.sent(b.ID, b.Value, meaningOf(billStates, b.Status), b.Status)
	if err != nil {
		return u, fmt.Errorf("bill %q: %w", b.ID, err)
	}
	u.References = o.references(PlaceReference, b.ExternalReference)
	if len(b.FailReasons) > 0 {
		u.Reason = mask.Text(b.FailReasons[0])
	}
	return u, nil
}

// sent begins the observation of money that left.
func (o *owner) sent(id string, amount json.Number, says meaning, word string) (payment.Unit, error) {
	if id == "" {
		return payment.Unit{}, errNoID
	}
	value, err := unsigned(amount)
	if err != nil {
		return payment.Unit{}, fmt.Errorf("value: %w", err)
	}
	u := o.unit(id, says, word)
	u.Asked, u.Principal = payment.Known(value), payment.Known(value) // no interest is sent: the amount is the amount
	if says.state.Money() {
		u.Captured = u.Asked
	}
	return u, nil
}
