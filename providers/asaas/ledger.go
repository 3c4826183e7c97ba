package asaas

import (
	"cmp"
	"fmt"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// line reads one row of the ledger. Fees are rows of their own, so that each
// row's net is its gross.
func (o *owner) line(e *entry) (payment.Line, error) {
	if e.ID == "" {
		return payment.Line{}, errNoID
	}
	value, err := minorOf(e.Value)
	if err != nil {
		return payment.Line{}, fmt.Errorf("row %q: value: %w", e.ID, err)
	}
	day, err := dayOf(e.Date)
	if err != nil {
		return payment.Line{}, fmt.Errorf("row %q: date: %w", e.ID, err)
	}
	l := payment.Line{
		ID: e.ID, Provider: o.name, Account: o.account, Mode: o.mode, Raw: e.Type, Kind: kindOf(e, value),
		Gross: value, Net: value, Currency: brl, At: day.Start(o.zone), Day: day, DayOnly: true,
	}
	l.Unit, l.Parent = unitsOf(e, l.Kind)
	return l, nil
}

// unitsOf is the unit that a row moves, and the one that it gives back. A row
// may name several objects: an anticipation and the sale it advances, a split
// and the sale it shares.
func unitsOf(e *entry, kind payment.Kind) (unit, parent string) {
	switch kind { //nolint:exhaustive // the others name the first object that they name
	case payment.KindRefund, payment.KindRefundReversal:
		if e.PaymentID != "" {
			return e.PaymentID + refundsOf, e.PaymentID
		}
		return "", ""
	case payment.KindTransferOut, payment.KindTransferReversal:
		return cmp.Or(e.Transfer, e.Bill), ""
	case payment.KindAnticipation:
		return cmp.Or(e.Advance, e.PaymentID), ""
	}
	return cmp.Or(e.PaymentID, e.Transfer, e.Bill, e.Advance, e.SplitID, e.Invoice, e.Dunning, e.Bureau), ""
}

// chain follows the balance from row to row: each is the one before and the
// row's amount. It gives the balances before the first and after the last row,
// not known where the chain breaks or a row states none: then a row is missing,
// came twice, or stands elsewhere.
func chain(rows []entry, lines []payment.Line) (opening, closing payment.Stated) {
	var balance int64
	for i := range rows {
		after, err := minorOf(rows[i].Balance)
		if err != nil {
			return payment.Stated{}, payment.Stated{}
		}
		before, ok := money.Difference(after, lines[i].Net)
		if !ok || i > 0 && before != balance {
			return payment.Stated{}, payment.Stated{}
		}
		if i == 0 {
			opening = payment.Known(before)
		}
		balance = after
	}
	if len(rows) == 0 {
		return payment.Stated{}, payment.Stated{}
	}
	return opening, payment.Known(balance)
}
