package reconcile

import (
	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// agreed adds up the plainest component there is, a sale and the one line that
// shows its money, and what the provider says of it, if anything, without laying
// out the facts: of a month most components are such. It may pass on whatever it
// likes, and what it takes must leave in the
// books just what judge leaves there (TestWhatAgreesIsAddedUpAsItIsJudged).
type agreed struct {
	*setting
	out     *books
	attempt agreedAttempts // those that were added last
	line    agreedLines
}

// take tells whether it added the component up.
func (g *agreed) take(c *evidence.Component) bool {
	if len(c.Attempts) != 1 || len(c.Lines) != 1 || len(c.Units) > 1 || len(c.Lookups)+len(c.Events) > 0 {
		return false
	}
	a, l := c.Attempts[0], c.Lines[0]
	if !plainSale(a) || !plainLine(l) || !g.shows(a, l) || len(c.Units) == 1 && !tells(c.Units[0], a, l) {
		return false
	}
	g.attempts(a, l.Account)
	g.lines(l)
	return true
}

// plainSale: nothing of the attempt but the line's own facts decides.
func plainSale(a *payment.Attempt) bool {
	return a.Status == payment.Succeeded && a.Operation == payment.Charge && a.ProviderID != ""
}

// plainLine is the whole of one sale in one line.
func plainLine(l *payment.Line) bool {
	return l.Kind == payment.KindCharge && !l.Still && l.N == 0 && l.Of == 0 && !l.Presented.Known &&
		l.Parent == "" && l.ForeignCharge == "" && l.Payout == "" && l.Recipient == "" && l.Net == l.Gross-l.Fee-l.Tax
}

// shows: the line is the attempt's by id (RULES §3.3) and says the same of it.
func (g *agreed) shows(a *payment.Attempt, l *payment.Line) bool {
	if a.ProviderID != l.Unit || a.Provider != l.Provider || a.Account != "" && l.Account != "" && a.Account != l.Account ||
		a.Amount.Minor != l.Gross || a.Amount.Currency != l.Currency || !g.window.Contains(a.CreatedAt) {
		return false
	}
	p := g.policy(a.Provider)
	return l.Mode == p.Mode && len(p.Fees) == 0
}

// tells: the provider's object is the same sale, captured as it was asked for.
func tells(u *payment.Unit, a *payment.Attempt, l *payment.Line) bool {
	return u.ID == a.ProviderID && u.State == payment.StateCaptured && u.Captured == payment.Known(a.Amount.Minor) && u.Currency == a.Amount.Currency &&
		u.Provider == l.Provider && u.Account == l.Account && u.Mode == l.Mode &&
		u.Group == "" && u.Parent == "" && u.ForeignCharge == "" && len(u.Plan) == 0 && u.N == 0 && u.Of == 0
}

// agreedAttempts is the bridge of one account's attempts in one currency.
type agreedAttempts struct {
	of      bridgeKey
	bridge  *sums
	matched *sum
}

func (g *agreed) attempts(a *payment.Attempt, account string) {
	p := g.policy(a.Provider)
	k := bridgeKey{p.Provider, accountOf(&evidence.Attempt{Attempt: a, Policy: p}), p.Mode, a.Amount.Currency}
	if k.provider == "" {
		k.provider = a.Provider
	}
	if k.account == "" {
		k.account = account
	}
	if g.attempt.bridge == nil || g.attempt.of != k {
		s := g.out.bridge(k)
		g.attempt = agreedAttempts{k, s, entry(s.succeeded, rowMatched)}
	}
	s, minor := g.attempt.bridge, a.Amount.Minor
	g.out.judged.Attempts++
	g.out.places[Agreed]++
	s.stock[0].minor += minor
	s.stock[0].count++
	g.attempt.matched.minor += minor
	g.attempt.matched.count++
	s.tie.MatchedLines += minor
	s.tie.MatchedAttempts += minor
}

// agreedLines is one day of a bridge's lines.
type agreedLines struct {
	of      bridgeKey
	day     payment.Day
	bridge  *sums
	matched *sum
}

func (g *agreed) lines(l *payment.Line) {
	k := bridgeKey{l.Provider, l.Account, l.Mode, l.Currency}
	if g.line.bridge == nil || g.line.of != k || g.line.day != l.Day {
		s := g.out.bridge(k)
		g.line = agreedLines{k, l.Day, s, entry(s.lines, rowKey{l.Day, rowMatched})}
	}
	s := g.line.bridge
	g.out.judged.Units++
	s.linesSeen += l.Gross
	s.linesSum += l.Gross
	g.line.matched.minor += l.Gross
	g.line.matched.count++
	g.out.booked(l, g.balanced)
}
