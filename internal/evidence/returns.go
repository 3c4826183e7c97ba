package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// followAll gives returns whose own keys name no attempt to the parent they
// name, else to the only captured unit of their reference (RULES §3.1).
func (b *Looker) followAll() {
	for _, u := range b.facts.Units {
		u.unring(len(b.facts.Units))
	}
	for _, u := range b.facts.Units {
		if !u.Returns() || u.Link == LinkedTwice || u.Link == Linked && u.Attempts[0].Direction() == payment.Out {
			continue
		}
		parent := b.sale(u)
		if parent == nil {
			continue
		}
		named := u.Parent
		u.Parent = parent
		if u.unring(len(b.facts.Units)); u.Parent == nil {
			u.Parent = named
			continue
		}
		u.drop()
		u.Link = Follower
		parent.Children = append(parent.Children, u)
	}
	for _, u := range b.facts.Units { // recorded returns count with their sale, too
		if u.Parent != nil && u.Link != Follower && u.Flow() == FlowOut {
			u.Parent.Children = append(u.Parent.Children, u)
		}
	}
}

// unring forgets the parent of a unit that is its own ancestor: what came from
// outside may name anything, and a ring has no sale in it. units bounds the
// walk where a ring lies further up.
func (u *Unit) unring(units int) {
	for p := u.Parent; p != nil && units > 0; p, units = p.Parent, units-1 {
		if p == u {
			u.Parent = nil
			return
		}
	}
}

// sale is the unit that a return gives back: that of the attempt which its own
// keys name, the parent it names, or the only captured unit of its reference.
func (b *Looker) sale(u *Unit) *Unit {
	if u.Link == Linked {
		return b.saleOf(u.Attempts[0], u)
	}
	if u.Parent != nil && (!u.Parent.Stub || u.Parent.Link != Unlinked) {
		return u.Parent
	}
	h := b.hits(u, FlowIn)
	named := h.strict
	if len(named) == 0 {
		named = h.charged
	}
	if len(named) == 1 && h.crowd == nil {
		return b.saleOf(named[0], u)
	}
	if u.Parent == nil {
		return b.capturedOfReference(u)
	}
	return nil
}

// saleOf is the captured unit of an attempt, or, where none was read, a stub
// that stands for it: only its returns are known.
func (b *Looker) saleOf(a *Attempt, u *Unit) *Unit {
	var sale *Unit
	for _, o := range a.Units {
		if o != u && (o.Stub || o.seenCaptured()) {
			if sale != nil {
				return nil
			}
			sale = o
		}
	}
	if sale == nil {
		sale = &Unit{Policy: u.Policy, Stub: true, Link: Linked, Attempts: []*Attempt{a}}
		sale.ID, sale.Provider, sale.Account, sale.Mode = u.ID, u.Provider, u.Account, u.Mode
		a.Units = append(a.Units, sale)
		b.facts.Units = append(b.facts.Units, sale)
	}
	return sale
}

// drop takes back what a return told the attempts that its keys name: its
// parent decides now.
func (u *Unit) drop() {
	for _, a := range u.Attempts {
		a.Units = slices.DeleteFunc(a.Units, func(o *Unit) bool { return o == u })
		for i, d := range a.Doubtful {
			if d == u {
				a.Doubtful = append(a.Doubtful[:i:i], a.Doubtful[i+1:]...)
				break
			}
		}
	}
	u.Attempts, u.Shared = nil, ""
}

// Returns tells whether the unit only gives money back: a refund, chargeback
// or reversal, and no charge or transfer of its own, not even one whose lines
// contradict each other.
func (u *Unit) Returns() bool {
	if u.Stub || slices.ContainsFunc(u.Conflict, func(l *payment.Line) bool { return sells(l.Kind) }) {
		return false
	}
	back := u.Unit.Parent != "" || u.Parent != nil
	for _, l := range u.Lines {
		if sells(l.Kind) {
			return false
		}
		switch l.Kind { //nolint:exhaustive // all other kinds give nothing back
		case payment.KindRefund, payment.KindRefundReversal, payment.KindChargeback, payment.KindChargebackReversal,
			payment.KindChargeReversal, payment.KindTransferReversal, payment.KindPayoutReversal:
			back = true
		}
	}
	return back && (!u.State.Money() || u.Unit.Parent != "" || u.Parent != nil)
}

// sells tells whether lines of the kind are a sale's or a transfer's own money.
func sells(k payment.Kind) bool {
	return k == payment.KindCharge || k == payment.KindTransferOut || k == payment.KindPayout || k == payment.KindTransferIn
}

// capturedOfReference is the only unit with a captured line or state that
// carries one of u's references.
func (b *Looker) capturedOfReference(u *Unit) *Unit {
	var found *Unit
	for _, r := range u.References {
		for _, o := range b.facts.Units {
			if o == u || o.Flow() == FlowOut || o.Provider != u.Provider || o.Mode != u.Mode || !o.seenCaptured() || !o.refers(r) {
				continue
			}
			if found != nil && found != o {
				return nil
			}
			found = o
		}
	}
	return found
}

func (u *Unit) seenCaptured() bool {
	if u.State.Money() {
		return true
	}
	for _, l := range u.Lines {
		if l.Kind == payment.KindCharge && !l.Still {
			return true
		}
	}
	return false
}

func (u *Unit) refers(r payment.Reference) bool {
	for _, own := range u.References {
		if own.Name == r.Name && own.Value == r.Value {
			return true
		}
	}
	return false
}

// GaveBack is what a return took back, in its own currency.
func (u *Unit) GaveBack() (refund, chargeback int64) { return u.gaveBack(u.Money.Currency) }

// LineIDs adds the ids of the unit's lines, those of returns that follow it
// among them.
func (u *Unit) LineIDs(ids []string) []string {
	for _, l := range u.Lines {
		if l.ID != "" && !slices.Contains(ids, l.ID) {
			ids = append(ids, l.ID)
		}
	}
	for _, c := range u.Children {
		ids = c.LineIDs(ids)
	}
	return ids
}

// Untyped is the provider's word of a line that the adapter does not know,
// where nothing but such lines tells of the unit; else "".
func (u *Unit) Untyped() string {
	if u.Moving() {
		return ""
	}
	for _, l := range u.Lines {
		if l.Kind == payment.KindOther {
			return cmp.Or(l.Raw, l.Kind.String())
		}
	}
	return ""
}

// Moving tells whether the unit is one sale's, refund's or transfer's at all,
// and not merely what a fee or a payout is booked under.
func (u *Unit) Moving() bool {
	if u.Source != 0 || len(u.Conflict) > 0 {
		return true
	}
	for _, l := range u.Lines {
		if Moves(l.Kind) {
			return true
		}
	}
	return false
}
