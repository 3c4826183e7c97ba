package twopass

import (
	"bytes"
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/profile"
	"desfecho/internal/store/file"
	"desfecho/providers/statementfile"
)

// second reads what is left of each file.
func (r *reading) second(ctx context.Context, rest *Rest) error {
	rest.Statements = make([]*statementfile.File, len(r.in.Statements))
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		rest.Attempts, err = r.restOfAttempts(reading)
		return err
	})
	group.Go(func() (err error) {
		for i := range rest.Statements {
			if rest.Statements[i], err = r.restOfStatement(reading, i); err != nil {
				return err
			}
		}
		return nil
	})
	return declined(ctx, group.Wait())
}

func (r *reading) left(i int) (*remaining, error) {
	var pieces []*piece
	for _, p := range r.pieces {
		if p.file == i {
			pieces = append(pieces, p)
		}
	}
	left, err := r.files[i].without(pieces)
	if err != nil {
		return nil, fmt.Errorf("read %s again: %w", r.files[i].name, err)
	}
	return left, nil
}

func (r *reading) restOfAttempts(ctx context.Context) (*file.Attempts, error) {
	left, err := r.left(0)
	if err != nil {
		return nil, err
	}
	o := r.in.Attempts.Options
	o.Line, o.Progress = left.line, nil
	a, err := file.ReadAttemptsFrom(ctx, bytes.NewReader(left.text), r.in.Attempts.Path, o)
	if err != nil {
		return nil, err //nolint:wrapcheck // worded by whoever reads the whole
	}
	a.SHA256 = left.sum
	a.Tally = left.tally(a.Tally)
	return a, nil
}

func (r *reading) restOfStatement(ctx context.Context, i int) (*statementfile.File, error) {
	left, err := r.left(i + 1)
	if err != nil {
		return nil, err
	}
	o := r.in.Statements[i].Options
	o.Line, o.Progress = left.line, nil
	f, err := statementfile.ReadFrom(ctx, bytes.NewReader(left.text), o)
	if err != nil {
		return nil, err //nolint:wrapcheck // worded by whoever reads the whole
	}
	f.SHA256 = left.sum
	f.Tally = left.tally(f.Tally)
	return f, nil
}

// tally counts what was summed up, too: every line of it was a movement.
func (r *remaining) tally(t profile.Tally) profile.Tally {
	t.Rows += r.gone
	t.Movements += r.gone
	return t
}
