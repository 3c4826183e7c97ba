package stats

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
)

// Metric is one number of a family; Labels are name and value in turns.
type Metric struct {
	Labels []string
	Value  int64
}

// Family is what is counted under one name.
type Family struct {
	Name, Help string
	Metrics    []Metric
}

// Families are all numbers, in one order. Times are whole seconds, money is
// whole minor units.
func (s *Stats) Families() []Family {
	f := []Family{
		{"desfecho_stats_timestamp_seconds", "When these numbers were counted.", []Metric{{nil, unix(int64(s.Now))}}},
		{"desfecho_last_run_timestamp_seconds", "The moment that the last saved run of a provider was about; absent where none was saved.", nil},
		counted("desfecho_unknown_entered_last_day", "Attempts created in the last 24 hours that got no clear answer, by the cause that last_error names, whatever became of them.", s.Entered, "cause"),
		counted("desfecho_attempts_last_day", "Attempts created in the last 24 hours by outcome: succeeded, declined (an explicit no), failed_after_doubt, ambiguous.", s.Ended, "outcome"),
		counted("desfecho_open_attempts", "Attempts without outcome by age: the upper end of their group.", s.Open, "age"),
		{"desfecho_oldest_open_attempt_seconds", "Age of the oldest attempt without outcome, 0 where there is none.", nil},
		{"desfecho_coverage_lag_seconds", "How long ago the newest thing happened that was read of an account's statements.", nil},
		counted("desfecho_divergences", "Divergences that the last run found and nobody put aside.", s.Count, "class", "severity"),
		counted("desfecho_divergence_money_minor", "Their money, in minor units of the currency.", s.Money, "class", "currency"),
		{"desfecho_settled_last_month", "Attempts settled with desfecho in the last 30 days, by what told the outcome.", nil},
		{"desfecho_time_to_outcome_seconds", "From creation to mark, of attempts settled with desfecho in the last 30 days.", nil},
	}
	for _, p := range s.Providers {
		if at, ran := s.LastRun[p]; ran {
			f[1].Metrics = append(f[1].Metrics, Metric{[]string{"provider", p}, unix(int64(at))})
		}
		f[5].Metrics = append(f[5].Metrics, Metric{[]string{"provider", p}, seconds(s.Oldest[p])})
	}
	for _, k := range keys(s.Lag) {
		f[6].Metrics = append(f[6].Metrics, Metric{[]string{"provider", k.Provider, "account", k.Word, "statement", k.More}, seconds(s.Lag[k])})
	}
	for _, k := range keys(s.Outcome) {
		t, of := s.Outcome[k], []string{"provider", k.Provider, "mechanism", k.Word}
		f[9].Metrics = append(f[9].Metrics, Metric{of, t.Count})
		f[10].Metrics = append(f[10].Metrics, Metric{append(of[:4:4], "percentile", "50"), seconds(t.Median)}, Metric{append(of[:4:4], "percentile", "95"), seconds(t.P95)})
	}
	return f
}

func counted(name, help string, m map[Key]int64, labels ...string) Family {
	f := Family{Name: name, Help: help}
	for _, k := range keys(m) {
		of := []string{"provider", k.Provider, labels[0], k.Word}
		if len(labels) > 1 {
			of = append(of, labels[1], k.More)
		}
		f.Metrics = append(f.Metrics, Metric{of, m[k]})
	}
	return f
}

func unix(micros int64) int64 { return micros / int64(time.Second/time.Microsecond) }

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// label escapes a value as the text format of Prometheus wants it.
var label = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// String is how Prometheus writes the name and labels.
func (m *Metric) String() string {
	var parts []string
	for i := 0; i+1 < len(m.Labels); i += 2 {
		parts = append(parts, m.Labels[i]+`="`+label.Replace(strings.ToValidUTF8(m.Labels[i+1], "?"))+`"`)
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// WritePrometheus writes the text format that node_exporter's textfile
// collector reads. All are gauges.
func (s *Stats) WritePrometheus(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range s.Families() {
		if len(f.Metrics) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", f.Name, label.Replace(f.Help), f.Name)
		for i := range f.Metrics {
			_, _ = fmt.Fprintf(out, "%s%s %d\n", f.Name, f.Metrics[i].String(), f.Metrics[i].Value)
		}
	}
	return out.Flush() // remembers the first failure
}
