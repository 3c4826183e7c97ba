package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"desfecho/internal/atomicfile"
	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/stats"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

const statsLong = `Count how attempts end and what waits: attempts that entered the unknown in the last
24 hours, by provider and cause; explicit declines apart from ambiguous outcomes;
open attempts by age, and the oldest; how long ago the newest thing happened that was
read; the last run, and the divergences and money that it left; how long attempts
settled with desfecho waited, by what told their outcome.

--prometheus FILE writes the numbers for the textfile collector of node_exporter, whole
or not at all, readable for everybody; the standard output then says nothing.

What is not stored is not told: when an attempt was settled that your own program
settled, by a webhook or otherwise; and how much of a provider's quota was used.
It asks no provider and only reads.`

func newStatsCommand(d *deps) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:     "stats [PROVIDER…]",
		Short:   "Count how attempts end and what waits, also for Prometheus",
		Long:    statsLong,
		Example: "  desfecho stats\n  desfecho stats --prometheus /var/lib/node_exporter/textfile/desfecho.prom",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return d.stats(c.Context(), file, args, c.Flags()) },
	}
	c.Flags().StringVar(&file, "prometheus", "", "write the metrics to this `file`, whole or not at all")
	return c
}

func (d *deps) stats(ctx context.Context, file string, providers []string, flags *pflag.FlagSet) error {
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
	if file != "" {
		if err := atomicfile.Check(file); err != nil {
			return err
		}
	}
	return d.withStore(ctx, &config, func(s store.Store) error {
		r.store = s
		counted, err := r.stats(ctx)
		if err != nil {
			return err
		}
		if file != "" {
			return atomicfile.WriteReadable(file, counted.WritePrometheus)
		}
		return d.write(ctx, func(w io.Writer) error {
			if d.global.jsonAsked() {
				return writeStatsJSON(w, counted)
			}
			return writeStats(w, counted)
		})
	})
}

// stats counts from one snapshot, and what the last runs concluded.
func (r *databaseRun) stats(ctx context.Context) (counted *stats.Stats, err error) {
	return counted, r.view(ctx, func(view store.View) error {
		if err := r.learn(ctx, view); err != nil {
			return err
		}
		counted = stats.New(view.Now(), r.providers)
		coverage, err := view.Coverage(ctx, r.providers)
		if err != nil {
			return err
		}
		counted.Covered(coverage)
		for _, count := range []func(context.Context, store.View, *stats.Stats) error{r.countAttempts, r.countRuns, r.countSettled} {
			if err := count(ctx, view, counted); err != nil {
				return err
			}
		}
		counted.Close()
		return nil
	})
}

func (r *databaseRun) countAttempts(ctx context.Context, view store.View, counted *stats.Stats) error {
	policies := map[string]*reconcile.Policy{}
	for i := range r.policies {
		policies[r.policies[i].Provider] = &r.policies[i]
	}
	seen := map[string]bool{} // a row may come more than once
	now := counted.Now
	recent := payment.Interval{From: now.Add(-stats.Recent), To: now + 1}
	return view.Attempts(ctx, store.AttemptFilter{Providers: r.providers, Open: true, Created: &recent}, func(a payment.Attempt) error {
		p := policies[a.Provider]
		if seen[a.ID] || p == nil {
			return nil
		}
		seen[a.ID] = true
		counted.Attempt(&a, p.Status(&a, now))
		return nil
	})
}

func (r *databaseRun) countRuns(ctx context.Context, view store.View, counted *stats.Stats) error {
	results := map[string]store.Run{}
	for _, provider := range r.providers {
		id, err := view.LatestRun(ctx, provider)
		if err != nil {
			return err
		}
		if id == "" {
			continue
		}
		saved, read := results[id]
		if !read {
			if saved, err = r.store.Run(ctx, id); err != nil {
				return err
			}
			if err := r.applyNotes(ctx, view, saved.Result); err != nil {
				return err
			}
			results[id] = saved
		}
		counted.Run(saved.Result, provider, saved.At)
	}
	return nil
}

// countSettled reads the audit, and of the settled attempts when they began.
func (r *databaseRun) countSettled(ctx context.Context, view store.View, counted *stats.Stats) error {
	var entries []audit.Entry
	var ids []string
	err := r.store.Audit(ctx, "", func(e *audit.Entry) error {
		if e.Kind == audit.Settled && e.Mark != payment.Unknown.String() && counted.Now.Sub(e.At) < stats.Settled {
			entries, ids = append(entries, *e), append(ids, e.Attempt)
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	created := map[string]payment.Instant{}
	if err := view.Attempts(ctx, store.AttemptFilter{By: store.AttemptKey{Kind: store.ByID}, Values: distinct(ids)}, func(a payment.Attempt) error {
		created[a.ID] = a.CreatedAt
		return nil
	}); err != nil {
		return err
	}
	for i := range entries {
		if at, known := created[entries[i].Attempt]; known {
			counted.Settlement(&entries[i], at)
		}
	}
	return nil
}

// writeStats is a line a number: for people, and for cut and awk.
func writeStats(w io.Writer, s *stats.Stats) error {
	for _, f := range s.Families() {
		for i := range f.Metrics {
			m := &f.Metrics[i]
			if _, err := fmt.Fprintf(w, "%s\t%d\t%s\n", f.Name[len("desfecho_"):], m.Value, ui.Clean(m.String())); err != nil {
				return fmt.Errorf("write the numbers: %w", err)
			}
		}
	}
	return nil
}

func writeStatsJSON(w io.Writer, s *stats.Stats) error {
	type number struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
		Value  int64             `json:"value"`
	}
	out := struct {
		Schema  int      `json:"schema"`
		Kind    string   `json:"kind"`
		Now     string   `json:"now"`
		Numbers []number `json:"numbers"`
	}{1, "stats", s.Now.String(), []number{}}
	for _, f := range s.Families() {
		for _, m := range f.Metrics {
			n := number{f.Name[len("desfecho_"):], map[string]string{}, m.Value}
			for i := 0; i+1 < len(m.Labels); i += 2 {
				n.Labels[m.Labels[i]] = m.Labels[i+1]
			}
			out.Numbers = append(out.Numbers, n)
		}
	}
	text, err := json.Marshal(out)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return errors.Join(err)
}
