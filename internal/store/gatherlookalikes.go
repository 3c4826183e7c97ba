package store

import "desfecho/internal/payment"

// longest is how many days are looked through for one attempt: an instant that
// was never filled must not ask for two thousand years.
const longest = 10_000

// lookAlikes asks for what captured an unknown attempt's amount near it, in or
// outside the window: such an object may be the attempt's (RULES §6, the gate).
// Its keys, looked for with all others, tell whether it is linked.
func (g *gathering) lookAlikes(a *payment.Attempt) {
	for i := range g.scope.Policies {
		p := &g.scope.Policies[i]
		if a.Provider != p.Provider && a.Provider != "" || !mayBeAbsent(a, p.NoUnknownWord) {
			continue
		}
		first := dayOf(a.CreatedAt.Add(-p.LookAlikeWindow))
		last := dayOf(min(max(a.CreatedAt, a.LastSent), g.scope.Now).Add(p.LookAlikeWindow))
		lookAlikeKeys(a.Amount, max(first, last-longest), last, g.keys.add)
	}
}

// mayBeAbsent tells whether the attempt can be called not found: a pending one
// cannot, where the table has a word for unknown.
func mayBeAbsent(a *payment.Attempt, noUnknownWord bool) bool {
	return a.Status == payment.Unknown || a.Status == payment.Pending && noUnknownWord
}
