package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// books is what the judged components add up to.
type books struct {
	divergences []Divergence
	places      map[Place]int
	transit     []Transit
	moving      map[dayKey]bool // days, by provider, on which an attempt was made that is in transit
	suspects    []suspect
	absent      []absent
	repeats     int
	outside     int // lines that are not of the scope
	judged      Counts
	bridges     map[bridgeKey]*sums
	last        *sums // of bridges, under lastKey
	lastKey     bridgeKey
	lastDay     *DayDigest // of days
	payouts     map[payoutKey]*payoutSums
	nets        map[statementKey]*netSums
	residuals   map[statementKey]*residual
	days        map[dayKey]*DayDigest
}

type bridgeKey struct {
	provider, account string
	mode              payment.Mode
	currency          money.Currency
}

type rowKey struct {
	day payment.Day
	row string
}

type sum struct {
	minor int64
	count int
}

// sums collects one bridge.
type sums struct {
	lines                   map[rowKey]*sum
	linesSum                int64
	linesSeen               int64 // Σ gross of the lines in scope, added on its own
	succeeded, open, failed map[string]*sum
	stock                   [3]sum // Σ of the attempts, added on its own
	tie                     Tie
}

// statementKey tells statements apart: those of two providers or accounts may
// have one name.
type statementKey struct {
	provider, account string
	mode              payment.Mode
	name              string
}

func statementOf(l *payment.Line) statementKey {
	return statementKey{l.Provider, l.Account, l.Mode, l.Statement}
}

type payoutKey struct {
	provider, account, id string
	currency              money.Currency
}

type payoutSums struct {
	statement      string
	minor, members int64
	count          int
	seen           bool            // its own line was read and stands in the window
	at             payment.Instant // of its own line
}

type netSums struct {
	net        int64
	off        int64 // Σ of what lines' net differs from gross − fee − tax
	lineErrors []string
	currency   money.Currency
}

// residual is what does not tie on one statement.
type residual struct {
	minor    int64
	currency money.Currency
	lines    []string
	reason   string
}

type dayKey struct {
	provider, account string
	day               payment.Day
}

func newBooks() *books {
	return &books{
		places: map[Place]int{}, moving: map[dayKey]bool{}, bridges: map[bridgeKey]*sums{}, payouts: map[payoutKey]*payoutSums{},
		nets: map[statementKey]*netSums{}, residuals: map[statementKey]*residual{}, days: map[dayKey]*DayDigest{},
	}
}

func (b *books) bridge(k bridgeKey) *sums {
	if b.last != nil && b.lastKey == k { // most rows are of the same account and currency as the one before
		return b.last
	}
	s := b.bridges[k]
	if s == nil {
		s = &sums{lines: map[rowKey]*sum{}, succeeded: map[string]*sum{}, open: map[string]*sum{}, failed: map[string]*sum{}}
		b.bridges[k] = s
	}
	b.last, b.lastKey = s, k
	return s
}

// first is the one of two currencies that any order of rows gives; sums of a
// statement are of one.
func first(a, b money.Currency) money.Currency {
	if a.IsZero() || !b.IsZero() && b.String() < a.String() {
		return b
	}
	return a
}

// entry is the value of k, made where there is none.
func entry[K comparable, V any](m map[K]*V, k K) *V {
	v := m[k]
	if v == nil {
		v = new(V)
		m[k] = v
	}
	return v
}

func put[K comparable](m map[K]*sum, k K, minor int64) {
	s := entry(m, k)
	s.minor += minor
	s.count++
}

// rest enters what is left of a line that another row already counts.
func (b *books) rest(l *payment.Line, row string, minor int64) {
	b.line(l, row, minor)
	b.bridge(bridgeKey{l.Provider, l.Account, l.Mode, l.Currency}).lines[rowKey{l.Day, row}].count--
}

// line enters minor units of one line into a row of equation 1.
func (b *books) line(l *payment.Line, row string, minor int64) {
	s := b.bridge(bridgeKey{l.Provider, l.Account, l.Mode, l.Currency})
	put(s.lines, rowKey{l.Day, row}, minor)
	s.linesSum += minor
}

// see counts a line of the scope before it gets its row, so that the rows can
// be held against something.
func (b *books) see(l *payment.Line) {
	if !l.Still {
		b.bridge(bridgeKey{l.Provider, l.Account, l.Mode, l.Currency}).linesSeen += l.Gross
	}
}

// payout enters a line that a payout holds, or the payout's own.
func (b *books) payout(l *payment.Line, inWindow bool) {
	id := cmp.Or(l.Payout, l.Unit, l.ID)
	k := payoutKey{l.Provider, l.Account, id, l.Currency}
	p := entry(b.payouts, k)
	switch {
	case l.Kind == payment.KindPayout:
		p.statement, p.minor, p.seen, p.at = max(p.statement, l.Statement), p.minor+l.Net, p.seen || inWindow, max(p.at, l.At)
	case l.Kind == payment.KindPayoutReversal || l.Still:
	default:
		p.members += l.Net
		p.count++
	}
}

// booked adds a line to its statement's balance and to its day's digest.
func (b *books) booked(l *payment.Line, balanced bool) {
	d := b.day(dayKey{l.Provider, l.Account, l.Day})
	d.Lines++
	d.Hash += digest(l)
	if balanced && !l.Still {
		entry(b.nets, statementOf(l)).net += l.Net
	}
}

func (b *books) day(k dayKey) *DayDigest {
	d := b.lastDay
	if d == nil || k != (dayKey{d.Provider, d.Account, d.Day}) {
		d = entry(b.days, k)
		d.Provider, d.Account, d.Day = k.provider, k.account, k.day
		b.lastDay = d
	}
	return d
}

// checkNet holds a line's net against its gross less fee and tax (RULES §5.5).
func (b *books) checkNet(l *payment.Line) {
	off := l.Net - (l.Gross - l.Fee - l.Tax)
	if off == 0 || l.Still {
		return
	}
	n := entry(b.nets, statementOf(l))
	n.off += off
	n.currency = first(n.currency, l.Currency)
	n.lineErrors = append(n.lineErrors, l.ID)
}

// digest hashes what a report of the line's day rests on.
func digest(l *payment.Line) uint64 {
	h := hash(hash(uint64(l.Kind)+1, l.ID), l.Unit)
	return mix(mix(h^uint64(l.Gross)) ^ uint64(l.Net))
}

// attemptRow enters an attempt into equation 2; out is negative.
func (j *judge) attemptRow(a *evidence.Attempt, units []*evidence.Unit, row string) {
	k := bridgeKey{a.Policy.Provider, accountOf(a), a.Policy.Mode, a.Amount.Currency}
	if k.provider == "" {
		k.provider = a.Provider
	}
	if k.account == "" && len(units) > 0 {
		k.account = units[0].Account
	}
	s := j.out.bridge(k)
	sign := int64(1)
	if a.Direction() == payment.Out {
		sign = -1
	}
	amount := sign * a.Amount.Minor
	rows, stock := s.open, &s.stock[1]
	switch a.Status {
	case payment.Succeeded:
		rows, stock = s.succeeded, &s.stock[0]
	case payment.Failed:
		rows, stock = s.failed, &s.stock[2]
	case payment.StatusNone, payment.Pending, payment.Unknown:
	}
	stock.minor += amount
	stock.count++
	if a.Status != payment.Succeeded || row != rowMatched {
		put(rows, row, amount)
		return
	}
	if twiceBefore(a) {
		put(rows, rowRecordedTwice, amount)
		return
	}
	part := j.split[a]
	if part.attempt > 0 {
		put(rows, rowSurplus, sign*part.attempt)
	}
	if part.attempt < a.Amount.Minor || part.attempt == 0 {
		put(rows, rowMatched, amount-sign*part.attempt)
	}
	j.tie(a, s, sign, part)
}

// twiceBefore tells whether another attempt already stands for the unit that
// this one records, too.
func twiceBefore(a *evidence.Attempt) bool {
	for _, u := range a.Units {
		if u.Link != evidence.LinkedTwice {
			continue
		}
		first := slices.MinFunc(u.Attempts, func(x, y *evidence.Attempt) int {
			return cmp.Or(cmp.Compare(x.CreatedAt, y.CreatedAt), cmp.Compare(x.ID, y.ID))
		})
		if first != a {
			return true
		}
	}
	return false
}

// tie enters a matched attempt into equation 3, in the payer's currency.
func (j *judge) tie(a *evidence.Attempt, s *sums, sign int64, part split) {
	money := evidence.Sort(a.Units).Money
	var booked, notDue, captured, overdue int64
	known := true
	for _, u := range money {
		m := &u.Money
		if m.Share {
			return
		}
		lines := m.Captured.Minor
		if m.HasLines && !m.Converted {
			lines = m.Booked + a.Shortfall(u)
			if m.Captured.Known {
				j.residual(u, lines+m.NotDue+m.Overdue-m.Captured.Minor-reversedAway(a, u))
			}
		}
		captured += m.Captured.Minor + reversedAway(a, u)
		known = known && (m.Captured.Known)
		booked, notDue, overdue = booked+lines, notDue+m.NotDue, overdue+m.Overdue
	}
	matched := a.Amount.Minor - part.attempt
	declared := captured - part.lines - matched - overdue
	if !known {
		declared = booked + notDue - part.lines - matched
	}
	t := &s.tie
	t.MatchedLines += sign * (booked - part.lines)
	t.NotDue += sign * notDue
	t.MatchedAttempts += sign * matched
	t.Differences += sign * declared
}

// reversedAway is the part of a captured amount from lines alone that a
// reversal with a class of its own took: it counts as captured in the tie.
func reversedAway(a *evidence.Attempt, u *evidence.Unit) int64 {
	if short := a.Shortfall(u); short > 0 && u.Money.Captured.Minor+short == a.Amount.Minor {
		return short
	}
	return 0
}

// residual notes that a unit's lines do not make what the provider states.
func (j *judge) residual(u *evidence.Unit, off int64) {
	if off == 0 {
		return
	}
	r := entry(j.out.residuals, statementOf(u.Lines[0]))
	r.currency = first(r.currency, u.Money.Currency)
	r.minor += off
	for _, l := range u.Lines {
		r.lines = append(r.lines, l.ID)
	}
}
