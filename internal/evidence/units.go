package evidence

import (
	"cmp"
	"fmt"
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
func (b *Looker) readUnits(c Component) {
	b.drafts = b.drafts[:0]
	for _, o := range observations(c) {
		names := append([]string{o.ID}, o.Aliases...)
		if o.Group != "" {
			names = append(names, o.Group)
		}
		d := b.join(o.Provider, o.Account, o.Mode, names...)
		d.seen = append(d.seen, o)
		if o.Parent != "" {
			d.parents = append(d.parents, o.Parent)
		}
	}
	for _, l := range b.facts.Lines.Held {
		id, parent := b.unitOf(l)
		if id == "" && Moves(l.Kind) {
			id = b.unnamed(l)
		}
		if id == "" {
			b.facts.Loose = append(b.facts.Loose, l)
			continue
		}
		d := b.join(l.Provider, l.Account, l.Mode, id)
		d.lines = append(d.lines, l)
		d.lineID = l.Unit == "" && (id == l.ID || l.ID == "")
		if parent != "" {
			d.parents = append(d.parents, parent)
		}
	}
	for _, versions := range b.facts.Lines.Conflict {
		for _, l := range versions {
			if id, _ := b.unitOf(l); id != "" {
				d := b.join(l.Provider, l.Account, l.Mode, id)
				d.conflict = append(d.conflict, l)
			}
		}
	}
	for i, n := 0, len(b.drafts); i < n; i++ {
		for _, parent := range b.drafts[i].parents {
			b.join(b.drafts[i].provider, b.drafts[i].account, b.drafts[i].mode, parent)
		}
	}
	b.finish(b.drafts)
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
func (b *Looker) unitOf(l *payment.Line) (id, parent string) {
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

// unnamed makes a name for a movement without line id and unit id out of what
// identifies it (RULES §3.2), so that it has its place like every other line.
func (b *Looker) unnamed(l *payment.Line) string {
	id := fmt.Sprintf("%s %s %d %s %d/%d", l.Day, l.Kind, l.Gross, l.Currency, l.N, l.Of)
	if b.rows == nil {
		b.rows = map[name]int{}
	}
	row := name{l.Provider + "\x00" + l.Account, l.Mode, id}
	b.rows[row]++
	return fmt.Sprintf("%s #%d", id, b.rows[row])
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
// out to be one. The draft may move with the next call.
func (b *Looker) join(provider, account string, mode payment.Mode, names ...string) *draft {
	found := -1
	for _, id := range names {
		i := b.names.find(name{provider, mode, id}, account)
		if i < 0 {
			continue
		}
		if i = root(b.drafts, i); found >= 0 && found != i {
			b.drafts[found].absorb(&b.drafts[i])
			b.drafts[i].joined = found
			continue
		}
		found = i
	}
	if found < 0 {
		found = b.fresh(provider, account, mode)
	}
	d := &b.drafts[found]
	d.account = cmp.Or(d.account, account)
	for _, id := range names {
		if !slices.Contains(d.names, id) {
			d.names = append(d.names, id)
			b.names.add(name{provider, mode, id}, account, found)
		}
	}
	return d
}

// fresh adds an empty draft, in the memory of an earlier one where there is.
func (b *Looker) fresh(provider, account string, mode payment.Mode) int {
	n := len(b.drafts)
	b.drafts = slices.Grow(b.drafts, 1)[:n+1]
	d := &b.drafts[n]
	*d = draft{
		seen: d.seen[:0], lines: d.lines[:0], conflict: d.conflict[:0], names: d.names[:0], parents: d.parents[:0],
		provider: provider, account: account, mode: mode, joined: -1,
	}
	return n
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

// parcelsOf lists the objects that are parcels of a group.
func parcelsOf(seen []*payment.Unit) (all map[string]parcel) {
	for _, o := range seen {
		if o.Group == "" || o.N == 0 {
			continue
		}
		if all == nil {
			all = map[string]parcel{}
		}
		all[o.ID] = parcel{o.N, o.Of}
	}
	return all
}

// finish turns drafts into units and ties returns to their parents by name.
func (b *Looker) finish(drafts []draft) {
	b.units = slices.Grow(b.units[:0], len(drafts))[:len(drafts)]
	made := b.units
	for i := range drafts {
		d := &drafts[i]
		if d.joined >= 0 {
			continue
		}
		u := &made[i]
		*u = Unit{
			Names: d.names, Lines: d.lines, Conflict: d.conflict, Policy: b.policies(d.provider), Children: u.Children[:0],
			Stub: len(d.seen)+len(d.lines)+len(d.conflict) == 0, Nameless: d.lineID && len(d.seen) == 0, parcels: parcelsOf(d.seen),
		}
		merge(d, &u.Unit)
		slices.Sort(u.Names)
		b.facts.Units = append(b.facts.Units, u)
	}
	for i := range drafts {
		if drafts[i].joined >= 0 {
			continue
		}
		for _, parent := range drafts[i].parents {
			p := b.names.find(name{drafts[i].provider, drafts[i].mode, parent}, drafts[i].account)
			if p < 0 { // named in one account by what was joined with another's
				continue
			}
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
