package fakepsp

import "time"

// The provider's own words for the state of an object.
const (
	Waiting     = "waiting"    // the payer must act: an unpaid boleto, a Pix not scanned
	Processing  = "processing" // the provider works on it
	Authorized  = "authorized"
	Paid        = "paid" // captured, refunded or sent: money moved
	Declined    = "declined"
	Canceled    = "canceled"
	Expired     = "expired"
	Refunded    = "refunded" // paid, then wholly given back
	ChargedBack = "charged_back"
	Returned    = "returned" // a transfer that came back
)

// The kinds of objects.
const (
	KindPayment  = "payment"
	KindRefund   = "refund"
	KindTransfer = "transfer"
)

// The methods of payments and transfers.
const (
	MethodCard   = "card"
	MethodPix    = "pix"
	MethodBoleto = "boleto"
	MethodStatic = "pix_static" // a printed QR code: money without a request
)

// Object is one payment, refund or transfer. Amounts are unsigned minor units
// of Currency.
type Object struct {
	ID        string            `json:"id"`
	Kind      string            `json:"kind"`
	Account   string            `json:"account"`
	Method    string            `json:"method,omitempty"`
	State     string            `json:"state"`
	Final     bool              `json:"final"`
	Amount    int64             `json:"amount"`
	Captured  int64             `json:"captured"`
	Refunded  int64             `json:"refunded"`
	Currency  string            `json:"currency"`
	Key       string            `json:"idempotency_key,omitempty"`
	Reference string            `json:"reference,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Parent    string            `json:"payment,omitempty"` // of a refund
	Reason    string            `json:"reason,omitempty"`
	CreatedAt time.Time         `json:"created_at"`
	PaidAt    *time.Time        `json:"paid_at,omitempty"`
	Due       *time.Time        `json:"due,omitempty"`
}

// Entry is one row of the ledger: what moved the balance, signed, in minor
// units.
type Entry struct {
	ID       string            `json:"id"`
	Type     string            `json:"type"` // charge, fee, refund, transfer, transfer_return, chargeback, payout
	Object   string            `json:"object,omitempty"`
	Parent   string            `json:"payment,omitempty"`
	Method   string            `json:"method,omitempty"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Balance  int64             `json:"balance"` // after it
	Metadata map[string]string `json:"metadata,omitempty"`
	Payout   string            `json:"payout,omitempty"` // that holds it, or that it is
	At       time.Time         `json:"at"`
}

// Event is what a webhook tells: its type (payment.paid, transfer.returned)
// and the object as it stood then.
type Event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Object    Object    `json:"object"`
}

// Objects lists every object there is, seen or not, in order of creation: the
// truth that tests compare with.
func (p *Provider) Objects() []Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	all := make([]Object, len(p.s.Objects))
	for i, o := range p.s.Objects {
		all[i] = *o
	}
	return all
}

// Entries lists the whole ledger, seen or not.
func (p *Provider) Entries() []Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	return append([]Entry(nil), p.s.Ledger...)
}

func (p *Provider) object(id string) *Object {
	for _, o := range p.s.Objects {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// visible tells whether a view shows the object at the instant.
func (p *Provider) visible(o *Object, v View, now time.Time) bool {
	return !now.Before(o.CreatedAt.Add(p.settings.Delay[v]))
}
