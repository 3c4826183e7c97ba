package file

import (
	"context"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
)

// Each gives every attempt of a piece of a file to each, with the day it was
// created on, and keeps none; start is told how the file is bound. What is
// given holds until the next. An id that stands twice is not told. The error is
// that of ReadAttempts, or says that the piece alone does not show how the
// file is written.
func Each(ctx context.Context, source *profile.Source, o Options, start func(*profile.Binding) error, each func(*payment.Attempt, payment.Day, tabular.Row) error) (profile.Tally, error) {
	r := &reader{o: o, source: source, each: each}
	tally, err := source.Once(ctx, func(b *profile.Binding) error {
		if err := r.start(b); err != nil {
			return err
		}
		return start(b)
	}, r.row)
	if err != nil {
		return tally, fmt.Errorf("attempts: %w", err)
	}
	return tally, nil
}
