package shop_test

import (
	"slices"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
	"desfecho/resolve"
)

// finals are the attempts that have an outcome.
func (d *settler) finals() map[string]payment.Status {
	d.t.Helper()
	attempts, err := d.stage.Shop.Attempts(d.t.Context())
	d.must(err)
	all := map[string]payment.Status{}
	for _, a := range attempts {
		if a.Status.Final() {
			all[a.ID] = a.Status
		}
	}
	return all
}

// kept demands that no outcome changed since.
func (d *settler) kept(before map[string]payment.Status) {
	d.t.Helper()
	now := d.finals()
	for id, status := range before {
		if now[id] != status {
			d.fail("attempt %s was %s and is %s", id, status, now[id])
		}
	}
}

// truth demands that every mark is what happened at the provider.
func (d *settler) truth() {
	d.t.Helper()
	held := map[string]string{}
	for i := range d.marks {
		m := &d.marks[i]
		own, moved := d.own(&m.attempt)
		switch m.offer.Mark {
		case resolve.Failed:
			if moved {
				d.fail("attempt %s is failed, and the provider carried it out: %+v", m.attempt.ID, own)
			}
		case resolve.Succeeded:
			at := slices.IndexFunc(own, func(o fakepsp.Object) bool { return o.ID == m.offer.Unit })
			if at < 0 || own[at].Amount != m.attempt.Amount.Minor || own[at].PaidAt == nil && m.attempt.Provider != shop.Banco {
				d.fail("attempt %s is succeeded with %s, and the provider holds %+v", m.attempt.ID, m.offer.Unit, own)
			}
			if other := held[m.offer.Unit]; other != "" {
				d.fail("attempts %s and %s are both succeeded with %s", m.attempt.ID, other, m.offer.Unit)
			}
			held[m.offer.Unit] = m.attempt.ID
		case resolve.Unknown, resolve.Keep:
		}
	}
}

// own are the provider's objects of an attempt's charge and key, and whether
// one of them moved money or still may.
func (d *settler) own(a *payment.Attempt) (own []fakepsp.Object, moved bool) {
	for _, o := range d.stage.Providers[a.Provider].Objects() {
		if o.Metadata[shop.RefKey] != a.Key || o.Metadata[shop.RefCharge] != a.Charge {
			continue
		}
		own = append(own, o)
		moved = moved || o.PaidAt != nil || o.State == fakepsp.Processing || o.State == fakepsp.Authorized || o.State == fakepsp.Waiting
	}
	return own, moved
}

// givenBack tells whether the charge was paid by another object, of which all
// was returned: no sibling pays it any more.
func (d *settler) givenBack(a *payment.Attempt) bool {
	return slices.ContainsFunc(d.stage.Providers[a.Provider].Objects(), func(o fakepsp.Object) bool {
		return o.Metadata[shop.RefCharge] == a.Charge && o.Metadata[shop.RefKey] != a.Key && o.PaidAt != nil && o.Refunded == o.Captured
	})
}

// reported demands that reconcile names whom was charged twice, and what is
// failed here and was carried out there.
func (d *settler) reported() {
	d.t.Helper()
	r, h := match(d.t, d.books), d.harm(d.books)
	for _, x := range h.names()[:2] {
		slices.Sort(x.truth)
		if got := named(r, x.classes...); !slices.Equal(got, x.truth) {
			d.fail("%s: truth %v, named %v\n%s", x.what, x.truth, got, show(r))
		}
	}
}

// credited demands that no mark gave a credit twice, or one for money that did
// not move. before is what was booked until then.
func (d *settler) credited(before map[string]int) {
	d.t.Helper()
	moved := d.moved()
	for charge, n := range d.entries() {
		if n > before[charge] && (before[charge] > 0 || n > 1 || moved[charge] == 0) {
			d.fail("charge %s has %d entries, %d before, and money moved %d times", charge, n, before[charge], moved[charge])
		}
	}
}

// freed are the reserves that are free.
func (d *settler) freed() map[string]bool {
	d.t.Helper()
	rows, err := d.db.QueryContext(d.t.Context(), `SELECT CAST(attempt_id AS text) FROM reserves WHERE status = 'released'`)
	d.must(err)
	defer rows.Close()
	all := map[string]bool{}
	for rows.Next() {
		var id string
		d.must(rows.Scan(&id))
		all[id] = true
	}
	d.must(rows.Err())
	return all
}

// reserved demands that a mark freed no money that went out or still may.
func (d *settler) reserved(before map[string]bool) {
	d.t.Helper()
	for id := range d.freed() {
		marks := slices.DeleteFunc(slices.Clone(d.marks), func(m marked) bool { return m.attempt.ID != id })
		if before[id] || len(marks) == 0 {
			continue // the shop's own deed
		}
		last := &marks[len(marks)-1] // an orphan was marked unknown first
		if _, moved := d.own(&last.attempt); moved || last.offer.Mark != resolve.Failed {
			d.fail("the money of attempt %s is free again: marked %s, moved %v", id, last.offer.Mark, moved)
		}
	}
}
