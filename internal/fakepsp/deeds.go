package fakepsp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// creation is the body of a request that creates an object.
type creation struct {
	Amount    int64             `json:"amount"`
	Currency  string            `json:"currency"`
	Method    string            `json:"method"`
	Card      string            `json:"card"`    // tok_declined is refused
	Capture   *bool             `json:"capture"` // absent: yes
	Payment   string            `json:"payment"` // of a refund
	To        string            `json:"to"`      // of a transfer; blocked is refused
	Reference string            `json:"reference"`
	Metadata  map[string]string `json:"metadata"`
	Due       *time.Time        `json:"due"`
}

// do carries an order out, at this instant.
func (p *Provider) do(o order) reply {
	var c creation
	if len(o.Body) > 0 && json.Unmarshal(o.Body, &c) != nil {
		return failure(http.StatusBadRequest, "invalid_json", "the body is not JSON", nil)
	}
	switch {
	case len(o.Path) == 1 && o.Path[0] == "payments":
		return p.createPayment(c, o.Key)
	case len(o.Path) == 1 && o.Path[0] == "refunds":
		return p.createRefund(c, o.Key)
	case len(o.Path) == 1 && o.Path[0] == "transfers":
		return p.createTransfer(c, o.Key)
	case len(o.Path) == 3 && o.Path[0] == "payments" && o.Path[2] == "capture":
		return p.captureOf(o.Path[1], c.Amount)
	case len(o.Path) == 3 && o.Path[0] == "payments" && o.Path[2] == "cancel":
		return p.cancelOf(o.Path[1])
	default:
		return failure(http.StatusNotFound, "no_such_path", strings.Join(o.Path, "/"), nil)
	}
}

func (p *Provider) createPayment(c creation, key string) reply {
	if c.Amount <= 0 || len(c.Currency) != 3 {
		return failure(http.StatusBadRequest, "invalid_amount", "amount and currency are required", nil)
	}
	o := p.create(KindPayment, "pay", c, key)
	switch c.Method {
	case MethodCard:
		switch {
		case c.Card == "tok_declined":
			p.end(o, Declined, "card_declined")
			return failure(http.StatusPaymentRequired, "card_declined", "the card was declined", o)
		case c.Capture != nil && !*c.Capture:
			o.State = Authorized
		default:
			p.pay(o, o.Amount)
		}
	case MethodPix, MethodBoleto:
		o.State = Waiting
	default:
		p.s.Objects = p.s.Objects[:len(p.s.Objects)-1]
		return failure(http.StatusBadRequest, "invalid_method", fmt.Sprintf("unknown method %q", c.Method), nil)
	}
	return answer(http.StatusCreated, o)
}

func (p *Provider) createRefund(c creation, key string) reply {
	paid := p.object(c.Payment)
	switch {
	case paid == nil || paid.Kind != KindPayment:
		return failure(http.StatusNotFound, "no_such_payment", c.Payment, nil)
	case c.Amount <= 0 || c.Amount > paid.Captured-paid.Refunded:
		return failure(http.StatusBadRequest, "invalid_amount", "more than what is left of the payment", nil)
	}
	c.Currency, c.Method = paid.Currency, paid.Method
	return answer(http.StatusCreated, p.refund(paid, c, key))
}

// refund gives money of a payment back.
func (p *Provider) refund(paid *Object, c creation, key string) *Object {
	o := p.create(KindRefund, "ref", c, key)
	o.Parent = paid.ID
	paid.Refunded += o.Amount
	p.moved(o, o.Amount, Paid)
	p.book(Entry{Type: "refund", Object: o.ID, Parent: paid.ID, Method: o.Method, Amount: -o.Amount, Currency: o.Currency, Metadata: o.Metadata})
	if paid.Refunded == paid.Captured {
		paid.State = Refunded
	}
	p.tell("payment.refunded", paid)
	return o
}

func (p *Provider) createTransfer(c creation, key string) reply {
	if c.Amount <= 0 || len(c.Currency) != 3 || c.To == "" {
		return failure(http.StatusBadRequest, "invalid_transfer", "amount, currency and to are required", nil)
	}
	o := p.create(KindTransfer, "trf", c, key)
	if c.To == "blocked" {
		p.end(o, Declined, "blocked")
		return failure(http.StatusUnprocessableEntity, "blocked", "the destination is blocked", o)
	}
	p.moved(o, o.Amount, Paid)
	p.book(Entry{Type: "transfer", Object: o.ID, Method: o.Method, Amount: -o.Amount, Currency: o.Currency, Metadata: o.Metadata})
	p.tell("transfer.paid", o)
	return answer(http.StatusCreated, o)
}

func (p *Provider) captureOf(id string, amount int64) reply {
	o := p.object(id)
	switch {
	case o == nil || o.Kind != KindPayment:
		return failure(http.StatusNotFound, "no_such_payment", id, nil)
	case o.State != Authorized:
		return failure(http.StatusConflict, "not_authorized", "the payment is "+o.State, o)
	case amount < 0 || amount > o.Amount:
		return failure(http.StatusBadRequest, "invalid_amount", "more than what is authorized", nil)
	case amount == 0:
		amount = o.Amount
	}
	p.pay(o, amount)
	return answer(http.StatusOK, o)
}

func (p *Provider) cancelOf(id string) reply {
	o := p.object(id)
	switch {
	case o == nil || o.Kind != KindPayment:
		return failure(http.StatusNotFound, "no_such_payment", id, nil)
	case o.Final:
		return failure(http.StatusConflict, "final", "the payment is "+o.State, o)
	}
	p.end(o, Canceled, "requested")
	return answer(http.StatusOK, o)
}

func (p *Provider) create(kind, prefix string, c creation, key string) *Object {
	o := &Object{
		ID: p.newID(prefix), Kind: kind, Account: p.settings.Account, Method: c.Method, State: Processing,
		Amount: c.Amount, Currency: c.Currency, Key: key, Reference: c.Reference, Metadata: c.Metadata,
		CreatedAt: p.at, Due: c.Due,
	}
	p.s.Objects = append(p.s.Objects, o)
	return o
}

// pay captures money of a payment and books it, with its fee.
func (p *Provider) pay(o *Object, amount int64) {
	p.moved(o, amount, Paid)
	after := p.settings.BooksAfter[o.Method]
	p.bookLater(after, Entry{Type: "charge", Object: o.ID, Method: o.Method, Amount: amount, Currency: o.Currency, Metadata: o.Metadata})
	if fee := amount * p.settings.FeePoints / 10_000; fee > 0 {
		p.bookLater(after, Entry{Type: "fee", Object: o.ID, Method: o.Method, Amount: -fee, Currency: o.Currency})
	}
	p.tell("payment.paid", o)
	p.tell("payment.updated", o)
}

func (p *Provider) bookLater(after time.Duration, e Entry) {
	if after == 0 {
		p.book(e)
		return
	}
	p.schedule(job{At: p.at.Add(after), Entry: &e})
}

func (p *Provider) moved(o *Object, amount int64, state string) {
	at := p.at
	o.State, o.Final, o.Captured, o.PaidAt = state, true, amount, &at
}

// end closes an object without money.
func (p *Provider) end(o *Object, state, reason string) {
	o.State, o.Final, o.Reason = state, true, reason
	p.tell(o.Kind+"."+state, o)
}
