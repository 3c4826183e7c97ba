package world

import (
	"time"

	"desfecho/internal/payment"
)

// benign lists the stories that nothing is wrong with; RULES §4's last
// paragraph is among them. The plainest comes first.
func benign() []story {
	return []story{
		{"paid", nil, (*scene).paid},
		{"failed then succeeded", nil, (*scene).retried},
		{"retried, told apart by time", (*scene).datesObjects, (*scene).retriedInSlots},
		{"around midnight", nil, (*scene).midnight},
		{"dispute won", (*scene).hasLedger, (*scene).disputeWon},
		{"twelve objects", (*scene).hasRecord, (*scene).twelveObjects},
		{"plan booked monthly", func(s *scene) bool { return s.ledger && s.hasRecord() }, (*scene).monthlyPlan},
		{"parcels on the way", (*scene).hasLedger, (*scene).parcelsOnTheWay},
		{"partial capture", nil, (*scene).partialCapture},
		{"late boleto", (*scene).hasRecord, (*scene).lateBoleto},
		{"one recipient's share", (*scene).hasLedger, (*scene).recipientShare},
		{"subscription", func(s *scene) bool { return s.many }, (*scene).subscription},
		{"in flight, captured", nil, (*scene).inFlightCaptured},
		{"static QR", (*scene).hasLedger, (*scene).staticQR},
		{"failed", nil, (*scene).failed},
		{"refund booked", (*scene).hasLedger, (*scene).refundBooked},
		{"transfer", (*scene).hasLedger, (*scene).transferred},
		{"in flight", nil, (*scene).inFlight},
		{"in transit", (*scene).isLive, (*scene).inTransit},
		{"not covered", func(s *scene) bool { return s.shape != closed }, (*scene).notCovered},
		{"out of scope", nil, (*scene).outOfScope},
		{"presented abroad", (*scene).hasLedger, (*scene).presentedAbroad},
		{"two cards", (*scene).paidOnce, (*scene).twoCards},
		{"declined stranger", (*scene).hasList, (*scene).declinedStranger},
		{"own side not loaded", func(s *scene) bool { return !s.unowned.Empty() }, (*scene).notLoaded},
		{"doubled and returned", func(s *scene) bool { return s.ledger && !s.many }, (*scene).doubledAndReturned},
		{"came twice", (*scene).hasLedger, (*scene).cameTwice},
		{"later version", func(s *scene) bool { return s.ledger && s.uniqueIDs }, (*scene).laterVersion},
		{"rows of other kinds", (*scene).hasLedger, (*scene).otherKinds},
		{"unpaid boleto", (*scene).hasBoletos, (*scene).unpaidBoleto},
		{"authorization line", (*scene).hasLedger, (*scene).authorizationLine},
	}
}

func (s *scene) paid() {
	a, o := s.settledSale(s.id("c"))
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// retried: the first attempt failed, the second succeeded; the failed one left
// a declined object, or none.
func (s *scene) retried() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	first := s.attempt(payment.Failed, charge, at, minor)
	second, o := s.saleOf(payment.Succeeded, charge, s.later(at), minor, false)
	if s.oneIn(2) {
		declined := s.dead(at.Add(s.seconds()))
		s.bind(&first, declined, byReference)
		s.show(declined)
	}
	s.agree(second)
	s.place("agreed", 1)
	s.keep(first, second)
	s.show(o)
}

// retriedInSlots: only the charge's reference went out, and each object lies
// in the slot of one attempt.
func (s *scene) retriedInSlots() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	again := s.later(at)
	first, second := s.attempt(payment.Failed, charge, at, minor), s.attempt(payment.Succeeded, charge, again, minor)
	declined, o := s.dead(at.Add(s.seconds())), s.sale(again.Add(s.seconds()), minor)
	s.bind(&first, declined, byCharge)
	s.bind(&second, o, byCharge)
	s.agree(second)
	s.place("agreed", 1)
	s.keep(first, second)
	s.show(declined, o)
}

// midnight: attempted before midnight of the account's zone, booked after it.
func (s *scene) midnight() {
	day := payment.DayOf(s.settled(), s.zone)
	if day.Start(s.zone) <= s.calm.From {
		day++
	}
	at := day.Start(s.zone).Add(-2 * time.Second)
	a, o := s.saleOf(payment.Succeeded, s.id("c"), at, s.minor(), true)
	o.created = at.Add(time.Second)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

func (s *scene) disputeWon() {
	a, o := s.settledSale(s.id("c"))
	at := s.later(a.CreatedAt.Add(6 * time.Hour))
	part := 1 + int64(s.IntN(int(min(a.Amount.Minor, 1_000_000))))
	o.happens(disputes, at, part).happens(wins, at.Add(time.Minute), part)
	o.back = "matched"
	s.agree(a)
	s.keep(a)
	s.show(o)
	if s.oneIn(2) {
		fee := s.line(payment.KindFee, at, -1500)
		fee.Unit = o.id
		s.post(fee, "fee")
		s.place("fee", 1)
	}
}

// failed: nothing was taken, whatever the provider says of it.
func (s *scene) failed() {
	at := s.settled()
	a := s.attempt(payment.Failed, s.id("c"), at, s.minor())
	a.LastError = pick(s.dice, payment.ErrorCardRefused, payment.Error4xx, payment.ErrorRefused, payment.ErrorTimeout, payment.Error5xx)
	s.refer(&a)
	switch s.IntN(3) {
	case 1:
		o := s.dead(at.Add(s.seconds()))
		s.link(&a, o, true)
		s.show(o)
	case 2:
		s.look(a, keyOf(a), s.now)
	}
	s.place("agreed", 1)
	s.keep(a)
}

// refundBooked: a part or all was given back, and both sides say so.
func (s *scene) refundBooked() {
	charge := s.id("c")
	a, o := s.settledSale(charge)
	minor := a.Amount.Minor
	part := minor
	if s.oneIn(2) && minor > 1 {
		part = 1 + int64(s.IntN(int(min(minor-1, 1_000_000))))
	}
	refund, r := s.refund(pick(s.dice, charge, s.id("rf")), s.later(a.CreatedAt.Add(7*time.Hour)), part, o)
	s.agree(a, refund)
	s.keep(a, refund)
	s.show(o, r)
}

// refund is a booked refund of the sale: an object of its own with the sale as
// parent, or a line of the sale's object whose id the attempt stored.
func (s *scene) refund(charge string, at payment.Instant, minor int64, of *object) (payment.Attempt, *object) {
	a := s.attempt(payment.Succeeded, charge, at, minor)
	a.Operation = payment.Refund
	if s.uniqueIDs && s.oneIn(3) {
		a.ProviderID = s.id("l")
		when := at.Add(s.seconds())
		of.events = append(of.events, event{deed: refunds, at: when, booked: when, minor: minor, line: a.ProviderID, row: "matched"})
		return a, nil
	}
	of.gaveBack += minor
	r := s.object(at.Add(s.seconds()))
	r.id, r.purpose, r.parent = s.id("re"), giveBack, of.id
	r.happens(captures, r.created, minor)
	s.link(&a, r, false)
	return a, r
}

// transferred: a transfer or a paid bill that arrived.
func (s *scene) transferred() {
	a, o := s.outflow(payment.Succeeded, s.settled())
	s.capture(o, o.created, a.Amount.Minor)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// outflow is an attempt that sends money away and its object, without deeds.
func (s *scene) outflow(status payment.Status, at payment.Instant) (payment.Attempt, *object) {
	a := s.attempt(status, s.id("t"), at, s.minor())
	a.Operation = pick(s.dice, payment.Transfer, payment.BillPayment)
	o := s.object(at.Add(s.seconds()))
	o.purpose, o.row = transfer, rowOf(status)
	s.link(&a, o, true)
	return a, o
}

// inFlight: a call that is still under way.
func (s *scene) inFlight() {
	a := s.attempt(payment.Pending, s.id("c"), s.between(s.now.Add(-12*time.Minute), s.now.Add(-2*time.Minute)), s.minor())
	s.refer(&a)
	s.place("in_flight", 1)
	s.keep(a)
}

// inFlightCaptured: the answer is under way; that the money was taken is no
// news yet.
func (s *scene) inFlightCaptured() {
	at := s.between(s.now.Add(-12*time.Minute), s.now.Add(-2*time.Minute))
	a := s.attempt(payment.Pending, s.id("c"), at, s.minor())
	a.LastSent = at
	o := s.object(at.Add(time.Second)).happens(captures, s.now, a.Amount.Minor)
	s.share(&a, o)
	s.look(a, keyOf(a), s.now, o)
	s.place("in_flight", 1)
	s.keep(a)
}

// subscription: one charge that is paid again and again.
func (s *scene) subscription() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	for n := range 2 + s.IntN(3) {
		a, o := s.saleOf(payment.Succeeded, charge, at.Add(time.Duration(n)*2*time.Hour), minor, false)
		s.agree(a)
		s.keep(a)
		s.show(o)
	}
}

// inTransit: paid a moment ago, and no statement need show it yet.
func (s *scene) inTransit() {
	at := s.between(s.now.Add(-s.lag+time.Minute), s.now.Add(-30*time.Second))
	if !s.ledger {
		at = s.between(s.through.Add(time.Second), s.now)
	}
	a := s.attempt(payment.Succeeded, s.id("c"), at, s.minor())
	a.LastSent = at
	o := s.object(at.Add(time.Millisecond))
	o.events = []event{{deed: captures, at: at, booked: s.now.Add(s.books + time.Hour), minor: a.Amount.Minor}}
	s.link(&a, o, true)
	s.place("in_transit", 1)
	s.stock("in_transit", a)
	s.keep(a)
	s.show(o)
}

// notCovered: succeeded where nothing was read, so nothing can be said.
func (s *scene) notCovered() {
	at := s.between(s.hole.From.Add(30*time.Minute), s.hole.To.Add(-30*time.Minute))
	switch s.shape { //nolint:exhaustive // the others change nothing here
	case live:
		at = s.now.Add(-s.books - s.lag - s.lag/4)
	case cut:
		at = s.between(s.through.Add(time.Hour), s.now.Add(-20*time.Hour))
	}
	a := s.attempt(payment.Succeeded, s.id("c"), at, s.minor())
	s.refer(&a)
	s.place("not_covered", 1)
	s.stock("not_covered", a)
	s.keep(a)
}

// outOfScope: settled long before the window; nobody asked about it.
func (s *scene) outOfScope() {
	a := s.attempt(pick(s.dice, payment.Succeeded, payment.Failed), s.id("c"), s.from.Add(-40*24*time.Hour), s.minor())
	s.refer(&a)
	s.keep(a)
}

// presentedAbroad: the payer pays in one currency, the account books another.
func (s *scene) presentedAbroad() {
	at, minor := s.settled(), s.minor()
	a := s.attempt(payment.Succeeded, s.id("c"), at, minor)
	a.Amount.Currency = s.foreign
	o := s.sale(at.Add(s.seconds()), minor)
	o.currency = s.foreign
	s.link(&a, o, true)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// twoCards: two attempts pay one charge between them.
func (s *scene) twoCards() {
	charge, at := s.id("c"), s.settled()
	a, o := s.saleOf(payment.Succeeded, charge, at, s.minor(), false)
	b, p := s.saleOf(payment.Succeeded, charge, at.Add(time.Minute), s.minor(), false)
	s.w.Charges = append(s.w.Charges, ChargeAmount{charge, a.Amount.Minor + b.Amount.Minor})
	s.agree(a, b)
	s.keep(a, b)
	s.show(o, p)
}

// doubledAndReturned: paid twice, and the second payment given back.
func (s *scene) doubledAndReturned() {
	charge := s.id("c")
	at, minor := s.settled(), s.minor()
	a, o := s.saleOf(payment.Succeeded, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, at.Add(5*time.Minute), minor, false)
	refund, r := s.refund(s.id("rf"), s.later(at.Add(7*time.Hour)), minor, p)
	s.agree(a, b, refund)
	s.keep(a, b, refund)
	s.show(o, p, r)
}
