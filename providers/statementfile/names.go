package statementfile

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// slabSize is how many references are allocated at once.
const slabSize = 4096

// names reads which unit, parent, payout and references the line names.
func (r *reader) names(l *payment.Line, row tabular.Row) error {
	n := &r.fields.byKind[l.Kind]
	l.Unit = n.unit.Exact(row)
	if parent := n.parent.Exact(row); parent != l.Unit {
		l.Parent = parent
	}
	l.Payout, l.Recipient = n.payout.Exact(row), r.fields.recipient.Exact(row)
	l.References = r.references(l.Kind, row)
	return nil
}

// references are the merchant's own identifiers on the row.
func (r *reader) references(kind payment.Kind, row tabular.Row) []payment.Reference {
	bound := r.b.References
	if len(bound) == 0 {
		return nil
	}
	if cap(r.slab)-len(r.slab) < len(bound) {
		r.slab = make([]payment.Reference, 0, max(slabSize, len(bound)))
	}
	start := len(r.slab)
	for i := range bound {
		if !bound[i].For(kind) {
			continue
		}
		if value := bound[i].Cells.Exact(row); value != "" {
			r.slab = append(r.slab, payment.Reference{Name: bound[i].Name, Scope: bound[i].Scope, Value: value})
		}
	}
	if len(r.slab) == start {
		return nil
	}
	return r.slab[start:len(r.slab):len(r.slab)]
}

// observe tells what the row says of its unit beside the money: a state, other
// ids, the group of its parcels. Most rows say nothing more.
func (r *reader) observe(l *payment.Line, row tabular.Row) {
	f := &r.fields
	state := r.state(l, row.Line)
	if l.Unit == "" || !objectKind(l.Kind) {
		return
	}
	var aliases []string
	if l.Kind == payment.KindCharge && f.aliases.Has() {
		aliases = other(f.aliases.All(row), l.Unit)
	}
	group, key := f.group.Exact(row), f.key.Exact(row)
	if state == payment.StateNone && group == "" && key == "" && len(aliases) == 0 {
		return
	}
	u := payment.Unit{
		ID: l.Unit, Aliases: aliases, Group: group, Key: key, Method: r.again(slotMethod, f.method.Text(row)),
		State: state, Final: finalState(state), Parent: l.Parent, N: int(l.N), Of: int(l.Of),
		Provider: l.Provider, Account: l.Account, Mode: l.Mode, References: l.References, Currency: payerCurrency(l),
		ObservedAt: l.At, Source: payment.FromLedger, Statement: l.Statement,
	}
	if state != payment.StateNone {
		u.RawState, u.Reason, u.Asked = l.Status, f.reason.Text(row), asked(l)
	}
	r.units = append(r.units, u)
}

// finalState tells the states that a provider does not change any more.
func finalState(s payment.State) bool {
	return s == payment.StateCaptured || s == payment.StateRefunded || s.Dead()
}

// other are the ids that are not the unit's own.
func other(ids []string, unit string) []string {
	kept := ids[:0]
	for _, id := range ids {
		if id != unit {
			kept = append(kept, id)
		}
	}
	return kept
}

// objectKind tells the kinds that are an object of their own at the provider,
// with a state that an attempt may ask for.
func objectKind(k payment.Kind) bool {
	return k == payment.KindCharge || k == payment.KindRefund || k == payment.KindTransferOut
}

// payerCurrency is the currency of what the payer saw.
func payerCurrency(l *payment.Line) money.Currency {
	if l.Presented.Known {
		return l.PresentedCurrency
	}
	return l.Currency
}

// asked is the row's amount as the payer saw it, unsigned.
func asked(l *payment.Line) payment.Stated {
	if l.Presented.Known {
		return payment.Known(money.Magnitude(l.Presented.Minor))
	}
	return payment.Known(money.Magnitude(l.Gross))
}

// state reads the row's status. A status that moved no money makes the line
// still; one that the profile does not know moves it, and its unit is
// unmapped, so that no mark rests on it.
func (r *reader) state(l *payment.Line, line int) payment.State {
	if moved, known := r.words.moves.Find(l.Raw); known && !moved {
		l.Still = true
	}
	if l.Status == "" {
		return payment.StateNone
	}
	if state, known := r.words.states.Find(l.Status); known {
		l.Still = l.Still || !state.Money()
		return state
	}
	if moved, known := r.words.moves.Find(l.Status); known {
		l.Still = l.Still || !moved
		return payment.StateNone
	}
	if !r.fields.status.Has() || len(r.rules.States) == 0 {
		return payment.StateNone
	}
	r.remarked.unknownStatus(l.Status, line)
	return payment.StateUnmapped
}

// settledUnits drops what rows said of a unit's way to its capture: a sale
// that is authorized on one row and captured on another is captured, in
// whatever order they stand (law 8).
func (r *reader) settledUnits() []payment.Unit {
	captured := map[string]bool{}
	for i := range r.units {
		if onTheWay(r.units[i].State) {
			captured[r.units[i].ID] = false
		}
	}
	if len(captured) == 0 || r.rules.Sort == payment.ObjectList {
		return r.units
	}
	for i := range r.lines {
		l := &r.lines[i]
		if _, asked := captured[l.Unit]; asked && objectKind(l.Kind) && !l.Still {
			captured[l.Unit] = true
		}
	}
	kept := r.units[:0]
	for i := range r.units {
		u := &r.units[i]
		if onTheWay(u.State) && captured[u.ID] {
			u.State, u.Final, u.RawState, u.Reason, u.Asked = payment.StateNone, false, "", "", payment.Stated{}
			if u.Group == "" && u.Key == "" && len(u.Aliases) == 0 {
				continue // nothing is left that the lines do not say
			}
		}
		kept = append(kept, *u)
	}
	return kept
}

func onTheWay(s payment.State) bool { return s.Open() || s.Dead() }
