package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"desfecho/internal/check"
	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// known is what the rows that a run would compare now say of each other; nil
// where desfecho's tables are not those of this program or nothing was read. A
// row that cannot be read is for the audits to name.
func (r *databaseRun) known(ctx context.Context) (k *knowledge, err error) {
	s, err := r.d.openStore(ctx, &r.config, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r.store = s
	if err := s.CheckSchema(ctx); err != nil {
		return nil, ignored(ctx, err)
	}
	err = r.view(ctx, func(view store.View) error {
		if err := r.learn(ctx, view); err != nil {
			return err
		}
		window, _, err := r.window(ctx, view, view.Now())
		if err != nil {
			return err
		}
		loaded, err := view.Load(ctx, store.Scope{Now: view.Now(), Window: window, Policies: r.policies})
		if err != nil {
			return err
		}
		k = &knowledge{names: referenceNames(r.config.described()), policies: loaded.Input.Policies, links: map[[2]string]*check.Link{}}
		return errors.Join(loaded.Rows.Parts(partition.ShardRows, 1, func(p reconcile.Part) error {
			k.add(&p)
			return context.Cause(ctx)
		}), loaded.Close())
	})
	if err != nil {
		return nil, ignored(ctx, err)
	}
	return k, nil
}

// ignored leaves an error to the audits, which say in words what they cannot
// see; only an end of the context is one.
func ignored(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// knowledge grows part by part, so that no more than a part is ever held: what
// belongs together is in one.
type knowledge struct {
	names    []string // under which statements give the references
	policies []reconcile.Policy
	pairs    check.Paired
	links    map[[2]string]*check.Link // by provider and reference
}

func (k *knowledge) add(p *reconcile.Part) {
	k.pair(p)
	k.link(p)
}

// pair finds attempts that store the id of one of the provider's objects, and
// of which nothing else does. An object that only lines tell of was made when it
// was charged.
func (k *knowledge) pair(p *reconcile.Part) {
	byID := map[[2]string]*payment.Unit{}
	for i := range p.Lines {
		l := &p.Lines[i]
		if id := [2]string{l.Provider, l.Unit}; l.Kind == payment.KindCharge && !l.DayOnly && l.Unit != "" && byID[id] == nil {
			byID[id] = &payment.Unit{ID: l.Unit, CreatedAt: l.At, State: payment.StateCaptured}
		}
	}
	for i := range p.Units {
		u := &p.Units[i]
		for _, id := range append([]string{u.ID}, u.Aliases...) {
			byID[[2]string{u.Provider, id}] = u
		}
	}
	holders := map[[2]string]int{}
	for i := range p.Attempts {
		holders[[2]string{p.Attempts[i].Provider, p.Attempts[i].ProviderID}]++
	}
	for i := range p.Attempts {
		a := &p.Attempts[i]
		id := [2]string{a.Provider, a.ProviderID}
		if u := byID[id]; u != nil && a.ProviderID != "" && holders[id] == 1 {
			k.pairs.Add(&check.Pair{
				Attempt: a, Unit: u.ID, UnitKey: u.Key, UnitMade: u.CreatedAt, Precision: u.Precision, UnitIsPaid: u.State.Money(),
			})
		}
	}
}

// link counts how many lines of attempts' money carry each described
// reference, and how many of those name an attempt that is there. Lines that
// need no attempt owe no reference.
func (k *knowledge) link(p *reconcile.Part) {
	type naming struct{ provider, name, value string }
	stored := map[naming]bool{}
	for i := range p.Attempts {
		for _, r := range p.Attempts[i].References {
			stored[naming{p.Attempts[i].Provider, r.Name, r.Value}] = true
		}
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		if !isMoneyOfAttempts(l.Kind) || expected(k.policies, l) {
			continue
		}
		for _, name := range k.names {
			at := k.about(l.Provider, name)
			at.Lines++
			for _, r := range l.References {
				if r.Name != name {
					continue
				}
				at.Carrying++
				if stored[naming{l.Provider, r.Name, r.Value}] {
					at.Linked++
				}
				break
			}
		}
	}
}

func (k *knowledge) about(provider, name string) *check.Link {
	key := [2]string{provider, name}
	if k.links[key] == nil {
		key[0] = strings.Clone(provider) // what is kept of a part holds none of it
		k.links[key] = &check.Link{Provider: key[0], Reference: name}
	}
	return k.links[key]
}

// linked lists the links in order.
func (k *knowledge) linked() (links []check.Link) {
	for _, link := range k.links {
		links = append(links, *link)
	}
	slices.SortFunc(links, func(a, b check.Link) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Reference, b.Reference))
	})
	return links
}

// referenceNames lists the names under which statements give the references.
func referenceNames(d *store.Description) (names []string) {
	for _, r := range d.References {
		names = append(names, cmp.Or(r.Name, strings.TrimPrefix(r.There, "metadata.")))
	}
	return names
}

func expected(policies []reconcile.Policy, l *payment.Line) bool {
	return slices.ContainsFunc(policies, func(p reconcile.Policy) bool { return p.Provider == l.Provider && p.Expects(l.Raw) })
}

func isMoneyOfAttempts(k payment.Kind) bool {
	return k == payment.KindCharge || k == payment.KindRefund || k == payment.KindTransferOut
}
