package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// finish adds what belongs to the rows that were gathered.
func (g *gathering) finish(ctx context.Context, loaded *Loaded) error {
	if err := g.statements(ctx, &loaded.Input); err != nil {
		return err
	}
	if err := g.events(ctx); err != nil {
		return err
	}
	if err := g.evidence(ctx); err != nil {
		return err
	}
	loaded.Rows = g.rows
	for said := range g.said {
		loaded.Succeeded = append(loaded.Succeeded, said)
	}
	return nil
}

// statements adds the coverage. Balances go with it only where all lines of
// the statement are loaded: beside a part of them they would never tie.
func (g *gathering) statements(ctx context.Context, in *reconcile.Input) error {
	statements, err := g.source.Statements(ctx, g.providers)
	if err != nil {
		return err
	}
	total := map[[3]string]int{} // by provider, account and name, as lines
	for _, s := range statements {
		total[[3]string{s.Provider, s.Account, s.Name}] += s.Lines
	}
	for _, s := range statements {
		if name := [3]string{s.Provider, s.Account, s.Name}; total[name] != g.lines[name] {
			s.Opening, s.Closing = payment.Stated{}, payment.Stated{}
		}
		in.Statements = append(in.Statements, s.Statement)
	}
	return nil
}

// evidence adds the look-ups and dismissals of the attempts. Of many attempts
// all look-ups are read, where they are fewer.
func (g *gathering) evidence(ctx context.Context) error {
	attempts := g.rows.Counts().Attempts
	if attempts <= g.few {
		return g.evidenceOf(ctx)
	}
	look := &sifting{rows: g.rows}
	whole, err := within(g.source.Lookups(ctx, nil, attempts, func(l payment.Lookup) error {
		return look.about(l.Attempt, func() error { return g.rows.Lookup(&l) })
	}))
	if err != nil {
		return err
	}
	if !whole {
		return g.evidenceOf(ctx)
	}
	dismissed, err := g.source.Dismissals(ctx, nil)
	if err != nil {
		return err
	}
	for i := range dismissed {
		d := &dismissed[i]
		if err := look.about(d.Attempt, func() error { return g.rows.Dismissal(d) }); err != nil {
			return err
		}
	}
	return look.sift()
}

// about takes what is about an attempt, for where that is there.
func (s *sifting) about(attempt string, keep func() error) error {
	return s.candidate(nil, reconcile.HashKey(reconcile.KeyAttempt, "", attempt), keep)
}

// evidenceOf asks for the look-ups and dismissals by attempt.
func (g *gathering) evidenceOf(ctx context.Context) error {
	ids := make([]string, 0, batch)
	ask := func() error {
		if err := g.source.Lookups(ctx, ids, 0, func(l payment.Lookup) error { return g.rows.Lookup(&l) }); err != nil {
			return err
		}
		dismissed, err := g.source.Dismissals(ctx, ids)
		if err != nil {
			return err
		}
		for i := range dismissed {
			if err := g.rows.Dismissal(&dismissed[i]); err != nil {
				return err
			}
		}
		ids = ids[:0]
		return nil
	}
	err := g.rows.Replay(func(a *payment.Attempt) error {
		if ids = append(ids, a.ID); len(ids) < batch {
			return nil
		}
		return ask()
	}, nil, nil)
	if err != nil || len(ids) == 0 {
		return err
	}
	return ask()
}

// Whole moves the rows into the input, for who needs all of them at once.
func (l *Loaded) Whole() error {
	in, rows := &l.Input, l.Rows
	l.Rows = nil
	err := rows.Parts(int(^uint(0)>>1), 1, func(p reconcile.Part) error {
		in.Attempts, in.Charges, in.Units, in.Lines = p.Attempts, p.Charges, p.Units, p.Lines
		in.Lookups, in.Events, in.Dismissed = p.Lookups, p.Events, p.Dismissed
		return nil
	})
	slices.SortFunc(in.Attempts, func(a, b payment.Attempt) int { return cmp.Compare(a.ID, b.ID) })
	return errors.Join(err, rows.Close())
}

// Close gives back what holds the rows. It may be called again.
func (l *Loaded) Close() error {
	if l == nil || l.Rows == nil {
		return nil
	}
	return l.Rows.Close()
}
