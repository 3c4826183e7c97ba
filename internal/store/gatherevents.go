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
func (g *gathering) events(ctx context.Context, in *reconcile.Input) error {
	reading := g.reading.Events()
	if reading == nil {
		return nil
	}
	var open namedBy
	since := payment.Instant(0)
	if reading.TellsMode() {
		since = in.Window.From
	}
	for i := range in.Attempts {
		if a := &in.Attempts[i]; a.Status.Open() {
			open.add(a)
			if since == 0 || a.CreatedAt < since {
				since = a.CreatedAt
			}
		}
	}
	if since == 0 {
		return nil
	}
	since -= eventSlack
	return g.source.Events(ctx, g.providers, since, func(e StoredEvent) error {
		if !e.At.IsZero() && e.At < since { // asked for a little more, where a column has no zone
			return nil
		}
		mode := modeOf(in.Policies, e.Provider)
		if !e.ModeTold {
			e.Mode = mode
		}
		if open.by(&e.Event) || e.Mode != mode && g.named(&e.Event) {
			in.Events = append(in.Events, e.Event)
		}
		return nil
	})
}

func modeOf(policies []reconcile.Policy, provider string) payment.Mode {
	i := slices.IndexFunc(policies, func(p reconcile.Policy) bool { return p.Provider == provider })
	return policies[max(i, 0)].Mode
}

// named tells whether an event carries a key of what was gathered.
func (g *gathering) named(e *payment.Event) bool {
	seen := func(key AttemptKey, value string) bool {
		w := g.columns[key]
		if w == nil || value == "" {
			return false
		}
		_, there := w.seen[value]
		return there
	}
	return seen(AttemptKey{Kind: ByProviderID}, e.Unit) || seen(AttemptKey{Kind: ByIdempotencyKey}, e.Key) ||
		slices.ContainsFunc(e.References, func(r payment.Reference) bool {
			for i := range g.reading.references {
				if g.reading.references[i].name == r.Name && seen(AttemptKey{ByReference, i}, r.Value) {
					return true
				}
			}
			return false
		})
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
