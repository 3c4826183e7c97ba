package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// Answers sums up the look-ups about one attempt (RULES §6): the last answer
// to every question counts, and what it says about this attempt.
type Answers struct {
	Asked    bool
	Found    []*Unit // own units that the last answers hold
	Negative bool    // every last answer is a complete no
	// Reason of the newest inconclusive last answer, "" where none is.
	Reason string
	// Lapsed: an older answer held a unit of this attempt, the last ones say no.
	Lapsed bool
	// LastAt is when the newest answer was observed, NegativeAt the newest no.
	LastAt, NegativeAt payment.Instant
	noes               []no     // every last answer that is a no
	PeriodNotHeld      bool     // every inconclusive answer says so
	All                []Answer // what each look-up told, oldest first
}

// Answer is what one look-up tells of the attempt it was made for: own units,
// or why it tells nothing. Neither is a complete no.
type Answer struct {
	*payment.Lookup
	Own    []*Unit
	Reason string
}

// No tells whether the answer is a complete negative one.
func (a *Answer) No() bool { return len(a.Own) == 0 && a.Reason == "" }

// Said is the state that the answer itself gives for one of its own units, of
// a group the one that weighs most; StateNone where it states nothing but an id.
func (a *Answer) Said(u *Unit) payment.State {
	said := payment.StateNone
	for i := range a.Units {
		switch o := &a.Units[i]; {
		case o.State == payment.StateNone || !slices.Contains(u.Names, o.ID):
		case said == payment.StateNone:
			said = o.State
		default:
			said = groupState(said, o.State)
		}
	}
	return said
}

// no is a complete negative answer of one account.
type no struct {
	account string
	at      payment.Instant
}

// absentEverywhere tells whether every account that the attempt may belong to
// said no at or after the instant (RULES §8: an attempt without account
// belongs to all accounts of its provider).
func (a *Attempt) absentEverywhere(since payment.Instant) bool {
	accounts := a.Policy.Accounts
	if a.Account != "" || len(accounts) == 0 {
		accounts = []string{a.Account}
	}
	for _, account := range accounts {
		if !slices.ContainsFunc(a.Answers.noes, func(n no) bool { return n.at >= since && sameAccount(n.account, account) }) {
			return false
		}
	}
	return a.Answers.Negative
}

// The reasons that desfecho itself gives an answer that proves nothing.
const (
	ReasonNoControl      = "no_control"
	ReasonOtherReference = "other_reference"
	ReasonOtherAccount   = "other_account"
	ReasonWrongMode      = "wrong_mode"
	ReasonPeriodNotHeld  = "period_not_held"
	ReasonAmbiguous      = "ambiguous"
	ReasonOnlyReturn     = "only_return_known"
	reasonUnstated       = "inconclusive"
)

// evidence hands look-ups and events to the attempts they are about.
func (b *Looker) evidence(c Component) {
	if len(c.Lookups) == 0 && len(c.Events) == 0 {
		return
	}
	asked := map[string][]*payment.Lookup{}
	for _, l := range c.Lookups {
		if l.At <= b.now {
			asked[l.Attempt] = append(asked[l.Attempt], l)
		}
	}
	for _, a := range b.facts.Attempts {
		own := slices.DeleteFunc(slices.Clone(asked[a.ID]), func(l *payment.Lookup) bool {
			return !sameProvider(a.Attempt, l.Provider, "")
		})
		b.answer(a, own)
	}
	for _, e := range c.Events {
		if e.At <= b.now {
			b.event(e)
		}
	}
}

// event tells the attempts whose key of scope attempt a stored event carries.
func (b *Looker) event(e *payment.Event) {
	u := Unit{Unit: payment.Unit{Provider: e.Provider}}
	found := union(b.keys.find(key{kind: keyID, value: e.Unit}, &u, FlowUnknown),
		b.keys.find(key{kind: keyIdempotency, value: e.Key}, &u, FlowUnknown))
	for _, r := range e.References {
		for _, a := range b.keys.find(key{keyReference, r.Name, r.Value}, &u, FlowUnknown) {
			if a.scope(r.Name) == payment.ScopeAttempt {
				found = with(found, a)
			}
		}
	}
	for _, a := range found {
		a.Events = append(a.Events, e)
	}
}

// compareSaid orders what two answers of one instant say.
func compareSaid(x, y payment.Unit) int {
	return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.State, y.State), cmp.Compare(x.Captured.Minor, y.Captured.Minor))
}

func (b *Looker) answer(a *Attempt, lookups []*payment.Lookup) {
	if len(lookups) == 0 {
		return
	}
	slices.SortStableFunc(lookups, func(x, y *payment.Lookup) int {
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.Key.Kind, y.Key.Kind), cmp.Compare(x.Key.Name, y.Key.Name),
			cmp.Compare(x.Key.Value, y.Key.Value), cmp.Compare(x.Account, y.Account), cmp.Compare(x.Outcome, y.Outcome),
			cmp.Compare(x.Reason, y.Reason), slices.CompareFunc(x.Units, y.Units, compareSaid))
	})
	type question struct {
		key     payment.LookupKey
		account string
	}
	last := map[question]*payment.Lookup{}
	for _, l := range lookups {
		last[question{l.Key, l.Account}] = l
	}
	s := &a.Answers
	s.Asked, s.Negative, s.PeriodNotHeld = true, true, true
	older := false
	for _, l := range lookups {
		found, reason := b.read(a, l)
		s.All = append(s.All, Answer{l, found, reason})
		s.LastAt = l.At
		if last[question{l.Key, l.Account}] != l {
			older = older || len(found) > 0
			continue
		}
		switch {
		case len(found) > 0:
			s.Negative = false
			for _, u := range found {
				if !slices.Contains(s.Found, u) {
					s.Found = append(s.Found, u)
				}
			}
		case reason != "":
			s.Negative, s.Reason = false, reason
			s.PeriodNotHeld = s.PeriodNotHeld && reason == ReasonPeriodNotHeld
		default:
			s.NegativeAt, s.noes = l.At, append(s.noes, no{l.Account, l.At})
		}
	}
	s.PeriodNotHeld = s.PeriodNotHeld && s.Reason != ""
	s.Lapsed = older && s.Negative
}

// read says what one answer tells of this attempt: own units, or why it tells
// nothing. Neither is a complete no: units that carry the key asked for and
// belong to the charge's other attempts are one (RULES §6), units that do not
// carry it are none (law 5).
func (b *Looker) read(a *Attempt, l *payment.Lookup) (own []*Unit, reason string) {
	switch {
	case l.Outcome == payment.Inconclusive:
		return nil, cmp.Or(l.Reason, reasonUnstated)
	case !sameAccount(a.Account, l.Account):
		return nil, ReasonOtherAccount
	case l.Outcome == payment.NotFound && l.NoControl:
		return nil, ReasonNoControl
	case l.Outcome == payment.NotFound:
		return nil, ""
	}
	sibling := false
	for i := range l.Units {
		o := &l.Units[i]
		u := b.unit(cmp.Or(o.Provider, l.Provider), cmp.Or(o.Account, l.Account), o.Mode, o.ID)
		switch {
		case u == nil || !carriesKey(u, o, l.Key):
			reason = cmp.Or(reason, ReasonOtherReference)
		case u.Other():
			reason = cmp.Or(reason, ReasonWrongMode)
		case slices.Contains(a.Units, u):
			own = append(own, u)
		case u.Link == Ambiguous || u.Link == Collision || u.Link == Unlinked:
			reason = cmp.Or(reason, ReasonAmbiguous)
		case u.Link == Follower:
			reason = cmp.Or(reason, ReasonOnlyReturn)
		default:
			sibling = true
		}
	}
	if len(own) > 0 || sibling {
		return own, ""
	}
	return nil, cmp.Or(reason, ReasonOtherReference)
}

func (b *Looker) unit(provider, account string, mode payment.Mode, id string) *Unit {
	i := b.names.find(name{provider, mode, id}, account)
	if i < 0 {
		return nil
	}
	return &b.units[root(b.drafts, i)]
}

// carriesKey tells whether a unit that was found carries the key asked for. An
// answer that states nothing but an id is read by what else is known of it.
func carriesKey(u *Unit, o *payment.Unit, k payment.LookupKey) bool {
	if o.State == payment.StateNone {
		o = &u.Unit
	}
	switch k.Kind {
	case payment.KeyUnit:
		return slices.Contains(u.Names, k.Value)
	case payment.KeyIdempotency:
		return o.Key == k.Value
	case payment.KeyReference:
		return slices.ContainsFunc(o.References, func(r payment.Reference) bool { return r.Name == k.Name && r.Value == k.Value })
	}
	return false
}
