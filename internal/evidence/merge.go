package evidence

import (
	"cmp"
	"slices"

	"desfecho/internal/payment"
)

// merge makes one statement of all observations of a unit, later stated fields
// over earlier ones, and of objects of one group one unit (RULES §1, Unit).
func merge(d *draft, u *payment.Unit) {
	switch len(d.seen) {
	case 0:
		u.ID, u.Provider, u.Mode = d.names[0], d.provider, d.mode
	case 1:
		*u = *d.seen[0]
	default:
		*u = mergeSeen(d.seen)
	}
	u.Account = cmp.Or(u.Account, d.account)
	u.References = slices.Clip(u.References)
	for _, lines := range [2][]*payment.Line{d.lines, d.conflict} {
		for _, l := range lines {
			u.ForeignCharge = cmp.Or(u.ForeignCharge, l.ForeignCharge)
			if len(u.References) == 0 {
				u.References = slices.Clip(l.References)
				continue
			}
			for _, r := range l.References {
				if !slices.Contains(u.References, r) {
					u.References = append(u.References, r)
				}
			}
		}
	}
}

// mergeSeen folds observations, oldest first: first those of each object, then
// the objects of a group.
func mergeSeen(seen []*payment.Unit) payment.Unit {
	var objects []payment.Unit
	for _, o := range seen {
		i := slices.IndexFunc(objects, func(k payment.Unit) bool { return k.ID == o.ID })
		if i < 0 {
			objects = append(objects, *o)
			continue
		}
		objects[i] = later(objects[i], *o)
	}
	grouped := slices.ContainsFunc(objects, func(o payment.Unit) bool { return o.Group != "" })
	if !grouped {
		whole := objects[0]
		for _, o := range objects[1:] { // one unit seen under two ids
			whole = later(whole, o)
		}
		return whole
	}
	slices.SortFunc(objects, func(x, y payment.Unit) int {
		return cmp.Or(cmp.Compare(x.N, y.N), cmp.Compare(x.ID, y.ID))
	})
	return group(objects)
}

// later lays the stated fields of a newer observation over an older one.
func later(old, newer payment.Unit) payment.Unit {
	u := old
	switch {
	case newer.State == payment.StateNone:
	case newer.State != old.State:
		u.FirstSeen = newer.FirstSeen
	case newer.FirstSeen != 0:
		u.FirstSeen = min(cmp.Or(old.FirstSeen, newer.FirstSeen), newer.FirstSeen)
	}
	if newer.State != payment.StateNone {
		u.State, u.Final, u.RawState = newer.State, newer.Final, newer.RawState
	}
	u.Source |= newer.Source
	u.ObservedAt = newer.ObservedAt
	u.Group = cmp.Or(newer.Group, u.Group)
	u.Key = cmp.Or(newer.Key, u.Key)
	u.ForeignCharge = cmp.Or(newer.ForeignCharge, u.ForeignCharge)
	u.Parent = cmp.Or(newer.Parent, u.Parent)
	u.Method = cmp.Or(newer.Method, u.Method)
	u.Reason = cmp.Or(newer.Reason, u.Reason)
	u.CreatedAt = cmp.Or(newer.CreatedAt, u.CreatedAt)
	u.Precision = cmp.Or(newer.Precision, u.Precision)
	u.N, u.Of = cmp.Or(newer.N, u.N), cmp.Or(newer.Of, u.Of)
	u.Statement = cmp.Or(newer.Statement, u.Statement)
	if !newer.Currency.IsZero() {
		u.Currency = newer.Currency
	}
	u.Asked, u.Captured, u.Principal = orStated(newer.Asked, u.Asked), orStated(newer.Captured, u.Captured), orStated(newer.Principal, u.Principal)
	if newer.Plan != nil {
		u.Plan = newer.Plan
	}
	for _, r := range newer.References {
		if !slices.Contains(u.References, r) {
			u.References = append(slices.Clip(u.References), r)
		}
	}
	return u
}

func orStated(a, b payment.Stated) payment.Stated {
	if a.Known {
		return a
	}
	return b
}

// group adds the objects of one group up to one unit. Its captured amount is
// known only when every parcel n/N is there (RULES §3.1).
func group(objects []payment.Unit) payment.Unit {
	whole := objects[0]
	whole.Captured, whole.Asked, whole.Principal = sumOf(objects, capturedOf), sumOf(objects, askedOf), sumOf(objects, principalOf)
	if whole.Of > 0 && len(objects) < whole.Of {
		whole.Captured, whole.Asked, whole.Principal = payment.Stated{}, payment.Stated{}, payment.Stated{}
	}
	for _, o := range objects[1:] {
		whole.Final = whole.Final && o.Final
		whole.State = groupState(whole.State, o.State)
		whole.Source |= o.Source
		whole.CreatedAt = min(whole.CreatedAt, o.CreatedAt)
		whole.ObservedAt, whole.FirstSeen = max(whole.ObservedAt, o.ObservedAt), max(whole.FirstSeen, o.FirstSeen)
		whole.Key = cmp.Or(whole.Key, o.Key)
		whole.ForeignCharge = cmp.Or(whole.ForeignCharge, o.ForeignCharge)
		whole.Parent = cmp.Or(whole.Parent, o.Parent)
		whole.Method = cmp.Or(whole.Method, o.Method)
		whole.Plan = append(slices.Clip(whole.Plan), o.Plan...)
		for _, r := range o.References {
			if !slices.Contains(whole.References, r) {
				whole.References = append(slices.Clip(whole.References), r)
			}
		}
	}
	whole.N, whole.Of = 0, 0
	return whole
}

// capturedOf one parcel: nothing where it ended without money, not known
// while it is open.
func capturedOf(o payment.Unit) payment.Stated {
	if o.State.Dead() {
		return payment.Known(o.Captured.Minor)
	}
	if o.State.Open() {
		return payment.Stated{}
	}
	return o.Captured
}

func askedOf(o payment.Unit) payment.Stated { return o.Asked }

func principalOf(o payment.Unit) payment.Stated { return o.Principal }

func sumOf(objects []payment.Unit, amount func(payment.Unit) payment.Stated) payment.Stated {
	var total int64
	for _, o := range objects {
		s := amount(o)
		if !s.Known {
			return payment.Stated{}
		}
		total += s.Minor
	}
	return payment.Known(total)
}

// groupState is the state of a group of two objects: what blocks a judgement
// first, then money, then what may still come.
func groupState(a, b payment.State) payment.State {
	if a == b {
		return a
	}
	for _, s := range [...]payment.State{
		payment.StateUnmapped, payment.StateCaptured, payment.StateDisputed,
		payment.StateRefunded, payment.StateAuthorized, payment.StateProcessing, payment.StateRequiresAction,
	} {
		if a == s || b == s {
			return s
		}
	}
	return a
}
