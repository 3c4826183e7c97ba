package settle

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"desfecho/internal/payment"
	"desfecho/internal/probe"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Probed is what the provider answered about one attempt.
type Probed struct {
	Attempt  string
	Provider string
	Answers  []payment.Lookup
}

// Found tells whether an answer shows an object.
func (p *Probed) Found() bool {
	return slices.ContainsFunc(p.Answers, func(l payment.Lookup) bool { return l.Outcome == payment.Found })
}

// Unclear tells whether an answer is none.
func (p *Probed) Unclear() bool {
	return slices.ContainsFunc(p.Answers, func(l payment.Lookup) bool { return l.Outcome == payment.Inconclusive })
}

// Probe asks about every attempt that is due, those that have waited longest
// first, and keeps the answers; each is told of as it comes. The attempts are
// never touched.
func (d *Desk) Probe(ctx context.Context, told func(Probed) error) error {
	due, err := d.due(ctx)
	if err != nil {
		return err
	}
	for _, a := range due {
		c, err := d.load(ctx, a.id)
		if errors.Is(err, store.ErrNoAttempt) {
			continue // gone since the list was made
		}
		if err != nil {
			return err
		}
		answers, err := d.ask(ctx, c, nil)
		if err != nil {
			return err
		}
		if _, err := d.Store.StoreLookups(ctx, answers); err != nil {
			return err
		}
		if err := told(Probed{a.id, attemptOf(c).Provider, answers}); err != nil {
			return err
		}
	}
	return nil
}

// dueAttempt is one attempt and since when it is to be asked about.
type dueAttempt struct {
	id    string
	since payment.Instant
}

// due lists what is to be asked about now: open attempts and doubtful failed
// ones by their schedule, and daily what the last run left in doubt.
func (d *Desk) due(ctx context.Context) (due []dueAttempt, err error) {
	view, err := d.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	now := view.Now()
	known := map[string]payment.Attempt{}
	take := func(a payment.Attempt) error {
		known[a.ID] = a
		return nil
	}
	for i := range d.Policies {
		p := &d.Policies[i]
		if !d.asks(p.Provider) {
			continue
		}
		since := payment.Interval{From: probe.FailedSince(p, now), To: now.Add(p.Skew)}
		if err := view.Attempts(ctx, store.AttemptFilter{Providers: []string{p.Provider}, Open: true, Created: &since}, take); err != nil {
			return nil, err
		}
	}
	again, err := d.again(ctx, view, now)
	if err != nil {
		return nil, err
	}
	if err := others(ctx, view, again, known, take); err != nil {
		return nil, err
	}
	asked, err := lastAnswers(ctx, view, known)
	if err != nil {
		return nil, err
	}
	for id, a := range known {
		p := d.policy(a.Provider)
		if p == nil && len(d.Policies) > 0 {
			p = &d.Policies[0]
		}
		at := probe.Due(&a, p, asked[id])
		switch {
		case probe.Asks(&a, p, now):
		case again[id] && asked[id] < now.Add(-aDay):
			at = now
		default:
			continue
		}
		if at <= now {
			due = append(due, dueAttempt{id, at})
		}
	}
	slices.SortFunc(due, func(a, b dueAttempt) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.id, b.id)) })
	return due, nil
}

const aDay = 24 * 60 * 60 * 1_000_000_000 // a day, as a duration

// asks tells whether the provider can be asked here.
func (d *Desk) asks(name string) bool {
	return slices.ContainsFunc(d.Askers, func(a *probe.Asker) bool { return a.Name == name })
}

// lastAnswers gives when each attempt was asked about last.
func lastAnswers(ctx context.Context, view store.View, known map[string]payment.Attempt) (map[string]payment.Instant, error) {
	ids := make([]string, 0, len(known))
	for id := range known {
		ids = append(ids, id)
	}
	asked := map[string]payment.Instant{}
	for part := range slices.Chunk(ids, 1000) {
		err := view.Lookups(ctx, part, 0, func(l payment.Lookup) error {
			asked[l.Attempt] = max(asked[l.Attempt], l.At)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return asked, nil
}

// again lists the attempts with an outcome that are asked about daily: succeeded
// ones whose time in transit is over, or ends within the hour, for before one
// is called missing the provider is asked (RULES §6), and those whose object was
// still open there when the last run looked. A list is read again for a few days
// only, and what happens to the object later nothing else would tell.
func (d *Desk) again(ctx context.Context, view store.View, now payment.Instant) (map[string]bool, error) {
	var names []string
	for i := range d.Policies {
		if d.asks(d.Policies[i].Provider) {
			names = append(names, d.Policies[i].Provider)
		}
	}
	memory, _, err := view.Memory(ctx, names, nil)
	if err != nil || memory == nil {
		return nil, err
	}
	again := map[string]bool{}
	for _, t := range memory.Transit {
		if t.BreakOn <= now.Add(aDay/24) {
			again[t.Attempt] = true
		}
	}
	for _, item := range memory.Items {
		if !item.State.Ended() && (item.Class == reconcile.SucceededButOpen || item.Class == reconcile.FailedButOpen) {
			again[item.Subject.IDs[0]] = true
		}
	}
	return again, nil
}

// others reads the attempts that are not known yet.
func others(ctx context.Context, view store.View, wanted map[string]bool, known map[string]payment.Attempt, take func(payment.Attempt) error) error {
	var ids []string
	for id := range wanted {
		if _, ok := known[id]; !ok {
			ids = append(ids, id)
		}
	}
	for part := range slices.Chunk(ids, 1000) {
		if err := view.Attempts(ctx, store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: part}, take); err != nil {
			return err
		}
	}
	return nil
}
