package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// draft collects what tells of one unit while ids are still being joined.
type draft struct {
	seen     []*payment.Unit
	lines    []*payment.Line
	conflict []*payment.Line
	names    []string
	parents  []string
	provider string
	account  string
	mode     payment.Mode
	lineID   bool // named after a line that names no unit
	joined   int  // the draft that took this one in, or -1
}

// units joins observations and lines into units: ids that one observation
// names together mean one unit, whatever source told of which.
func (b *builder) units(c Component) {
	drafts := make([]draft, 0, len(c.Units)+len(b.facts.Lines.Held)+1)
	join := func(provider, account string, mode payment.Mode, names ...string) int {
		return b.join(&drafts, draft{provider: provider, account: account, mode: mode}, names)
	}
	for _, o := range observations(c) {
		names := append([]string{o.ID}, o.Aliases...)
		if o.Group != "" {
			names = append(names, o.Group)
		}
		i := join(o.Provider, o.Account, o.Mode, names...)
		drafts[i].seen = append(drafts[i].seen, o)
		if o.Parent != "" {
			drafts[i].parents = append(drafts[i].parents, o.Parent)
		}
	}
	for _, l := range b.facts.Lines.Held {
		id, parent := b.unitOf(l)
		if id == "" {
			b.facts.Loose = append(b.facts.Loose, l)
			continue
		}
		i := join(l.Provider, l.Account, l.Mode, id)
		drafts[i].lines = append(drafts[i].lines, l)
		drafts[i].lineID = l.Unit == "" && id == l.ID
		if parent != "" {
			drafts[i].parents = append(drafts[i].parents, parent)
		}
	}
	for _, versions := range b.facts.Lines.Conflict {
		for _, l := range versions {
			if id, _ := b.unitOf(l); id != "" {
				i := join(l.Provider, l.Account, l.Mode, id)
				drafts[i].conflict = append(drafts[i].conflict, l)
			}
		}
	}
	for i, n := 0, len(drafts); i < n; i++ {
		for _, parent := range drafts[i].parents {
			join(drafts[i].provider, drafts[i].account, drafts[i].mode, parent)
		}
	}
	b.finish(drafts)
}

// observations lists every observation of a unit, those of look-ups with
// their instant, oldest first.
func observations(c Component) []*payment.Unit {
	all := c.Units
	for _, l := range c.Lookups {
		for i := range l.Units {
			o := l.Units[i]
			o.Provider = cmp.Or(o.Provider, l.Provider)
			o.Account = cmp.Or(o.Account, l.Account)
			o.Source |= payment.FromLookup
			if o.ObservedAt == 0 {
				o.ObservedAt = l.At
			}
			all = append(all[:len(all):len(all)], &o)
		}
	}
	if len(all) > 1 {
		all = slices.Clone(all)
		slices.SortFunc(all, func(x, y *payment.Unit) int {
			return cmp.Or(cmp.Compare(x.ObservedAt, y.ObservedAt), cmp.Compare(x.Source, y.Source),
				cmp.Compare(x.ID, y.ID), cmp.Compare(x.Statement, y.Statement), cmp.Compare(x.State, y.State))
		})
	}
	return all
}

// unitOf gives the unit that a line moves and the parent it names. A refund
// line whose own id is the provider id of an out attempt is a unit of its own;
// a movement that names no unit is one under its own id (RULES §3.1).
func (b *builder) unitOf(l *payment.Line) (id, parent string) {
	if l.Kind == payment.KindRefund && l.ID != "" && l.Unit != l.ID {
		for _, a := range b.facts.Attempts {
			if a.ProviderID == l.ID && a.Direction() == payment.Out && sameProvider(a.Attempt, l.Provider, l.Account) {
				return l.ID, cmp.Or(l.Parent, l.Unit)
			}
		}
	}
	if l.Unit == "" && Moves(l.Kind) {
		return l.ID, l.Parent
	}
	return l.Unit, l.Parent
}

// Moves tells whether lines of the kind are one attempt's money, in or out.
// Payouts are too where an attempt names them.
func Moves(k payment.Kind) bool {
	switch k {
	case payment.KindCharge, payment.KindChargeReversal, payment.KindRefund, payment.KindRefundReversal,
		payment.KindChargeback, payment.KindChargebackReversal, payment.KindTransferOut, payment.KindTransferReversal:
		return true
	case payment.KindOther, payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindPayout,
		payment.KindPayoutReversal, payment.KindTransferIn, payment.KindAdjustment, payment.KindAnticipation,
		payment.KindReserveHold, payment.KindReserveRelease:
	}
	return false
}

// join finds or makes the draft that the names mean, joining drafts that turn
// out to be one.
func (b *builder) join(drafts *[]draft, fresh draft, names []string) int {
	found := -1
	for _, id := range names {
		i := b.names.find(name{fresh.provider, fresh.mode, id}, fresh.account)
		if i < 0 {
			continue
		}
		if i = root(*drafts, i); found >= 0 && found != i {
			(*drafts)[found].absorb(&(*drafts)[i])
			(*drafts)[i].joined = found
			continue
		}
		found = i
	}
	if found < 0 {
		fresh.joined = -1
		*drafts = append(*drafts, fresh)
		found = len(*drafts) - 1
	}
	d := &(*drafts)[found]
	d.account = cmp.Or(d.account, fresh.account)
	for _, id := range names {
		if !slices.Contains(d.names, id) {
			d.names = append(d.names, id)
			b.names.add(name{fresh.provider, fresh.mode, id}, fresh.account, found)
		}
	}
	return found
}

func root(drafts []draft, i int) int {
	for drafts[i].joined >= 0 {
		i = drafts[i].joined
	}
	return i
}

func (d *draft) absorb(o *draft) {
	d.seen = append(d.seen, o.seen...)
	d.lines = append(d.lines, o.lines...)
	d.conflict = append(d.conflict, o.conflict...)
	d.names = append(d.names, o.names...)
	d.parents = append(d.parents, o.parents...)
	d.account = cmp.Or(d.account, o.account)
}

// finish turns drafts into units and ties returns to their parents by name.
func (b *builder) finish(drafts []draft) {
	made := make([]Unit, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		if d.joined >= 0 {
			continue
		}
		u := &made[i]
		u.Unit = merge(d)
		u.Names, u.Lines, u.Conflict = d.names, d.lines, d.conflict
		u.Policy = b.policies(d.provider)
		u.Stub = len(d.seen) == 0 && len(d.lines) == 0 && len(d.conflict) == 0
		if d.lineID && len(d.seen) == 0 {
			u.Nameless = true
		}
		slices.Sort(u.Names)
		b.facts.Units = append(b.facts.Units, u)
	}
	for i := range drafts {
		if drafts[i].joined >= 0 {
			continue
		}
		for _, parent := range drafts[i].parents {
			p := b.names.find(name{drafts[i].provider, drafts[i].mode, parent}, drafts[i].account)
			if p = root(drafts, p); p != i {
				made[i].Parent = &made[p]
			}
		}
	}
	slices.SortFunc(b.facts.Units, func(x, y *Unit) int {
		return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Provider, y.Provider),
			cmp.Compare(x.Account, y.Account), cmp.Compare(x.Mode, y.Mode))
	})
}
