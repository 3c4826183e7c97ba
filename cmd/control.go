package cmd

import (
	"context"
	"errors"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/probe"
	"desfecho/internal/provider"
	"desfecho/internal/store"
)

const (
	fewControls  = 3    // so many are asked about before a way to ask is not trusted
	controlsRead = 1000 // objects of a day, of which they are chosen
)

// errEnough ends a search.
var errEnough = errors.New("that is enough")

// known finds units that can serve as positive controls, the newest days first:
// those that an attempt of ours made, where our attempts name any, else others.
func (o *onCall) known(entry ProviderConfig) func(context.Context, provider.Lookup, payment.Interval) ([]probe.Control, error) {
	return func(ctx context.Context, way provider.Lookup, created payment.Interval) (others []probe.Control, err error) {
		view, err := o.store.View(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, view.Close()) }()
		named := o.config.Attempts.Columns.ProviderChargeID != ""
		for end := created.To; end > created.From && (named || len(others) == 0); end = end.Add(-24 * time.Hour) {
			day := payment.Interval{From: max(created.From, end.Add(-24*time.Hour)), To: end}
			var units []payment.Unit
			err := view.Units(ctx, store.UnitFilter{Providers: []string{entry.Name}, Created: &day}, func(s store.StoredUnit) error {
				if entry.Account == "" || s.Unit.Account == "" || s.Unit.Account == entry.Account {
					units = append(units, s.Unit)
				}
				if len(units) == controlsRead {
					return errEnough
				}
				return nil
			})
			if err != nil && !errors.Is(err, errEnough) {
				return nil, err
			}
			var owners map[string]payment.Attempt
			if named {
				if owners, err = ownersOf(ctx, view, entry.Name, units); err != nil {
					return nil, err
				}
			}
			own, bare := controls(way, units, owners)
			if len(own) > 0 {
				return own, nil
			}
			if len(others) == 0 {
				others = bare
			}
		}
		return others, nil
	}
}

// controls are the units that carry the key of the way to ask. A list may not
// tell every key that an object was made with, as Stripe's do not tell the
// idempotency key, nor what for: a succeeded attempt that names the object
// does.
func controls(way provider.Lookup, units []payment.Unit, owners map[string]payment.Attempt) (own, bare []probe.Control) {
	for _, u := range units {
		c := probe.Control{Unit: u}
		if len(way.Operations) > 0 {
			c.Operation = way.Operations[0]
		}
		a, owned := owners[u.ID]
		for _, alias := range u.Aliases {
			if !owned {
				a, owned = owners[alias]
			}
		}
		if owned = owned && (way.Operations == nil || slices.Contains(way.Operations, a.Operation)); owned {
			c.Operation, c.Key = a.Operation, a.Key
			c.References = append(slices.Clone(u.References), a.References...)
		}
		switch {
		case !probe.Carries(&c.Unit, way.Key):
		case owned && len(own) < fewControls:
			own = append(own, c)
		case !owned && len(bare) < fewControls:
			bare = append(bare, c)
		}
	}
	return own, bare
}

// ownersOf are the succeeded attempts that name one of the units, by that name.
func ownersOf(ctx context.Context, view store.View, name string, units []payment.Unit) (map[string]payment.Attempt, error) {
	var ids []string
	for i := range units {
		ids = append(append(ids, units[i].ID), units[i].Aliases...)
	}
	owners := map[string]payment.Attempt{}
	if len(ids) == 0 {
		return owners, nil
	}
	filter := store.AttemptFilter{Providers: []string{name}, By: store.AttemptKey{Kind: store.ByProviderID}, Values: ids}
	filter.Bad = func(payment.Attempt, error) error { return nil } // a report tells
	err := view.Attempts(ctx, filter, func(a payment.Attempt) error {
		if a.Status == payment.Succeeded {
			owners[a.ProviderID] = a
		}
		return nil
	})
	return owners, err
}
