package store

import (
	"context"

	"desfecho/internal/payment"
)

// wanted is a set of keys, and those of it that were not looked for yet.
type wanted[K comparable] struct {
	seen map[K]struct{}
	todo []K
}

func (w *wanted[K]) add(k K) {
	if _, known := w.seen[k]; known {
		return
	}
	if w.seen == nil {
		w.seen = map[K]struct{}{}
	}
	w.seen[k] = struct{}{}
	w.todo = append(w.todo, k)
}

// take gives the next keys to look for. What was looked for long ago may be
// looked for again: it brings nothing new, and memory does not hold all.
func (w *wanted[K]) take() []K {
	n := min(len(w.todo), batch)
	taken := w.todo[:n]
	if w.todo = w.todo[n:]; len(w.todo) == 0 && len(w.seen) > 10*batch {
		clear(w.seen)
	}
	return taken
}

// close looks for the keys of all rows until no row brings a new one.
func (g *gathering) close(ctx context.Context) error {
	for {
		if keys := g.keys.take(); len(keys) > 0 {
			if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Keys: keys}, g.line); err != nil {
				return err
			}
			if err := g.source.Units(ctx, UnitFilter{Providers: g.providers, Keys: keys}, g.unit); err != nil {
				return err
			}
			continue
		}
		if ids := g.ids.take(); len(ids) > 0 {
			if err := g.source.Lines(ctx, LineFilter{Providers: g.providers, Identities: ids}, g.line); err != nil {
				return err
			}
			continue
		}
		column, values := g.takeColumn()
		if len(values) == 0 {
			return nil
		}
		filter := AttemptFilter{Providers: g.providers, By: column, Values: values, Wanted: g.wanted}
		if err := g.source.Attempts(ctx, filter, g.attempt); err != nil {
			return err
		}
	}
}

func (g *gathering) takeColumn() (AttemptKey, []string) {
	for key, w := range g.columns {
		if values := w.take(); len(values) > 0 {
			return key, values
		}
	}
	return AttemptKey{}, nil
}

// waiting is how many keys are to be looked for.
func (g *gathering) waiting() int {
	n := len(g.keys.todo) + len(g.ids.todo)
	for _, w := range g.columns {
		n += len(w.todo)
	}
	return n
}

// askOwn looks for the keys of the scope's own rows, a batch at a time.
func (g *gathering) askOwn(ctx context.Context) error {
	soon := func() error {
		if g.waiting() < batch {
			return nil
		}
		return g.close(ctx)
	}
	return g.rows.Replay(
		func(a *payment.Attempt) error { g.askAttempt(a, !g.attemptsRead, !g.storedRead); return soon() },
		func(l *payment.Line) error { g.askLine(l, !g.attemptsRead, !g.storedRead); return soon() },
		func(u *payment.Unit) error { g.askUnit(u, !g.attemptsRead, !g.storedRead); return soon() },
	)
}

// attempt takes an attempt from outside of the scope and asks for what its keys
// name.
func (g *gathering) attempt(a payment.Attempt) error {
	if _, known := g.found.attempts[a.ID]; known || g.ownsAttempt(&a) {
		return nil
	}
	g.found.attempts[a.ID] = struct{}{}
	g.askAttempt(&a, true, true)
	return g.keepAttempt(&a)
}

func (g *gathering) line(s StoredLine) error {
	if _, known := g.found.lines[s.Seq]; known || g.ownsLine(&s.Line) {
		return nil
	}
	g.found.lines[s.Seq] = struct{}{}
	g.askLine(&s.Line, true, true)
	return g.keepLine(&s)
}

func (g *gathering) unit(s StoredUnit) error {
	if _, known := g.found.units[s.Seq]; known || g.ownsUnit(&s.Unit) {
		return nil
	}
	g.found.units[s.Seq] = struct{}{}
	g.askUnit(&s.Unit, true, true)
	return g.rows.Unit(s.Seq, &s.Unit)
}

// asking says what a row's keys are looked for among.
type asking struct {
	*gathering
	attempts, stored bool
}

func (g *gathering) askAttempt(a *payment.Attempt, attempts, stored bool) {
	q := asking{g, attempts, stored}
	q.unitID(a.ProviderID)
	q.idempotency(a.Key)
	q.charge(a.Charge)
	q.references(a.References)
}

func (g *gathering) askLine(l *payment.Line, attempts, stored bool) {
	if !judged(l.Kind) {
		return
	}
	q := asking{g, attempts, stored}
	q.unitID(l.Unit)
	q.unitID(l.Parent)
	q.charge(l.ForeignCharge)
	q.references(l.References)
	if l.Kind == payment.KindRefund {
		q.unitID(l.ID)
	}
	if l.ID != "" && stored { // restated versions stand on other days
		var d digest
		g.ids.add(d.identified(l))
	}
}

func (g *gathering) askUnit(u *payment.Unit, attempts, stored bool) {
	q := asking{g, attempts, stored}
	q.unitID(u.ID)
	for _, alias := range u.Aliases {
		q.unitID(alias)
	}
	q.unitID(u.Group)
	q.unitID(u.Parent)
	q.idempotency(u.Key)
	q.charge(u.ForeignCharge)
	q.references(u.References)
}

// judged leaves out the kinds that no attempt can be about: what a payout's or
// fee's ids name need not be looked for.
func judged(k payment.Kind) bool {
	switch k {
	case payment.KindFee, payment.KindFeeReversal, payment.KindTax, payment.KindAnticipation,
		payment.KindReserveHold, payment.KindReserveRelease:
		return false
	case payment.KindOther, payment.KindCharge, payment.KindChargeReversal, payment.KindRefund, payment.KindRefundReversal,
		payment.KindChargeback, payment.KindChargebackReversal, payment.KindPayout, payment.KindPayoutReversal,
		payment.KindTransferIn, payment.KindTransferOut, payment.KindTransferReversal, payment.KindAdjustment:
		return true
	}
	return true
}

func (q asking) unitID(id string) { q.ask(keyUnit, AttemptKey{Kind: ByProviderID}, id) }

func (q asking) idempotency(key string) { q.ask(keyIdem, AttemptKey{Kind: ByIdempotencyKey}, key) }

func (q asking) charge(id string) { q.ask(keyCharge, AttemptKey{Kind: ByCharge}, id) }

func (q asking) ask(sort keySort, column AttemptKey, value string) {
	if value == "" {
		return
	}
	if q.stored {
		q.keys.add(hashKey(sort, "", value))
	}
	if q.attempts {
		q.column(column, value)
	}
}

func (q asking) references(references []payment.Reference) {
	for _, r := range references {
		if r.Value == "" {
			continue
		}
		if q.stored {
			q.keys.add(hashKey(keyRef, r.Name, r.Value))
		}
		for i := range q.reading.references {
			if q.attempts && q.reading.references[i].name == r.Name {
				q.column(AttemptKey{ByReference, i}, r.Value)
			}
		}
	}
}

// charge asks for all that names a charge.
func (g *gathering) charge(id string) { asking{g, true, true}.charge(id) }
