// Package resolve decides what may be done about one attempt without an
// outcome (RULES §6): which marks the evidence allows, which it refuses, why,
// from when that can change, which transition a mark would be, whether a second
// person must approve it, and what to advise about sending the payment again.
//
// Decide is total and deterministic: values in, values out, whatever order the
// evidence comes in. Facts (units, links, amounts, answers, coverage) are read
// by internal/evidence, as reports read them. The package asks no provider,
// reads no clock and no row, writes nothing and offers nothing that RULES §2
// forbids: a final status is never offered a mark, `failed` never stands
// against captured money, and a stored event never opens one.
package resolve

import (
	"slices"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Decide says what the evidence allows for the attempt that the case names.
// Where the case does not hold it, every mark is refused.
func Decide(c Case) Verdict {
	v := Verdict{Attempt: c.Attempt}
	s, missing := look(&c)
	if missing != nil {
		for mark := range markEnd {
			v.Marks[mark] = refuse(mark, *missing)
		}
		if s != nil && s.a.Status.Open() {
			v.Marks[Keep] = keep()
		}
		return v
	}
	v.Status, v.Version = s.a.Status, s.a.Version
	switch {
	case s.a.Status.Final():
		s.closed(&v, refusal{Reason: ReasonFinal, Sentence: "it is " + s.a.Status.String() + " here, and a final status never changes"})
	case s.a.Status == payment.StatusNone:
		s.closed(&v, refusal{Reason: ReasonUnmappedStatus, Sentence: "its status here is none that the configuration maps"})
	case s.a.Status == payment.Pending:
		s.pending(&v)
	default:
		s.unknown(&v)
	}
	v.Original = Outcome(s.a.LastError)
	v.Advice = s.advise(&v)
	return v
}

// scene is the case with its facts, as they stand at now.
type scene struct {
	*Case
	a        *evidence.Attempt
	facts    *evidence.Facts
	coverage *evidence.Coverage
	units    evidence.Sorted
}

// look finds the attempt among the facts of the case. What cannot be counted
// is refused before anything is counted.
func look(c *Case) (*scene, *refusal) {
	i := slices.IndexFunc(c.Attempts, func(a payment.Attempt) bool { return a.ID == c.Attempt })
	if i < 0 {
		return nil, &refusal{Reason: ReasonGone, Sentence: "no such attempt was loaded"}
	}
	all := evidence.Component{
		Attempts: pointers(c.Attempts), Units: pointers(c.Units), Lines: pointers(c.Lines),
		Lookups: pointers(c.Lookups), Events: pointers(c.Events),
	}
	s := &scene{Case: c, coverage: evidence.NewCoverage(c.Statements)}
	if !countable(&all) {
		s.a = &evidence.Attempt{Attempt: &c.Attempts[i], Status: c.Attempts[i].Status}
		return s, &refusal{Reason: ReasonUncountable, Sentence: "an amount here is too large to be added up: it cannot be true"}
	}
	s.facts = evidence.Look(all, c.policy, c.Now)
	j := slices.IndexFunc(s.facts.Attempts, func(a *evidence.Attempt) bool { return a.Attempt == &c.Attempts[i] })
	s.a = s.facts.Attempts[j]
	s.units = evidence.Sort(s.a.Units)
	return s, nil
}

// policy of a provider; where only one is given it is every provider's.
func (c *Case) policy(provider string) *evidence.Policy {
	for i := range c.Policies {
		if c.Policies[i].Provider == provider {
			return &c.Policies[i]
		}
	}
	if len(c.Policies) == 1 {
		return &c.Policies[0]
	}
	unstated := evidence.NewPolicy(provider)
	return &unstated
}

func pointers[T any](rows []T) []*T {
	to := make([]*T, len(rows))
	for i := range rows {
		to[i] = &rows[i]
	}
	return to
}

// countable tells whether no sum over the case can leave 64 bits.
func countable(c *evidence.Component) bool {
	var total int64
	ok := true
	add := func(minor int64) {
		sum, fits := money.Sum(total, money.Magnitude(minor))
		total, ok = sum, ok && fits
	}
	unit := func(u *payment.Unit) {
		add(u.Asked.Minor)
		add(u.Captured.Minor)
		add(u.Principal.Minor)
		for _, p := range u.Plan {
			add(p.Minor)
		}
	}
	for _, a := range c.Attempts {
		add(a.Amount.Minor)
	}
	for _, u := range c.Units {
		unit(u)
	}
	for _, l := range c.Lines {
		add(l.Gross)
		add(l.Presented.Minor)
	}
	for _, l := range c.Lookups {
		for i := range l.Units {
			unit(&l.Units[i])
		}
	}
	return ok
}

// closed: nothing may be done, for one reason (law 3).
func (s *scene) closed(v *Verdict, r refusal) {
	for mark := range markEnd {
		v.Marks[mark] = refuse(mark, r)
	}
}

// pending: in flight until orphan_after; then it may become unknown, whatever
// blocks a final mark.
func (s *scene) pending(v *Verdict) {
	v.Marks[Keep] = keep()
	if !s.a.Policy.Orphan(s.a.Attempt, s.Now) {
		until := s.a.CreatedAt.Add(s.a.Policy.OrphanAfter)
		for mark := range Keep {
			v.Marks[mark] = refuse(mark, refusal{ReasonInFlight, "its own call may still be running", until})
		}
		return
	}
	first := refusal{ReasonOrphan, "a pending attempt becomes unknown first", s.Now}
	v.Marks[Succeeded], v.Marks[Failed] = refuse(Succeeded, first), refuse(Failed, first)
	v.Marks[Unknown] = s.declared(s.signed(Offer{
		Mark: Unknown, Allowed: true, Transition: ToUnknown, Basis: BasisAge,
		Sentence: "pending longer than its own call can last",
	}))
}

func (s *scene) unknown(v *Verdict) {
	v.Marks[Keep] = keep()
	v.Marks[Unknown] = refuse(Unknown, refusal{Reason: ReasonUnknown, Sentence: "it is unknown already"})
	v.Gate = s.gate()
	v.Contradiction = s.contradiction() != ""
	succeeded, failed := s.succeeded(), s.failed(v.Gate)
	v.Marks[Succeeded] = s.conclude(succeeded, failed)
	v.Marks[Failed] = s.conclude(failed, succeeded)
	v.Surplus = s.surplus(v.Marks[Succeeded].unit)
}

// conclude lets manual evidence open what the table refuses, where it does not
// offer the other final mark, and says what an offered mark still needs: its
// transition declared, a second person's word.
func (s *scene) conclude(o, other Offer) Offer {
	if !o.Allowed && !other.Allowed {
		o = s.manual(o)
	}
	if !o.Allowed {
		return o
	}
	return s.declared(s.approved(s.signed(o)))
}

// declared refuses a mark whose transition the configuration does not declare
// (RULES §7: not even as empty, then it is not offered).
func (s *scene) declared(o Offer) Offer {
	if slices.Contains(s.Declared, o.Transition) {
		return o
	}
	return refuse(o.Mark, refusal{Reason: ReasonUndeclared, Sentence: "the configuration declares no transition `" + o.Transition.String() + "`"})
}
