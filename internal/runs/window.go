// Package runs holds what a comparison over a database needs besides Match:
// which days it is about, what files said of their provider, what is new since
// the last run, and what people accepted.
//
// It is pure: it opens no database, reads no clock and judges no payment.
package runs

import (
	"cmp"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Relook is how far a run without a window looks back at least (RULES §8).
const Relook = 7 * 24 * time.Hour

// Reach is what the database holds of the statements.
type Reach struct {
	Coverage []payment.Statement
	Closed   []reconcile.DayDigest // what the last report of each closed day rested on
	Late     []reconcile.DayDigest // days that got lines since the last run
}

// Window is what a run is about that names none: from the oldest day that is
// not closed, or got a late line, to the newest covered day, and at least
// relook back (RULES §8). It never begins before the first covered moment, and
// is empty where nothing is covered.
//
// by is the part of it that each provider's statements must hold: their days
// begin at different moments, and so did their reading. One of which nothing
// was read owes all of it: what it holds cannot be judged.
func Window(r Reach, policies []reconcile.Policy, relook time.Duration, now payment.Instant) (all payment.Interval, by map[string]payment.Interval) {
	by = map[string]payment.Interval{}
	for i := range policies {
		p := &policies[i]
		if w := r.window(p, relook, now); !w.Empty() {
			all, by[p.Provider] = joined(all, w), w
		}
	}
	for i := range policies {
		if name := policies[i].Provider; by[name].Empty() && !all.Empty() {
			by[name] = all
		}
	}
	return all, by
}

// window is that of one provider.
func (r *Reach) window(p *reconcile.Policy, relook time.Duration, now payment.Instant) payment.Interval {
	var whole payment.Interval
	closing := map[string]payment.Interval{} // by account, what closes its days: ledgers, else lists
	lists := map[string]payment.Interval{}
	for _, s := range r.Coverage {
		part := payment.Interval{From: s.From, To: min(s.Through, now)}
		if s.Provider != p.Provider || s.Mode != p.Mode || part.Empty() {
			continue
		}
		whole = joined(whole, part)
		if s.Sort == payment.Ledger {
			closing[s.Account] = joined(closing[s.Account], part)
			continue
		}
		lists[s.Account] = joined(lists[s.Account], part)
	}
	for account, covered := range lists {
		if closing[account].Empty() {
			closing[account] = covered
		}
	}
	if whole.Empty() {
		return whole
	}
	from := payment.DayOf(whole.To.Add(-relook), p.Zone)
	for account, covered := range closing {
		from = min(from, r.firstOpen(p, account, covered))
	}
	for _, late := range r.Late {
		if late.Provider == p.Provider {
			from = min(from, late.Day)
		}
	}
	return payment.Interval{From: max(whole.From, from.Start(p.Zone)), To: whole.To}
}

func joined(a, b payment.Interval) payment.Interval {
	if a.Empty() {
		return b
	}
	return payment.Interval{From: min(a.From, b.From), To: max(a.To, b.To)}
}

// firstOpen is the first day, from the first that was covered whole, whose
// report may still change.
func (r *Reach) firstOpen(p *reconcile.Policy, account string, covered payment.Interval) payment.Day {
	closed := map[payment.Day]bool{}
	for _, d := range r.Closed {
		if d.Provider == p.Provider && d.Account == account {
			closed[d.Day] = true
		}
	}
	day := payment.DayOf(covered.From, p.Zone)
	if day.Start(p.Zone) < covered.From {
		day++
	}
	for closed[day] {
		day++
	}
	return day
}

// Newest is the latest moment up to which anything was read, 0 where nothing
// was.
func Newest(coverage []payment.Statement) (newest payment.Instant) {
	for _, s := range coverage {
		if s.From < s.Through {
			newest = max(newest, s.Through)
		}
	}
	return newest
}

// Account is one account of a provider, the unit that a lease is for.
type Account struct{ Provider, Account string }

// Accounts lists the accounts of the policies and those that were read, sorted,
// so that two runs ask for their leases in one order.
func Accounts(policies []reconcile.Policy, coverage []payment.Statement) []Account {
	var all []Account
	for i := range policies {
		p := &policies[i]
		for _, account := range p.Accounts {
			all = append(all, Account{p.Provider, account})
		}
		for _, s := range coverage {
			if s.Provider == p.Provider {
				all = append(all, Account{s.Provider, s.Account})
			}
		}
		if len(all) == 0 || all[len(all)-1].Provider != p.Provider {
			all = append(all, Account{Provider: p.Provider})
		}
	}
	slices.SortFunc(all, func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Account, b.Account))
	})
	return slices.Compact(all)
}

// PastReview lists the open attempts that are older than their review_after:
// they are told on every run until they are settled (RULES §4).
func PastReview(attempts []payment.Attempt, policies []reconcile.Policy, now payment.Instant) []string {
	var ids []string
	for i := range attempts {
		a := &attempts[i]
		for k := range policies {
			p := &policies[k]
			if p.Provider == a.Provider && a.Status.Open() && now.Sub(a.CreatedAt) >= p.Review(a) {
				ids = append(ids, a.ID)
			}
		}
	}
	return ids
}
