package profile

import (
	"context"
	"errors"
	"fmt"

	"desfecho/internal/tabular"
)

// doubt is a style that the whole column does not prove, and the cell that
// shows it.
type doubt struct {
	cells *Cells
	cell  string
	line  int
	err   error
}

func (d *doubt) Error() string { return d.err.Error() }
func (d *doubt) Unwrap() error { return d.err }

// errFound ends a search.
var errFound = errors.New("found")

// placed looks for the cell of a doubt, so that the error has its place like
// any other of a cell.
func (s *Source) placed(ctx context.Context, d *doubt) error {
	if err := s.open(); err != nil {
		return err
	}
	fault := &tabular.Error{File: s.o.Name, Line: d.line, Value: d.cell, Problem: d.Error(), Hint: HintOf(d.err)}
	err := s.rows(ctx, func(r tabular.Row) error {
		if r.Line != d.line || d.cells.Text(r) != d.cell {
			return nil
		}
		fault = d.cells.Fault(s.o.Name, r, d.Error(), HintOf(d.err))
		s.ragged(fault, r)
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	return fault
}

// ragged adds to the error of a cell that its row is too short: then it is
// mostly another column's.
func (s *Source) ragged(fault *tabular.Error, r tabular.Row) {
	if heads := len(s.table.Header()); r.Len() < heads {
		fault.Problem += fmt.Sprintf("; the row has %d cells (cut at %q), the heading row %d", r.Len(), s.table.Delimiter(), heads)
	}
}
