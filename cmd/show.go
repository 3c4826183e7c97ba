package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/report"
)

const showLong = `Show one attempt on one screen: what stands here, what the provider says when
asked just now by every key, what the business says; which marks the evidence
allows and refuses, each with its reason and when that can change; exactly what
each mark would write; how it was found, what was asked before, its siblings,
lines and events; and whether the payment may be sent again.

It stores what the provider answered, and never touches the attempt. With
--offline nobody is asked: what is shown is what is known, with its age.

EXIT STATUS
  0  the attempt was shown
  2  there is no such attempt`

type showOptions struct {
	unit    string
	offline bool
}

func newShowCommand(d *deps) *cobra.Command {
	o := &showOptions{}
	c := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one attempt: here, at the provider, in the business, and what may be done",
		Long:    showLong,
		Example: "  desfecho show 4711\n  desfecho show 4711 --offline",
		Args:    oneArgument("attempt"),
		RunE:    func(c *cobra.Command, args []string) error { return d.show(c.Context(), o, args[0], c.Flags()) },
	}
	c.Flags().BoolVar(&o.offline, "offline", false, "ask nobody: show what is known")
	c.Flags().StringVar(&o.unit, "unit", "", "judge for this `object` of the provider, where several would do")
	return c
}

func (d *deps) show(ctx context.Context, opts *showOptions, id string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	return d.withDesk(ctx, config, !opts.offline, func(o *onCall) error {
		picture, err := o.desk.Look(ctx, id, opts.unit)
		if err != nil {
			return attemptNotFound(id, err)
		}
		screen, err := o.screen(picture, len(picture.Asked) == 0)
		if err != nil {
			return err
		}
		if screen.Business, err = o.business(ctx, picture.Seen.Attempt.Charge); err != nil {
			return err
		}
		return d.write(ctx, func(w io.Writer) error {
			if d.global.jsonAsked() {
				return report.WriteAttemptJSON(w, screen)
			}
			return report.WriteAttempt(w, screen, d.drawing(), true)
		})
	})
}
