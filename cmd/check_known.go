package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// known is what a run would compare now; nil where desfecho's tables are not
// those of this program or nothing was read. A row that cannot be read is for the audits to
// name.
func (r *databaseRun) known(ctx context.Context) (in *reconcile.Input, err error) {
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
		in = &loaded.Input
		return loaded.Whole()
	})
	return in, ignored(ctx, err)
}

// ignored leaves an error to the audits, which say in words what they cannot
// see; only an end of the context is one.
func ignored(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// linksOf counts how many lines of attempts' money carry each described
// reference, and how many of those name an attempt that is there. Lines that
// need no attempt owe no reference.
func linksOf(in *reconcile.Input, d *store.Description) (links []check.Link) {
	stored := map[payment.Reference]bool{}
	for i := range in.Attempts {
		for _, r := range in.Attempts[i].References {
			stored[payment.Reference{Name: r.Name, Value: r.Value}] = true
		}
	}
	at := map[[2]string]*check.Link{}
	for i := range in.Lines {
		l := &in.Lines[i]
		if !isMoneyOfAttempts(l.Kind) || expected(in.Policies, l) {
			continue
		}
		for _, name := range referenceNames(d) {
			key := [2]string{l.Provider, name}
			if at[key] == nil {
				at[key] = &check.Link{Provider: l.Provider, Reference: name}
			}
			at[key].Lines++
			for _, r := range l.References {
				if r.Name != name {
					continue
				}
				at[key].Carrying++
				if stored[payment.Reference{Name: r.Name, Value: r.Value}] {
					at[key].Linked++
				}
				break
			}
		}
	}
	for _, link := range at {
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
