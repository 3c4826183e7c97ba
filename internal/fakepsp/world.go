package fakepsp

import (
	"fmt"
	"maps"
)

// Pay lets the payer pay a waiting payment: the Pix is scanned, the boleto
// paid.
func (p *Provider) Pay(id string) error {
	return p.deed("pay", id, func(o *Object) bool {
		if o.Kind != KindPayment || o.State != Waiting {
			return false
		}
		p.pay(o, o.Amount)
		return true
	})
}

// Expire ends a waiting payment that nobody paid.
func (p *Provider) Expire(id string) error {
	return p.deed("expire", id, func(o *Object) bool {
		if o.Kind != KindPayment || o.State != Waiting {
			return false
		}
		p.end(o, Expired, "not paid")
		return true
	})
}

// RefundByHand gives a payment back without the merchant's program: somebody
// pressed a button in the provider's dashboard.
func (p *Provider) RefundByHand(id string, amount int64) error {
	return p.deed("refund", id, func(o *Object) bool {
		if o.Kind != KindPayment || amount <= 0 || amount > o.Captured-o.Refunded {
			return false
		}
		p.refund(o, creation{Amount: amount, Currency: o.Currency, Method: o.Method, Metadata: maps.Clone(o.Metadata)}, "")
		return true
	})
}

// ChargeBack lets the payer's bank take a whole payment back.
func (p *Provider) ChargeBack(id string) error {
	return p.deed("charge back", id, func(o *Object) bool {
		if o.Kind != KindPayment || o.State != Paid {
			return false
		}
		o.State = ChargedBack
		p.book(Entry{Type: "chargeback", Object: o.ID, Method: o.Method, Amount: -o.Captured, Currency: o.Currency})
		p.tell("payment.charged_back", o)
		return true
	})
}

// Return lets a transfer come back: the account does not exist.
func (p *Provider) Return(id string) error {
	return p.deed("return", id, func(o *Object) bool {
		if o.Kind != KindTransfer || o.State != Paid {
			return false
		}
		o.State, o.Reason = Returned, "no such account"
		p.book(Entry{Type: "transfer_return", Object: o.ID, Method: o.Method, Amount: o.Captured, Currency: o.Currency})
		p.tell("transfer.returned", o)
		return true
	})
}

// ReceiveStatic is money that came in over a printed QR code: no request of
// the merchant's stands behind it. It returns the object's id.
func (p *Provider) ReceiveStatic(amount int64, currency string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	o := p.create(KindPayment, "pay", creation{Amount: amount, Currency: currency, Method: MethodStatic}, "")
	p.pay(o, amount)
	return o.ID
}

// deed does something to an object; it is an error where the object's state
// does not allow it, and then nothing happened.
func (p *Provider) deed(what, id string, do func(*Object) bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	o := p.object(id)
	if o == nil {
		return fmt.Errorf("%s %s: the provider holds no such object", what, id)
	}
	if !do(o) {
		return fmt.Errorf("%s %s: not possible while the %s is %s", what, id, o.Kind, o.State)
	}
	return nil
}
