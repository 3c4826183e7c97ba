package evidence

import (
	"cmp"
	"slices"
	"time"

	"desfecho/internal/payment"
)

// Coverage answers what of the statements has been read to the end, and with
// which grade. It is made once for all components.
type Coverage struct {
	groups []*StatementGroup
}

// StatementGroup is all that was read of one named statement of one account:
// pages, days or files of it.
type StatementGroup struct {
	payment.Statement // From, Through, Holes of the whole, the least Grade, the longest PublishLag
	Parts             []payment.Statement
	// read holds, by the least grade asked for, the intervals read.
	read [3][]payment.Interval
}

// NewCoverage gathers statements by provider, account, mode, sort and name.
func NewCoverage(statements []payment.Statement) *Coverage {
	sorted := slices.Clone(statements)
	slices.SortFunc(sorted, func(a, b payment.Statement) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Mode, b.Mode),
			cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From), cmp.Compare(a.Through, b.Through))
	})
	c := &Coverage{}
	for _, s := range sorted {
		var g *StatementGroup
		if n := len(c.groups); n > 0 && sameStatement(&c.groups[n-1].Statement, &s) {
			g = c.groups[n-1]
		} else {
			g = &StatementGroup{Statement: s}
			c.groups = append(c.groups, g)
		}
		g.Parts = append(g.Parts, s)
		g.Through = max(g.Through, s.Through)
		g.Grade = min(g.Grade, s.Grade)
		g.Members = max(g.Members, s.Members)
		g.PublishLag = max(g.PublishLag, s.PublishLag)
	}
	for _, g := range c.groups {
		g.settle()
	}
	return c
}

func sameStatement(a, b *payment.Statement) bool {
	return a.Provider == b.Provider && a.Account == b.Account && a.Mode == b.Mode && a.Sort == b.Sort && a.Name == b.Name
}

// settle joins the parts' intervals, less their holes where no other part
// fills them.
func (g *StatementGroup) settle() {
	for grade := payment.Assumed; grade <= payment.Proven; grade++ {
		var pieces []payment.Interval
		for _, p := range g.Parts {
			if p.Grade >= grade {
				pieces = append(pieces, Cut(payment.Interval{From: p.From, To: p.Through}, p.Holes)...)
			}
		}
		g.read[grade] = joined(pieces)
	}
	g.Holes = nil
	for i, piece := range g.read[payment.Assumed] {
		if i > 0 {
			g.Holes = append(g.Holes, payment.Interval{From: g.read[payment.Assumed][i-1].To, To: piece.From})
		}
	}
}

// Groups lists the statements, sorted by account and name.
func (c *Coverage) Groups() []*StatementGroup { return c.groups }

// Unread lists the parts of the interval that were not read, with any grade.
func (g *StatementGroup) Unread(wanted payment.Interval) []payment.Interval {
	return Cut(wanted, g.read[payment.Assumed])
}

// Reads tells whether the whole interval was read with at least that grade.
func (g *StatementGroup) Reads(wanted payment.Interval, grade payment.Grade) bool {
	return len(Cut(wanted, g.read[grade])) == 0
}

// LedgerRead tells whether any ledger of the account was read.
func (c *Coverage) LedgerRead(provider, account string, mode payment.Mode) bool {
	return slices.ContainsFunc(c.groups, func(g *StatementGroup) bool {
		return g.Sort == payment.Ledger && g.Provider == provider && g.Mode == mode && sameAccount(g.Account, account)
	})
}

// Covers tells whether all statements of the sort that tell of an attempt's
// account have read the interval, and the least grade that this rests on. An
// attempt without account needs it in every account of its provider
// (RULES §8).
func (c *Coverage) Covers(p *Policy, account string, sort payment.Sort, wanted payment.Interval) (grade payment.Grade, ok bool) {
	for grade = payment.Proven; ; grade-- {
		if c.coversAt(p, account, sort, wanted, grade) {
			return grade, true
		}
		if grade == payment.Assumed {
			return 0, false
		}
	}
}

func (c *Coverage) coversAt(p *Policy, account string, sort payment.Sort, wanted payment.Interval, grade payment.Grade) bool {
	accounts := p.Accounts
	if account != "" {
		accounts = []string{account}
	}
	if len(accounts) == 0 {
		accounts = []string{""}
	}
	for _, account := range accounts {
		told := false
		for _, g := range c.groups {
			if g.Sort != sort || g.Provider != p.Provider || g.Mode != p.Mode || !sameAccount(g.Account, account) {
				continue
			}
			if !g.Reads(wanted, grade) {
				return false
			}
			told = true
		}
		if !told {
			return false
		}
	}
	return true
}

// Absence says whether an attempt that no unit is linked to is absent
// (RULES §4): its horizon is over and what must show it was read.
type Absence struct {
	Over  bool // now is past the horizon
	Until payment.Instant
	Read  bool // the wanted interval was read
	Grade payment.Grade
}

// Succeeded looks at [created_at − skew, + books_after + publish_lag], counted
// from resolved_at where that is known and later: a row may wait before it is
// sent, and what it says is there was there when it was said. Where `succeeded`
// claims no money a ledger cannot show that the object is absent.
func (c *Coverage) Succeeded(a *Attempt, now payment.Instant) Absence {
	p := a.Policy
	made := max(a.CreatedAt, a.ResolvedAt)
	sort, shown := payment.Ledger, p.BooksBy(made, "")
	if p.Lists(a.Operation) {
		sort, shown = payment.ObjectList, made
	}
	end := shown.Add(c.lag(p, sort))
	absent := Absence{Over: now >= end, Until: end}
	absent.Grade, absent.Read = c.Covers(p, a.Account, sort, payment.Interval{From: a.CreatedAt.Add(-p.Skew), To: end})
	absent.Read = absent.Read && (sort == payment.ObjectList || p.Means(a.Operation) == MeansCaptured)
	return absent
}

// ReturnsTold tells whether what gave a unit back must be known by now: whatever
// tells of refunds was read up to the moment at which the unit was first seen
// to be refunded, without a hole since its creation. Until then the refund may
// well be an attempt's whose own unit is not published yet (law 7). Where no
// object list and no ledger tells of refunds, nothing is waited for.
func (c *Coverage) ReturnsTold(p *Policy, u *Unit) bool {
	sort := payment.Ledger
	if p.Lists(payment.Refund) {
		sort = payment.ObjectList
	}
	told := sort == payment.Ledger || u.FirstSeen == 0
	for _, g := range c.groups {
		if g.Sort != sort || g.Provider != u.Provider || g.Mode != u.Mode || !sameAccount(g.Account, u.Account) {
			continue
		}
		told = true
		if from := max(g.From, u.CreatedAt); from < u.FirstSeen && !g.Reads(payment.Interval{From: from, To: u.FirstSeen}, payment.Assumed) {
			return false
		}
	}
	return told
}

// NamesTold tells whether all that the provider would tell of a unit's keys is
// known. A ledger may tell no reference: of what it alone tells, the list must
// have been read where the object was created, at most books_after before its
// first line and within the day of its last, before nobody can be said to have
// asked for it (law 7).
func (c *Coverage) NamesTold(u *Unit) bool {
	if u.Source&(payment.FromList|payment.FromLookup) != 0 || len(u.References) > 0 || u.Key != "" || !u.Policy.HasObjectList || len(u.Lines) == 0 {
		return true
	}
	wanted := payment.Interval{From: u.Policy.BookedSince(u.Lines[0].At), To: u.Lines[0].At + 1}
	for _, l := range u.Lines {
		at := l.At + 1
		if l.DayOnly {
			at = (l.Day + 1).Start(u.Policy.Zone)
		}
		wanted.From, wanted.To = min(wanted.From, u.Policy.BookedSince(l.At)), max(wanted.To, at)
	}
	told := false
	for _, g := range c.groups {
		if g.Sort != payment.ObjectList || g.Provider != u.Provider || g.Mode != u.Mode || !sameAccount(g.Account, u.Account) {
			continue
		}
		from := max(g.From, wanted.From)
		if told = from >= wanted.To || g.Reads(payment.Interval{From: from, To: wanted.To}, payment.Assumed); !told {
			return false
		}
	}
	return told
}

// Open looks at [last_sent − skew, + visible_after + publish_lag]. A ledger
// that books later than that gives no negative evidence: there look-ups alone
// decide, observed after the horizon.
func (c *Coverage) Open(a *Attempt, now payment.Instant) Absence {
	absent := Absence{Until: a.Policy.Horizon(a.Attempt)}
	absent.Over = now >= absent.Until
	sort, wanted, alone := c.Telling(a)
	if alone {
		absent.Read, absent.Grade = a.absentEverywhere(absent.Until), payment.Proven
		return absent
	}
	absent.Grade, absent.Read = c.Covers(a.Policy, a.Account, sort, wanted)
	return absent
}

// Telling says which sort of statement must have been read, and where, before
// an open attempt is absent: the object list, where there is none a ledger.
// alone: that ledger books too late to tell, and look-ups alone decide.
func (c *Coverage) Telling(a *Attempt) (sort payment.Sort, wanted payment.Interval, alone bool) {
	p := a.Policy
	sort = payment.Ledger
	if p.Lists(a.Operation) {
		sort = payment.ObjectList
	}
	visible := p.Visible(a.Attempt)
	wanted = payment.Interval{From: a.LastSent.Add(-p.Skew), To: a.LastSent.Add(visible + c.lag(p, sort))}
	return sort, wanted, sort == payment.Ledger && p.Books("") > visible
}

// lag is publish_lag of the provider's statements of one sort: the longest
// that one of them states, else the policy's.
func (c *Coverage) lag(p *Policy, sort payment.Sort) time.Duration {
	lag := time.Duration(0)
	for _, g := range c.groups {
		if g.Sort == sort && g.Provider == p.Provider {
			lag = max(lag, g.Lag(p))
		}
	}
	if lag == 0 {
		return p.PublishLag
	}
	return lag
}

// Lag is the statement's publish_lag.
func (g *StatementGroup) Lag(p *Policy) time.Duration {
	if g.PublishLag > 0 {
		return g.PublishLag
	}
	return p.PublishLag
}

// Cut gives what is left of whole without the intervals, in order.
func Cut(whole payment.Interval, away []payment.Interval) []payment.Interval {
	var rest []payment.Interval
	from := whole.From
	for _, h := range joined(away) {
		if h.To <= from || h.From >= whole.To {
			continue
		}
		if h.From > from {
			rest = append(rest, payment.Interval{From: from, To: h.From})
		}
		from = h.To
	}
	if from < whole.To {
		rest = append(rest, payment.Interval{From: from, To: whole.To})
	}
	return rest
}

// joined sorts intervals and joins those that touch.
func joined(pieces []payment.Interval) []payment.Interval {
	pieces = slices.DeleteFunc(slices.Clone(pieces), payment.Interval.Empty)
	slices.SortFunc(pieces, func(a, b payment.Interval) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var out []payment.Interval
	for _, p := range pieces {
		if n := len(out); n > 0 && p.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, p.To)
			continue
		}
		out = append(out, p)
	}
	return out
}
