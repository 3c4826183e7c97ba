package world

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"desfecho/internal/payment"
)

// object opens an object at the provider, created at the instant.
func (s *scene) object(at payment.Instant) *object {
	return &object{provider: mainProvider, id: s.id("p"), created: at, currency: s.currency, row: "matched", back: "unbooked_returns"}
}

// sale is an object whose charge was captured right away: the ledger shows it
// when it books.
func (s *scene) sale(at payment.Instant, minor int64) *object {
	o := s.object(at)
	return s.capture(o, at, minor)
}

// capture adds the capture of an amount, in one line or, where the provider
// numbers them, in twelve.
func (s *scene) capture(o *object, at payment.Instant, minor int64) *object {
	booked := at.Add(s.books + time.Duration(1+s.IntN(50))*time.Second)
	parcels := 1
	if o.purpose == sale && s.oneIn(10) && minor >= 12 {
		parcels = 12
	}
	for n := range parcels {
		e := event{deed: captures, at: at, booked: booked, minor: minor / int64(parcels)}
		if n == 0 {
			e.minor += minor % int64(parcels)
		}
		if parcels > 1 {
			e.n, e.of = n+1, parcels
		}
		o.events = append(o.events, e)
	}
	return o
}

// lists tells whether an object list that we read names the object.
func (s *scene) lists(o *object) bool {
	return (o.provider == boletoProvider || s.list) && s.read(o.created)
}

// known tells whether some statement shows the object itself, not only its
// money.
func (s *scene) known(o *object) bool {
	return s.lists(o) || s.expanded && o.provider == mainProvider && s.shown(o)
}

// shown tells whether the ledger has a line of the object.
func (s *scene) shown(o *object) bool {
	return s.ledger && o.provider == mainProvider && slices.ContainsFunc(o.events, func(e event) bool {
		_, sign, _ := o.lineOf(e.deed)
		return sign != 0 && s.read(e.booked)
	})
}

// visible tells whether any statement tells of the object.
func (s *scene) visible(o *object) bool { return s.lists(o) || s.shown(o) }

// show puts the objects that there are into the statements that were read.
func (s *scene) show(objects ...*object) {
	for _, o := range objects {
		if o == nil {
			continue
		}
		if s.lists(o) {
			s.list1(o)
		}
		if s.shown(o) {
			s.book(o)
		}
	}
}

func (s *scene) list1(o *object) {
	u := o.unit(s.accountOf(o.provider))
	u.Source, u.Statement, u.ObservedAt = payment.FromList, listName+s.account, s.through
	if o.provider == boletoProvider {
		u.Statement = boletoList
	}
	s.w.Units = append(s.w.Units, u)
}

// book writes the object's ledger lines, and the object beside them where the
// ledger comes with it. Where nothing but lines names the object, they carry
// its references.
func (s *scene) book(o *object) {
	bare := !s.lists(o) && !s.expanded
	for _, e := range o.events {
		kind, sign, back := o.lineOf(e.deed)
		if sign == 0 || !s.read(e.booked) {
			continue
		}
		l := s.line(kind, e.booked, sign*e.minor)
		l.Recipient = o.recipient
		l.Unit, l.Parent, l.N, l.Of, l.Mode = o.id, o.parent, int16(e.n), int16(e.of), o.mode
		if o.of > 0 {
			l.N, l.Of = int16(o.n), int16(o.of)
		}
		if !back && (bare || s.oneIn(2)) {
			l.References, l.ForeignCharge = o.refs, o.metadata
		}
		if o.currency != s.currency {
			l.Presented, l.PresentedCurrency = payment.Known(l.Gross), o.currency
			l.Gross *= 5
			l.Net = l.Gross
		}
		if kind == payment.KindCharge && s.oneIn(3) {
			l.Fee = l.Gross / 50
			l.Net = l.Gross - l.Fee
		}
		row := cmp.Or(e.row, o.row)
		if back && e.row == "" {
			row = o.back
		}
		if e.line != "" {
			l.ID = e.line
		}
		s.post(l, row)
	}
	if s.expanded {
		u := o.unit(s.account)
		u.Source, u.Statement, u.ObservedAt = payment.FromLedger, ledgerName+s.account, s.through
		s.w.Units = append(s.w.Units, u)
	}
}

// line is a row of the main provider's ledger, not posted yet.
func (s *scene) line(kind payment.Kind, at payment.Instant, gross int64) payment.Line {
	l := payment.Line{
		Provider: mainProvider, Account: s.account, Statement: ledgerName + s.account, Kind: kind, Gross: gross, Net: gross,
		Currency: s.currency, At: at, Day: payment.DayOf(at, s.zone),
	}
	if s.uniqueIDs {
		l.ID = s.id("l")
	}
	return l
}

// post adds the line to the ledger and its money to a row of equation 1.
func (s *scene) post(l payment.Line, row string) {
	l.Row = int32(len(s.w.Lines) + 1)
	s.w.Lines = append(s.w.Lines, l)
	s.marks = append(s.marks, mark{})
	if !l.Still {
		s.moved(l, row)
	}
}

// look stores one answer of the provider about the attempt. Nothing is found
// of an attempt without account only where every account was asked.
func (s *scene) look(a payment.Attempt, key payment.LookupKey, at payment.Instant, objects ...*object) {
	l := payment.Lookup{Attempt: a.ID, Provider: a.Provider, Account: s.accountOf(a.Provider), Key: key, At: at, Outcome: payment.NotFound}
	for _, o := range objects {
		u := o.unit(s.accountOf(o.provider))
		u.Source, u.ObservedAt = payment.FromLookup, at
		l.Units = append(l.Units, u)
		l.Outcome = payment.Found
	}
	s.w.Lookups = append(s.w.Lookups, l)
	if len(objects) == 0 && a.Account == "" && a.Provider == mainProvider {
		for _, account := range s.accounts {
			if l.Account = account; account != s.account {
				s.w.Lookups = append(s.w.Lookups, l)
			}
		}
	}
}

// noAnswer stores a question that brought nothing to rely on (law 5).
func (s *scene) noAnswer(a payment.Attempt, at payment.Instant, reason string) {
	s.w.Lookups = append(s.w.Lookups, payment.Lookup{
		Attempt: a.ID, Provider: a.Provider, Account: s.accountOf(a.Provider), Key: keyOf(a), At: at,
		Outcome: payment.Inconclusive, Reason: reason,
	})
}

// finish closes the books: payouts, repeats, balances, statements, verdict.
func (s *scene) finish() *World {
	if s.paysOut {
		s.payOut()
	}
	s.statements()
	s.repeat()
	s.w.Truth.settle()
	return s.w
}

// payOut pays each closed day's lines out at its end, account by account; one
// payout may be wrong.
func (s *scene) payOut() {
	for _, account := range s.accounts {
		s.account = account
		s.payOutOf(account)
	}
}

func (s *scene) payOutOf(account string) {
	held := func(i int) bool {
		return s.w.Lines[i].Account == account && !s.marks[i].single && !s.w.Lines[i].Still
	}
	net := map[payment.Day]int64{}
	for i, l := range s.w.Lines {
		if held(i) {
			net[l.Day] += l.Net
		}
	}
	paid := map[payment.Day]string{}
	for day := range net {
		at := dayEnd(day, s.zone)
		if net[day] > 0 && s.read(at) && at >= s.w.Window.From { // else nobody asks, or nothing is paid out
			paid[day] = "po_" + account + "_" + day.String()
		}
	}
	for i := range s.w.Lines {
		if s.payouts != payment.NoMembers && held(i) {
			s.w.Lines[i].Payout = paid[s.w.Lines[i].Day]
		}
	}
	for _, day := range slices.Sorted(maps.Keys(paid)) {
		s.payLine(paid[day], dayEnd(day, s.zone), -net[day])
	}
}

// dayEnd is a second before the day's end.
func dayEnd(day payment.Day, zone *time.Location) payment.Instant {
	return (day + 1).Start(zone).Add(-time.Second)
}

func (s *scene) payLine(id string, at payment.Instant, gross int64) {
	if s.badPayout && s.payouts == payment.AllMembers {
		s.badPayout = false
		gross += 100
		s.expect("payout_mismatch", "P2", "payout", id).of("", 100)
	}
	l := s.line(payment.KindPayout, at, gross)
	if s.uniqueIDs {
		l.ID = "l_" + id
	}
	l.Payout = id
	s.post(l, "payout")
	s.place("payout", 1)
}

// repeat lets marked lines come twice: on the next page where line ids are
// unique, else in a second file that overlaps the first.
func (s *scene) repeat() {
	for i := range s.marks {
		if !s.marks[i].twice {
			continue
		}
		again := s.w.Lines[i]
		again.Row = int32(len(s.w.Lines) + 1)
		if !s.uniqueIDs {
			again.File = 1
		}
		s.w.Lines = append(s.w.Lines, again)
		s.w.Truth.Repeats++
	}
}

func (s *scene) statements() {
	for _, account := range s.accounts {
		s.account = account
		if s.ledger {
			s.w.Statements = append(s.w.Statements, s.ledgerOf(account))
		}
		if s.list {
			s.w.Statements = append(s.w.Statements, s.statement(listName+account, mainProvider, payment.ObjectList))
		}
	}
	if s.boletos {
		s.w.Statements = append(s.w.Statements, s.statement(boletoList, boletoProvider, payment.ObjectList))
	}
}

func (s *scene) ledgerOf(account string) payment.Statement {
	st := s.statement(ledgerName+account, mainProvider, payment.Ledger)
	st.Members = s.payouts
	if s.balance && !s.restated && s.hole.Empty() {
		opening := int64(s.IntN(1_000_000))
		st.Opening, st.Closing = payment.Known(opening), payment.Known(opening+netOf(s.w.Lines, account))
	}
	return st
}

// netOf is what the lines add to the account's balance; a later version of a line adds
// nothing.
func netOf(lines []payment.Line, account string) int64 {
	var net int64
	seen := map[string]bool{}
	for _, l := range lines {
		if l.Account != account || l.Still || l.ID != "" && seen[l.ID] {
			continue
		}
		seen[l.ID] = true
		net += l.Net
	}
	return net
}

func (s *scene) statement(name, provider string, sort payment.Sort) payment.Statement {
	st := payment.Statement{
		Name: name, Provider: provider, Account: s.accountOf(provider), Sort: sort, Grade: s.grade,
		From: s.from, Through: s.through,
	}
	switch s.shape { //nolint:exhaustive // the others change nothing here
	case holed:
		st.Holes = []payment.Interval{s.hole}
		s.expect("coverage_incomplete", "", "statement", name)
	case cut:
		s.expect("coverage_incomplete", "", "statement", name)
	}
	return st
}

func (s *scene) accountOf(provider string) string {
	if provider == boletoProvider {
		return boletoAccount
	}
	return s.account
}
