package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// bridgesOf lays the sums out as RULES §5 states them.
func (b *books) bridgesOf(s *setting) []Bridge {
	keys := slices.SortedFunc(maps.Keys(b.bridges), func(x, y bridgeKey) int {
		return cmp.Or(cmp.Compare(x.provider, y.provider), cmp.Compare(x.account, y.account), cmp.Compare(x.mode, y.mode),
			cmp.Compare(x.currency.String(), y.currency.String()))
	})
	var out []Bridge
	for _, k := range keys {
		m := b.bridges[k]
		br := Bridge{Provider: k.provider, Account: k.account, Mode: k.mode, Currency: k.currency, LinesSum: m.linesSum, Tie: m.tie}
		for _, r := range slices.SortedFunc(maps.Keys(m.lines), func(x, y rowKey) int {
			return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.row, y.row))
		}) {
			br.Lines = append(br.Lines, LineRow{r.day, r.row, m.lines[r].minor, m.lines[r].count})
		}
		br.Succeeded, br.Open, br.Failed = attemptRows(m.succeeded), attemptRows(m.open), attemptRows(m.failed)
		t := &br.Tie
		t.Residual = t.MatchedLines + t.NotDue - t.MatchedAttempts - t.Differences
		out = append(out, br)
	}
	b.balances(s, out)
	b.payoutsOf(s, out)
	return out
}

func attemptRows(m map[string]*sum) []AttemptRow {
	var rows []AttemptRow
	for _, r := range slices.Sorted(maps.Keys(m)) {
		rows = append(rows, AttemptRow{r, m[r].minor, m[r].count})
	}
	return rows
}

// balances is equation 5 for every statement that states its balance at both
// ends and has no hole between them.
func (b *books) balances(s *setting, bridges []Bridge) {
	for _, g := range s.coverage.Groups() {
		first, last := g.Parts[0], g.Parts[len(g.Parts)-1]
		if !first.Opening.Known || !last.Closing.Known || last.Through < g.Through || len(g.Holes) > 0 {
			continue // a closing balance that others read beyond is not that of the whole
		}
		row := Balance{Statement: g.Name, Opening: first.Opening.Minor, Closing: last.Closing.Minor}
		if n := b.nets[groupKey(g)]; n != nil {
			slices.Sort(n.lineErrors)
			row.NetSum, row.LineErrors = n.net, n.lineErrors
		}
		row.Residual = row.Closing - row.Opening - row.NetSum
		if br := bridgeOf(bridges, g); br != nil {
			br.Balances = append(br.Balances, row)
		}
	}
}

func groupKey(g *evidence.StatementGroup) statementKey {
	return statementKey{g.Provider, g.Account, g.Mode, g.Name}
}

func bridgeOf(bridges []Bridge, g *evidence.StatementGroup) *Bridge {
	for i := range bridges {
		if br := &bridges[i]; br.Provider == g.Provider && br.Account == g.Account && br.Mode == g.Mode && len(br.Lines) > 0 {
			return br
		}
	}
	return nil
}

// payoutsOf is equation 6: a payout is minus the net of the lines that it
// holds. Where the statement does not tell them, or was not read to the end
// where the payout stands, it is unverifiable, not 0.
func (b *books) payoutsOf(s *setting, bridges []Bridge) {
	groups := map[[3]string]*evidence.StatementGroup{} // by provider, account and name
	for _, g := range s.coverage.Groups() {
		groups[[3]string{g.Provider, g.Account, g.Name}] = g
	}
	for _, k := range slices.SortedFunc(maps.Keys(b.payouts), func(x, y payoutKey) int {
		return cmp.Or(cmp.Compare(x.provider, y.provider), cmp.Compare(x.account, y.account), cmp.Compare(x.id, y.id),
			cmp.Compare(x.currency.String(), y.currency.String()))
	}) {
		p := b.payouts[k]
		if !p.seen {
			continue
		}
		row := Payout{ID: k.id, Statement: p.statement, Minor: p.minor, MembersNet: p.members, Residual: p.minor + p.members}
		g := groups[[3]string{k.provider, k.account, p.statement}]
		row.Unverifiable = g == nil || g.Members == payment.NoMembers || p.count == 0 || g.Members == payment.SomeMembers && row.Residual != 0 ||
			!g.Reads(payment.Interval{From: p.at, To: p.at + 1}, payment.Assumed)
		if row.Unverifiable {
			row.Residual = 0
		}
		for i := range bridges {
			if br := &bridges[i]; br.Provider == k.provider && br.Account == k.account && br.Currency == k.currency && len(br.Lines) > 0 {
				br.Payouts = append(br.Payouts, row)
				break
			}
		}
	}
}

// accounting makes entries of the residuals of equations 3, 5 and 6: facts
// about the data.
func (b *books) accounting(s *setting, bridges []Bridge) []Divergence {
	var found []Divergence
	say := func(br *Bridge, class Class, kind SubjectKind, id, reason string, off int64, lines []string) {
		d := Divergence{
			Class: class, Severity: P2, Subject: Subject{kind, []string{id}}, Provider: br.Provider, Account: br.Account, Mode: br.Mode,
			Currency: br.Currency, Amount: money.Magnitude(off), Reason: reason, Lines: lines, Actual: minor(off),
		}
		d.ID = identity(&d)
		found = append(found, d)
	}
	untied := b.untied()
	for i := range bridges {
		br := &bridges[i]
		for _, p := range br.Payouts {
			if p.Residual != 0 {
				say(br, PayoutMismatch, SubjectPayout, p.ID, "", p.Residual, nil)
			}
		}
		for _, bal := range br.Balances {
			if bal.Residual == 0 && len(bal.LineErrors) == 0 {
				continue
			}
			k := statementKey{br.Provider, br.Account, br.Mode, bal.Statement}
			reason, lines, off := "balance", bal.LineErrors, bal.Residual
			if off == 0 {
				reason, off = reasonNet, b.nets[k].off
			}
			if r := untied[k]; r != nil && b.residuals[k] != nil {
				reason, lines = fmt.Sprintf("balance, and lines that differ from what is stated of their units by %d", r.minor), r.lines
			}
			delete(untied, k)
			say(br, Unexplained, SubjectStatement, bal.Statement, reason, off, lines)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(untied), compareStatements) {
		r := untied[k]
		for i := range bridges {
			if br := &bridges[i]; br.Currency == r.currency && s.states(br, k) {
				say(br, Unexplained, SubjectStatement, k.name, r.reason, r.minor, r.lines)
				break
			}
		}
	}
	return found
}

// untied gathers by statement what its lines alone show not to tie: they
// differ from what is stated of their units, or their own net from their gross
// less fee and tax.
func (b *books) untied() map[statementKey]*residual {
	all := map[statementKey]*residual{}
	for k, n := range b.nets {
		if len(n.lineErrors) > 0 {
			all[k] = &residual{n.off, n.currency, n.lineErrors, reasonNet}
		}
	}
	for k, r := range b.residuals {
		lines := r.lines
		if n := all[k]; n != nil {
			lines = slices.Concat(lines, n.lines)
		}
		all[k] = &residual{r.minor, r.currency, lines, "lines differ from what is stated of their units"}
	}
	for _, r := range all {
		slices.Sort(r.lines)
		r.lines = slices.Compact(r.lines)
	}
	return all
}

const reasonNet = "lines whose net is not gross less fee and tax"

// states tells whether the bridge is of the account that the statement is of.
func (s *setting) states(br *Bridge, k statementKey) bool {
	if k.provider != br.Provider || k.account != br.Account || k.mode != br.Mode {
		return false
	}
	return slices.ContainsFunc(s.coverage.Groups(), func(g *evidence.StatementGroup) bool { return groupKey(g) == k })
}

func compareStatements(a, b statementKey) int {
	return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.account, b.account), cmp.Compare(a.mode, b.mode), cmp.Compare(a.name, b.name))
}
