package store

import (
	"context"
	"slices"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// eventSlack is how much earlier than its attempt an event may be dated: two
// of the merchant's programs write the two times.
const eventSlack = 60 * 60 * 1_000_000 // µs

// events adds the stored webhook events that can change a verdict: those that
// name an open attempt, and those of the other mode that name anything that
// was loaded. An event comes after its attempt was made, so that none from
// before the oldest open attempt is read, and of the other mode none from
// before the window.
func (g *gathering) events(ctx context.Context) error {
	reading := g.reading.Events()
	if reading == nil {
		return nil
	}
	since := g.oldest
	// A decision about one attempt has no window.
	if w := g.scope.Window; reading.TellsMode() && !w.Empty() && (since == 0 || w.From < since) {
		since = w.From
	}
	if since == 0 {
		return nil
	}
	since -= eventSlack
	look := &sifting{rows: g.rows}
	err := g.source.Events(ctx, g.providers, since, func(e StoredEvent) error {
		if !e.At.IsZero() && e.At < since { // asked for a little more, where a column has no zone
			return nil
		}
		mode := modeOf(g.scope.Policies, e.Provider)
		if !e.ModeTold {
			e.Mode = mode
		}
		switch {
		case g.open.by(&e.Event):
			return g.rows.Event(&e.Event)
		case e.Mode != mode:
			return look.candidate(g.eventKeys(&e.Event), 0, func() error { return g.rows.Event(&e.Event) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	return look.sift()
}

func modeOf(policies []reconcile.Policy, provider string) payment.Mode {
	i := slices.IndexFunc(policies, func(p reconcile.Policy) bool { return p.Provider == provider })
	return policies[max(i, 0)].Mode
}

// eventKeys are the keys of an event that attempts can be looked for by.
func (g *gathering) eventKeys(e *payment.Event) (keys []reconcile.Key) {
	add := func(column AttemptKey, sort reconcile.KeySort, name, value string) {
		if _, ok := g.reading.Key(column); ok && value != "" {
			keys = append(keys, reconcile.Key{Sort: sort, Hash: reconcile.HashKey(sort, name, value)})
		}
	}
	add(AttemptKey{Kind: ByProviderID}, reconcile.KeyUnit, "", e.Unit)
	add(AttemptKey{Kind: ByIdempotencyKey}, reconcile.KeyIdempotency, "", e.Key)
	for _, r := range e.References {
		for i := range g.reading.references {
			if g.reading.references[i].name == r.Name {
				add(AttemptKey{ByReference, i}, reconcile.KeyReference, r.Name, r.Value)
			}
		}
	}
	return keys
}

// namedBy holds the keys of some attempts.
type namedBy struct {
	units, keys map[string]bool
	references  map[payment.Reference]bool
}

func (n *namedBy) add(a *payment.Attempt) {
	if n.units == nil {
		n.units, n.keys, n.references = map[string]bool{}, map[string]bool{}, map[payment.Reference]bool{}
	}
	n.units[a.ProviderID], n.keys[a.Key] = true, true
	for _, r := range a.References {
		n.references[payment.Reference{Name: r.Name, Value: r.Value}] = true
	}
}

func (n *namedBy) by(e *payment.Event) bool {
	return e.Unit != "" && n.units[e.Unit] || e.Key != "" && n.keys[e.Key] ||
		slices.ContainsFunc(e.References, func(r payment.Reference) bool { return n.references[payment.Reference{Name: r.Name, Value: r.Value}] })
}
