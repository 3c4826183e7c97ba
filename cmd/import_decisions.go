package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/decisions"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

const importLong = `Take the decisions of a sheet: the file that desfecho report --decisions wrote, with
the columns decision (accept, snooze or note), decision_until and decision_reason
filled in. A row without a decision is left alone.

Each row is held against what stands after the last run: id, class, what it is
about, amount and currency must be those of the sheet. What a spreadsheet damaged,
what is another now, and a row that slipped are refused with file, line and column.

All rows are taken or none: one refused row, and nothing is written. The same sheet
again adds nothing. Notes about divergences are all that it can write: no attempt and
no payment is touched.

EXIT STATUS
  0  every decision stands in the database
  2  the sheet, or a row of it, was refused: nothing was written`

func newImportDecisionsCommand(d *deps) *cobra.Command {
	var operator string
	c := &cobra.Command{
		Use:     "import-decisions FILE",
		Short:   "Take accepted, snoozed and annotated divergences from a sheet",
		Long:    importLong,
		Example: "  desfecho report --decisions --format csv-br -o decidir.csv\n  desfecho import-decisions decidir.csv",
		Args:    oneArgument("file"),
		RunE: func(c *cobra.Command, args []string) error {
			return d.importDecisions(c.Context(), args[0], operator, c.Flags())
		},
	}
	c.Flags().StringVar(&operator, "operator", "", "`name` of the person who decided (default: the variable USER)")
	return c
}

func (d *deps) importDecisions(ctx context.Context, path, operator string, flags *pflag.FlagSet) error {
	operator, err := d.operator(operator)
	if err != nil {
		return err
	}
	sheet, err := d.sheet(path)
	if err != nil {
		return &usageError{err: fmt.Errorf("%w; nothing was written", err)}
	}
	return d.withStandings(ctx, flags, func(s store.Store, all []*standing) error {
		notes, problems := sheet.Notes(standingFor(all))
		if len(problems) > 0 {
			return refusedSheet(problems)
		}
		before, err := notesOf(ctx, s, notes)
		if err != nil {
			return err
		}
		var fresh []store.Note
		for _, n := range notes {
			if n.Operator = operator; !stands(before, &n) {
				fresh = append(fresh, n)
			}
		}
		if err := s.Note(ctx, fresh...); err != nil {
			return err
		}
		return d.writeLine(ctx, fmt.Sprintf("%s: %d decisions taken, %d stood already, %d rows without one", sheet.Name, len(fresh), len(notes)-len(fresh), sheet.Blank))
	})
}

// sheet reads the file, or the standard input for "-".
func (d *deps) sheet(path string) (*decisions.Sheet, error) {
	if path == "-" {
		return decisions.Read(d.In, nameOf(path))
	}
	f, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return decisions.Read(f, path)
}

func standingFor(all []*standing) decisions.Standing {
	by := map[string]*standing{}
	now := decisions.Standing{Zone: func(string) *time.Location { return time.UTC }}
	for _, s := range all {
		by[s.ID], now.Now, now.Zone = s, s.now, s.config.zoneOf
	}
	now.Find = func(id string) *reconcile.Divergence {
		if s := by[id]; s != nil {
			return s.Divergence
		}
		return nil
	}
	return now
}

// shownProblems is how many refused rows are named one by one.
const shownProblems = 20

func refusedSheet(problems []error) error {
	lines := make([]string, 0, shownProblems+2)
	for i, problem := range problems {
		if i == shownProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
		lines = append(lines, problem.Error())
	}
	return &usageError{
		err:  fmt.Errorf("%s\n%d rows were refused, and so none was taken: nothing was written", strings.Join(lines, "\n"), len(problems)),
		hint: "correct these rows, or write the sheet anew with `desfecho report --decisions`",
	}
}

// notesOf are the histories of what the notes are about.
func notesOf(ctx context.Context, s store.Store, notes []store.Note) (before []store.Note, err error) {
	ids := make([]string, len(notes))
	for i := range notes {
		ids[i] = notes[i].Divergence
	}
	view, err := s.View(ctx)
	if err != nil {
		return nil, err
	}
	before, err = view.Notes(ctx, ids)
	return before, errors.Join(err, view.Close())
}

// stands tells whether the last such note of the divergence says the same.
func stands(before []store.Note, n *store.Note) bool {
	at := -1
	for i := range before {
		b := &before[i]
		if b.Kind == store.NoteTold {
			continue
		}
		if b.Divergence == n.Divergence && (n.Kind != store.NoteText) == (b.Kind != store.NoteText) {
			at = i
		}
		if n.Kind == store.NoteText && at >= 0 && before[at].Text == n.Text {
			return true
		}
	}
	return at >= 0 && before[at].Kind == n.Kind && before[at].Until == n.Until && before[at].Text == n.Text &&
		before[at].Class == n.Class && before[at].Minor == n.Minor && before[at].Currency == n.Currency
}
