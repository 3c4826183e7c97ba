// Package probe asks providers about single attempts: by which keys, after
// which positive control, and when it is due (RULES §6). What comes back is
// evidence to be stored; it touches no attempt and concludes nothing.
package probe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
	"desfecho/internal/planted"
	"desfecho/internal/provider"
)

// controlAge is how old a unit may be that serves as a positive control
// (RULES §6).
const controlAge = 30 * 24 * time.Hour

// rawLimit is how much of an answer is kept for people.
const rawLimit = 64 << 10

// Asker asks one account of one provider. It belongs to one goroutine.
type Asker struct {
	Provider provider.Provider
	Name     string // of the provider, as the merchant's table has it
	Account  string
	Mode     payment.Mode
	// Now is the database's clock.
	Now func() payment.Instant
	// Known gives units that are known to exist at the provider, were created in
	// the interval and carry a key of the way's kind, those that say most first;
	// few, for each may be asked about. None where none is known.
	Known func(ctx context.Context, way provider.Lookup, created payment.Interval) ([]Control, error)

	controls map[control]bool
}

// Control is a unit that is known to exist, with the keys that it is known by,
// and the operation that made it.
type Control struct {
	payment.Unit
	Operation payment.Operation
}

// control is one endpoint and kind of key.
type control struct {
	endpoint string
	kind     payment.KeyKind
	name     string
}

// Subject is an attempt and the units that a line, an object or a stored event
// about it names.
type Subject struct {
	Attempt *payment.Attempt
	Units   []string
}

// Ask asks about an attempt by every key that the provider offers and that the
// subject carries and that is wanted, in the provider's order of trust. Each
// observation says what was asked and when; whatever is no complete answer is
// inconclusive, with its reason. The error is the context's, or the store's
// where no control could be looked for.
func (a *Asker) Ask(ctx context.Context, s Subject, wanted func(payment.LookupKey) bool) ([]payment.Lookup, error) {
	var all []payment.Lookup
	for _, way := range a.Provider.Capabilities().Lookups {
		if way.Operations != nil && !slices.Contains(way.Operations, s.Attempt.Operation) {
			continue
		}
		for _, value := range values(way.Key, s) {
			if key := (payment.LookupKey{Kind: way.Key.Kind, Name: way.Key.Name, Value: value}); !wanted(key) {
				continue
			}
			controlled, err := a.controlled(ctx, way)
			if err != nil {
				return all, err
			}
			l := a.one(ctx, s.Attempt, way, value)
			l.NoControl = !controlled && !planted.In(planted.NoControl)
			if err := ctx.Err(); err != nil {
				return all, err
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// values are what the subject carries of a kind of key, each once.
func values(kind payment.LookupKey, s Subject) []string {
	var found []string
	add := func(value string) {
		if value != "" && !slices.Contains(found, value) {
			found = append(found, value)
		}
	}
	switch kind.Kind {
	case payment.KeyUnit:
		add(s.Attempt.ProviderID)
		for _, id := range s.Units {
			add(id)
		}
	case payment.KeyIdempotency:
		add(s.Attempt.Key)
	case payment.KeyReference:
		for _, r := range s.Attempt.References {
			if r.Name == kind.Name {
				add(r.Value)
			}
		}
	}
	return found
}

// one asks once.
func (a *Asker) one(ctx context.Context, attempt *payment.Attempt, way provider.Lookup, value string) payment.Lookup {
	key := way.Key
	key.Value = value
	// The moment before the question: what the answer does not show was not
	// there then.
	l := payment.Lookup{Attempt: attempt.ID, Provider: a.Name, Account: a.Account, Key: key, At: a.Now(), Endpoint: way.Endpoint}
	if planted.In(planted.LocalClock) {
		l.At = l.At.Add(3 * time.Hour)
	}
	answer, err := a.Provider.LookUp(ctx, provider.Question{Attempt: attempt, Key: key})
	switch {
	case err != nil:
		l.Reason = string(reason(err))
		return l
	case planted.In(planted.AnyAccount):
	case answer.Mode != a.Mode:
		l.Reason = string(provider.WrongMode)
		return l
	case a.Account != "" && answer.Account != "" && answer.Account != a.Account:
		l.Reason = string(provider.OtherAccount)
		return l
	}
	l.Outcome, l.Canonical, l.RawHash = answer.Outcome, digest(answer.Canonical), digest(answer.Raw)
	l.Raw = mask.Text(string(answer.Raw[:min(len(answer.Raw), rawLimit)]))
	for _, u := range answer.Units {
		u.Source, u.ObservedAt, u.Provider = payment.FromLookup, l.At, a.Name
		l.Units = append(l.Units, u)
	}
	return l
}

func reason(err error) provider.Reason {
	if told, ok := errors.AsType[*provider.Error](err); ok {
		return told.Reason
	}
	return provider.Unreachable
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// controlled tells whether the endpoint, asked by this kind of key, shows a
// unit that is known to exist. It is found out once.
func (a *Asker) controlled(ctx context.Context, way provider.Lookup) (bool, error) {
	c := control{way.Endpoint, way.Key.Kind, way.Key.Name}
	if known, done := a.controls[c]; done {
		return known, nil
	}
	now := a.Now()
	units, err := a.Known(ctx, way, payment.Interval{From: now.Add(-controlAge), To: now.Add(-way.VisibleAfter)})
	if err != nil {
		return false, err
	}
	if a.controls == nil {
		a.controls = map[control]bool{}
	}
	a.controls[c] = slices.ContainsFunc(units, func(unit Control) bool { return a.shows(ctx, way, &unit) })
	return a.controls[c], nil
}

// shows tells whether a look-up by the unit's own key finds it.
func (a *Asker) shows(ctx context.Context, way provider.Lookup, unit *Control) bool {
	attempt := &payment.Attempt{
		ID: "control", Provider: a.Name, Account: a.Account, Operation: unit.Operation, Key: unit.Key, ProviderID: unit.ID,
		References: unit.References, CreatedAt: unit.CreatedAt, LastSent: unit.CreatedAt,
	}
	for _, value := range values(way.Key, Subject{Attempt: attempt}) {
		l := a.one(ctx, attempt, way, value)
		return l.Outcome == payment.Found && slices.ContainsFunc(l.Units, func(u payment.Unit) bool {
			return u.ID == unit.ID || slices.Contains(u.Aliases, unit.ID) || slices.Contains(unit.Aliases, u.ID)
		})
	}
	return false
}

// Everything wants every key.
func Everything(payment.LookupKey) bool { return true }

// Carries tells whether a unit has a key of the kind, and can serve as its
// control.
func Carries(u *payment.Unit, kind payment.LookupKey) bool {
	return len(values(kind, Subject{Attempt: &payment.Attempt{ProviderID: u.ID, Key: u.Key, References: u.References}})) > 0
}
