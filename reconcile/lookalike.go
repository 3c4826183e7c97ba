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
	if u.Link == evidence.Unlinked && u.Money.Moved && !u.Stub && !u.Other() && u.State != payment.StateUnmapped {
		j.out.suspects = append(j.out.suspects, suspect{u.ID, u.Provider, u.Since(), stake(u)})
	}
}

// lookAlikes names the near misses of attempts that were not found: the same
// amount and currency, within look_alike_window, not dismissed (RULES §6).
func (b *books) lookAlikes(s *setting, in *Input) {
	var wanted []*Divergence
	for i := range b.divergences {
		if b.divergences[i].Class == UnknownNotFound && b.divergences[i].Reason != ReasonStoredEvent {
			wanted = append(wanted, &b.divergences[i])
		}
	}
	if len(wanted) == 0 || len(b.suspects) == 0 {
		return
	}
	byAmount := map[money.Amount][]suspect{}
	for _, x := range b.suspects {
		byAmount[x.amount] = append(byAmount[x.amount], x)
	}
	sent := map[string]payment.Instant{}
	for i := range in.Attempts {
		sent[in.Attempts[i].ID] = in.Attempts[i].LastSent
	}
	for _, d := range wanted {
		window := s.policy(d.Provider).LookAlikeWindow
		near := payment.Interval{From: d.Since.Add(-window), To: max(d.Since, sent[d.Attempts[0]]).Add(window) + 1}
		for _, x := range byAmount[money.Amount{Minor: d.Amount, Currency: d.Currency}] {
			if x.provider == d.Provider && near.Contains(x.at) && !dismissed(in, d.Attempts[0], x.unit) {
				d.Reason = ReasonLookAlike
				d.LookAlikes = append(d.LookAlikes, x.unit)
			}
		}
		slices.Sort(d.LookAlikes)
	}
}

func dismissed(in *Input, attempt, unit string) bool {
	return slices.ContainsFunc(in.Dismissed, func(d Dismissal) bool {
		return d.Attempt == attempt && d.Unit == unit && d.Reason != "" && d.At <= in.Now
	})
}

// compareDivergences is the order of every report: severity, class, subject.
func compareDivergences(x, y Divergence) int {
	return cmp.Or(cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Class, y.Class), compareSubject(x.Subject, y.Subject),
		cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.Account, y.Account), cmp.Compare(x.Unit, y.Unit))
}
