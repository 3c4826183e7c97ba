package world

import (
	"time"

	"desfecho/internal/payment"
)

// strangerFaults are about what the provider holds and no attempt names, or
// more than one does.
func strangerFaults() []story {
	return []story{
		{"unrecorded charge", nil, (*scene).unrecorded},
		{"unrecorded, charge known by metadata", (*scene).paidOnce, (*scene).unrecordedKnown},
		{"unrecorded outflow", (*scene).hasLedger, (*scene).unrecordedOutflow},
		{"dispute of an unknown sale", (*scene).hasLedger, (*scene).unknownDispute},
		{"ambiguous", nil, (*scene).ambiguous},
		{"ambiguous slots", (*scene).hasList, (*scene).ambiguousSlots},
		{"reference of two charges", nil, (*scene).collision},
	}
}

// unrecorded: a customer paid, and no attempt here knows of it.
func (s *scene) unrecorded() {
	o := s.sale(s.settled(), s.minor())
	o.row = "unrecorded_in"
	if s.oneIn(2) {
		o.refs = []payment.Reference{{Name: refName, Scope: payment.ScopeAttempt, Value: s.id("x")}}
	}
	s.expect("unrecorded_charge", "P1", "unit", o.id).of(o.id, o.total(captures))
	s.show(o)
}

// unrecordedKnown: no attempt, but metadata names a charge that was paid.
func (s *scene) unrecordedKnown() {
	a, o := s.settledSale(s.id("c"))
	p := s.sale(o.created.Add(5*time.Minute), a.Amount.Minor)
	p.metadata, p.row = a.Charge, "unrecorded_in"
	s.expect("unrecorded_charge", "P1", "unit", p.id).of(p.id, a.Amount.Minor)
	s.expect("duplicate_charge", "P1", "charge", a.Charge).of("", a.Amount.Minor).SameMoney = "unit:" + p.id
	s.agree(a)
	s.keep(a)
	s.show(o, p)
}

// unrecordedOutflow: money left, by a transfer or a refund of nothing.
func (s *scene) unrecordedOutflow() {
	l := s.line(pick(s.dice, payment.KindTransferOut, payment.KindRefund), s.settled(), -s.minor())
	l.Unit = s.id("e2e")
	s.expect("unrecorded_outflow", "P1", "unit", l.Unit).of(l.Unit, -l.Gross)
	s.post(l, "unrecorded_out")
}

func (s *scene) unknownDispute() {
	l := s.line(pick(s.dice, payment.KindChargeback, payment.KindChargeReversal), s.settled(), -s.minor())
	l.Unit, l.Parent = s.id("d"), s.id("old")
	s.expect("unlinked_reversal", "P2", "unit", l.Unit).of(l.Unit, -l.Gross)
	s.post(l, "unbooked_returns")
}

// ambiguous: two attempts of a charge sent one reference of scope attempt, or
// two keys of one object name two attempts.
func (s *scene) ambiguous() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, b := s.attempt(payment.Failed, charge, at, minor), s.attempt(payment.Unknown, charge, at.Add(5*time.Minute), minor)
	o := s.sale(b.CreatedAt.Add(s.seconds()), minor)
	o.row = "cannot_be_judged"
	s.share(&b, o)
	if s.oneIn(2) {
		a.References = append(a.References, o.refs...)
	} else {
		a.ProviderID = o.id
	}
	s.expect("ambiguous_match", "P1", "attempts", a.ID, b.ID).of(o.id, 0)
	s.keep(a, b)
	s.show(o)
	s.answer(b, o)
}

// ambiguousSlots: only the charge's reference, and an object that is known to
// the day.
func (s *scene) ambiguousSlots() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	if payment.DayOf(at, s.zone) != payment.DayOf(at.Add(15*time.Minute), s.zone) {
		at = at.Add(-time.Hour) // both attempts on the object's day
	}
	a, b := s.attempt(payment.Failed, charge, at, minor), s.attempt(payment.Unknown, charge, at.Add(10*time.Minute), minor)
	o := s.sale(b.CreatedAt.Add(s.seconds()), minor)
	o.created, o.dayOnly = payment.DayOf(o.created, s.zone).Start(s.zone), true
	o.row = "cannot_be_judged"
	s.bind(&a, o, byCharge)
	s.expect("ambiguous_match", "P1", "attempts", a.ID, b.ID).of(o.id, 0)
	s.keep(a, b)
	s.show(o)
}

// collision: attempts of two charges carry one reference, or one stored id.
func (s *scene) collision() {
	at, minor := s.settled(), s.minor()
	second := pick(s.dice, payment.Unknown, payment.Succeeded)
	a, b := s.attempt(payment.Succeeded, s.id("c"), at, minor), s.attempt(second, s.id("c"), at.Add(time.Hour), s.minor())
	o := s.sale(at.Add(s.seconds()), minor)
	o.row = "cannot_be_judged"
	if second == payment.Succeeded && s.oneIn(2) {
		a.ProviderID, b.ProviderID = o.id, o.id
	} else {
		s.share(&a, o)
		b.References = append(b.References, o.refs...)
	}
	s.expect("reference_collision", "P1", "attempts", a.ID, b.ID)
	s.stock("cannot_be_judged", a)
	if second == payment.Succeeded {
		s.stock("cannot_be_judged", b)
	}
	s.keep(a, b)
	s.show(o)
}
