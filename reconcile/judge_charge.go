package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// chargeGroup is the attempts of one charge and the units that count in its
// surplus (RULES §3.5).
type chargeGroup struct {
	attempts []*evidence.Attempt
	units    []*evidence.Unit // counted once each
	foreign  []*evidence.Unit // of them, those that only metadata names
	currency money.Currency
	surplus  int64
	own      int64 // of it, what no other entry counts already
	excess   int64 // refunds beyond what was captured
}

// split is what of a succeeded attempt's money is surplus: lines of its units,
// and of its own amount.
type split struct{ lines, attempt int64 }

// chargeGroups lists the charges of the component; facts are sorted by charge.
func (j *judge) chargeGroups() []chargeGroup {
	all := j.facts.Attempts
	if len(all) == 0 || len(all) == 1 && len(j.facts.Units) < 2 && !j.overRefunded() {
		return nil
	}
	var foreign []*evidence.Unit
	for _, u := range j.facts.Units {
		if u.ForeignCharge != "" && u.Link == evidence.Unlinked && u.Flow() != evidence.FlowOut {
			foreign = append(foreign, u)
		}
	}
	var groups []chargeGroup
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && evidence.SameCharge(all[start].Attempt, all[end].Attempt) {
			end++
		}
		g := chargeGroup{attempts: all[start:end], currency: all[start].Amount.Currency}
		g.collect(foreign)
		groups = append(groups, g)
		start = end
	}
	return groups
}

// overRefunded: a unit's own lines returned more than it captured.
func (j *judge) overRefunded() bool {
	return slices.ContainsFunc(j.facts.Units, func(u *evidence.Unit) bool {
		return u.Money.Refunded > u.Money.Captured.Minor
	})
}

func (g *chargeGroup) collect(foreign []*evidence.Unit) {
	for _, a := range g.attempts {
		for _, u := range a.Units {
			if u.Counts(g.currency) && !slices.Contains(g.units, u) {
				g.units = append(g.units, u)
			}
		}
	}
	id := g.attempts[0].Charge
	for _, u := range foreign {
		if id != "" && u.ForeignCharge == id && u.Counts(g.currency) {
			g.units, g.foreign = append(g.units, u), append(g.foreign, u)
		}
	}
}

// settle computes the surplus and says which attempts' money it is: first
// units beyond one attempt's amount, then unrecorded units, open and failed
// attempts, and at last succeeded ones, the latest first.
func (g *chargeGroup) settle(j *judge) {
	policy := g.attempts[0].Policy
	var captured, refunded int64
	for _, u := range g.units {
		captured += u.Money.Captured.Minor
		refunded += u.Money.Refunded
	}
	if len(g.units) > 0 && g.attempts[0].Direction() == payment.In {
		g.excess = max(refunded-max(captured, 0), 0)
	}
	if len(g.units) < 2 {
		return
	}
	if policy.CapacityMany {
		for _, a := range g.attempts {
			g.surplus += evidence.Surplus(a.Units, a.Amount.Minor, g.currency)
		}
	} else {
		g.surplus = evidence.Surplus(g.units, g.wanted(j), g.currency)
	}
	rest, beyond := g.surplus, int64(0)
	for _, a := range g.attempts {
		over := int64(0)
		for _, u := range a.Units {
			if u.Counts(g.currency) && u.Link == evidence.Linked {
				over += u.Money.Captured.Minor
			}
		}
		if over -= a.Amount.Minor; len(a.Units) > 1 && over > 0 && a.Status == payment.Succeeded {
			j.set(a, split{lines: over})
			rest, beyond = rest-over, beyond+over
		}
	}
	for _, u := range g.foreign {
		rest -= u.Money.Captured.Minor
	}
	for _, a := range g.attempts {
		if a.Status != payment.Succeeded {
			rest -= capturedOf(a)
		}
	}
	g.own = min(g.surplus, max(rest, 0)+beyond)
	for _, a := range slices.Backward(g.attempts) {
		if a.Status != payment.Succeeded || rest <= 0 || twice(a) {
			continue
		}
		part := min(rest, a.Amount.Minor, capturedOf(a))
		s := j.split[a]
		s.lines, s.attempt = s.lines+part, part
		j.set(a, s)
		rest -= part
	}
}

func (j *judge) set(a *evidence.Attempt, s split) {
	if j.split == nil {
		j.split = map[*evidence.Attempt]split{}
	}
	j.split[a] = s
}

func capturedOf(a *evidence.Attempt) int64 {
	var sum int64
	for _, u := range a.Units {
		if u.Money.Moved && u.Money.Currency == a.Amount.Currency {
			sum += u.Money.Captured.Minor
		}
	}
	return sum
}

// wanted is what the charge wants: stated, else the first attempt's amount. A
// refund that carries the sale's id is a charge of its own, of which nothing is
// stated.
func (g *chargeGroup) wanted(j *judge) int64 {
	if stated, ok := j.charges[g.attempts[0].Charge]; ok && g.attempts[0].Direction() == payment.In {
		return stated
	}
	return g.attempts[0].Amount.Minor
}

// report makes the charge's entry.
func (g *chargeGroup) report(j *judge) {
	if !slices.ContainsFunc(g.attempts, j.attemptInScope) && !slices.ContainsFunc(g.units, j.unitInScope) {
		return
	}
	var found []finding
	if g.surplus > 0 {
		f := g.about(j, DuplicateCharge, P1)
		f.Surplus, f.Amount = g.surplus, g.surplus
		if other := g.sameMoney(j); other != nil && g.own > 0 {
			f.Amount = g.own // the rest stands with the other entry
		} else {
			f.SameMoneyAs = other
		}
		found = append(found, f)
	}
	if g.excess > 0 {
		f := g.about(j, RefundExceedsCaptured, P1)
		f.Excess, f.Amount = g.excess, g.excess
		f.SameMoneyAs = g.unbooked(j)
		found = append(found, f)
	}
	open := 0
	for _, a := range g.attempts {
		if a.Status.Open() {
			open++
		}
	}
	if open > 1 {
		f := g.about(j, TwoOpenAttempts, P2)
		f.Amount = 0
		found = append(found, f)
	}
	if len(found) > 0 {
		id := cmp.Or(g.attempts[0].Charge, g.attempts[0].ID)
		j.report(Subject{SubjectCharge, []string{id}}, found)
	}
}

func (g *chargeGroup) about(j *judge, class Class, severity Severity) finding {
	f := with(j.about(g.attempts[0], class, severity), g.units)
	f.Unit = ""
	f.Attempts = nil
	for _, a := range g.attempts {
		f.Attempts = append(f.Attempts, a.ID)
	}
	return f
}

// sameMoney names the entry that already counts the surplus: an unrecorded
// unit's, else an open or failed attempt's (RULES §4: a line's money belongs
// to its unit's divergence, else its attempt's, else its charge's).
func (g *chargeGroup) sameMoney(j *judge) *Subject {
	for _, u := range g.foreign {
		if j.unitInScope(u) {
			return &Subject{SubjectUnit, []string{u.ID}}
		}
	}
	for _, a := range slices.SortedFunc(slices.Values(g.attempts), func(x, y *evidence.Attempt) int {
		return cmp.Compare(y.CreatedAt, x.CreatedAt)
	}) {
		if a.Status != payment.Succeeded && capturedOf(a) > 0 && j.listed(a) {
			return &Subject{SubjectAttempt, []string{a.ID}}
		}
	}
	return nil
}

// unbooked names the attempt whose unrecorded refund is the excess.
func (g *chargeGroup) unbooked(j *judge) *Subject {
	for _, a := range g.attempts {
		for _, u := range a.Units {
			if u.Money.UnbookedRefund > 0 && j.listed(a) {
				return &Subject{SubjectAttempt, []string{a.ID}}
			}
		}
	}
	return nil
}

func (j *judge) listed(a *evidence.Attempt) bool {
	for _, d := range j.out.divergences[j.first:] {
		if d.Subject.Kind == SubjectAttempt && d.Subject.IDs[0] == a.ID {
			return true
		}
	}
	return false
}

// reusedKeys makes one entry per idempotency key that went out with two
// payloads.
func (j *judge) reusedKeys() {
	all := j.facts.Attempts
	if len(all) < 2 {
		return
	}
	byKey := map[string][]*evidence.Attempt{}
	for _, a := range all {
		if a.Key != "" && a.PayloadHash != "" {
			byKey[a.Provider+"\x00"+a.Key] = append(byKey[a.Provider+"\x00"+a.Key], a)
		}
	}
	for _, same := range byKey {
		differ := slices.ContainsFunc(same, func(a *evidence.Attempt) bool { return a.PayloadHash != same[0].PayloadHash })
		if !differ || !slices.ContainsFunc(same, j.attemptInScope) {
			continue
		}
		f := j.about(same[0], KeyReused, P2)
		f.Key, f.Amount, f.Attempts = same[0].Key, 0, nil
		for _, a := range same {
			f.Attempts = append(f.Attempts, a.ID)
		}
		j.report(attemptsSubject(same), []finding{f})
	}
}
