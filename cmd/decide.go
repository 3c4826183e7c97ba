package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/mask"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

const acceptLong = `Accept divergences as they stand, until a day and for a reason. From the next run
on they are counted in one line of the report and fail no run, until the day
comes, or as soon as class or amount is another: then they are listed again, and
the acceptance does not come back.

BREAK is the id of a divergence (d and 16 hexadecimal digits, in csv and json), or
the id of the attempt, charge or object that it is about, where that has one alone.
What is accepted is what the last run says. Several are accepted all or none.

Who decided, when, and the login of the database stay in the history, which is only
added to: desfecho note BREAK prints it. No attempt and no payment is touched.`

const snoozeLong = `Put divergences aside until a day, without deciding about them: somebody waits for
an answer. From the next run on they are counted in one line of the report and fail
no run, until the day comes, or as soon as class or amount is another.

BREAK is named as for desfecho accept. No attempt and no payment is touched.`

const noteLong = `Write a note into the history of a divergence, or, without TEXT, print the history:
what was decided, when, by whom and by which login of the database, and what lapsed.

BREAK is named as for desfecho accept; of a divergence that stands no more its own
id finds the history. A note changes nothing: to put a divergence aside, accept or
snooze it.`

// decideOptions is the command line of accept, snooze and note.
type decideOptions struct{ until, reason, operator string }

func newAcceptCommand(d *deps) *cobra.Command {
	c := decisionCommand(d, "accept", store.NoteAccept)
	c.Short, c.Long = "Accept divergences until a day, with a reason", acceptLong
	c.Example = `  desfecho accept 4711 --until 2026-01-31 --reason "refunded in cash, receipt 12"`
	return c
}

func newSnoozeCommand(d *deps) *cobra.Command {
	c := decisionCommand(d, "snooze", store.NoteSnooze)
	c.Short, c.Long = "Put divergences aside until a day", snoozeLong
	c.Example = `  desfecho snooze d0123456789abcdef --until 2025-12-05 --reason "ticket 88 at the provider"`
	return c
}

func decisionCommand(d *deps, name string, kind store.NoteKind) *cobra.Command {
	o := &decideOptions{}
	c := &cobra.Command{
		Use: name + " BREAK…",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return &usageError{err: fmt.Errorf("%s wants a divergence", c.CommandPath()), hint: "see `" + c.CommandPath() + " --help`"}
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.until == "":
				return &usageError{err: fmt.Errorf("%s needs --until", name), hint: "say the first day on which it is listed again, such as --until 2026-01-31"}
			case kind == store.NoteAccept && strings.TrimSpace(o.reason) == "":
				return &usageError{err: fmt.Errorf("%s needs --reason", name), hint: "say why it may stand"}
			}
			until, err := parseMoment(o.until)
			if err != nil {
				return &usageError{err: fmt.Errorf("--until %w", err)}
			}
			return d.decide(c.Context(), o.operator, args, c.Flags(), func(s *standing) (store.Note, error) {
				return s.note(kind, until, o.reason)
			})
		},
	}
	c.Flags().StringVar(&o.until, "until", "", "first `day` (or time) on which it is listed again")
	c.Flags().StringVar(&o.reason, "reason", "", "`words` that say why")
	c.Flags().StringVar(&o.operator, "operator", "", "`name` of the person who decides (default: the variable USER)")
	return c
}

func newNoteCommand(d *deps) *cobra.Command {
	o := &decideOptions{}
	c := &cobra.Command{
		Use: "note BREAK [TEXT]", Short: "Write a note about a divergence, or print its history", Long: noteLong,
		Example: "  desfecho note 4711 \"asked the provider, ticket 88\"\n  desfecho note 4711",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 && strings.TrimSpace(args[1]) != "" {
				return nil
			}
			return &usageError{err: errors.New("note wants a divergence, and the words in quotes"), hint: "see `" + c.CommandPath() + " --help`"}
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return d.history(c.Context(), args[0], c.Flags())
			}
			return d.decide(c.Context(), o.operator, args[:1], c.Flags(), func(s *standing) (store.Note, error) {
				return s.note(store.NoteText, moment{}, args[1])
			})
		},
	}
	c.Flags().StringVar(&o.operator, "operator", "", "`name` of the person who writes (default: the variable USER)")
	return c
}

// standing is one divergence as the last run of its provider left it.
type standing struct {
	*reconcile.Divergence
	config *Config
	now    payment.Instant // the database's clock
}

// note is a decision about the divergence as it stands. A time that is over
// already is refused.
func (s *standing) note(kind store.NoteKind, until moment, words string) (store.Note, error) {
	n := store.Note{
		Divergence: s.ID, Kind: kind, Class: s.Class.String(), Minor: s.Amount, Currency: s.Currency.String(), Text: mask.Text(words),
	}
	if kind == store.NoteText {
		return n, nil
	}
	if s.Class == reconcile.CoverageIncomplete {
		return n, &usageError{err: fmt.Errorf("%s: what was not read cannot be put aside; nothing was decided", s.ID), hint: "read it with `desfecho pull`"}
	}
	n.Until = until.in(s.config.zoneOf(s.Provider))
	if n.Until <= s.now {
		return n, &usageError{err: fmt.Errorf("until %s is over already; nothing was decided", n.Until)}
	}
	return n, nil
}

// standings are the divergences that stand after the last run of each provider,
// with the decisions of people as of now.
func (r *databaseRun) standings(ctx context.Context) (all []*standing, err error) {
	return all, r.view(ctx, func(view store.View) error {
		latest, err := r.latestRuns(ctx, view)
		if err != nil {
			return err
		}
		for i := range latest {
			for k := range latest[i].Result.Divergences {
				all = append(all, &standing{&latest[i].Result.Divergences[k], &r.config, view.Now()})
			}
		}
		return nil
	})
}

// find is the one divergence that a name means: its id, else the id of what it
// is about.
func find(all []*standing, name string) (*standing, error) {
	var found []*standing
	for _, s := range all {
		if s.ID == name {
			return s, nil
		}
		if slices.Contains(s.Subject.IDs, name) || slices.Contains(s.Attempts, name) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &usageError{err: fmt.Errorf("no divergence %q stands after the last run; nothing was written", name), hint: "`desfecho report --format csv` lists them, with their ids in the column divergence"}
	}
	words := make([]string, len(found))
	for i, s := range found {
		words[i] = s.ID + " " + s.Class.String()
	}
	return nil, &usageError{err: fmt.Errorf("%q has %d divergences; nothing was written", name, len(found)), hint: "name one of them: " + strings.Join(words, ", ")}
}

// decide writes one note for each named divergence, all or none.
func (d *deps) decide(ctx context.Context, operator string, names []string, flags *pflag.FlagSet, decision func(*standing) (store.Note, error)) error {
	return d.withStandings(ctx, flags, func(s store.Store, all []*standing) error {
		operator, err := d.operator(operator)
		if err != nil {
			return err
		}
		var notes []store.Note
		var said []string
		for _, name := range distinct(names) {
			one, err := find(all, name)
			if err != nil {
				return err
			}
			n, err := decision(one)
			if err != nil {
				return err
			}
			n.Operator = operator
			notes, said = append(notes, n), append(said, told(&n, one))
		}
		if err := s.Note(ctx, notes...); err != nil {
			return err
		}
		return d.writeLines(ctx, said)
	})
}

// withStandings opens the store and reads what stands.
func (d *deps) withStandings(ctx context.Context, flags *pflag.FlagSet, work func(store.Store, []*standing) error) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	r, err := d.newDatabaseRun(&reconcileOptions{}, config, nil)
	if err != nil {
		return err
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		r.store = s
		all, err := r.standings(ctx)
		if err != nil {
			return err
		}
		return work(s, all)
	})
}

// told says what was decided about what.
func told(n *store.Note, s *standing) string {
	how := string(n.Kind)
	switch n.Kind { //nolint:exhaustive // the others are told otherwise
	case store.NoteText:
		how = "noted"
	case store.NoteAccept, store.NoteSnooze:
		how += " until " + n.Until.String()
	}
	return fmt.Sprintf("%s %s %s · %s · %s, by %s", n.Divergence, s.Class, s.Subject, money.Amount{Minor: s.Amount, Currency: s.Currency}, how, n.Operator)
}

// history prints what happened to a divergence by people's hands.
func (d *deps) history(ctx context.Context, name string, flags *pflag.FlagSet) error {
	return d.withStandings(ctx, flags, func(s store.Store, all []*standing) error {
		id := name
		one, err := find(all, name)
		if err == nil {
			id = one.ID
		}
		view, viewErr := s.View(ctx)
		if viewErr != nil {
			return viewErr
		}
		notes, notesErr := view.Notes(ctx, []string{id})
		if notesErr = errors.Join(notesErr, view.Close()); notesErr != nil {
			return notesErr
		}
		if len(notes) == 0 {
			if err != nil {
				return err
			}
			return d.writeLine(ctx, id+": no note and no decision")
		}
		var lines []string
		for i := range notes {
			lines = append(lines, runs.Told(&notes[i]))
		}
		return d.writeLines(ctx, lines)
	})
}

func (d *deps) writeLines(ctx context.Context, lines []string) error {
	if d.global.quiet && !d.global.toFile() {
		return nil
	}
	return d.write(ctx, func(w io.Writer) error {
		for _, line := range lines {
			if _, err := fmt.Fprintln(w, ui.Clean(line).String()); err != nil {
				return err
			}
		}
		return nil
	})
}
