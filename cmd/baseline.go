package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

const baselineLong = `Accept what is old: every divergence of the last runs about something that
happened before a day, as one named block. Accepted divergences are summed up in
one line of the report and fail no run; each comes back by itself as soon as its
class or its amount is another.

Run reconcile before, look at its report, and accept what you inherited: what
desfecho finds from that day on is news. Nothing of your own tables is changed,
and nothing is forgotten: csv and json still list every one.`

// baselineOptions is the command line of baseline.
type baselineOptions struct {
	from     string
	name     string
	operator string
}

func newBaselineCommand(d *deps) *cobra.Command {
	o := &baselineOptions{}
	c := &cobra.Command{
		Use:     "baseline [PROVIDER…] --from DATE",
		Short:   "Accept the opening stock of old divergences as one block",
		Long:    baselineLong,
		Example: `  desfecho baseline --from 2025-12-01 --name "before we began"`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			from, err := parseMoment(o.from)
			if o.from == "" {
				err = errors.New("baseline needs --from")
			}
			if err != nil {
				return &usageError{err: err, hint: "give the first day whose divergences are news, such as --from 2025-12-01"}
			}
			return d.baseline(c.Context(), o, from, args, c.Flags())
		},
	}
	c.Flags().StringVar(&o.from, "from", "", "first `day` whose divergences are not accepted")
	c.Flags().StringVar(&o.name, "name", "", "`name` of the block (default: opening stock before the day)")
	c.Flags().StringVar(&o.operator, "operator", "", "`name` of the person who accepts (default: the variable USER)")
	return c
}

func (d *deps) baseline(ctx context.Context, o *baselineOptions, from moment, providers []string, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if o.operator == "" {
		o.operator = d.env.get("USER")
	}
	if o.operator == "" {
		return &usageError{err: errors.New("nobody accepts this"), hint: "say who you are with --operator"}
	}
	if o.name == "" {
		o.name = "opening stock before " + o.from
	}
	r, err := d.newDatabaseRun(&reconcileOptions{}, config, providers)
	if err != nil {
		return err
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		r.store = s
		if zone, err := r.configuredZone(); err == nil && from.in(zone) > payment.InstantOf(d.now()) {
			return &usageError{
				err:  fmt.Errorf("--from %s has not begun: nothing was accepted", o.from),
				hint: "what is accepted is what already stood before the day; give the first day whose divergences are news",
			}
		}
		notes, err := r.openingStock(ctx, o, from)
		if err != nil {
			return err
		}
		if err := s.Note(ctx, notes...); err != nil {
			return err
		}
		return d.tellBaseline(ctx, o, notes)
	})
}

// openingStock makes one note for each divergence of the last runs that is
// older than the day and not put aside yet.
func (r *databaseRun) openingStock(ctx context.Context, o *baselineOptions, from moment) (notes []store.Note, err error) {
	zone, err := r.configuredZone()
	if err != nil {
		return nil, err
	}
	return notes, r.view(ctx, func(view store.View) error {
		latest, err := r.latestRuns(ctx, view)
		if err != nil {
			return err
		}
		for _, saved := range latest {
			if err := r.applyNotes(ctx, view, saved.Result); err != nil {
				return err
			}
			for i := range saved.Result.Divergences {
				if d := &saved.Result.Divergences[i]; !d.Aside() && happened(d, saved.Result.Now) < from.in(zone) {
					notes = append(notes, store.Note{
						Divergence: d.ID, Kind: store.NoteBaseline, Class: d.Class.String(), Minor: d.Amount, Currency: d.Currency.String(),
						Text: o.name, Operator: o.operator,
					})
				}
			}
		}
		return nil
	})
}

// happened is when what a divergence is about began: at the latest when it was
// seen.
func happened(d *reconcile.Divergence, now payment.Instant) payment.Instant {
	for _, at := range []payment.Instant{d.Since, d.FirstSeen} {
		if !at.IsZero() {
			return at
		}
	}
	return now
}

func (d *deps) tellBaseline(ctx context.Context, o *baselineOptions, notes []store.Note) error {
	if d.global.quiet && !d.global.toFile() {
		return nil
	}
	var sums []money.Amount
	for _, n := range notes {
		c, err := money.ParseCurrency(n.Currency)
		if err != nil {
			continue // no money is at stake
		}
		at := -1
		for i := range sums {
			if sums[i].Currency == c {
				at = i
			}
		}
		if at < 0 {
			sums = append(sums, money.Amount{Currency: c})
			at = len(sums) - 1
		}
		var ok bool
		if sums[at].Minor, ok = money.Sum(sums[at].Minor, n.Minor); !ok {
			return fmt.Errorf("add up what was accepted in %s: %w", c, money.ErrOverflow)
		}
	}
	parts := []string{fmt.Sprintf("accepted %d divergences", len(notes))}
	for _, sum := range sums {
		parts = append(parts, sum.String())
	}
	parts = append(parts, "from before "+o.from, fmt.Sprintf("as %q", o.name))
	return d.write(ctx, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, ui.Clean(strings.Join(parts, ", ")).String())
		return err
	})
}
