package reconcile

import (
	"fmt"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// incomplete makes one entry per hole of a wanted statement: the unread part
// up to the window's end (RULES §4, coverage_incomplete).
func (s *setting) incomplete(in *Input) []Divergence {
	window := in.Wanted
	if window.Empty() {
		window = in.Window
	}
	var found []Divergence
	for _, hole := range s.ownHoles(in, window) {
		for i := range in.Policies {
			d := Divergence{
				Class: CoverageIncomplete, Severity: P2, Subject: Subject{SubjectStatement, []string{ownStatement}},
				Provider: in.Policies[i].Provider, Mode: in.Policies[i].Mode, Interval: hole, Since: hole.From,
			}
			d.ID = identity(&d)
			found = append(found, d)
		}
	}
	found = append(found, s.unread(in)...)
	for _, g := range s.coverage.Groups() {
		p := s.policy(g.Provider)
		whole, asked := window, s.now
		if by, ok := in.WantedBy[g.Provider]; ok {
			whole, asked = by, s.asked(g)
		}
		wanted := payment.Interval{From: whole.From, To: min(whole.To, asked.Add(-g.Lag(p)))}
		for _, hole := range g.Unread(wanted) {
			if hole.From >= g.Through {
				hole.To = whole.To
			}
			d := Divergence{
				Class: CoverageIncomplete, Severity: P2, Subject: Subject{SubjectStatement, []string{g.Name}},
				Provider: g.Provider, Account: g.Account, Mode: g.Mode, Interval: hole, Since: hole.From,
			}
			d.ID = identity(&d)
			found = append(found, d)
		}
	}
	return found
}

// unread makes one entry, by the provider's name, per provider that owes
// statements and of which none was ever read.
func (s *setting) unread(in *Input) (found []Divergence) {
	for i := range in.Policies {
		p := &in.Policies[i]
		owed := in.WantedBy[p.Provider]
		read := slices.ContainsFunc(s.coverage.Groups(), func(g *evidence.StatementGroup) bool { return g.Provider == p.Provider })
		if owed.Empty() || read {
			continue
		}
		d := Divergence{
			Class: CoverageIncomplete, Severity: P2, Subject: Subject{SubjectStatement, []string{p.Provider}},
			Provider: p.Provider, Mode: p.Mode, Interval: owed, Since: owed.From,
		}
		d.ID = identity(&d)
		found = append(found, d)
	}
	return found
}

// asked is when the statement's account was last asked, as far as coverage
// tells: what a provider shows a day late was read as far as could be, though
// the report is made a while after it was asked. Never later than now; less
// what clocks may differ by.
func (s *setting) asked(of *evidence.StatementGroup) payment.Instant {
	p := s.policy(of.Provider)
	last := payment.Instant(0)
	for _, g := range s.coverage.Groups() {
		if g.Provider == of.Provider && g.Account == of.Account && g.Mode == of.Mode {
			last = max(last, g.Through.Add(g.Lag(p)))
		}
	}
	return min(s.now, last.Add(-p.Skew))
}

// ownHoles lists where nothing could be called unrecorded though the own side
// was to be read there: all of it where none was, else what a caller vouched
// for with holes.
func (s *setting) ownHoles(in *Input, wanted payment.Interval) []payment.Interval {
	if s.ownSide == nil || len(s.ownSide) > 0 && !in.OwnWhole {
		return nil
	}
	return evidence.Cut(wanted, s.ownSide)
}

// ownStatement names our own side where it is what was not read to the end.
const ownStatement = "attempts"

// verdict of a run: incomplete > breaks > notices > pending > clean
// (RULES §4).
func verdict(r *Result) Verdict {
	v := Clean
	for i := range r.Divergences {
		d := &r.Divergences[i]
		switch {
		case d.Class == CoverageIncomplete:
			v = max(v, Incomplete)
		case d.Severity <= P2:
			v = max(v, Breaks)
		case d.Severity == P3:
			v = max(v, Notices)
		case d.Class != AmountAdjusted:
			v = max(v, Pending)
		}
	}
	if r.Places[InFlight]+r.Places[InTransit]+r.Places[NotCovered] > 0 {
		v = max(v, Pending)
	}
	return v
}

// defect checks the equations that only a bug can break (RULES §5: 1, 2, 7).
func defect(r *Result, out *books) string {
	for k, s := range out.bridges {
		total := int64(0)
		for _, x := range s.lines {
			total += x.minor
		}
		if total != s.linesSum || s.linesSum != s.linesSeen {
			return fmt.Sprintf("equation 1 of %s %s: rows %d, lines %d, seen %d", k.provider, k.currency, total, s.linesSum, s.linesSeen)
		}
		for i, rows := range []map[string]*sum{s.succeeded, s.open, s.failed} {
			stock := int64(0)
			for _, x := range rows {
				stock += x.minor
			}
			if stock != s.stock[i].minor {
				return fmt.Sprintf("equation 2 of %s %s: rows %d, attempts %d", k.provider, k.currency, stock, s.stock[i].minor)
			}
		}
	}
	for _, i := range r.Items {
		if i.Open != i.Yesterday+i.New+i.Reopened+i.Lapsed+i.Restated-i.Resolved-i.Accepted-i.Vanished ||
			i.OpenCount != i.YesterdayCount+i.NewCount+i.ReopenedCount+i.LapsedCount+i.MovedCount-i.ResolvedCount-i.AcceptedCount-i.VanishedCount {
			return fmt.Sprintf("equation 7 in %s", i.Currency)
		}
	}
	return ""
}
