package world

import (
	"time"

	"desfecho/internal/payment"
)

// cameTwice: a page shifted, or two files overlap.
func (s *scene) cameTwice() {
	first := len(s.marks)
	s.paid()
	for i := first; i < len(s.marks); i++ {
		s.marks[i].twice = true
	}
}

// laterVersion: a line became available; nothing that RULES §3.2 calls a
// restatement changed.
func (s *scene) laterVersion() {
	first := len(s.marks)
	s.paid()
	for i := first; i < len(s.marks); i++ {
		s.marks[i].single = true
		l := s.w.Lines[i]
		l.Raw, l.Status, l.AvailableAt = "available", "available", l.At.Add(time.Hour)
		l.Row = int32(len(s.w.Lines) + 1)
		s.w.Lines = append(s.w.Lines, l)
		s.marks = append(s.marks, mark{single: true})
		if i == first {
			break
		}
	}
}

// otherKinds: rows that belong to no attempt.
func (s *scene) otherKinds() {
	kinds := []payment.Kind{
		payment.KindFee, payment.KindTax, payment.KindAdjustment, payment.KindAnticipation,
		payment.KindReserveHold, payment.KindReserveRelease, payment.KindFeeReversal, payment.KindOther,
	}
	for range 1 + s.IntN(3) {
		kind := pick(s.dice, kinds...)
		gross := int64(100 * (1 + s.IntN(5)))
		if kind != payment.KindReserveRelease && kind != payment.KindFeeReversal {
			gross = -gross
		}
		l := s.line(kind, s.settled(), gross)
		l.Raw = kind.String()
		s.post(l, kind.String())
		s.place(kind.String(), 1)
	}
}

// authorizationLine: an information row beside the money.
func (s *scene) authorizationLine() {
	a, o := s.settledSale(s.id("c"))
	s.agree(a)
	s.keep(a)
	s.show(o)
	l := s.line(payment.KindCharge, o.created, a.Amount.Minor)
	l.Unit, l.Still = o.id, true
	s.post(l, "")
}

// recipientShare: the ledger shows one recipient's share of the sale; amounts
// are not compared.
func (s *scene) recipientShare() {
	a, o := s.settledSale(s.id("c"))
	part := (a.Amount.Minor + 2) / 3
	o.unstated = true
	o.events = o.events[:1]
	o.events[0].minor, o.events[0].n, o.events[0].of = part, 0, 0
	o.recipient = "rc_1"
	s.agree(a)
	s.keep(a)
	s.show(o)
}

func (s *scene) staticQR() {
	at := s.settled()
	l := s.line(payment.KindCharge, at, s.minor())
	l.Unit, l.Raw = s.id("e2e"), staticQR
	s.post(l, "expected_without_attempt")
	s.place("expected_without_attempt", 1)
}

func (s *scene) declinedStranger() {
	s.show(s.dead(s.settled()))
	s.place("no_money", 1)
}

// notLoaded: paid while our own side was not loaded.
func (s *scene) notLoaded() {
	o := s.sale(s.between(s.unowned.From, s.unowned.To), s.minor())
	if !s.hasRecord() {
		// A bare ledger dates the unit by its line, which books may delay.
		for i := range o.events {
			o.events[i].booked = o.created.Add(time.Second)
		}
	}
	o.row = "own_side_not_covered"
	s.place("own_side_not_covered", 1)
	s.show(o)
}
