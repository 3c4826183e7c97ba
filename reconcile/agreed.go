package reconcile

import (
	"cmp"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Sales sums up plain sales that agree: attempts of each of which nothing is
// known but one line that shows all of its money, and perhaps the provider's
// object. Amounts are minor units.
type Sales struct {
	SalesOf
	Count      int
	Gross, Net int64
	Magnitude  int64  // Σ of all amounts of both without their signs
	Digest     uint64 // Σ of the lines' digests
}

// SalesOf is what the sales of one sum have alike.
type SalesOf struct {
	Provider  string
	Asked     string // the account that the attempts name, "" for any
	Account   string // the lines' own
	Statement string
	Mode      payment.Mode
	Currency  money.Currency
	Day       payment.Day // of the lines
}

// PlainSale tells whether nothing but its line decides whether an attempt
// agrees: it succeeded and knows the provider's id.
func PlainSale(a *payment.Attempt) bool {
	return a.Status == payment.Succeeded && a.Operation == payment.Charge && a.ProviderID != ""
}

// PlainLine tells whether a line is the whole of one sale.
func PlainLine(l *payment.Line) bool {
	return l.Kind == payment.KindCharge && !l.Still && l.N == 0 && l.Of == 0 && !l.Presented.Known &&
		l.Parent == "" && l.ForeignCharge == "" && l.Payout == "" && l.Recipient == "" && l.Net == l.Gross-l.Fee-l.Tax
}

// SameSale tells whether a plain line is a plain sale's by id (RULES §3.3), and
// says the same of it.
func SameSale(a *payment.Attempt, l *payment.Line) bool {
	return a.ProviderID == l.Unit && a.Provider == l.Provider && (a.Account == "" || l.Account == "" || a.Account == l.Account) &&
		a.Amount.Minor == l.Gross && a.Amount.Currency == l.Currency
}

// SalesOfPair is the sum that a sale and its line belong to.
func SalesOfPair(a *payment.Attempt, l *payment.Line) SalesOf {
	return SalesOf{a.Provider, a.Account, l.Account, l.Statement, l.Mode, l.Currency, l.Day}
}

// SaleLine is what a sum takes of a line. Minor units.
type SaleLine struct {
	Gross, Fee, Tax, Net int64
	Digest               uint64
}

// SaleLineOf a line.
func SaleLineOf(l *payment.Line) SaleLine { return SaleLine{l.Gross, l.Fee, l.Tax, l.Net, digest(l)} }

// Add takes a sale and its line up.
func (s *Sales) Add(l SaleLine) {
	s.Count++
	s.Gross += l.Gross
	s.Net += l.Net
	s.Magnitude += 2*money.Magnitude(l.Gross) + money.Magnitude(l.Fee) + money.Magnitude(l.Tax) + money.Magnitude(l.Net)
	s.Digest += l.Digest
}

// Merge takes another sum of the same sales up.
func (s *Sales) Merge(o *Sales) {
	s.Count += o.Count
	s.Gross += o.Gross
	s.Net += o.Net
	s.Magnitude += o.Magnitude
	s.Digest += o.Digest
}

// agreed adds up the plainest components there are without laying out their
// facts: of a month most are such. It may pass on whatever it likes, and what
// it takes must leave in the books just what judge leaves there
// (TestWhatAgreesIsAddedUpAsItIsJudged).
type agreed struct {
	*setting
	out   *books
	sales Sales // those that are not in the books yet
	plain bool  // they may be added
}

// take tells whether it added the component up.
func (g *agreed) take(c *evidence.Component) bool {
	if len(c.Attempts) != 1 || len(c.Lines) != 1 || len(c.Units) > 1 || len(c.Lookups)+len(c.Events) > 0 {
		return false
	}
	a, l := c.Attempts[0], c.Lines[0]
	if !PlainSale(a) || !PlainLine(l) || !SameSale(a, l) || len(c.Units) == 1 && !tells(c.Units[0], a, l) {
		return false
	}
	if of := SalesOfPair(a, l); of != g.sales.SalesOf {
		g.flush()
		g.sales.SalesOf, g.plain = of, g.plainly(&of)
	}
	if !g.plain || !g.window.Contains(a.CreatedAt) && !g.lineInWindow(l) {
		return false
	}
	g.sales.Add(SaleLineOf(l))
	return true
}

// tells: the provider's object is the same sale, captured as it was asked for.
func tells(u *payment.Unit, a *payment.Attempt, l *payment.Line) bool {
	return u.ID == a.ProviderID && u.State == payment.StateCaptured && u.Captured == payment.Known(a.Amount.Minor) && u.Currency == a.Amount.Currency &&
		u.Provider == l.Provider && u.Account == l.Account && u.Mode == l.Mode &&
		u.Group == "" && u.Parent == "" && u.ForeignCharge == "" && len(u.Plan) == 0 && u.N == 0 && u.Of == 0
}

// plainly tells whether the policy leaves nothing else to ask of the sales.
func (s *setting) plainly(of *SalesOf) bool {
	p := s.policy(of.Provider)
	return of.Mode == p.Mode && len(p.Fees) == 0
}

// flush enters what was added up.
func (g *agreed) flush() {
	if g.sales.Count > 0 {
		g.out.agreed(&g.sales, g.setting)
	}
	g.sales = Sales{}
}

// agreed enters sales that agree, as judge would one by one.
func (b *books) agreed(s *Sales, by *setting) {
	p := by.policy(s.Provider)
	b.judged.Attempts += s.Count
	b.judged.Units += s.Count
	b.places[Agreed] += s.Count
	account := cmp.Or(accountOf(&evidence.Attempt{Attempt: &payment.Attempt{Account: s.Asked}, Policy: p}), s.Account)
	own := b.bridge(bridgeKey{cmp.Or(p.Provider, s.Provider), account, p.Mode, s.Currency})
	own.stock[0].minor += s.Gross
	own.stock[0].count += s.Count
	add(own.succeeded, rowMatched, s)
	own.tie.MatchedLines += s.Gross
	own.tie.MatchedAttempts += s.Gross
	lines := b.bridge(bridgeKey{s.Provider, s.Account, s.Mode, s.Currency})
	lines.linesSeen += s.Gross
	lines.linesSum += s.Gross
	add(lines.lines, rowKey{s.Day, rowMatched}, s)
	d := b.day(dayKey{s.Provider, s.Account, s.Day})
	d.Lines += s.Count
	d.Hash += s.Digest
	if by.balanced {
		entry(b.nets, statementKey{s.Provider, s.Account, s.Mode, s.Statement}).net += s.Net
	}
}

func add[K comparable](rows map[K]*sum, row K, s *Sales) {
	into := entry(rows, row)
	into.minor += s.Gross
	into.count += s.Count
}
