package world

import (
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // the same worlds on every machine

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// The names that every world uses.
const (
	mainProvider   = "acme"
	boletoProvider = "boletos"
	mainAccount    = "acct_1"
	otherAccount   = "acct_2"
	boletoAccount  = "acct_b"
	ledgerName     = "ledger_" // and the account
	listName       = "objects_"
	boletoList     = "boleto_objects"
	refName        = "ref"
	chargeName     = "charge"
	staticQR       = "static_qr"
)

// shape is how far the statements were read.
type shape uint8

// closed: some whole days, and the run is half a day later. live: up to a
// moment ago. cut: a day and more of the window was not read. holed: as
// closed, with three hours unread.
const (
	closed shape = iota
	live
	cut
	holed
)

// visibleAfter is the default of RULES §8, which every world keeps; calm times
// lie far enough from the end of what was read for it to have passed.
const (
	visibleAfter = 24 * time.Hour
	calmMargin   = 27 * time.Hour
)

// scene is the setting of a world, and the world as told so far.
type scene struct {
	dice
	w *World

	shape     shape
	zone      *time.Location
	list      bool // there is an object list
	ledger    bool // there is a ledger
	expanded  bool // the ledger's lines come with their objects
	boletos   bool // a second provider, where succeeded means created
	uniqueIDs bool
	many      bool // a charge may be paid several times
	accounts  []string
	grade     payment.Grade
	balance   bool
	payouts   payment.Membership
	paysOut   bool
	badPayout bool
	restated  bool // some line has two contents, so no balance is stated
	lag       time.Duration
	books     time.Duration
	currency  money.Currency
	foreign   money.Currency

	now, from, through payment.Instant
	hole               payment.Interval
	calm               payment.Interval // where everything is read, and horizons have passed
	unowned            payment.Interval // read, but not loaded on the merchant's side

	story   int
	account string // of the story at the main provider
	counter map[string]int
	marks   []mark // of w.Lines, by index
}

// mark says what the end of a world must do with a line.
type mark struct {
	twice  bool // a page shifted: it comes again
	single bool // not held by any payout
}

func newScene(source Source) *scene {
	s := &scene{dice: dice{source}, w: &World{}, counter: map[string]int{}}
	s.w.Truth = newTruth()
	s.drawSources()
	s.drawTimes()
	s.drawOwnSide()
	s.w.Terms = s.terms()
	return s
}

func (s *scene) drawSources() {
	switch s.IntN(5) {
	case 0:
		s.ledger = true
	case 1:
		s.ledger, s.expanded = true, true
	case 2:
		s.list = true
	case 3:
		s.ledger, s.list = true, true
	case 4:
		s.ledger, s.list, s.expanded = true, true, true
	}
	s.boletos = s.oneIn(3)
	s.uniqueIDs = !s.oneIn(5)
	s.balance = s.oneIn(2)
	s.paysOut = s.oneIn(3)
	s.payouts = pick(s.dice, payment.AllMembers, payment.AllMembers, payment.SomeMembers, payment.NoMembers)
	s.many = s.oneIn(8)
	s.accounts = []string{mainAccount, otherAccount}[:1+max(0, s.IntN(5)-3)]
	s.account = mainAccount
	s.grade = pick(s.dice, payment.Proven, payment.Proven, payment.Claimed, payment.Assumed)
	s.badPayout = s.oneIn(4)
	pair := currencies[max(0, s.IntN(8)-4)]
	s.currency, s.foreign = pair[0], pair[1]
}

func (s *scene) drawTimes() {
	s.zone = pick(s.dice, zones()...)
	s.shape = pick(s.dice, closed, closed, live, cut, holed)
	s.lag = pick(s.dice, 10*time.Minute, 10*time.Minute, time.Hour)
	if s.ledger && !s.list {
		s.books = pick(s.dice, 0, 0, 6*time.Hour)
	}
	first := payment.DayOfDate(2025, time.January, 2) + payment.Day(s.IntN(360))
	last := first + 3 + payment.Day(s.IntN(4))
	s.from, s.through = first.Start(s.zone), last.Start(s.zone)
	end := s.through
	switch s.shape {
	case closed:
		s.now = s.through.Add(12 * time.Hour)
	case live:
		s.now = s.through.Add(s.lag / 2)
		s.w.Window = payment.Interval{From: s.from, To: s.now}
	case cut:
		s.now = s.through.Add(30 * time.Hour)
		s.w.Window = payment.Interval{From: s.from, To: s.now}
	case holed:
		s.now = s.through.Add(12 * time.Hour)
		s.hole = payment.Interval{From: s.through.Add(-20 * time.Hour), To: s.through.Add(-17 * time.Hour)}
		end = s.hole.From
	}
	s.calm = payment.Interval{From: s.from.Add(time.Hour), To: end.Add(-calmMargin)}
	s.w.Now = s.now
}

// drawOwnSide leaves, now and then, the first hours unloaded on our side.
func (s *scene) drawOwnSide() {
	if !s.oneIn(6) {
		return
	}
	start := s.from.Add(10 * time.Hour)
	s.w.OwnSide = []payment.Interval{{From: start, To: s.now}}
	s.unowned = payment.Interval{From: s.from.Add(time.Hour), To: start.Add(-time.Hour)}
	s.calm.From = start.Add(time.Hour)
}

func (s *scene) terms() []Terms {
	asked := []payment.LookupKey{
		{Kind: payment.KeyUnit},
		{Kind: payment.KeyIdempotency},
		{Kind: payment.KeyReference, Name: refName},
		{Kind: payment.KeyReference, Name: chargeName},
	}
	terms := []Terms{{
		Provider: mainProvider, Accounts: s.accounts, Zone: s.zone, Means: "captured", LookupBy: asked,
		HasObjectList: s.list, LineIDsUnique: s.uniqueIDs, PublishLag: s.lag, BooksAfter: s.books,
		CapacityMany: s.many, Variation: map[string]int64{"boleto": 1000}, Expected: []string{staticQR},
	}}
	if s.boletos {
		terms = append(terms, Terms{
			Provider: boletoProvider, Accounts: []string{boletoAccount}, Zone: s.zone, Means: "created", LookupBy: asked,
			HasObjectList: true, LineIDsUnique: true, NoUnknownWord: true, PublishLag: s.lag,
		})
	}
	return terms
}

// zones that worlds live in: no offset, west without summer time, west and
// east with it, and half an hour off.
var zones = sync.OnceValue(func() []*time.Location {
	names := []string{"UTC", "America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Asia/Kolkata"}
	all := make([]*time.Location, len(names))
	for i, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			zone = time.UTC // cannot be: the zones are compiled in
		}
		all[i] = zone
	}
	return all
})

// id makes a name that no other story has: kind, story, number.
func (s *scene) id(kind string) string {
	s.counter[kind]++
	return kind + strconv.Itoa(s.story) + "." + strconv.Itoa(s.counter[kind])
}

// read tells whether the statements show what happened at the instant.
func (s *scene) read(at payment.Instant) bool {
	return s.from <= at && at < s.through && !s.hole.Contains(at)
}

// settled draws a time when everything was read and all horizons have passed.
func (s *scene) settled() payment.Instant { return s.between(s.calm.From, s.calm.To) }

// recent draws a time that is younger than any horizon, and older than an
// orphan: 20 minutes to 3 hours ago.
func (s *scene) recent() payment.Instant {
	return s.between(s.now.Add(-3*time.Hour), s.now.Add(-20*time.Minute))
}
