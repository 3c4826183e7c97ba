package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/internal/settle"
	"desfecho/report"
)

const stuckLong = `List the open attempts: first those whose evidence is about to disappear, then
those that a person can settle now, then those that wait for a second person, for
something to be done at the provider, or for time; the oldest and largest first.

Nobody is asked: what is known of each is what the provider answered last. It
only reads.

EXIT STATUS
  0  the list was written, also an empty one`

func newStuckCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:     "stuck [PROVIDER…]",
		Short:   "List attempts without an outcome, by what can be done about them",
		Long:    stuckLong,
		Example: "  desfecho stuck\n  desfecho stuck stripe --json",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return d.stuck(c.Context(), args, c.Flags()) },
	}
}

func (d *deps) stuck(ctx context.Context, providers []string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if err := config.knows(providers...); err != nil {
		return err
	}
	if len(providers) == 0 {
		providers = config.providerNames()
	}
	return d.withDesk(ctx, config, false, func(o *onCall) error {
		list, err := o.desk.List(ctx, providers)
		if err != nil {
			return err
		}
		rows, now, err := o.stuckRows(list)
		if err != nil {
			return err
		}
		if len(rows) == 0 && !d.global.jsonAsked() {
			_, err := fmt.Fprintln(d.Err, "no attempt is stuck")
			return err
		}
		return d.write(ctx, func(w io.Writer) error {
			if d.global.jsonAsked() {
				return report.WriteStuckJSON(w, rows, now)
			}
			return report.WriteStuck(w, rows, now, d.drawing())
		})
	})
}

func (o *onCall) stuckRows(list []settle.Stuck) (rows []report.StuckRow, now payment.Instant, err error) {
	for _, s := range list {
		screen, err := o.screen(s.Picture, true)
		if err != nil {
			return nil, 0, err
		}
		now = max(now, screen.Now)
		rows = append(rows, report.StuckRow{
			Attempt: screen, Mark: s.Mark, Approval: s.Can == settle.CanApprove, Ask: s.Can == settle.CanAsk, Act: s.Can == settle.CanAct, AgingOut: s.AgingOut, Until: s.Until,
		})
	}
	return rows, now, nil
}
