package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/reconcile"
	"desfecho/report"
)

const reportLong = `Write the report of a saved run again: the numbers that cron saw, without asking
any provider and without comparing anew. Without --run it is the last run of the
named providers, or of all.

--class and --severity leave divergences out of the list; sums and counts stay
those of the whole run. It only reads: a standby, or a role that may only read
desfecho's own tables, serves it.`

// reportOptions is the command line of report.
type reportOptions struct {
	run      string
	classes  []string
	severity string
	decide   bool
}

func newReportCommand(d *deps) *cobra.Command {
	o := &reportOptions{}
	c := &cobra.Command{
		Use:   "report [PROVIDER…]",
		Short: "Write the report of a saved run again",
		Long:  reportLong,
		Example: `  desfecho report --format html -o report.html
  desfecho report --format xlsx -o report.xlsx
  desfecho report --format csv-br -o divergencias.csv
  desfecho report --run 20251130T120000Z-1a2b3c4d --severity P2`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			keep, err := o.filter()
			if err != nil {
				return &usageError{err: err, hint: "see `desfecho help classes`"}
			}
			return d.again(c.Context(), o, keep, args, c.Flags())
		},
	}
	c.Flags().StringVar(&o.run, "run", "", "`id` of the run (default: the last)")
	c.Flags().StringArrayVar(&o.classes, "class", nil, "list only this `class`; may be given several times")
	c.Flags().BoolVar(&o.decide, "decisions", false, "add empty columns to csv or csv-br in which people decide, for desfecho import-decisions")
	c.Flags().StringVar(&o.severity, "severity", "", "list only divergences of this `severity` or worse")
	return c
}

// filter tells which divergences are listed.
func (o *reportOptions) filter() (func(*reconcile.Divergence) bool, error) {
	var classes []reconcile.Class
	for _, word := range o.classes {
		class, ok := reconcile.ParseClass(word)
		if !ok {
			return nil, fmt.Errorf("unknown class %q", word)
		}
		classes = append(classes, class)
	}
	least := reconcile.P4
	if o.severity != "" {
		var err error
		if least, err = parseFailOn(o.severity); err != nil || least == 0 {
			return nil, fmt.Errorf("--severity %q: want P1, P2, P3 or P4", o.severity)
		}
	}
	return func(d *reconcile.Divergence) bool {
		return d.Severity <= least && (len(classes) == 0 || slices.Contains(classes, d.Class))
	}, nil
}

// again writes the report of a saved run.
func (d *deps) again(ctx context.Context, o *reportOptions, keep func(*reconcile.Divergence) bool, providers []string, flags *pflag.FlagSet) error {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	config, err := d.settings(flags)
	if err != nil {
		return err
	}
	r, err := d.newDatabaseRun(&reconcileOptions{}, config, providers)
	if err != nil {
		return err
	}
	if o.decide && r.format != "csv" && r.format != "csv-br" {
		return &usageError{err: fmt.Errorf("--decisions goes with csv and csv-br, and the format is %s", r.format), hint: "say --format csv"}
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		r.store = s
		saved, err := r.saved(ctx, o.run)
		if err != nil {
			return err
		}
		leaveOut(saved.Result, keep)
		document := &report.Document{
			Version: saved.Program, Result: saved.Result, FailOn: r.failOn, ExitCode: int(codeOfResult(saved.Result, r.failOn)),
			Commands: []string{"resolve", "show", "explain"}, Remembered: report.Remembered{Run: saved.ID},
			Assumptions: []string{"compared as of " + saved.At.String() + ", written again from the saved run"},
		}
		if document.Zone, err = r.configuredZone(); err != nil {
			document.Zone = nil // two zones: the report speaks UTC
		}
		return d.write(ctx, func(w io.Writer) error {
			return report.Write(w, r.format, document, report.Options{
				Terminal: d.OutTerminal && !d.global.toFile(), Width: d.Width, Color: d.Color && !d.global.toFile(), ASCII: d.ASCII, Decisions: o.decide,
			})
		})
	})
}

// saved finds the run: by its id, else the last one, which must be one for all
// providers.
func (r *databaseRun) saved(ctx context.Context, id string) (run store.Run, err error) {
	return run, r.view(ctx, func(view store.View) error {
		if id != "" {
			run, err = r.store.Run(ctx, id)
			return err
		}
		latest, err := r.latestRuns(ctx, view)
		if err != nil {
			return err
		}
		if len(latest) > 1 {
			return &usageError{
				err:  fmt.Errorf("the last runs of %s are not one", count(r.providers)),
				hint: "name one provider, or a run with --run " + latest[0].ID,
			}
		}
		run = latest[0]
		return nil
	})
}

// latestRuns are the last runs of the providers, each once.
func (r *databaseRun) latestRuns(ctx context.Context, view store.View) (latest []store.Run, err error) {
	var ids []string
	for _, name := range r.providers {
		id, err := view.LatestRun(ctx, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	for _, id := range distinct(ids) {
		saved, err := r.store.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		latest = append(latest, saved)
	}
	if len(latest) == 0 {
		return nil, &usageError{err: fmt.Errorf("no run of %s was saved yet", strings.Join(r.providers, ", ")), hint: "run `desfecho reconcile` first"}
	}
	return latest, nil
}

// applyNotes marks what people put aside since the run was saved.
func (r *databaseRun) applyNotes(ctx context.Context, view store.View, result *reconcile.Result) error {
	for i := range result.Divergences {
		d := &result.Divergences[i]
		d.Attributes = slices.DeleteFunc(d.Attributes, func(word string) bool {
			return word == reconcile.AttributeAccepted || word == reconcile.AttributeSnoozed
		})
	}
	notes, err := view.Notes(ctx, runs.IDs(result))
	runs.Apply(result, notes)
	return err
}

// leaveOut takes divergences out of the list, and groups that lost a member.
func leaveOut(r *reconcile.Result, keep func(*reconcile.Divergence) bool) {
	all := len(r.Divergences)
	r.Divergences = slices.DeleteFunc(r.Divergences, func(d reconcile.Divergence) bool { return !keep(&d) })
	if len(r.Divergences) < all {
		r.Groups = nil
	}
}
