package statementfile

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// object reads one unit of an object list.
func (r *reader) object(row tabular.Row) error {
	f := &r.fields
	when, err := r.moment(row)
	if err != nil {
		return err
	}
	var l payment.Line // carries what both sorts of statement read alike
	l.At, l.Day, l.Kind, l.Statement = when.At, r.dayOf(when), payment.KindCharge, r.o.Name
	if kind, known := r.words.kinds.Find(f.kind.Text(row)); known {
		l.Kind = kind
	}
	if err := r.owner(&l, row); err != nil {
		return err
	}
	if err := r.names(&l, row); err != nil {
		return err
	}
	if l.Unit == "" {
		return r.b.Fault("unit", row, "an object without id", "an object list needs the provider's own id in every row")
	}
	u := payment.Unit{
		ID: l.Unit, Aliases: other(f.aliases.All(row), l.Unit), Group: f.group.Exact(row), Parent: l.Parent, Key: f.key.Exact(row),
		Provider: l.Provider, Account: l.Account, Mode: l.Mode, References: l.References, Method: r.again(slotMethod, f.method.Text(row)),
		RawState: r.again(slotState, f.status.Text(row)), Reason: f.reason.Text(row), CreatedAt: when.At, Precision: when.Precision,
		ObservedAt: r.o.Now, Source: payment.FromList, Statement: l.Statement,
	}
	if err := r.objectAmounts(&u, row); err != nil {
		return err
	}
	n, of, err := r.parcel(row)
	if err != nil {
		return err
	}
	u.N, u.Of = int(n), int(of)
	r.objectState(&u, row.Line)
	r.units = append(r.units, u)
	return nil
}

func (r *reader) objectAmounts(u *payment.Unit, row tabular.Row) error {
	currency, err := r.rowCurrency(row)
	if err != nil {
		return err
	}
	minor, c, ok, err := r.fields.gross.Read(row, currency)
	if err != nil {
		return r.amountFault("gross", row, err)
	}
	if ok {
		u.Asked, currency = payment.Known(money.Magnitude(minor)), c
	}
	minor, c, ok, err = r.fields.captured.Read(row, currency)
	if err != nil {
		return r.amountFault("captured", row, err)
	}
	if ok {
		u.Captured, currency = payment.Known(money.Magnitude(minor)), c
	}
	u.Currency = currency
	if currency.IsZero() && (u.Asked.Known || u.Captured.Known) {
		return r.b.Fault("currency", row, "the row has no currency", "add a currency column, or say it in a profile: `amounts: {currency: BRL}`")
	}
	return nil
}

// objectState maps the provider's word; one outside the map is unmapped.
func (r *reader) objectState(u *payment.Unit, line int) {
	state, known := r.words.states.Find(u.RawState)
	if !known {
		state = payment.StateUnmapped
		r.remarked.unknownStatus(u.RawState, line)
	}
	u.State, u.Final = state, finalState(state)
	if state.Money() && !u.Captured.Known && !r.fields.captured.Has() {
		u.Captured = u.Asked // the list has no other amount, and says that it was captured
	}
}
