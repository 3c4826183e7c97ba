package world

import (
	"strconv"
	"time"

	"desfecho/internal/payment"
)

// openFaults are about attempts whose outcome is owed, and about mistakes
// that can stand on any attempt.
func openFaults() []story {
	return []story{
		{"unknown captured", nil, (*scene).unknownCaptured},
		{"unknown captured, seen by look-up alone", nil, (*scene).unknownCapturedUnseen},
		{"unknown doubled", (*scene).paidOnce, (*scene).unknownDoubled},
		{"unknown outflow sent", (*scene).hasLedger, (*scene).unknownOutflow},
		{"orphan captured", nil, (*scene).orphanCaptured},
		{"orphan", nil, (*scene).orphan},
		{"unknown declined", nil, (*scene).unknownDeclined},
		{"unknown not found", nil, (*scene).unknownNotFound},
		{"unknown waiting", nil, (*scene).unknownWaiting},
		{"unknown open", nil, (*scene).unknownOpen},
		{"unknown boleto", (*scene).hasBoletos, (*scene).unknownBoleto},
		{"unknown inconclusive", nil, (*scene).unknownInconclusive},
		{"two open attempts", nil, (*scene).twoOpen},
		{"another amount", nil, (*scene).anotherAmount},
		{"another currency", nil, (*scene).anotherCurrency},
		{"unmapped state", nil, (*scene).unmapped},
		{"the other mode", (*scene).hasList, (*scene).otherMode},
	}
}

// unknownCaptured: the call timed out, the money was taken.
func (s *scene) unknownCaptured() {
	a, o := s.saleOf(payment.Unknown, s.id("c"), s.settled(), s.minor(), true)
	a.LastError = pick(s.dice, payment.ErrorTimeout, payment.ErrorReset, payment.Error5xx)
	if s.oneIn(4) {
		o.happens(refunds, s.later(a.CreatedAt.Add(7*time.Hour)), a.Amount.Minor)
		o.back = o.row
	}
	s.found("unknown_charged", "P1", a).of(o.id, a.Amount.Minor)
	s.keep(a)
	s.show(o)
	if s.oneIn(2) {
		s.look(a, sharedKey(a, o), s.now, o)
	}
}

// unknownCapturedUnseen: captured after everything that was read.
func (s *scene) unknownCapturedUnseen() {
	at := s.between(max(s.through, s.now.Add(-3*time.Hour)), s.now.Add(-time.Minute))
	a, o := s.saleOf(payment.Unknown, s.id("c"), at, s.minor(), true)
	a.LastSent, o.created = at, at.Add(time.Second)
	s.found("unknown_charged", "P1", a).of(o.id, a.Amount.Minor)
	s.keep(a)
	s.look(a, sharedKey(a, o), s.now, o)
}

// unknownDoubled: an unknown outcome, retried too soon; both were captured.
func (s *scene) unknownDoubled() {
	charge, at, minor := s.id("c"), s.settled(), s.minor()
	a, o := s.saleOf(payment.Unknown, charge, at, minor, false)
	b, p := s.saleOf(payment.Succeeded, charge, s.later(at), minor, false)
	s.found("unknown_charged", "P1", a).of(o.id, minor)
	s.expect("duplicate_charge", "P1", "charge", charge).of("", minor).SameMoney = "attempt:" + a.ID
	s.agree(b)
	s.keep(a, b)
	s.show(o, p)
}

func (s *scene) unknownOutflow() {
	a, o := s.outflow(payment.Unknown, s.settled())
	s.capture(o, o.created, a.Amount.Minor)
	a.Reserve = payment.ReserveHeld
	s.found("unknown_charged", "P1", a).of(o.id, a.Amount.Minor)
	s.keep(a)
	s.show(o)
}

func (s *scene) orphanCaptured() {
	a, o := s.saleOf(payment.Pending, s.id("c"), s.settled(), s.minor(), true)
	s.found("pending_charged", "P1", a).of(o.id, a.Amount.Minor)
	s.keep(a)
	s.show(o)
}

// orphan: the process died before the answer; nothing was taken.
func (s *scene) orphan() {
	at, severity := s.settled(), "P2"
	if s.oneIn(2) {
		at, severity = s.recent(), "P3"
	}
	a := s.attempt(payment.Pending, s.id("c"), at, s.minor())
	switch s.IntN(4) {
	case 0:
		s.refer(&a)
	case 1:
		s.refer(&a)
		s.look(a, keyOf(a), s.now)
	default:
		o := s.dead(at.Add(s.seconds()))
		if s.oneIn(2) {
			o.events = nil
			o.happens(works, o.created, 0)
		}
		s.link(&a, o, true)
		s.show(o)
		s.answer(a, o)
	}
	s.found("pending_stale", severity, a)
	s.keep(a)
}

func (s *scene) unknownDeclined() {
	at := s.settled()
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	o := s.dead(at.Add(s.seconds()))
	s.link(&a, o, true)
	s.found("unknown_declined", "P2", a).of(o.id, 0)
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// unknownNotFound: absent everywhere, asked after the horizon, all of it read.
func (s *scene) unknownNotFound() {
	a := s.attempt(payment.Unknown, s.id("c"), s.settled(), s.minor())
	if s.oneIn(4) {
		a.Operation = payment.Transfer
	}
	s.refer(&a)
	if s.oneIn(2) {
		s.look(a, keyOf(a), s.now.Add(-30*time.Minute))
	}
	s.look(a, keyOf(a), s.now)
	s.found("unknown_not_found", "P2", a)
	s.keep(a)
}

// unknownWaiting: nothing can be said yet, or nobody asked.
func (s *scene) unknownWaiting() {
	at, severity := s.recent(), "P4"
	choice := s.IntN(5)
	switch choice {
	case 2:
		if s.shape == holed {
			at, severity = s.between(s.hole.From.Add(30*time.Minute), s.hole.To.Add(-30*time.Minute)), "P2"
		}
	case 3:
		at = s.now.Add(-30 * time.Hour)
	case 4:
		severity = "P2"
	}
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	s.refer(&a)
	switch choice {
	case 0, 2: // asked too early to mean anything, or of what was not read
		s.look(a, keyOf(a), s.now)
	case 3: // after a 5xx the horizon is three days
		a.LastError = payment.Error5xx
		s.look(a, keyOf(a), s.now)
	case 4: // money out is urgent after half an hour
		a.Operation = payment.Transfer
		a.CreatedAt = s.between(s.now.Add(-3*time.Hour), s.now.Add(-40*time.Minute))
		a.LastSent = a.CreatedAt
	}
	s.found("unknown_waiting", severity, a)
	s.keep(a)
}

func (s *scene) unknownOpen() {
	at, severity := s.settled(), "P2"
	if s.oneIn(2) {
		at, severity = s.recent(), "P3"
	}
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds()))
	s.link(&a, o, true)
	o.happens(pick(s.dice, works, waits, authorizes), o.created, 0)
	s.found("unknown_open", severity, a).of(o.id, 0)
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// unknownBoleto: `succeeded` means created, and it is there, paid or not. The
// table has no word for unknown, so an old pending attempt is one.
func (s *scene) unknownBoleto() {
	a, o := s.boleto(payment.Pending, s.settled())
	o.happens(waits, o.created, 0)
	s.found("unknown_open", "P2", a)
	s.keep(a)
	s.show(o)
}

func (s *scene) unknownInconclusive() {
	at, severity := s.settled(), "P2"
	if s.oneIn(2) {
		at, severity = s.recent(), "P3"
	}
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	s.refer(&a)
	s.noAnswer(a, s.now, pick(s.dice, "timeout", "http_5xx", "wrong_mode", "unparsable"))
	s.found("unknown_inconclusive", severity, a)
	s.keep(a)
}

// twoOpen: the index that allows one open attempt per charge is missing.
func (s *scene) twoOpen() {
	charge, minor := s.id("c"), s.minor()
	at := s.between(s.now.Add(-3*time.Hour), s.now.Add(-time.Hour))
	a, b := s.attempt(payment.Unknown, charge, at, minor), s.attempt(payment.Unknown, charge, at.Add(20*time.Minute), minor)
	s.expect("two_open_attempts", "P2", "charge", charge)
	s.found("unknown_waiting", "P4", a)
	s.found("unknown_waiting", "P4", b)
	s.keep(a, b)
}

// anotherAmount: a hundred times too much, or some other sum.
func (s *scene) anotherAmount() {
	status, severity := s.statusOfMistake()
	at, minor := s.settled(), 2+s.minor()
	a := s.attempt(status, s.id("c"), at, minor)
	o := s.object(at.Add(s.seconds()))
	actual, hint := minor+1, ""
	switch s.IntN(4) {
	case 1:
		actual = minor - 1
	case 2:
		actual = minor / 2
	case 3:
		factor := pick(s.dice, int64(10), 100, 1000)
		actual, hint = minor*factor, "factor_"+strconv.FormatInt(factor, 10)
	}
	s.capture(o, o.created, actual)
	s.link(&a, o, true)
	o.row = rowOf(status)
	s.found("amount_mismatch", severity, a).of(o.id, 0).
		but(strconv.FormatInt(minor, 10), strconv.FormatInt(actual, 10)).Hint = hint
	if status == payment.Succeeded {
		s.stock("matched", a)
	}
	s.keep(a)
	s.show(o)
}

// statusOfMistake is succeeded, where a mistake can wait for the same day, or
// unknown, where it is urgent.
func (s *scene) statusOfMistake() (payment.Status, string) {
	if s.oneIn(3) {
		return payment.Unknown, "P1"
	}
	return payment.Succeeded, "P2"
}

func (s *scene) anotherCurrency() {
	status, severity := s.statusOfMistake()
	a, o := s.saleOf(status, s.id("c"), s.settled(), s.minor(), true)
	a.Amount.Currency = s.foreign
	s.found("currency_mismatch", severity, a).of(o.id, 0).but(s.foreign.String(), s.currency.String())
	if status == payment.Succeeded {
		o.row = "cannot_be_judged"
		s.stock(o.row, a)
	}
	s.keep(a)
	s.show(o)
}

func (s *scene) unmapped() {
	at := s.settled()
	status := pick(s.dice, payment.Succeeded, payment.Unknown)
	a := s.attempt(status, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds())).happens(mystifies, at.Add(time.Minute), 0)
	o.raw, o.unstated = "in_review_2", true
	s.link(&a, o, true)
	s.found("unmapped_status", "P2", a).of(o.id, 0)
	if status == payment.Succeeded {
		s.stock("cannot_be_judged", a)
	}
	s.keep(a)
	s.show(o)
	s.answer(a, o)
}

// otherMode: the merchant talked to the provider's test environment.
func (s *scene) otherMode() {
	at := s.settled()
	status := pick(s.dice, payment.Succeeded, payment.Unknown)
	a := s.attempt(status, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds()))
	o.mode = payment.Test
	o.happens(captures, at.Add(time.Minute), a.Amount.Minor)
	s.bind(&a, o, byReference)
	s.found("test_mode_mismatch", "P1", a).of(o.id, 0)
	if status == payment.Succeeded {
		s.stock("cannot_be_judged", a)
	}
	s.keep(a)
	s.list1(o)
}
