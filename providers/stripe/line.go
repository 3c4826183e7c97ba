package stripe

import (
	"errors"
	"fmt"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// booked reads one balance transaction: the line, and what its expanded source
// tells of the unit. The line holds what can never change later: references
// can, as metadata is edited, so they stand with the unit.
func (a *account) booked(t *entry) (payment.Line, []payment.Unit, error) {
	l := payment.Line{
		ID: t.ID, Provider: a.name, Account: a.id, Mode: a.mode, Statement: Balance,
		Kind: kindOf(&t.object), Raw: word(&t.object),
		At: instant(t.Created), AvailableAt: instant(t.AvailableOn),
	}
	l.Day = payment.DayOf(l.At, a.zone)
	if err := a.amounts(&l, t); err != nil {
		return payment.Line{}, nil, fmt.Errorf("balance transaction %q: %w", t.ID, err)
	}
	l.Unit, l.Parent = unitOf(l.Kind, t.Source)
	source := t.Source.Full
	if l.Kind == payment.KindPayout || l.Kind == payment.KindPayoutReversal {
		l.Payout = t.Source.ID
	}
	if source == nil {
		return l, nil, nil
	}
	a.present(&l, source)
	if l.Kind == payment.KindChargeReversal && source.Object == kindRefund {
		return l, a.alias(source), nil // the rest of a partial capture is no refund
	}
	// A delayed method is booked while its payment may still fail.
	l.Still = l.Kind == payment.KindCharge && source.Object == kindCharge && source.Status == "pending"
	return l, a.told(source), nil
}

// amounts enters gross, fee, tax and net.
func (a *account) amounts(l *payment.Line, t *entry) error {
	if t.Amount == nil || t.Fee == nil || t.Net == nil || t.Created == 0 {
		return errors.New("amount, fee, net or created is missing")
	}
	var err error
	for _, of := range []struct {
		to   *int64
		from int64
	}{{&l.Gross, *t.Amount}, {&l.Fee, *t.Fee}, {&l.Net, *t.Net}} {
		if *of.to, l.Currency, err = a.exponents.minor(of.from, t.Currency); err != nil {
			return err
		}
	}
	l.Tax = a.taxOf(t.FeeDetails, l.Fee, l.Currency)
	l.Fee -= l.Tax
	return nil
}

// taxOf is the part of the fee that its details call tax; none where they do
// not add up to the fee.
func (a *account) taxOf(details []feeDetail, fee int64, currency money.Currency) int64 {
	var tax, whole int64
	for _, d := range details {
		minor, in, err := a.exponents.minor(d.Amount, d.Currency)
		if err != nil || in != currency {
			return 0
		}
		if d.Type == "tax" || d.Type == "withheld_tax" {
			tax += minor
		}
		whole += minor
	}
	if whole != fee {
		return 0
	}
	return tax
}

// unitOf names the unit that a row moves, and its parent. Rows that are no
// payment's, but for payouts, name none.
func unitOf(kind payment.Kind, source node) (unit, parent string) {
	full := source.Full
	if full == nil {
		full = &object{}
	}
	switch kind {
	case payment.KindChargeReversal:
		if full.Object == kindRefund && full.Charge.ID != "" { // the rest of a partial capture
			return full.Charge.ID, ""
		}
		return source.ID, ""
	case payment.KindRefund, payment.KindRefundReversal, payment.KindChargeback, payment.KindChargebackReversal:
		return source.ID, parentOf(full)
	case payment.KindTransferReversal:
		if full.Object == kindReversal && full.Transfer.ID != "" {
			return full.Transfer.ID, ""
		}
		return source.ID, ""
	case payment.KindCharge, payment.KindTransferOut, payment.KindPayout, payment.KindPayoutReversal:
		return source.ID, ""
	case payment.KindOther, payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindTransferIn,
		payment.KindAdjustment, payment.KindAnticipation, payment.KindReserveHold, payment.KindReserveRelease:
	}
	return "", ""
}

// present enters what the payer saw, where that is another currency than the
// account's: the source's amount, with the sign of the row.
func (a *account) present(l *payment.Line, source *object) {
	if !slices.Contains([]string{kindCharge, kindRefund, kindDispute, kindTransfer, kindReversal}, source.Object) || source.Amount == nil {
		return
	}
	minor, currency, err := a.exponents.minor(*source.Amount, source.Currency)
	if err != nil || currency == l.Currency || currency == (money.Currency{}) || l.Gross == 0 {
		return
	}
	if l.Gross < 0 {
		minor = -minor
	}
	l.Presented, l.PresentedCurrency = payment.Known(minor), currency
}

// told is what an expanded source states of its unit: names, references, what
// was captured. Its state is left to lists and look-ups, which see the whole.
func (a *account) told(source *object) []payment.Unit {
	u := a.blank(source)
	switch source.Object {
	case kindCharge:
		if intent := source.PaymentIntent.ID; intent != "" {
			u.ID, u.Aliases = intent, []string{source.ID}
		} else {
			u.CreatedAt = instant(source.Created)
		}
		u.Method = source.Method.Type
		captured := source.AmountCaptured
		if source.Status != "succeeded" || !positive(captured) {
			captured = nil
		}
		if a.stand(&u, standing{}, source.Currency, source.Amount, captured); u.State == payment.StateUnmapped { // the list says so
			u.State, u.RawState = payment.StateNone, ""
		}
		return []payment.Unit{u}
	case kindRefund, kindDispute:
		u.Parent = parentOf(source)
		return append([]payment.Unit{u}, a.alias(source)...)
	case kindTransfer:
		return []payment.Unit{u}
	case kindPayout:
		return own(u)
	default:
		return nil
	}
}

// alias ties the two ids of the sale that a refund or dispute names.
func (a *account) alias(o *object) []payment.Unit {
	if o.PaymentIntent.ID == "" || o.Charge.ID == "" {
		return nil
	}
	return []payment.Unit{{ID: o.PaymentIntent.ID, Aliases: []string{o.Charge.ID}, Provider: a.name, Account: a.id, Mode: a.mode}}
}

// own keeps a payout that carries one of the merchant's references: it is what
// an attempt asked for. The others are the account's own money on its way to
// its bank, and no attempt's.
func own(payout payment.Unit) []payment.Unit {
	if len(payout.References) == 0 {
		return nil
	}
	return []payment.Unit{payout}
}
