package statementfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"desfecho/internal/datetext"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// The slots of reader.again.
const (
	slotRaw = iota
	slotStatus
	slotMethod
	slotState
)

// movement reads one line of a ledger.
func (r *reader) movement(row tabular.Row) error {
	f := &r.fields
	r.lines = append(r.lines, payment.Line{})
	l := &r.lines[len(r.lines)-1]
	l.File, l.Row, l.Statement = r.o.FileIndex, int32(min(row.Line, math.MaxInt32)), r.o.Name
	l.ID, l.Raw, l.Status = f.id.Exact(row), r.again(slotRaw, f.kind.Text(row)), r.again(slotStatus, f.status.Text(row))
	when, err := r.moment(row)
	if err != nil {
		return err
	}
	l.At, l.Day, l.DayOnly = when.At, r.dayOf(when), when.Precision >= datetext.DateOnly
	if err := r.amounts(l, row); err != nil {
		return err
	}
	kind, known := r.words.kinds.Find(l.Raw)
	if !known {
		r.remarked.unknownKind(l.Raw, row.Line)
	}
	l.Kind = r.p.Signed(kind, l.Gross)
	if l.Status == "" && r.statusNeeded && needsStatus(l.Kind) {
		return r.b.Fault("status", row, fmt.Sprintf("a %s without status, which is taken for none of them", l.Kind),
			"write captured where the money moved, else what became of it, such as pending or declined")
	}
	if err := r.owner(l, row); err != nil {
		return err
	}
	if err := r.names(l, row); err != nil {
		return err
	}
	if err := r.rest(l, row); err != nil {
		return err
	}
	r.observe(l, row)
	return nil
}

// needsStatus tells the kinds of which a file that has a status column must say
// whether money moved: an empty cell is no word for it.
func needsStatus(k payment.Kind) bool { return objectKind(k) || k == payment.KindTransferIn }

// moment reads when the row happened.
func (r *reader) moment(row tabular.Row) (datetext.Value, error) {
	when, ok, err := r.fields.at.Read(row)
	if err != nil {
		return when, r.dateFault("occurred_at", row, err)
	}
	if !ok {
		return when, r.b.Fault("occurred_at", row, "the row has no date", "a total or a footer is named in a profile: `information: [Total]`")
	}
	return when, nil
}

// dayOf is the statement day in the account's zone; a date alone is its own day.
func (r *reader) dayOf(when datetext.Value) payment.Day {
	if when.Precision >= datetext.DateOnly {
		return when.Day
	}
	return r.owners.dayOf(when.At)
}

func (r *reader) dateFault(field string, row tabular.Row, err error) error {
	if profile.IsUnproven(err) {
		return err
	}
	return r.b.Fault(field, row, err.Error(), profile.HintOf(err))
}

// amounts reads gross, fee, tax, net and what the payer saw.
func (r *reader) amounts(l *payment.Line, row tabular.Row) error {
	currency, err := r.rowCurrency(row)
	if err != nil {
		return err
	}
	var stated [4]payment.Stated
	columns := [...]*profile.AmountColumn{r.fields.gross, r.fields.fee, r.fields.tax, r.fields.net}
	for i, field := range [...]string{"gross", "fee", "tax", "net"} {
		minor, c, ok, err := columns[i].Read(row, currency)
		if err != nil {
			return r.amountFault(field, row, err)
		}
		currency, stated[i] = c, payment.Stated{Minor: minor, Known: ok}
	}
	gross, fee, tax, net := stated[0], stated[1], stated[2], stated[3]
	if r.p.Amounts.FeesNegative {
		fee.Minor, tax.Minor = -fee.Minor, -tax.Minor
	}
	if currency, err = r.bySide(row, currency, &gross); err != nil {
		return err
	}
	if currency.IsZero() {
		return r.b.Fault("currency", row, "the row has no currency", "add a currency column, or say it in a profile: `amounts: {currency: BRL}`")
	}
	l.Currency, l.Fee, l.Tax = currency, fee.Minor, tax.Minor
	return r.balanceOut(l, row, gross, net)
}

// bySide reads separate debit and credit columns, and turns the sign where
// another column says debit.
func (r *reader) bySide(row tabular.Row, currency money.Currency, gross *payment.Stated) (money.Currency, error) {
	columns := [...]*profile.AmountColumn{r.fields.credit, r.fields.debit}
	for i, field := range [...]string{"credit", "debit"} {
		minor, c, ok, err := columns[i].Read(row, currency)
		switch {
		case err != nil:
			return currency, r.amountFault(field, row, err)
		case !ok || minor == 0 && gross.Known:
			continue
		case gross.Known && gross.Minor != 0:
			return currency, r.b.Fault(field, row, "the row has both a debit and a credit", "only one of the two can be what moved")
		}
		if field == "debit" && minor > 0 {
			minor = -minor
		}
		currency, *gross = c, payment.Known(minor)
	}
	side := r.fields.side.Text(row)
	if side == "" || !gross.Known {
		return currency, nil
	}
	debit, known := r.words.sides.Find(side)
	switch {
	case !known:
		return currency, r.b.Fault("side", row, "neither a debit nor a credit word of the profile", "add it under `amounts: {debit: […], credit: […]}`")
	case gross.Minor < 0:
		return currency, r.b.Fault("side", row, "a negative amount beside a debit or credit word", "one of the two must say the sign, not both")
	case debit:
		gross.Minor = -gross.Minor
	}
	return currency, nil
}

// balanceOut fills in the one of gross and net that the file does not state,
// and remarks where the three do not add up: the statement's own words stay.
func (r *reader) balanceOut(l *payment.Line, row tabular.Row, gross, net payment.Stated) error {
	kept, ok := money.Sum(l.Fee, l.Tax)
	if !gross.Known && !net.Known {
		return r.b.Fault("gross", row, "the row has no amount", "a row that is no movement is named in a profile: `information: […]`")
	}
	l.Gross, l.Net = gross.Minor, net.Minor
	var fits bool
	switch {
	case !gross.Known:
		l.Gross, fits = money.Sum(net.Minor, kept)
	case !net.Known:
		l.Net, fits = money.Difference(gross.Minor, kept)
	default:
		var computed int64
		computed, fits = money.Difference(gross.Minor, kept)
		if fits && computed != l.Net {
			r.remarked.unevenNet(row.Line)
		}
	}
	if !ok || !fits {
		return r.b.Fault("gross", row, "gross, fee and net do not fit in 64 bits of minor units", "correct the amount")
	}
	return r.balance(l, row)
}

// presented reads what the payer saw, where it differs.
func (r *reader) presented(l *payment.Line, row tabular.Row) error {
	if !r.fields.presented.Has() {
		return nil
	}
	currency := l.Currency
	if text := r.fields.presentedCurrency.Text(row); text != "" {
		c, err := money.ParseCurrency(text)
		if err != nil {
			return r.b.Fault("presented_currency", row, "unknown currency", "want an ISO 4217 code such as BRL")
		}
		currency = c
	}
	minor, _, ok, err := r.fields.presented.Read(row, currency)
	if err != nil {
		return r.amountFault("presented_amount", row, err)
	}
	if (minor < 0) != (l.Gross < 0) && l.Gross != 0 {
		minor = -minor // some reports show what the payer saw without a sign
	}
	if ok && (currency != l.Currency || minor != l.Gross) {
		l.Presented, l.PresentedCurrency = payment.Known(minor), currency
	}
	return nil
}

// rest reads what else a row may say.
func (r *reader) rest(l *payment.Line, row tabular.Row) error {
	if err := r.presented(l, row); err != nil {
		return err
	}
	available, ok, err := r.fields.available.Read(row)
	if err != nil {
		return r.dateFault("available_at", row, err)
	}
	if ok {
		l.AvailableAt = available.At
	}
	l.N, l.Of, err = r.parcel(row)
	return err
}

// parcel reads "3/12", or 3 and 12 of two columns.
func (r *reader) parcel(row tabular.Row) (n, of int16, err error) {
	text := r.fields.installment.Text(row)
	if text == "" {
		return 0, 0, nil
	}
	number, total, both := strings.Cut(text, "/")
	if !both {
		total = r.fields.installments.Text(row)
	}
	first, err1 := strconv.ParseInt(strings.TrimSpace(number), 10, 16)
	last, err2 := strconv.ParseInt(strings.TrimSpace(total), 10, 16)
	if err1 != nil || err2 != nil || first < 1 || last < first {
		return 0, 0, r.b.Fault("installment", row, "not a parcel", fmt.Sprintf("want n/N with 1 ≤ n ≤ N, such as 3/12%s", alone(both)))
	}
	return int16(first), int16(last), nil
}

func alone(both bool) string {
	if both {
		return ""
	}
	return ", or the number of parcels in a column of its own"
}
