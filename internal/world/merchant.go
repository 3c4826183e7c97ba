package world

import (
	"slices"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// attempt is a row as the merchant writes it before the call: status and
// amount, the charge's reference, a key, and no reference of its own yet.
func (s *scene) attempt(status payment.Status, charge string, at payment.Instant, minor int64) payment.Attempt {
	a := payment.Attempt{
		ID: s.id("a"), Charge: charge, Provider: mainProvider, Key: s.id("k"), Status: status,
		Amount: money.Amount{Minor: minor, Currency: s.currency}, CreatedAt: at,
		LastSent:   at.Add(time.Duration(s.IntN(90)) * time.Second),
		References: make([]payment.Reference, 1, 2),
	}
	a.References[0] = payment.Reference{Name: chargeName, Scope: payment.ScopeCharge, Value: charge}
	if s.oneIn(2) {
		a.Account = s.account
	}
	if status.Final() {
		a.ResolvedAt = a.LastSent.Add(2 * time.Second)
	}
	return a
}

// keep writes the attempts into the merchant's table.
func (s *scene) keep(attempts ...payment.Attempt) {
	s.w.Attempts = append(s.w.Attempts, attempts...)
}

// tie is a way in which an attempt and the provider's object name each other.
type tie uint8

const (
	byReference tie = iota
	byID
	byAlias
	byKey
	byCharge
	byAll
)

// link makes one of the ties that the world's sources can show. An attempt
// whose outcome is open has no stored id. A tie by the charge is for attempts
// that are alone in their charge.
func (s *scene) link(a *payment.Attempt, o *object, alone bool) {
	ties := []tie{byReference}
	if a.Status.Final() {
		ties = append(ties, byID, byAll)
		if s.known(o) {
			ties = append(ties, byAlias)
		}
	}
	if s.known(o) {
		ties = append(ties, byKey)
	}
	if alone {
		ties = append(ties, byCharge)
	}
	s.bind(a, o, pick(s.dice, ties...))
}

func (s *scene) bind(a *payment.Attempt, o *object, t tie) {
	switch t {
	case byReference:
		s.share(a, o)
	case byID:
		a.ProviderID = o.id
	case byAlias:
		o.alias = s.id("pi")
		a.ProviderID = o.alias
	case byKey:
		o.key = a.Key
	case byCharge:
		o.refs = append(o.refs, payment.Reference{Name: chargeName, Scope: payment.ScopeCharge, Value: a.Charge})
	case byAll:
		a.ProviderID, o.key = o.id, a.Key
		s.share(a, o)
	}
}

// share sends a reference of the attempt's own along with it.
func (s *scene) share(a *payment.Attempt, o *object) {
	s.refer(a)
	o.refs = append(o.refs, a.References[len(a.References)-1])
}

// refer gives the attempt a reference of its own that no object carries (yet).
func (s *scene) refer(a *payment.Attempt) {
	a.References = append(a.References, payment.Reference{Name: refName, Scope: payment.ScopeAttempt, Value: s.id("r")})
}

// keyOf is what the provider would be asked by about the attempt: its stored
// id, its reference, else its key.
func keyOf(a payment.Attempt) payment.LookupKey {
	if a.ProviderID != "" {
		return payment.LookupKey{Kind: payment.KeyUnit, Value: a.ProviderID}
	}
	i := slices.IndexFunc(a.References, func(r payment.Reference) bool { return r.Name == refName })
	if i >= 0 {
		return payment.LookupKey{Kind: payment.KeyReference, Name: refName, Value: a.References[i].Value}
	}
	return payment.LookupKey{Kind: payment.KeyIdempotency, Value: a.Key}
}

// sharedKey is a key that the object carries and the attempt has.
func sharedKey(a payment.Attempt, o *object) payment.LookupKey {
	switch {
	case a.ProviderID != "" && (a.ProviderID == o.id || a.ProviderID == o.alias):
		return payment.LookupKey{Kind: payment.KeyUnit, Value: a.ProviderID}
	case o.key != "" && o.key == a.Key:
		return payment.LookupKey{Kind: payment.KeyIdempotency, Value: a.Key}
	}
	for _, r := range o.refs {
		if slices.Contains(a.References, r) {
			return payment.LookupKey{Kind: payment.KeyReference, Name: r.Name, Value: r.Value}
		}
	}
	return keyOf(a)
}

// answer lets the provider say what it holds of the attempt: needed where no
// statement shows the object, else now and then. The answer is fresh.
func (s *scene) answer(a payment.Attempt, o *object) {
	if s.visible(o) && !s.oneIn(3) {
		return
	}
	s.look(a, sharedKey(a, o), s.now, o)
}
