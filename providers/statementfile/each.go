package statementfile

import (
	"context"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// Each gives the lines and units of every row of a piece of a file to each, and
// keeps none; start is told how the file is bound, and whether its rows say all
// by themselves: under a running balance, a column that says until when a file
// reaches, or several accounts they do not. What is given holds until the next. The error is that of
// Read, or says that the piece alone does not show how the file is written.
func Each(ctx context.Context, source *profile.Source, o Options, start func(b *profile.Binding, alone bool) error, each func([]payment.Line, []payment.Unit, tabular.Row) error) (profile.Tally, error) {
	r := &reader{o: o, source: source, each: each}
	tally, err := source.Once(ctx, func(b *profile.Binding) error {
		if err := r.start(b); err != nil {
			return err
		}
		return start(b, !r.fields.balance.Has() && !r.fields.coveredBy.Has() && !r.p.ManyAccounts)
	}, r.row)
	if err != nil {
		return tally, fmt.Errorf("statement: %w", err)
	}
	return tally, nil
}
