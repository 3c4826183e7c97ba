package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/world"
	"desfecho/reconcile"
)

// namer gives every id of a world another name, at random, so that no order of
// names survives. The empty name stays empty.
type namer struct {
	r     *rand.Rand
	names map[string]string
}

func (n *namer) name(old string) string {
	if old == "" {
		return ""
	}
	if _, ok := n.names[old]; !ok {
		n.names[old] = fmt.Sprintf("%x-%d", n.r.Uint32(), len(n.names))
	}
	return n.names[old]
}

func (n *namer) input(w *world.World) reconcile.Input {
	in := input(w)
	in.Attempts = renamed(in.Attempts, n.attempt)
	in.Units = renamed(in.Units, n.unit)
	in.Lines = renamed(in.Lines, n.line)
	in.Charges = renamed(in.Charges, func(c *reconcile.Charge) { c.ID = n.name(c.ID) })
	in.Lookups = renamed(in.Lookups, func(l *payment.Lookup) {
		l.Attempt, l.Key.Value = n.name(l.Attempt), n.name(l.Key.Value)
		l.Units = renamed(l.Units, n.unit)
	})
	return in
}

func renamed[T any](rows []T, rename func(*T)) []T {
	out := slices.Clone(rows)
	for i := range out {
		rename(&out[i])
	}
	return out
}

func (n *namer) attempt(a *payment.Attempt) {
	a.ID, a.Charge, a.Key, a.ProviderID = n.name(a.ID), n.name(a.Charge), n.name(a.Key), n.name(a.ProviderID)
	a.References = n.references(a.References)
}

func (n *namer) unit(u *payment.Unit) {
	u.ID, u.Group, u.Key, u.Parent, u.ForeignCharge = n.name(u.ID), n.name(u.Group), n.name(u.Key), n.name(u.Parent), n.name(u.ForeignCharge)
	u.References = n.references(u.References)
	u.Aliases = renamed(u.Aliases, func(alias *string) { *alias = n.name(*alias) })
}

func (n *namer) line(l *payment.Line) {
	l.ID, l.Unit, l.Parent, l.ForeignCharge, l.Payout = n.name(l.ID), n.name(l.Unit), n.name(l.Parent), n.name(l.ForeignCharge), n.name(l.Payout)
	l.References = n.references(l.References)
}

func (n *namer) references(all []payment.Reference) []payment.Reference {
	return renamed(all, func(r *payment.Reference) { r.Value = n.name(r.Value) })
}

// summary says what was found, in the new names: of a result that has the old
// ones they are translated first.
func (n *namer) summary(r reconcile.Result, old bool) []string {
	var out []string
	for _, d := range r.Divergences {
		ids := slices.Clone(d.Subject.IDs)
		if old && d.Subject.Kind != reconcile.SubjectStatement {
			for i := range ids {
				ids[i] = n.name(ids[i])
			}
		}
		slices.Sort(ids)
		out = append(out, fmt.Sprintf("%v %v %v %q %v %d %v %s %s %d %d %d %s %v", d.Class, d.Severity, d.Subject.Kind, ids, d.Also, d.Amount,
			d.Currency, d.Expected, d.Actual, d.Surplus, d.Excess, d.Returned, d.Reason, d.Until))
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
