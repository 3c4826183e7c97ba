package world

import (
	"time"

	"desfecho/internal/payment"
)

// returnFaults are about money that went back in part, by another way, or
// with nothing else known of the sale.
func returnFaults() []story {
	return []story{
		{"failed but charged, part given back", (*scene).hasLedger, (*scene).failedPartReturned},
		{"part of a capture undone", (*scene).hasLedger, (*scene).partUndone},
		{"dispute won in part", (*scene).hasLedger, (*scene).disputeWonInPart},
		{"dispute with an id of its own", (*scene).hasLedger, (*scene).disputeOfItsOwn},
		{"only a return is known", func(s *scene) bool { return s.ledger && !s.hasRecord() }, (*scene).onlyReturn},
		{"doubled, part given back", func(s *scene) bool { return s.ledger && !s.many }, (*scene).doubledPartReturned},
		{"doubled, one refunded by state", func(s *scene) bool { return s.list && !s.ledger && !s.many }, (*scene).doubledRefunded},
	}
}

// part is some of an amount: at least one minor unit, never all of it.
func (s *scene) part(minor int64) int64 { return 1 + int64(s.IntN(int(min(minor-1, 1_000_000)))) }

func (s *scene) failedPartReturned() {
	a, o := s.saleOf(payment.Failed, s.id("c"), s.settled(), 2+s.minor(), true)
	o.happens(refunds, s.later(a.CreatedAt.Add(7*time.Hour)), s.part(a.Amount.Minor))
	o.back = o.row
	s.found("failed_but_charged", "P1", a).of(o.id, 0)
	s.keep(a)
	s.show(o)
}

// partUndone: the provider took back a part of what it had captured, and the
// attempt still stands at the whole.
func (s *scene) partUndone() {
	a, o := s.saleOf(payment.Succeeded, s.id("c"), s.settled(), 2+s.minor(), true)
	part := s.part(a.Amount.Minor)
	o.happens(reverses, s.later(a.CreatedAt.Add(7*time.Hour)), part)
	s.found("chargeback_unrecorded", "P1", a).of(o.id, part)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

func (s *scene) disputeWonInPart() {
	a, o := s.saleOf(payment.Succeeded, s.id("c"), s.settled(), 2+s.minor(), true)
	at, part := s.later(a.CreatedAt.Add(6*time.Hour)), s.part(a.Amount.Minor)
	o.happens(disputes, at, a.Amount.Minor).happens(wins, at.Add(time.Minute), part)
	s.found("chargeback_unrecorded", "P1", a).of(o.id, a.Amount.Minor-part)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// disputeOfItsOwn: the chargeback's line has an id of its own, and names the
// sale as its parent or by the sale's reference.
func (s *scene) disputeOfItsOwn() {
	a, o := s.settledSale(s.id("c"))
	l := s.line(payment.KindChargeback, s.later(a.CreatedAt.Add(7*time.Hour)), -a.Amount.Minor)
	l.Unit = s.id("d")
	if s.oneIn(2) && len(o.refs) > 0 {
		l.References = o.refs
	} else {
		l.Parent = o.id
	}
	s.found("chargeback_unrecorded", "P1", a).of("", a.Amount.Minor)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
	s.post(l, "unbooked_returns")
}

// onlyReturn: of an unknown attempt, whose object is known by its id, nothing
// was read but that it went back.
func (s *scene) onlyReturn() {
	a := s.attempt(payment.Unknown, s.id("c"), s.settled(), s.minor())
	a.ProviderID = s.id("p")
	l := s.line(payment.KindRefund, s.later(a.CreatedAt), -a.Amount.Minor)
	l.Unit, l.Parent = s.id("re"), a.ProviderID
	s.found("unknown_inconclusive", "P2", a)
	s.keep(a)
	s.post(l, "open_attempts")
}

// doubledPartReturned: of the surplus some was given back and booked.
func (s *scene) doubledPartReturned() {
	charge, at, minor := s.id("c"), s.settled(), 2+s.minor()
	a, o := s.saleOf(payment.Succeeded, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, at.Add(5*time.Minute), minor, false)
	part := s.part(minor)
	refund, r := s.refund(s.id("rf"), s.later(at.Add(7*time.Hour)), part, p)
	s.expect("duplicate_charge", "P1", "charge", charge).of("", minor-part)
	s.agree(a, b, refund)
	s.keep(a, b, refund)
	s.show(o, p, r)
	s.shift("matched", "surplus", p, minor-part)
}

// shift moves a part of an object's money from one row to another, in both
// equations.
func (s *scene) shift(from, to string, o *object, minor int64) {
	key := o.provider + " " + s.currency.String() + " "
	for _, rows := range []map[string]int64{s.w.Truth.Lines, s.w.Truth.Succeeded} {
		rows[key+from] -= minor
		rows[key+to] += minor
	}
}

// doubledRefunded: the second payment went back, says the list, and nobody
// booked it.
func (s *scene) doubledRefunded() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, o := s.saleOf(payment.Succeeded, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, s.later(at), minor, false)
	p.happens(refunds, s.later(b.CreatedAt), minor)
	s.found("refund_unrecorded", "P2", b).of(p.id, minor)
	s.agree(a)
	s.stock("matched", b)
	s.keep(a, b)
	s.show(o, p)
}
