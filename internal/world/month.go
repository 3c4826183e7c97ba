package world

import (
	"math/rand/v2"
	"time"

	"desfecho/internal/payment"
)

// CleanMonth tells a month of at least the given number of attempts in which
// only benign things happen, all those of RULES §4's last paragraph among
// them. Nothing may be listed of it but `amount_adjusted`. Its ledger goes
// back a year, for instalments that were booked month by month.
func CleanMonth(seed uint64, attempts int) *World {
	s := newMonth(rand.New(rand.NewPCG(seed, 0)))
	s.w.Attempts = make([]payment.Attempt, 0, attempts+2)
	s.w.Lines = make([]payment.Line, 0, attempts+attempts/2)
	s.marks = make([]mark, 0, attempts+attempts/2)
	told := month()
	for s.story = 1; len(s.w.Attempts) < attempts; s.story++ {
		clear(s.counter)
		st := told[0]
		if s.oneIn(8) {
			st = told[s.IntN(len(told))]
		}
		if s.story <= len(told) {
			st = told[s.story-1] // even a small month has everything
		}
		st.tell(s)
	}
	return s.finish()
}

// newMonth is a setting of its own: a ledger without objects, a second
// provider's object list, read up to a moment ago.
func newMonth(source Source) *scene {
	s := &scene{
		dice: dice{source}, w: &World{}, counter: map[string]int{}, shape: live, zone: zones()[1],
		ledger: true, boletos: true, uniqueIDs: true, balance: true, paysOut: true,
		lag: 10 * time.Minute, accounts: []string{mainAccount}, account: mainAccount, grade: payment.Proven, currency: currencies[0][0], foreign: currencies[0][1],
	}
	s.w.Truth = newTruth()
	first := payment.DayOfDate(2025, time.March, 1)
	begin := first.Start(s.zone)
	s.through = payment.DayOfDate(2025, time.April, 1).Start(s.zone)
	s.from = begin.Add(-350 * 24 * time.Hour)
	s.now = s.through.Add(s.lag / 2)
	s.w.Now, s.w.Window = s.now, payment.Interval{From: begin, To: s.now}
	s.calm = payment.Interval{From: begin.Add(time.Hour), To: s.through.Add(-calmMargin)}
	s.w.Terms = s.terms()
	s.w.Terms[0].BooksAfter = 24 * time.Hour
	return s
}

// month lists what happens in it; the first is what nearly always happens.
func month() []story {
	return []story{
		{"paid", nil, (*scene).paid},
		{"failed then succeeded", nil, (*scene).retried},
		{"retried, told apart by time", nil, withObjects((*scene).retriedInSlots)},
		{"around midnight", nil, (*scene).midnight},
		{"came twice", nil, (*scene).cameTwice},
		{"dispute won", nil, (*scene).disputeWon},
		{"twelve objects", nil, withObjects((*scene).twelveObjects)},
		{"plan booked monthly", nil, withObjects((*scene).monthlyPlan)},
		{"a year of one object", nil, withObjects((*scene).yearOfOne)},
		{"a year of twelve objects", nil, withObjects((*scene).yearOfTwelve)},
		{"unpaid boleto", nil, (*scene).unpaidBoleto},
		{"late boleto", nil, withObjects((*scene).lateBoleto)},
		{"static QR", nil, (*scene).staticQR},
		{"booked late", nil, (*scene).bookedLate},
		{"in transit", nil, (*scene).inTransit},
		{"parcels on the way", nil, (*scene).parcelsOnTheWay},
		{"partial capture", nil, (*scene).partialCapture},
		{"failed", nil, (*scene).failed},
		{"refund booked", nil, (*scene).refundBooked},
		{"transfer", nil, (*scene).transferred},
		{"in flight", nil, (*scene).inFlight},
		{"presented abroad", nil, (*scene).presentedAbroad},
		{"two cards", nil, (*scene).twoCards},
		{"later version", nil, (*scene).laterVersion},
		{"rows of other kinds", nil, (*scene).otherKinds},
		{"authorization line", nil, (*scene).authorizationLine},
	}
}

// withObjects tells a story whose ledger lines come with their objects.
func withObjects(tell func(*scene)) func(*scene) {
	return func(s *scene) {
		s.expanded = true
		tell(s)
		s.expanded = false
	}
}

// bookedLate: the ledger shows the sale hours later, on the next day perhaps.
func (s *scene) bookedLate() {
	a, o := s.settledSale(s.id("c"))
	for i := range o.events {
		o.events[i].booked = o.events[i].booked.Add(time.Duration(1+s.IntN(20)) * time.Hour)
	}
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// yearOfOne: sold eleven months ago in twelve parcels, one line a month, the
// last one this month.
func (s *scene) yearOfOne() {
	a, at, each := s.yearAgo()
	o := s.object(at.Add(s.seconds()))
	s.link(&a, o, true)
	for n := 1; n <= 12; n++ {
		o.plan = append(o.plan, s.parcel(o.created, n, each))
		o.events = append(o.events, s.monthly(o.created, n, each))
	}
	o.unstated = s.oneIn(2)
	s.agree(a)
	s.keep(a)
	s.show(o)
}

// yearOfTwelve: the same, one object a parcel.
func (s *scene) yearOfTwelve() {
	a, at, each := s.yearAgo()
	group, created := s.id("inst"), at.Add(s.seconds())
	objects := make([]*object, 12)
	for i := range objects {
		o := s.object(created)
		o.group, o.n, o.of = group, i+1, 12
		o.plan = []payment.Parcel{s.parcel(created, o.n, each)}
		o.events = []event{s.monthly(created, o.n, each)}
		objects[i] = o
	}
	s.bind(&a, objects[0], pick(s.dice, byReference, byID, byKey))
	s.agree(a)
	s.keep(a)
	s.show(objects...)
}

// yearAgo is a succeeded attempt of eleven months ago, in twelve parcels.
func (s *scene) yearAgo() (a payment.Attempt, at payment.Instant, each int64) {
	at, each = s.settled().Add(-330*24*time.Hour), 100+s.minor()
	a = s.attempt(payment.Succeeded, s.id("c"), at, 12*each)
	return a, at, each
}

func (s *scene) parcel(created payment.Instant, n int, each int64) payment.Parcel {
	return payment.Parcel{N: n, Due: payment.DayOf(created, s.zone) + payment.Day(30*(n-1)), Minor: each}
}

// monthly is the booking of parcel n, thirty days after the one before it.
func (s *scene) monthly(created payment.Instant, n int, each int64) event {
	booked := created.Add(time.Duration(30*24*(n-1))*time.Hour + time.Minute)
	return event{deed: captures, at: created, booked: booked, minor: each, n: n, of: 12}
}
