// Package twopass reads the files of a comparison twice, so that memory holds
// only what may have something to tell: the first pass sums up the sales that
// agree, the second reads all other rows, as if the file had no more than those.
//
// It parses no row itself and judges nothing: rows are read by the readers of
// attempts and statements, and what agrees is what reconcile says. Where a file
// is not one of lines, or anything at all is odd about it, it declines, and the
// file is to be read whole, by which every error is worded. It keeps nothing
// but temporary files that end with the process.
package twopass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/store/file"
	"desfecho/internal/tabular"
	"desfecho/providers/statementfile"
	"desfecho/reconcile"
)

// ErrWhole asks for the files to be read whole. It is no failure.
var ErrWhole = errors.New("the files are to be read whole")

// Input is what is compared.
type Input struct {
	Attempts   Attempts
	Statements []Statement
	Pairs      partition.Options
	Head       int               // bytes that stand before each piece, to find out how the file is written; 0: 128 KiB
	Piece      int               // bytes that are read at once; 0: 4 MiB
	Progress   func(bytes int64) // called with the bytes read since the last call, from several goroutines
	Future     payment.Instant   // rows after it are not summed up
}

// Attempts is the merchant's file.
type Attempts struct {
	Path    string
	Options file.Options
}

// Statement is a provider's.
type Statement struct {
	Path    string
	Options statementfile.Options
}

// Rest is what was not summed up, beside what was.
type Rest struct {
	Attempts   *file.Attempts
	Statements []*statementfile.File
	Sales      []reconcile.Sales
}

// Read reads the files. The error is ErrWhole, one of the context, or of the
// temporary files.
func Read(ctx context.Context, in Input) (rest *Rest, err error) {
	in.Head, in.Piece = cmp.Or(in.Head, 128<<10), cmp.Or(in.Piece, 4<<20)
	in.Statements = slices.Clone(in.Statements)
	for i := range in.Statements {
		s := &in.Statements[i]
		s.Options.Name = cmp.Or(s.Options.Name, filepath.Base(s.Path))
	}
	r := &reading{in: in, told: map[string]bool{}, pairs: partition.NewPairs(in.Pairs)}
	defer func() { err = errors.Join(err, r.pairs.Close(), r.close()) }()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.first(ctx); err != nil {
		return nil, err
	}
	if rest = (&Rest{}); ctx.Err() != nil {
		return nil, context.Cause(ctx) //nolint:wrapcheck // the caller tells causes apart
	}
	rest.Sales, err = r.pairs.Agreeing(func(attempt, line partition.Place) {
		for _, place := range [...]partition.Place{attempt, line} {
			piece, line := place.In()
			r.pieces[piece].drop(line)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("compare the files: %w", err)
	}
	if r.most(rest.Sales) {
		return rest, r.second(ctx, rest)
	}
	return nil, ErrWhole
}

// most tells whether the sales are most of the rows: what is left of the files
// is held in memory, and so would be the whole of them.
func (r *reading) most(sales []reconcile.Sales) bool {
	lines, gone := 0, 0
	for _, p := range r.pieces {
		lines += p.lines
	}
	for i := range sales {
		gone += 2 * sales[i].Count
	}
	return 2*gone >= lines
}

// reading is one Read.
type reading struct {
	in     Input
	files  []*lined // the attempts, then the statements
	pieces []*piece
	pairs  *partition.Pairs
	told   map[string]bool // names of references that a statement carries
	keys   bool            // a statement carries idempotency keys
}

// declined turns every error but one of the context into ErrWhole: who reads
// the whole words it.
func declined(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil && errors.Is(err, partition.ErrFile) {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) //nolint:wrapcheck // the caller tells causes apart
	}
	return ErrWhole
}

// open looks at each file's beginning and cuts it into pieces.
func (r *reading) open(ctx context.Context) error {
	paths := []string{r.in.Attempts.Path}
	for i := range r.in.Statements {
		paths = append(paths, r.in.Statements[i].Path)
	}
	for i, path := range paths {
		f, err := openLined(path, r.in.Head)
		if err != nil {
			return declined(ctx, err)
		}
		r.files = append(r.files, f)
		if err := r.look(ctx, i); err != nil {
			return declined(ctx, err)
		}
		pieces, err := f.cut(i, r.in.Piece)
		if err != nil {
			return declined(ctx, err)
		}
		r.pieces = append(r.pieces, pieces...)
	}
	return nil
}

func (r *reading) close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.file.Close())
	}
	return errors.Join(errs...)
}

// look reads the beginning of a file to see whether its rows can be read by
// themselves, which references a statement carries, and whether two passes are
// worth it: of a file whose rows are not plain nothing could be left out.
func (r *reading) look(ctx context.Context, i int) error {
	nothing := &piece{file: i, from: r.files[i].head, to: r.files[i].head}
	rows, plain := 0, 0
	err := r.each(ctx, nothing, func(b *profile.Binding, alone bool) error {
		if !alone {
			return ErrWhole
		}
		if i > 0 {
			for _, reference := range b.References {
				r.told[reference.Name] = true
			}
			r.keys = r.keys || b.Cells("key").Has()
		}
		return nil
	}, func(w row) error {
		if rows++; r.plain(w) {
			plain++
		}
		return nil
	})
	if err == nil && 2*plain < rows {
		return ErrWhole
	}
	return err
}

// row is one row of either side.
type row struct {
	attempt *payment.Attempt
	lines   []payment.Line
	units   []payment.Unit
	day     payment.Day
	row     tabular.Row
}

// each gives the rows of the head and then of a piece of a file.
func (r *reading) each(ctx context.Context, p *piece, start func(*profile.Binding, bool) error, each func(row) error) error {
	f := r.files[p.file]
	text, err := f.text(p)
	if err != nil {
		return err
	}
	same := func(line int) int { return line }
	var tally profile.Tally
	if p.file == 0 {
		o := r.in.Attempts.Options
		o.Progress, o.Line = nil, same
		source := profile.NewTextSource(text, o.Source(f.name))
		tally, err = file.Each(ctx, source, o, func(b *profile.Binding) error { return start(b, source.Lined()) },
			func(a *payment.Attempt, day payment.Day, at tabular.Row) error {
				return each(row{attempt: a, day: day, row: at})
			})
		if err != nil {
			return err //nolint:wrapcheck // worded by whoever reads the whole
		}
	} else {
		o := r.in.Statements[p.file-1].Options
		o.Progress, o.Line = nil, same
		source := profile.NewTextSource(text, o.Source(f.name))
		tally, err = statementfile.Each(ctx, source, o, func(b *profile.Binding, alone bool) error { return start(b, alone && source.Lined()) },
			func(lines []payment.Line, units []payment.Unit, at tabular.Row) error {
				w := row{lines: lines, units: units, row: at}
				if len(lines) > 0 {
					w.day = lines[0].Day
				}
				return each(w)
			})
		if err != nil {
			return err //nolint:wrapcheck // worded by whoever reads the whole
		}
	}
	p.tally = tally
	return nil
}

// first reads every piece and notes the keys of its rows.
func (r *reading) first(ctx context.Context) error {
	for i := range r.files { // the head's rows are read again with all pieces
		head := &piece{file: i, from: r.files[i].head, to: r.files[i].head}
		if err := r.note(ctx, head, -1); err != nil {
			return declined(ctx, err)
		}
	}
	var next atomic.Int64
	group, reading := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(r.pieces) {
					return nil
				}
				if err := r.note(reading, r.pieces[i], i); err != nil {
					return err
				}
				if r.in.Progress != nil {
					r.in.Progress(r.pieces[i].to - r.pieces[i].from)
				}
			}
		})
	}
	return declined(ctx, group.Wait())
}
