package world

import (
	"strconv"
	"time"

	"desfecho/internal/payment"
)

// twelveObjects: the provider makes one object of each parcel, and a group of
// them all. Money of all twelve is there, or of the first alone.
func (s *scene) twelveObjects() {
	at, each := s.settled(), 100+s.minor()
	a := s.attempt(payment.Succeeded, s.id("c"), at, 12*each)
	group, created := s.id("inst"), at.Add(s.seconds())
	monthly := s.oneIn(2)
	due := payment.DayOf(created, s.zone)
	for n := 1; n <= 12; n++ {
		o := s.object(created)
		o.group, o.n, o.of = group, n, 12
		day := due + payment.Day(30*(n-1))
		e := event{deed: captures, at: created, booked: created.Add(s.books + time.Minute), minor: each}
		if monthly {
			o.plan = []payment.Parcel{{N: n, Due: day, Minor: each}}
			if n > 1 {
				e.booked = day.Start(s.zone).Add(time.Hour)
			}
		}
		o.events = append(o.events, e)
		if n == 1 {
			s.bind(&a, o, pick(s.dice, byReference, byID, byKey))
			if a.ProviderID != "" && s.oneIn(2) {
				a.ProviderID = group
			}
		}
		s.showOf(o, monthly)
	}
	s.agree(a)
	s.keep(a)
}

// showOf shows one object of a group; the ledger that comes with its objects
// tells of those not booked yet, too.
func (s *scene) showOf(o *object, monthly bool) {
	s.show(o)
	if monthly && s.expanded && !s.shown(o) {
		u := o.unit(s.account)
		u.Source, u.Statement, u.ObservedAt = payment.FromLedger, ledgerName+s.account, s.through
		s.w.Units = append(s.w.Units, u)
	}
}

// monthlyPlan: one object whose parcels are booked month by month; only the
// first is due.
func (s *scene) monthlyPlan() {
	at, each := s.settled(), 100+s.minor()
	parcels := 2 + s.IntN(11)
	a := s.attempt(payment.Succeeded, s.id("c"), at, int64(parcels)*each)
	o := s.object(at.Add(s.seconds()))
	s.link(&a, o, true)
	due := payment.DayOf(o.created, s.zone)
	for n := range parcels {
		day := due + payment.Day(30*n)
		e := event{deed: captures, at: o.created, booked: day.Start(s.zone).Add(time.Hour), minor: each, n: n + 1, of: parcels}
		if n == 0 {
			e.booked = o.created.Add(s.books + time.Minute)
		}
		o.plan = append(o.plan, payment.Parcel{N: n + 1, Due: day, Minor: each})
		o.events = append(o.events, e)
	}
	o.unstated = s.oneIn(2)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// parcelsOnTheWay: a bare ledger has the first of several parcels; what the
// others will be cannot be known yet, and is no mismatch.
func (s *scene) parcelsOnTheWay() {
	at, each := s.settled(), 100+s.minor()
	parcels := 2 + s.IntN(11)
	a := s.attempt(payment.Succeeded, s.id("c"), at, int64(parcels)*each)
	o := s.object(at.Add(s.seconds()))
	booked := o.created.Add(s.books + time.Minute)
	o.events = []event{{deed: captures, at: o.created, booked: booked, minor: each, n: 1, of: parcels}}
	o.unstated = true
	s.link(&a, o, true)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// partialCapture: more was authorized than captured; a ledger may show the
// whole and the reversal of the rest.
func (s *scene) partialCapture() {
	at, minor := s.settled(), s.minor()
	a := s.attempt(payment.Succeeded, s.id("c"), at, minor)
	a.Operation = payment.Capture
	o := s.object(at.Add(s.seconds()))
	s.link(&a, o, true)
	rest := s.minor()
	o.asked = minor + rest
	booked := o.created.Add(s.books)
	o.happens(authorizes, o.created, minor+rest)
	o.events = append(o.events,
		event{deed: captures, at: o.created, booked: booked.Add(time.Second), minor: minor + rest},
		event{deed: reverses, at: o.created, booked: booked.Add(2 * time.Second), minor: rest})
	if s.oneIn(2) {
		o.events[1].minor, o.events = minor, o.events[:2]
	}
	o.back = "matched"
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// lateBoleto: interest within the allowed variation, or a discount.
func (s *scene) lateBoleto() {
	at, minor := s.settled(), 1000+s.minor()
	a := s.attempt(payment.Succeeded, s.id("c"), at, minor)
	change := 1 + int64(s.IntN(int(min(minor/10, 1_000_000))))
	if s.oneIn(3) {
		change = -change
	}
	o := s.object(at.Add(s.seconds()))
	o.method, o.fixed = "boleto", payment.Known(minor)
	s.capture(o, o.created, minor+change)
	s.link(&a, o, true)
	s.found("amount_adjusted", "P4", a).of(o.id, 0).
		but(strconv.FormatInt(minor, 10), strconv.FormatInt(minor+change, 10))
	s.stock("matched", a)
	s.keep(a)
	s.show(o)
}

// unpaidBoleto: `succeeded` means created, and created it was; that it was
// never paid, or expired, or was canceled, is no difference.
func (s *scene) unpaidBoleto() {
	at := s.settled()
	a, o := s.boleto(payment.Succeeded, at)
	o.happens(waits, o.created, 0)
	row := "still_open"
	switch s.IntN(4) {
	case 1:
		row = "declined"
		o.happens(expires, s.later(at), 0)
	case 2:
		row = "declined"
		o.happens(cancels, s.later(at), 0)
	case 3:
		row = "matched"
		o.happens(captures, s.later(at), a.Amount.Minor)
	}
	s.place("agreed", 1)
	s.stock(row, a)
	s.keep(a)
	s.show(o)
}

// boleto is an attempt at the second provider and its object, without deeds.
func (s *scene) boleto(status payment.Status, at payment.Instant) (payment.Attempt, *object) {
	a := s.attempt(status, s.id("c"), at, s.minor())
	a.Provider = boletoProvider
	if a.Account != "" {
		a.Account = boletoAccount
	}
	o := s.object(at.Add(s.seconds()))
	o.provider, o.method, o.asked = boletoProvider, "boleto", a.Amount.Minor
	s.link(&a, o, true)
	return a, o
}
