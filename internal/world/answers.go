package world

import (
	"time"

	"desfecho/internal/payment"
)

// answerFaults are about answers that are not about the attempt, and about
// words that no map knows.
func answerFaults() []story {
	return []story{
		{"answer about another", nil, (*scene).answerAboutAnother},
		{"answer about a sibling", nil, (*scene).answerAboutSibling},
		{"found, then gone", nil, (*scene).foundThenGone},
		{"our own word unmapped", nil, (*scene).ownWordUnmapped},
		{"unmapped stranger", (*scene).hasList, (*scene).unmappedStranger},
		{"restated stranger", func(s *scene) bool { return s.ledger && s.uniqueIDs && !s.hasRecord() }, (*scene).restatedStranger},
	}
}

// answerAboutAnother: asked by one reference, the provider shows an object
// that does not carry it (law 5).
func (s *scene) answerAboutAnother() {
	at, severity := s.settled(), "P2"
	if s.oneIn(2) {
		at, severity = s.recent(), "P3"
	}
	b, o := s.settledSale(s.id("c"))
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	s.refer(&a)
	s.look(a, keyOf(a), s.now, o)
	s.found("unknown_inconclusive", severity, a)
	s.agree(b)
	s.keep(a, b)
	s.show(o)
}

// answerAboutSibling: asked by the charge, the provider shows the failed
// attempt's declined object; of the second attempt that says nothing.
func (s *scene) answerAboutSibling() {
	charge, at, minor := s.id("c"), s.now.Add(-3*time.Hour), s.minor()
	first, a := s.attempt(payment.Failed, charge, at, minor), s.attempt(payment.Unknown, charge, at.Add(2*time.Hour), minor)
	o := s.dead(at.Add(s.seconds()))
	s.bind(&first, o, byCharge)
	s.look(a, sharedKey(a, o), s.now, o)
	s.found("unknown_waiting", "P4", a)
	if s.asked() {
		s.place("agreed", 1)
	}
	s.keep(first, a)
	s.show(o)
}

// foundThenGone: a look-up found the object an hour ago, and finds nothing now.
func (s *scene) foundThenGone() {
	at := s.now.Add(-150 * time.Minute)
	a := s.attempt(payment.Unknown, s.id("c"), at, s.minor())
	o := s.object(at.Add(s.seconds()))
	s.share(&a, o)
	o.happens(pick(s.dice, works, waits, declines), o.created, 0)
	s.look(a, keyOf(a), s.now.Add(-time.Hour), o)
	s.look(a, keyOf(a), s.now)
	s.found("unknown_inconclusive", "P3", a)
	s.keep(a)
}

// ownWordUnmapped: the merchant's table holds a status that no map knows.
func (s *scene) ownWordUnmapped() {
	a, o := s.saleOf(payment.Succeeded, s.id("c"), s.settled(), s.minor(), true)
	a.Status, a.RawStatus, o.row = payment.StatusNone, "on_hold", "cannot_be_judged"
	s.found("unmapped_status", "P2", a)
	s.keep(a)
	s.show(o)
}

func (s *scene) unmappedStranger() {
	o := s.object(s.settled())
	o.happens(mystifies, o.created, 0)
	o.raw, o.unstated = "in_review_2", true
	s.expect("unmapped_status", "P2", "unit", o.id)
	s.show(o)
}

// restatedStranger: a line without attempt comes with two amounts; neither
// counts.
func (s *scene) restatedStranger() {
	l := s.line(payment.KindCharge, s.settled(), 10+s.minor())
	l.Unit = s.id("p")
	s.restate(l)
	s.expect("conflicting_lines", "P2", "unit", l.Unit)
}

// restate adds a line and another content of it: both stand outside the sums.
func (s *scene) restate(l payment.Line) {
	s.restated = true
	for range 2 {
		l.Row = int32(len(s.w.Lines) + 1)
		s.w.Lines = append(s.w.Lines, l)
		s.marks = append(s.marks, mark{single: true})
		l.Gross, l.Net = l.Gross+1, l.Net+1
	}
}
