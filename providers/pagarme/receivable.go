package pagarme

import (
	"encoding/json"
	"errors"
	"fmt"

	"desfecho/internal/payment"
)

// receivable is a payable: what one parcel of a charge brings or takes, and on
// which day.
type receivable struct {
	ID          json.Number `json:"id"`
	Status      string      `json:"status"`
	Amount      json.Number `json:"amount"`
	Fee         json.Number `json:"fee"`
	Advance     json.Number `json:"anticipation_fee"`
	Coverage    json.Number `json:"fraud_coverage_fee"`
	Installment json.Number `json:"installment"`
	Charge      string      `json:"charge_id"`
	Split       string      `json:"split_id"`
	Recipient   string      `json:"recipient_id"`
	PaidOn      string      `json:"payment_date"`
	Type        string      `json:"type"`
	Method      string      `json:"payment_method"`
	CreatedAt   string      `json:"created_at"`
}

// effect is what a row's type does to the balance; sign 0: as it is written.
type effect struct {
	kind payment.Kind
	sign int64
}

// receivableTypes are the types of receivables; what is not here is other.
var receivableTypes = map[string]effect{
	"credit":            {payment.KindCharge, 1},
	"refund":            {payment.KindRefund, -1},
	"refund_reversal":   {payment.KindRefundReversal, 1},
	"chargeback":        {payment.KindChargeback, -1},
	"chargeback_refund": {payment.KindChargebackReversal, 1},
}

// The words of a receivable's status. Others are told and moved no money yet.
const (
	statusPaid    = "paid"
	statusPrepaid = "prepaid" // anticipated
	statusWaiting = "waiting_funds"
)

// signed gives an amount the sign of its type. An income that is written below
// zero is a contradiction, and then no income.
func (p *Provider) signed(n json.Number, e effect) (int64, payment.Kind, error) {
	v, err := minorOf(n)
	switch {
	case err != nil || e.sign == 0 || p.o.SignsAsWritten:
		return v, e.kind, err
	case e.sign > 0 && v < 0:
		return v, payment.KindOther, nil
	case v < 0:
		v = -v
	}
	return e.sign * v, e.kind, nil
}

// id is the row's number, which comes as a number or as a text.
func (r *receivable) id() string { return r.ID.String() }

func (r *receivable) installment() (int64, error) {
	n, err := orZero(r.Installment)
	if err == nil && (n < 0 || n > 1000) {
		err = fmt.Errorf("installment %d", n)
	}
	return n, err
}

// fees are what is kept back of a receivable: three fields that stand apart.
func (r *receivable) fees() (int64, error) {
	var sum int64
	for _, n := range [...]json.Number{r.Fee, r.Advance, r.Coverage} {
		v, err := orZero(n)
		if err != nil {
			return 0, fmt.Errorf("fee: %w", err)
		}
		sum += v // three amounts within their limit fit
	}
	return sum, nil
}

// settled is what a receivable moved on its day. ok: it is there; one that still
// waits for its funds is not.
func (p *Provider) settled(r *receivable) (l payment.Line, ok bool, err error) {
	if r.ID == "" || r.Charge == "" {
		return l, false, errors.New("a receivable without id or charge_id")
	}
	fail := func(err error) (payment.Line, bool, error) {
		return l, false, fmt.Errorf("receivable %s: %w", r.id(), err)
	}
	at, err := momentOf(r.PaidOn)
	if err != nil {
		return fail(fmt.Errorf("payment_date: %w", err))
	}
	gross, kind, err := p.signed(r.Amount, receivableTypes[r.Type])
	if err != nil {
		return fail(fmt.Errorf("amount: %w", err))
	}
	fee, err := r.fees()
	if err != nil {
		return fail(err)
	}
	n, err := r.installment()
	if err != nil {
		return fail(err)
	}
	l = p.line("payable_"+r.id(), at, gross, fee)
	l.Kind, l.Raw, l.Status, l.Unit, l.DayOnly = kind, r.Type, r.Status, r.Charge, true
	switch kind { //nolint:exhaustive // the others move the charge itself
	case payment.KindCharge:
		l.N = int16(n)                           // at most 1000
		if n == 1 && r.Method != "credit_card" { // a card's does not say of how many it is
			l.Of = 1
		}
	case payment.KindRefund, payment.KindRefundReversal:
		l.Unit, l.Parent = r.Charge+refundsOf, r.Charge
	}
	if r.Split != "" {
		l.Recipient = r.Recipient
	}
	l.Still = r.Status != statusPaid && r.Status != statusPrepaid
	return l, r.Status != statusWaiting, nil
}

func (p *Provider) line(id string, at payment.Instant, gross, fee int64) payment.Line {
	return payment.Line{
		ID: id, Provider: p.o.Name, Account: p.o.Account, Mode: p.o.Mode, Gross: gross, Fee: fee, Net: gross - fee, Currency: brl,
		At: at, AvailableAt: at, Day: payment.DayOf(at, p.zone),
	}
}

// plan is when the parcels of one charge are due. Of one that is shared with
// others there is none: its parcels are shares.
func (p *Provider) plan(charge string, rows []receivable) (payment.Unit, error) {
	u := p.observed(charge, meaning{}, "")
	for i := range rows {
		r := &rows[i]
		fail := func(err error) (payment.Unit, error) { return u, fmt.Errorf("receivable %s: %w", r.id(), err) }
		if r.Split != "" {
			u.Plan = nil
			return u, nil
		}
		due, err := momentOf(r.PaidOn)
		if err != nil {
			return fail(fmt.Errorf("payment_date: %w", err))
		}
		n, err := r.installment()
		if err != nil {
			return fail(err)
		}
		amount, err := unsigned(r.Amount)
		if err != nil {
			return fail(fmt.Errorf("amount: %w", err))
		}
		if n == 0 {
			return fail(errors.New("no number of an installment"))
		}
		u.Plan = append(u.Plan, payment.Parcel{N: int(n), Due: payment.DayOf(due, p.zone), Minor: amount})
	}
	return u, nil
}
