package world

import (
	"slices"
	"time"

	"desfecho/internal/payment"
)

// faults lists the stories with one thing wrong, each with the divergences
// that must be listed.
func faults() []story {
	return slices.Concat(finalFaults(), openFaults(), strangerFaults(), returnFaults(), answerFaults())
}

// finalFaults are about attempts whose status is final.
func finalFaults() []story {
	return []story{
		{"failed but charged", nil, (*scene).failedButCharged},
		{"failed but charged, given back", (*scene).hasLedger, (*scene).failedAndReturned},
		{"failed but open", nil, (*scene).failedButOpen},
		{"missing", nil, (*scene).missing},
		{"declined there", nil, (*scene).declinedThere},
		{"declined boleto", (*scene).hasBoletos, (*scene).declinedBoleto},
		{"still open there", nil, (*scene).stillOpen},
		{"doubled", (*scene).paidOnce, (*scene).doubled},
		{"doubled by a failed attempt", (*scene).paidOnce, (*scene).doubledByFailed},
		{"two objects of one attempt", nil, (*scene).twoObjects},
		{"disputed", nil, (*scene).disputed},
		{"debit came back", (*scene).hasLedger, (*scene).debitBack},
		{"refund not booked", (*scene).hasLedger, (*scene).refundNotBooked},
		{"refunded by state", func(s *scene) bool { return s.list && !s.ledger }, (*scene).refundedByState},
		{"refund exceeds", (*scene).hasLedger, (*scene).refundExceeds},
		{"outflow returned", (*scene).hasLedger, (*scene).outflowReturned},
		{"recorded twice", nil, (*scene).recordedTwice},
		{"key reused", nil, (*scene).keyReused},
		{"line restated", func(s *scene) bool { return s.ledger && s.uniqueIDs }, (*scene).restatedLine},
	}
}

func (s *scene) failedButCharged() {
	a, o := s.saleOf(payment.Failed, s.id("c"), s.settled(), s.minor(), true)
	a.LastError = pick(s.dice, payment.ErrorTimeout, payment.ErrorReset, payment.Error5xx)
	s.found("failed_but_charged", "P1", a).of(o.id, a.Amount.Minor)
	s.keep(a)
	s.show(o)
	if s.oneIn(3) {
		s.look(a, sharedKey(a, o), s.now, o)
	}
}

func (s *scene) failedAndReturned() {
	a, o := s.saleOf(payment.Failed, s.id("c"), s.settled(), s.minor(), true)
	o.happens(refunds, s.later(a.CreatedAt.Add(7*time.Hour)), a.Amount.Minor)
	o.back = o.row
	s.found("failed_but_charged", "P3", a)
	s.keep(a)
	s.show(o)
}

func (s *scene) failedButOpen() {
	at := s.settled()
	severity := "P2"
	a := s.attempt(payment.Failed, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds()))
	if s.oneIn(3) {
		severity, a.Operation, o.purpose = "P1", payment.Transfer, transfer
	}
	s.link(&a, o, true)
	o.happens(pick(s.dice, works, waits, authorizes), o.created, 0)
	s.found("failed_but_open", severity, a)
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// missing: booked as paid, and the provider knows nothing of it.
func (s *scene) missing() {
	a := s.attempt(payment.Succeeded, s.id("c"), s.settled(), s.minor())
	if s.oneIn(4) {
		a.Operation = payment.Transfer
	}
	s.refer(&a)
	if s.oneIn(2) {
		s.look(a, keyOf(a), s.now)
	}
	s.found("missing_at_provider", "P1", a).of("", a.Amount.Minor)
	s.stock("missing", a)
	s.keep(a)
}

func (s *scene) declinedThere() {
	at := s.settled()
	a := s.attempt(payment.Succeeded, s.id("c"), at, s.minor())
	o := s.dead(at.Add(s.seconds()))
	s.link(&a, o, true)
	s.found("declined_at_provider", "P1", a).of(o.id, 0)
	s.stock("declined", a)
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// declinedBoleto: not even created.
func (s *scene) declinedBoleto() {
	a, o := s.boleto(payment.Succeeded, s.settled())
	o.happens(declines, o.created, 0)
	s.found("declined_at_provider", "P1", a).of(o.id, 0)
	s.stock("declined", a)
	s.keep(a)
	s.show(o)
}

func (s *scene) stillOpen() {
	at, severity := s.settled(), "P2"
	if s.asked() && s.oneIn(2) {
		at, severity = s.recent(), "P3"
	}
	a := s.attempt(payment.Succeeded, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds()))
	s.link(&a, o, true)
	o.happens(pick(s.dice, works, waits, authorizes), o.created, 0)
	s.found("succeeded_but_open", severity, a).of(o.id, 0)
	s.stock("still_open", a)
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// doubled: the retry was captured as well, and both are booked.
func (s *scene) doubled() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, o := s.saleOf(payment.Succeeded, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, s.later(at), minor, false)
	p.row = "surplus"
	s.expect("duplicate_charge", "P1", "charge", charge).of("", minor)
	s.place("agreed", 2)
	s.stock("matched", a)
	s.stock("surplus", b)
	s.keep(a, b)
	s.show(o, p)
}

// doubledByFailed: the first call timed out and was written down as failed.
func (s *scene) doubledByFailed() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, o := s.saleOf(payment.Failed, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, s.later(at), minor, false)
	s.expect("duplicate_charge", "P1", "charge", charge).of("", minor).SameMoney = "attempt:" + a.ID
	s.found("failed_but_charged", "P1", a).of(o.id, minor)
	s.agree(b)
	s.keep(a, b)
	s.show(o, p)
}

// twoObjects: one attempt, sent twice without a key.
func (s *scene) twoObjects() {
	a, o := s.saleOf(payment.Succeeded, s.id("c"), s.settled(), s.minor(), true)
	p := s.sale(o.created.Add(time.Minute), a.Amount.Minor)
	p.row = "surplus"
	if len(o.refs) == 0 {
		s.share(&a, o)
	}
	p.refs = o.refs
	s.expect("duplicate_charge", "P1", "charge", a.Charge).of("", a.Amount.Minor)
	s.agree(a)
	s.keep(a)
	s.show(o, p)
}

func (s *scene) disputed() {
	a, o := s.settledSale(s.id("c"))
	o.happens(disputes, s.later(a.CreatedAt.Add(7*time.Hour)), a.Amount.Minor)
	s.found("chargeback_unrecorded", "P1", a).of(o.id, a.Amount.Minor)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// debitBack: a direct debit was returned days later.
func (s *scene) debitBack() {
	a, o := s.settledSale(s.id("c"))
	o.happens(reverses, s.later(a.CreatedAt.Add(7*time.Hour)), a.Amount.Minor)
	s.found("chargeback_unrecorded", "P1", a).of(o.id, a.Amount.Minor)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// refundNotBooked: given back at the provider's dashboard.
func (s *scene) refundNotBooked() {
	a, o := s.settledSale(s.id("c"))
	at, part := s.later(a.CreatedAt.Add(7*time.Hour)), (a.Amount.Minor+1)/2
	s.found("refund_unrecorded", "P2", a).of("", part)
	s.stock("matched", a)
	s.keep(a)
	if s.oneIn(2) {
		s.show(o.happens(refunds, at, part))
		return
	}
	r := s.object(at)
	r.id, r.purpose, r.parent, r.row = s.id("re"), giveBack, o.id, "unbooked_returns"
	o.gaveBack = part
	s.show(o, r.happens(captures, at, part))
}

func (s *scene) refundedByState() {
	a, o := s.settledSale(s.id("c"))
	o.happens(refunds, s.later(a.CreatedAt), a.Amount.Minor)
	s.found("refund_unrecorded", "P2", a).of(o.id, a.Amount.Minor)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// refundExceeds: two booked refunds, together more than was taken.
func (s *scene) refundExceeds() {
	a, o := s.saleOf(payment.Succeeded, s.id("c"), s.settled(), 10+s.minor(), true)
	at, part := a.CreatedAt.Add(7*time.Hour), a.Amount.Minor/2+1+int64(s.IntN(4))
	first, r := s.refund(s.id("rf"), s.later(at), part, o)
	second, q := s.refund(s.id("rf"), s.later(at), part, o)
	s.expect("refund_exceeds_captured", "P1", "charge", a.Charge).of("", 2*part-a.Amount.Minor)
	s.agree(a, first, second)
	s.keep(a, first, second)
	s.show(o, r, q)
}

func (s *scene) outflowReturned() {
	a, o := s.outflow(payment.Succeeded, s.settled())
	s.capture(o, o.created, a.Amount.Minor)
	o.happens(comesBack, s.later(a.CreatedAt.Add(7*time.Hour)), a.Amount.Minor)
	s.found("outflow_returned", "P1", a).of(o.id, a.Amount.Minor)
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// recordedTwice: one object stored on two attempts of its charge.
func (s *scene) recordedTwice() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, o := s.attempt(payment.Succeeded, charge, at, minor), s.sale(at.Add(s.seconds()), minor)
	b := s.attempt(payment.Succeeded, charge, at.Add(5*time.Minute), minor)
	a.ProviderID, b.ProviderID = o.id, o.id
	s.refer(&b)
	if s.oneIn(2) {
		s.share(&a, o)
	}
	s.expect("recorded_twice", "P2", "attempts", a.ID, b.ID).of(o.id, 0)
	s.stock("matched", a)
	s.stock("recorded_twice", b)
	s.keep(a, b)
	s.show(o)
}

// keyReused: one idempotency key sent with two payloads; both were paid.
func (s *scene) keyReused() {
	at := s.settled()
	a, o := s.attempt(payment.Succeeded, s.id("c"), at, s.minor()), s.object(at.Add(s.seconds()))
	b, p := s.attempt(payment.Succeeded, s.id("c"), at.Add(time.Hour), s.minor()), s.object(at.Add(time.Hour+s.seconds()))
	for _, pair := range []struct {
		a *payment.Attempt
		o *object
	}{{&a, o}, {&b, p}} {
		s.bind(pair.a, pair.o, pick(s.dice, byReference, byID, byCharge))
		s.capture(pair.o, pair.o.created, pair.a.Amount.Minor)
	}
	b.Key = a.Key
	a.PayloadHash, b.PayloadHash = s.id("h"), s.id("h")
	s.expect("key_reused", "P2", "attempts", a.ID, b.ID)
	s.agree(a, b)
	s.keep(a, b)
	s.show(o, p)
}

// restatedLine: one line id comes with two amounts.
func (s *scene) restatedLine() {
	at, minor := s.settled(), 10+s.minor()
	a := s.attempt(payment.Succeeded, s.id("c"), at, minor)
	o := s.object(at.Add(s.seconds())).happens(captures, at.Add(time.Minute), minor)
	s.link(&a, o, true)
	s.keep(a)
	s.found("conflicting_lines", "P2", a)
	s.stock("cannot_be_judged", a)
	s.restated = true
	first := len(s.w.Lines)
	s.show(o)
	l := &s.w.Lines[first]
	s.w.Truth.Days[l.Day] -= l.Gross
	s.w.Truth.Lines[l.Provider+" "+l.Currency.String()+" "+o.row] -= l.Gross
	other := *l
	other.Gross, other.Net = other.Gross+1, other.Net+1
	other.Row = int32(len(s.w.Lines) + 1)
	s.w.Lines = append(s.w.Lines, other)
	s.marks[first].single = true
	s.marks = append(s.marks, mark{single: true})
}
