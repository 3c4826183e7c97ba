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

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/settle"
	"desfecho/internal/ui"
)

const probeLong = `Ask the providers about every attempt that is due, and keep what they answer as
evidence. Open attempts are asked about 30 s after they were sent, then after 1,
2, 5, 10 and 30 minutes, then hourly for a day and daily for as long as they are
open: none is ever forgotten. Failed ones whose error leaves a doubt are asked
about for a week, and succeeded ones before they are called missing. What has an
outcome here and was still open there when the last run looked is asked about daily.

It never touches an attempt. Run it every five minutes.

EXIT STATUS
  0  everything that was due got a clear answer
  4  some did not; they are asked about again
  8  the provider refused the credentials`

func newProbeCommand(d *deps) *cobra.Command {
	return &cobra.Command{
		Use:     "probe",
		Short:   "Ask the providers about every attempt that is due",
		Long:    probeLong,
		Example: "  */5 * * * *  desfecho probe -q",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return d.probe(c.Context(), c.Flags()) },
	}
}

func (d *deps) probe(ctx context.Context, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	if _, err := config.onlineEntries(nil); err != nil {
		return err
	}
	return d.withDesk(ctx, config, true, func(o *onCall) error {
		if err := o.settleIntents(ctx); err != nil {
			return err
		}
		t := probeTally{}
		if err := o.desk.Probe(ctx, t.add); err != nil {
			return err
		}
		return d.tellProbed(ctx, t)
	})
}

// probeTally counts answers by provider.
type probeTally map[string]*probeCount

type probeCount struct {
	asked, found, absent, unclear int
	reasons                       []string
}

func (t probeTally) add(p settle.Probed) error {
	c := t[p.Provider]
	if c == nil {
		c = &probeCount{}
		t[p.Provider] = c
	}
	c.asked++
	switch {
	case p.Found():
		c.found++
	case p.Unclear() || len(p.Answers) == 0:
		c.unclear++
	default:
		c.absent++
	}
	for _, l := range p.Answers {
		if l.Outcome == payment.Inconclusive && !slices.Contains(c.reasons, l.Reason) {
			c.reasons = append(c.reasons, l.Reason)
		}
	}
	return nil
}

func (d *deps) tellProbed(ctx context.Context, t probeTally) error {
	code, refused := exitDone, 0
	names := make([]string, 0, len(t))
	for name, c := range t {
		names = append(names, name)
		if c.unclear > 0 {
			code = exitIncomplete
		}
		if c.unclear == c.asked && slices.Equal(c.reasons, []string{string(provider.Credentials)}) {
			refused++
		}
	}
	if refused > 0 && refused == len(t) && len(t) == 1 {
		code = exitCredentials
	}
	slices.Sort(names)
	if !d.global.quiet || code != exitDone {
		err := d.write(ctx, func(w io.Writer) error {
			if d.global.jsonAsked() {
				return printJSON(w, wiredProbe(names, t))
			}
			if len(names) == 0 {
				_, err := fmt.Fprintln(w, "nothing was due")
				return err
			}
			for _, name := range names {
				c := t[name]
				text := fmt.Sprintf("%s · asked about %d attempts: %d found, %d not found, %d without a clear answer", name, c.asked, c.found, c.absent, c.unclear)
				if len(c.reasons) > 0 {
					text += " (" + strings.Join(c.reasons, ", ") + ")"
				}
				if _, err := fmt.Fprintln(w, ui.Clean(text).String()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if code != exitDone {
		return verdictError(code)
	}
	return nil
}

func wiredProbe(names []string, t probeTally) any {
	type count struct {
		Provider string   `json:"provider"`
		Asked    int      `json:"asked"`
		Found    int      `json:"found"`
		NotFound int      `json:"not_found"`
		Unclear  int      `json:"inconclusive"`
		Reasons  []string `json:"reasons"`
	}
	list := []count{}
	for _, name := range names {
		c := t[name]
		list = append(list, count{name, c.asked, c.found, c.absent, c.unclear, append([]string{}, c.reasons...)})
	}
	return struct {
		Schema    int     `json:"schema"`
		Kind      string  `json:"kind"`
		Providers []count `json:"providers"`
	}{1, "probe", list}
}

const runLong = `The daily job: pull what the providers show since last time, ask about every
attempt that is due, compare, save the run and print what is new, and find out
what became of operations whose reply was lost.

What one provider fails at leaves the others untouched; the report says what
could not be read, and nothing is called missing there. Pulling and asking are
told on the standard error, the report is what stands on the output.

Where run.heartbeat_url is configured, a monitor of the kind of healthchecks.io
is told that the run began, and how it ended; those under run.notify are told
what is new, once. See desfecho help environment.
--prometheus FILE writes the numbers of ` + "`desfecho stats`" + ` at the end, however the
run ended; where they cannot be written that is said, and fails nothing.

EXIT STATUS
  0  nothing at or above --fail-on
  3  divergences at or above --fail-on
  4  something could not be read to the end
  75 another run is at work`

func newRunCommand(d *deps) *cobra.Command {
	var metrics string
	c := &cobra.Command{
		Use:     "run",
		Short:   "Pull, probe and reconcile: the daily job for cron",
		Long:    runLong,
		Example: "  15 6 * * *  desfecho run -o /var/log/desfecho/report.txt",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return d.monitored(c.Context(), metrics, c.Flags()) },
	}
	c.Flags().StringVar(&metrics, "prometheus", "", "write the metrics to this `file` at the end, whole or not at all")
	c.Flags().String("fail-on", "", "exit 3 from this `severity` on: P1 to P4, or never (default P2)")
	return c
}

// monitored does the daily job, writes its metrics, tells who wants to be told
// and lets its monitor know.
func (d *deps) monitored(ctx context.Context, metrics string, flags *pflag.FlagSet) error {
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	beat, err := d.heartbeat(&config.Run)
	if err != nil {
		return err
	}
	defer beat.close()
	told, err := d.recipients(&config.Run)
	if err != nil {
		return err
	}
	beat.start(ctx)
	err = d.daily(ctx, config, flags)
	if metrics != "" && ctx.Err() == nil {
		if failed := d.stats(ctx, metrics, nil, flags); failed != nil { // what the run found is told all the same
			d.log.WarnContext(ctx, "the metrics were not written", "file", metrics, "reason", failed)
		}
	}
	d.tellAll(ctx, config, told)
	code, judged := errors.AsType[verdictError](err)
	if err != nil && !judged {
		code = verdictError(describe(ctx, err).Code)
	}
	beat.end(ctx, exitCode(code))
	return err
}

// daily does the steps one after the other. A step that could not do all of its
// work lets the next ones do theirs, and counts in the exit code.
func (d *deps) daily(ctx context.Context, config Config, flags *pflag.FlagSet) error {
	if _, err := config.onlineEntries(nil); err != nil {
		return err
	}
	steps := *d
	aside := *d.global
	aside.output, aside.json, aside.format = "", false, "table"
	steps.global, steps.Out, steps.OutTerminal = &aside, d.Err, false
	code := exitDone
	for _, step := range []func() error{
		func() error { return steps.pullOnline(ctx, &pullOptions{}, nil, flags) },
		func() error { return steps.probe(ctx, flags) },
	} {
		err := step()
		_, partly := errors.AsType[verdictError](err)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return err
		case partly:
			code = worst(code, exitIncomplete)
		default: // one account's: the others were read, and are compared
			problem := describe(ctx, err)
			if err := problem.Print(d.Err); err != nil {
				return err
			}
			code = worst(code, exitCode(problem.Code))
		}
	}
	err := d.reconcileDatabase(ctx, &reconcileOptions{}, config, nil)
	if notUsable[*uncoveredError](err) {
		err = d.unread(ctx, err)
	}
	verdict, told := errors.AsType[verdictError](err)
	if err != nil && !told {
		return err
	}
	if code = worst(code, exitCode(verdict)); code != exitDone {
		return verdictError(code)
	}
	return nil
}

// unread says that nothing was ever read, which is no fault of the command line
// where the providers were asked just now: what they could not show is missing.
func (d *deps) unread(ctx context.Context, err error) error {
	problem := describe(ctx, err)
	problem.Code, problem.Name = int(exitIncomplete), exitIncomplete.String()
	problem.Hint = "no report was written; run it again once a provider can be read"
	if err := problem.Print(d.Err); err != nil {
		return err
	}
	return verdictError(exitIncomplete)
}
