package stats

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

const now = payment.Instant(1_764_000_000_000_000)

// full has something of every family.
func full() *Stats {
	s := New(now, []string{"stripe", "asaas"})
	for _, a := range []struct {
		status payment.Status
		err    payment.CallError
		age    time.Duration
	}{
		{payment.Unknown, payment.ErrorTimeout, 2 * time.Hour},
		{payment.Unknown, payment.ErrorNone, 50 * time.Hour},
		{payment.Succeeded, payment.Error5xx, time.Hour},
		{payment.Failed, payment.ErrorCardRefused, time.Hour},
		{payment.Failed, payment.ErrorTimeout, time.Hour},
		{payment.Succeeded, payment.ErrorNone, 23 * time.Hour},
		{payment.Pending, payment.ErrorNone, time.Minute},
	} {
		s.Attempt(&payment.Attempt{Provider: "stripe", LastError: a.err, CreatedAt: now.Add(-a.age)}, a.status)
	}
	s.Covered([]payment.Statement{{Provider: "stripe", Account: "a\"1", From: 1, Through: now.Add(-time.Hour)}, {Provider: "stripe", Account: "a\"1", From: 1, Through: now.Add(-3 * time.Hour)}})
	brl := money.MustCurrency("BRL")
	s.Run(&reconcile.Result{Divergences: []reconcile.Divergence{
		{Provider: "stripe", Class: reconcile.UnknownCharged, Severity: reconcile.P1, Amount: 100, Currency: brl},
		{Provider: "stripe", Class: reconcile.UnknownCharged, Severity: reconcile.P1, Amount: 7, Currency: brl, Attributes: []string{reconcile.AttributeAccepted}},
		{Provider: "stripe", Class: reconcile.UnknownCharged, Severity: reconcile.P1, Amount: 50, Currency: brl, SameMoneyAs: &reconcile.Subject{}},
		{Provider: "asaas", Class: reconcile.UnknownCharged, Severity: reconcile.P1, Amount: 5, Currency: brl},
	}}, "stripe", now.Add(-2*time.Hour))
	for i := range 20 {
		s.Settlement(&audit.Entry{Provider: "stripe", Evidence: "abc", At: now}, now.Add(-time.Duration(i+1)*time.Minute))
	}
	s.Settlement(&audit.Entry{Provider: "stripe", Evidence: "abc,manual:1", At: now}, now.Add(-time.Hour))
	s.Settlement(&audit.Entry{Provider: "stripe", At: now}, now.Add(-time.Hour))
	s.Close()
	return s
}

func written(t *testing.T, s *Stats) string {
	t.Helper()
	var b strings.Builder
	if err := s.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEveryNumberIsWhatWasCounted, and a doubt is no decline, whatever became
// of it.
func TestEveryNumberIsWhatWasCounted(t *testing.T) {
	t.Parallel()
	text := written(t, full())
	for _, want := range []string{
		`desfecho_stats_timestamp_seconds 1764000000`, `desfecho_last_run_timestamp_seconds{provider="stripe"} 1763992800`,
		`desfecho_unknown_entered_last_day{provider="stripe",cause="timeout"} 2`, `desfecho_unknown_entered_last_day{provider="stripe",cause="http_5xx"} 1`,
		`desfecho_attempts_last_day{provider="stripe",outcome="declined"} 1`, `desfecho_attempts_last_day{provider="stripe",outcome="ambiguous"} 1`,
		`desfecho_attempts_last_day{provider="stripe",outcome="failed_after_doubt"} 1`, `desfecho_attempts_last_day{provider="stripe",outcome="succeeded"} 2`,
		`desfecho_open_attempts{provider="stripe",age="15m"} 1`, `desfecho_open_attempts{provider="stripe",age="4h"} 1`, `desfecho_open_attempts{provider="stripe",age="7d"} 1`,
		`desfecho_oldest_open_attempt_seconds{provider="stripe"} 180000`, `desfecho_oldest_open_attempt_seconds{provider="asaas"} 0`,
		`desfecho_coverage_lag_seconds{provider="stripe",account="a\"1",statement="ledger"} 3600`,
		`desfecho_divergences{provider="stripe",class="unknown_charged",severity="P1"} 2`,
		`desfecho_divergence_money_minor{provider="stripe",class="unknown_charged",currency="BRL"} 100`,
		`desfecho_settled_last_month{provider="stripe",mechanism="lookup"} 20`, `desfecho_settled_last_month{provider="stripe",mechanism="manual"} 1`,
		`desfecho_settled_last_month{provider="stripe",mechanism="statement"} 1`,
		`desfecho_time_to_outcome_seconds{provider="stripe",mechanism="lookup",percentile="50"} 600`,
		`desfecho_time_to_outcome_seconds{provider="stripe",mechanism="lookup",percentile="95"} 1140`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	if strings.Contains(text, `provider="asaas",class`) || strings.Contains(text, `last_run_timestamp_seconds{provider="asaas"}`) {
		t.Error("what is not known of a provider is told")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestRulesAndDashboardNameOnlyWhatIsWritten, and leave nothing out.
func TestRulesAndDashboardNameOnlyWhatIsWritten(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for _, f := range full().Families() {
		if len(f.Metrics) == 0 {
			t.Errorf("the test has nothing of %s", f.Name)
		}
		there[f.Name] = true
	}
	names := regexp.MustCompile(`desfecho_[a-z0-9_]+`)
	shown := map[string]bool{}
	for _, file := range []string{"../../etc/desfecho.rules.yml", "../../etc/desfecho.dashboard.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names.FindAllString(string(text), -1) {
			shown[name] = true
			if !there[name] {
				t.Errorf("%s asks for %s, which is not written", file, name)
			}
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON", file)
		}
	}
	for name := range there {
		if !shown[name] {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// TestPromtoolTakesAllOfIt: the rules, their tests and what is written.
func TestPromtoolTakesAllOfIt(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here: the alert rules and the metrics were not checked by it (Debian: apt-get install prometheus)")
	}
	for _, args := range [][]string{{"check", "rules", "desfecho.rules.yml"}, {"test", "rules", "desfecho.rules_test.yml"}, {"check", "metrics"}} {
		c := exec.CommandContext(t.Context(), promtool, args...)
		c.Dir, c.Stdin = "../../etc", strings.NewReader(written(t, full()))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
