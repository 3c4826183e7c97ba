package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// suspect is an unlinked captured unit: it may be an absent attempt's, and
// nothing but a person can tell. It blocks and never joins (law 9).
type suspect struct {
	unit     string
	provider string
	at       payment.Instant
	amount   money.Amount
}

func (j *judge) suspect(u *evidence.Unit) {
	if u.LookAlike() {
		j.out.suspects = append(j.out.suspects, suspect{u.ID, u.Provider, u.Since(), stake(u)})
	}
}

// absent is an attempt that was not found, by its divergence.
type absent struct {
	divergence int // into books.divergences
	sent       payment.Instant
	dismissed  []Dismissal
}

// dismiss keeps what was put aside for attempts that were not found. Those of
// other attempts say nothing.
func (b *books) dismiss(of []absent, all []Dismissal) {
	for i := range of {
		a := &of[i]
		for _, d := range all {
			if d.Attempt == b.divergences[a.divergence].Attempts[0] {
				a.dismissed = append(a.dismissed, d)
			}
		}
	}
}

// lookAlikes names the near misses of attempts that were not found: the same
// amount and currency, within look_alike_window, not dismissed (RULES §6).
func (b *books) lookAlikes(s *setting) {
	if len(b.absent) == 0 || len(b.suspects) == 0 {
		return
	}
	byAmount := map[money.Amount][]suspect{}
	for _, x := range b.suspects {
		byAmount[x.amount] = append(byAmount[x.amount], x)
	}
	for i := range b.absent {
		a := &b.absent[i]
		d := &b.divergences[a.divergence]
		window := s.policy(d.Provider).LookAlikeWindow
		near := payment.Interval{From: d.Since.Add(-window), To: max(d.Since, a.sent).Add(window) + 1}
		for _, x := range byAmount[money.Amount{Minor: d.Amount, Currency: d.Currency}] {
			if x.provider == d.Provider && near.Contains(x.at) && !a.puts(x.unit, s.now) {
				d.Reason = ReasonLookAlike
				d.LookAlikes = append(d.LookAlikes, x.unit)
			}
		}
		slices.Sort(d.LookAlikes)
	}
}

// puts tells whether a person had put the unit aside by now.
func (a *absent) puts(unit string, now payment.Instant) bool {
	return slices.ContainsFunc(a.dismissed, func(d Dismissal) bool {
		return d.Unit == unit && d.Reason != "" && d.At <= now
	})
}

// compareDivergences is the order of every report: severity, class, subject.
func compareDivergences(x, y Divergence) int {
	return cmp.Or(cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Class, y.Class), compareSubject(x.Subject, y.Subject),
		cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.Account, y.Account), cmp.Compare(x.Unit, y.Unit))
}
