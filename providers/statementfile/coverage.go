package statementfile

import (
	"fmt"
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// statements gives the coverage of every account of the file (RULES §1).
func (r *reader) statements() []payment.Statement {
	all := r.owners.all
	if len(all) == 0 { // a file without movements still is a statement
		all = []owner{{provider: first(r.o.Provider, r.p.Provider), account: first(r.o.Account, r.p.Account)}}
	}
	opening, closing, ties := r.chain.check(&r.remarked)
	var out []payment.Statement
	for _, w := range all {
		s := payment.Statement{
			Name: r.o.Name, Provider: w.provider, Account: w.account, Mode: r.o.Mode, Sort: r.rules.Sort,
			Members: r.members(), PublishLag: r.rules.PublishLag,
		}
		if len(all) > 1 {
			s.Name += " " + w.account
		}
		r.covers(&s, w, ties)
		if len(all) == 1 && r.oneCurrency() {
			s.Opening, s.Closing = opening, closing
		}
		out = append(out, s)
	}
	if len(all) > 1 {
		r.rename(out)
	}
	return out
}

// covers says which instants were read to the end, and how sure that is.
func (r *reader) covers(s *payment.Statement, w owner, ties tie) {
	if w.first != 0 { // the last day may go on after the file was made
		s.From, s.Through = w.first.Start(r.b.Zone), w.last.Start(r.b.Zone)
	}
	switch {
	case r.o.Covers != nil:
		s.From, s.Through, s.Grade = r.o.Covers.From, r.o.Covers.To, payment.Claimed
	case r.end.Missing != "":
		s.Through = s.From
		r.remarked.add("the file is not whole, so it covers nothing: " + r.end.Missing)
	case s.From >= s.Through:
		r.remarked.add("the file has one day or none, so it is not assumed to cover any: say what it covers with --covers")
	case r.proven(ties):
		s.Grade = payment.Proven
		r.remarked.add("the last page says that none follows, and the rows are as many as the pages say: the file is whole")
	}
	if ties == tieBreaks {
		s.Grade = payment.Assumed
	}
}

// proven tells a file that itself shows that it is whole: its pages say where
// their list ends and how long it is, and no row stands twice in another's
// place. A balance that ties only shows that none is missing between its first
// and its last row, which is what holds several lists together.
func (r *reader) proven(ties tie) bool {
	return r.end.Reached && ties != tieBreaks && (ties == tieHolds || r.end.Lists == 1) && !r.repeats()
}

// repeats tells whether a line or an object stands twice in the file.
func (r *reader) repeats() bool {
	ids := make(map[string]bool, len(r.lines)+len(r.units))
	if r.rules.Sort == payment.ObjectList {
		for i := range r.units {
			ids[r.units[i].ID] = true
		}
		return len(ids) < len(r.units)
	}
	if !r.rules.LineIDsUnique {
		return false
	}
	for i := range r.lines {
		ids[r.lines[i].ID] = true
	}
	return len(ids) < len(r.lines)
}

// members says whether lines tell their payout: only where the column is there.
func (r *reader) members() payment.Membership {
	if !r.fields.payout.Has() {
		return payment.NoMembers
	}
	return r.rules.Members
}

// rename gives the lines of a file of several accounts the names of their
// statements.
func (r *reader) rename(statements []payment.Statement) {
	for i := range r.lines {
		for j := range statements {
			if r.lines[i].Account == statements[j].Account && r.lines[i].Provider == statements[j].Provider {
				r.lines[i].Statement = statements[j].Name
			}
		}
	}
	for i := range r.units {
		for j := range statements {
			if r.units[i].Account == statements[j].Account && r.units[i].Provider == statements[j].Provider {
				r.units[i].Statement = statements[j].Name
			}
		}
	}
}

func (r *reader) oneCurrency() bool {
	for i := range r.lines {
		if r.lines[i].Currency != r.lines[0].Currency {
			return false
		}
	}
	return true
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// chain is the running balance of a ledger, and the balances it states.
type chain struct {
	links            []link
	opening, closing payment.Stated
}

type link struct {
	balance, net int64
	line         int32
	element      int32
	at           payment.Day
}

func (l link) place() string {
	return tabular.Row{Line: int(l.line), Element: int(l.element)}.Place()
}

// tie says what a chain proves.
type tie uint8

const (
	tieNone tie = iota // too short, or not there
	tieHolds
	tieBreaks
)

// balance takes the row's running balance, if it has one.
func (r *reader) balance(l *payment.Line, row tabular.Row) error {
	if !r.fields.balance.Has() {
		return nil
	}
	minor, _, ok, err := r.fields.balance.Read(row, l.Currency)
	if err != nil {
		return r.amountFault("balance", row, err)
	}
	if ok {
		r.chain.links = append(r.chain.links, link{minor, l.Net, l.Row, int32(row.Element), l.Day})
	}
	return nil
}

// check walks the chain from the oldest row to the newest: each balance is the
// one before and the row's net. A break means that a row between is missing.
func (c *chain) check(notes *remarks) (opening, closing payment.Stated, result tie) {
	opening, closing = c.opening, c.closing
	if len(c.links) == 0 {
		return opening, closing, tieNone
	}
	if c.links[0].at > c.links[len(c.links)-1].at || breaks(c.links) > 0 && newestFirst(c.links) {
		slices.Reverse(c.links)
	}
	result = tieHolds
	if at := breaks(c.links); at > 0 {
		result = tieBreaks
		notes.add(fmt.Sprintf("the balance on %s is not that of %s and the row's amount: a row is missing there, so nothing is proven",
			c.links[at].place(), c.links[at-1].place()))
	} else if len(c.links) == 1 {
		result = tieNone
	}
	start, last := c.links[0], c.links[len(c.links)-1]
	before, ok := money.Difference(start.balance, start.net)
	if opening.Known && ok && before != opening.Minor || closing.Known && closing.Minor != last.balance {
		result = tieBreaks
		notes.add("the opening or closing balance that the file states is not that of its first or last row: a row is missing there, so nothing is proven")
	}
	if ok && !opening.Known {
		opening = payment.Known(before)
	}
	if !closing.Known {
		closing = payment.Known(last.balance)
	}
	if result == tieHolds {
		notes.add(fmt.Sprintf("the running balance ties over all %d rows", len(c.links)))
	}
	return opening, closing, result
}

// breaks is the index of the first link that does not follow from the one
// before, 0 where all do.
func breaks(links []link) int {
	for i := 1; i < len(links); i++ {
		if sum, ok := money.Sum(links[i-1].balance, links[i].net); !ok || sum != links[i].balance {
			return i
		}
	}
	return 0
}

// newestFirst tells a chain that holds when it is read backwards.
func newestFirst(links []link) bool {
	for i := 1; i < len(links); i++ {
		if sum, ok := money.Sum(links[i].balance, links[i-1].net); !ok || sum != links[i-1].balance {
			return false
		}
	}
	return true
}
