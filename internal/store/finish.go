package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// finish puts what was gathered in order, with what belongs to it.
func (g *gathering) finish(ctx context.Context, in *reconcile.Input) error {
	in.Attempts = make([]payment.Attempt, 0, len(g.attempts))
	for _, id := range slices.Sorted(maps.Keys(g.attempts)) {
		in.Attempts = append(in.Attempts, g.attempts[id])
		delete(g.attempts, id)
	}
	for _, id := range slices.Sorted(maps.Keys(g.wants)) {
		in.Charges = append(in.Charges, reconcile.Charge{ID: id, Minor: g.wants[id]})
	}
	in.Lines = make([]payment.Line, 0, len(g.lines))
	held := map[[3]string]int{}
	for _, seq := range slices.Sorted(maps.Keys(g.lines)) {
		l := g.lines[seq]
		delete(g.lines, seq)
		l.File, l.Row = 0, int32(len(in.Lines)+1)
		held[[3]string{l.Provider, l.Account, l.Statement}]++
		in.Lines = append(in.Lines, l)
	}
	in.Units = make([]payment.Unit, 0, len(g.units))
	for _, seq := range slices.Sorted(maps.Keys(g.units)) {
		in.Units = append(in.Units, g.units[seq])
		delete(g.units, seq)
	}
	if err := g.statements(ctx, in, held); err != nil {
		return err
	}
	if err := g.events(ctx, in); err != nil {
		return err
	}
	return g.evidence(ctx, in)
}

// statements adds the coverage. Balances go with it only where all lines of
// the statement are loaded: beside a part of them they would never tie. held
// counts the loaded ones by provider, account and name.
func (g *gathering) statements(ctx context.Context, in *reconcile.Input, held map[[3]string]int) error {
	statements, err := g.source.Statements(ctx, g.providers)
	if err != nil {
		return err
	}
	total := map[[3]string]int{} // likewise
	for _, s := range statements {
		total[[3]string{s.Provider, s.Account, s.Name}] += s.Lines
	}
	for _, s := range statements {
		if name := [3]string{s.Provider, s.Account, s.Name}; total[name] != held[name] {
			s.Opening, s.Closing = payment.Stated{}, payment.Stated{}
		}
		in.Statements = append(in.Statements, s.Statement)
	}
	return nil
}

// evidence adds the look-ups and dismissals of the attempts.
func (g *gathering) evidence(ctx context.Context, in *reconcile.Input) error {
	ids := make([]string, 0, len(in.Attempts))
	for i := range in.Attempts {
		ids = append(ids, in.Attempts[i].ID)
	}
	for part := range slices.Chunk(ids, batch) {
		err := g.source.Lookups(ctx, part, func(l payment.Lookup) error {
			in.Lookups = append(in.Lookups, l)
			return nil
		})
		if err != nil {
			return err
		}
		dismissed, err := g.source.Dismissals(ctx, part)
		if err != nil {
			return err
		}
		in.Dismissed = append(in.Dismissed, dismissed...)
	}
	slices.SortStableFunc(in.Lookups, func(a, b payment.Lookup) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.At, b.At))
	})
	return nil
}
