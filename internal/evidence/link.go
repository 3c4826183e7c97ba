package evidence

import (
	"slices"

	"desfecho/internal/payment"
)

// sameProvider tells whether an attempt may be that provider's and account's;
// what is not stated is no difference (RULES §8: an attempt without account
// belongs to all accounts of its provider).
func sameProvider(a *payment.Attempt, provider, account string) bool {
	return (a.Provider == provider || a.Provider == "" || provider == "") && sameAccount(a.Account, account)
}

// Flow is the direction of a unit as far as its lines and its parent tell it.
type Flow uint8

// FlowUnknown fits attempts of both directions.
const (
	FlowUnknown Flow = iota
	FlowIn
	FlowOut
)

// Flow of the unit's money: a charge comes in, a refund, transfer or payout
// and what names a parent goes out.
func (u *Unit) Flow() Flow {
	flow := FlowUnknown
	for _, lines := range [2][]*payment.Line{u.Lines, u.Conflict} {
		for _, l := range lines {
			switch l.Kind {
			case payment.KindCharge, payment.KindChargeReversal, payment.KindTransferIn:
				return FlowIn
			case payment.KindRefund, payment.KindRefundReversal, payment.KindTransferOut, payment.KindTransferReversal,
				payment.KindPayout, payment.KindPayoutReversal, payment.KindChargeback, payment.KindChargebackReversal:
				flow = FlowOut
			case payment.KindOther, payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindAdjustment,
				payment.KindAnticipation, payment.KindReserveHold, payment.KindReserveRelease:
			}
		}
	}
	if flow == FlowUnknown && (u.Unit.Parent != "" || u.Parent != nil) {
		return FlowOut
	}
	if flow == FlowUnknown && (u.Link == Linked || u.Link == LinkedTwice) { // its attempt knows
		flow = FlowIn
		if u.Attempts[0].Direction() == payment.Out {
			flow = FlowOut
		}
	}
	return flow
}

func (f Flow) fits(d payment.Direction) bool {
	return f == FlowUnknown || (f == FlowIn) == (d == payment.In)
}

// hits are the attempts that a unit's keys name, by the strength of the key.
type hits struct {
	byID    []*Attempt // provider id against every alias
	strict  []*Attempt // any key of scope attempt, byID among them
	charged []*Attempt // a reference of scope charge
	shared  string     // the first reference whose attempts are of several charges
	crowd   []*Attempt // so many that they are only told as a whole
}

// linkAll evaluates all keys of every unit (RULES §3.3).
func (b *Looker) linkAll() {
	b.keys.build(b.facts.Attempts, len(b.facts.Units))
	for _, u := range b.facts.Units {
		b.link(u)
	}
}

func (b *Looker) link(u *Unit) {
	h := b.hits(u, u.Flow())
	if h.crowd != nil {
		u.Link, u.Attempts, u.Shared = Collision, h.crowd, h.shared
		if !b.crowds[h.shared] { // the first unit tells for all that carry it
			b.crowds[h.shared] = true
			u.tell()
		}
		return
	}
	all := union(h.strict, h.charged)
	switch {
	case len(all) == 0:
		return
	case severalCharges(all):
		u.Link, u.Attempts, u.Shared = Collision, all, h.shared
	case len(h.byID) > 1 && len(h.strict) == len(h.byID):
		u.Link, u.Attempts = LinkedTwice, h.byID
	case len(h.strict) == 1:
		u.Link, u.Attempts = Linked, h.strict
	case len(h.strict) > 1:
		u.Link, u.Attempts = Ambiguous, h.strict
	default:
		u.bySlot(h.charged)
	}
	u.tell()
}

// tell enters the unit with the attempts that it concerns.
func (u *Unit) tell() {
	for _, a := range u.Attempts {
		switch u.Link {
		case Linked, LinkedTwice:
			a.Units = append(a.Units, u)
		case Ambiguous, Collision:
			a.Doubtful = append(a.Doubtful, u)
		case Unlinked, Follower:
		}
	}
}

// hits looks the unit's keys up among the attempts of one direction.
func (b *Looker) hits(u *Unit, flow Flow) hits {
	var h hits
	for _, id := range u.Names {
		h.byID = union(h.byID, b.keys.find(key{kind: keyID, value: id}, u, flow))
	}
	h.strict = h.byID
	if u.Key != "" {
		h.strict = union(h.strict, b.keys.find(key{kind: keyIdempotency, value: u.Key}, u, flow))
	}
	for _, r := range u.References {
		found := b.keys.find(key{keyReference, r.Name, r.Value}, u, flow)
		if h.shared == "" && severalCharges(found) {
			h.shared = r.Value
		}
		if len(found) > crowd && severalCharges(found) {
			h.shared, h.crowd = r.Value, found
			return h
		}
		for _, a := range found {
			if a.scope(r.Name) == payment.ScopeAttempt {
				h.strict = with(h.strict, a)
			} else {
				h.charged = with(h.charged, a)
			}
		}
	}
	if flow == FlowUnknown { // a refund row that carries the sale's charge id is no try of the sale
		if in := only(h.charged, payment.In); len(in) > 0 {
			h.charged = in
		}
	}
	return h
}

// TiedTo tells whether the unit is this attempt's by id, by idempotency key or
// by a reference of scope attempt, and not merely by its charge.
func (a *Attempt) TiedTo(u *Unit) bool {
	if a.ProviderID != "" && slices.Contains(u.Names, a.ProviderID) || a.Key != "" && a.Key == u.Key {
		return true
	}
	return slices.ContainsFunc(a.References, func(r payment.Reference) bool {
		return r.Scope == payment.ScopeAttempt && r.Value != "" && u.refers(r)
	})
}

func (a *Attempt) scope(name string) payment.Scope {
	for _, r := range a.References {
		if r.Name == name {
			return r.Scope
		}
	}
	return payment.ScopeAttempt
}

func only(attempts []*Attempt, d payment.Direction) []*Attempt {
	return slices.DeleteFunc(slices.Clone(attempts), func(a *Attempt) bool { return a.Direction() != d })
}

func union(a, b []*Attempt) []*Attempt {
	if len(a) == 0 {
		return b
	}
	for _, x := range b {
		a = with(a, x)
	}
	return a
}

func with(a []*Attempt, x *Attempt) []*Attempt {
	if slices.Contains(a, x) {
		return a
	}
	return append(a[:len(a):len(a)], x)
}

func severalCharges(attempts []*Attempt) bool {
	return len(attempts) > 1 && slices.ContainsFunc(attempts[1:], func(a *Attempt) bool {
		return !SameCharge(a.Attempt, attempts[0].Attempt)
	})
}
