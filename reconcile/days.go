package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// closeDays says what the report of each closed day of the window rests on,
// and which days that were closed before are open again. A day closes when
// its ledgers cover it, where there is none its object lists, and its transit
// has ended; a late line re-opens it (RULES §8). Days outside the window keep what they rested on.
func (r *Result) closeDays(in *Input, s *setting, out *books) (days []DayDigest) {
	before := map[dayKey]DayDigest{}
	if in.Previous != nil {
		for _, d := range in.Previous.Days {
			before[dayKey{d.Provider, d.Account, d.Day}] = d
		}
	}
	seen := map[dayKey]bool{} // an account may have several ledgers
	for _, g := range s.coverage.Groups() {
		p := s.policy(g.Provider)
		if g.Sort != s.closing(g.Provider, g.Account, g.Mode) || g.Mode != p.Mode || in.Window.Empty() {
			continue
		}
		for d := payment.DayOf(in.Window.From, p.Zone); d <= payment.DayOf(in.Window.To-1, p.Zone); d++ {
			k := dayKey{g.Provider, g.Account, d}
			if seen[k] {
				continue
			}
			seen[k] = true
			is := DayDigest{Provider: k.provider, Account: k.account, Day: d}
			if lines := out.days[k]; lines != nil {
				is = *lines
			}
			was, closed := before[k]
			if closed && was != is {
				r.Reopened = append(r.Reopened, d)
			}
			if closed || s.covered(k, p) && !out.moving[dayKey{provider: k.provider, day: d}] {
				days = append(days, is)
			}
		}
	}
	for k, d := range before {
		if !seen[k] {
			days = append(days, d)
		}
	}
	slices.SortFunc(days, func(x, y DayDigest) int {
		return cmp.Or(cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.Account, y.Account), cmp.Compare(x.Day, y.Day))
	})
	slices.Sort(r.Reopened)
	r.Reopened = slices.Compact(r.Reopened)
	return days
}

// closing is the sort of statement whose coverage closes an account's days.
func (s *setting) closing(provider, account string, mode payment.Mode) payment.Sort {
	if s.coverage.LedgerRead(provider, account, mode) {
		return payment.Ledger
	}
	return payment.ObjectList
}

// covered tells whether every statement that closes the account's days was
// read over the day. A statement that began later says nothing of it: else the
// days before a second one would stay open for ever. An object list that is
// torn there holds a day open too: what it tells later is about that day's
// attempts.
func (s *setting) covered(k dayKey, p *Policy) bool {
	sort := s.closing(k.provider, k.account, p.Mode)
	day := payment.Interval{From: k.day.Start(p.Zone), To: (k.day + 1).Start(p.Zone)}
	whole := false
	for _, g := range s.coverage.Groups() {
		if g.Provider != k.provider || g.Account != k.account || g.Mode != p.Mode {
			continue
		}
		begun := payment.Interval{From: max(day.From, g.From), To: day.To}
		if !begun.Empty() && !g.Reads(begun, payment.Assumed) {
			return false
		}
		whole = whole || g.Sort == sort && g.Reads(day, payment.Assumed)
	}
	return whole
}
