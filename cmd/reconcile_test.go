package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// parse is a reconcile command line that was parsed and not run.
func parse(t *testing.T, args ...string) (*reconcileOptions, error) {
	t.Helper()
	o := &reconcileOptions{}
	flags := pflag.NewFlagSet("reconcile", pflag.ContinueOnError)
	o.addFlags(flags)
	if err := flags.Parse(append([]string{"--attempts", "a", "--statement", "s", "--statement", "t"}, args...)); err != nil {
		t.Fatal(err)
	}
	return o, o.validate()
}

func TestAValueIsForAllStatementsOrForOne(t *testing.T) {
	t.Parallel()
	o, err := parse(t, "--provider", "acme", "--mode", "live", "--mode", "test")
	if err != nil {
		t.Fatal(err)
	}
	if each(o.providers, 0) != "acme" || each(o.providers, 1) != "acme" || each(o.zones, 1) != "" {
		t.Errorf("providers %v, zones %v", o.providers, o.zones)
	}
	if each(o.parsed.modes, 0) != payment.Live || each(o.parsed.modes, 1) != payment.Test {
		t.Errorf("modes %v", o.parsed.modes)
	}
	if _, err := parse(t, "--mode", "live", "--mode", "live", "--mode", "live"); err == nil {
		t.Error("three modes for two statements were taken")
	}
}

func TestTwoStatementsOfOneNameKeepTheirPaths(t *testing.T) {
	t.Parallel()
	r := &run{o: &reconcileOptions{statements: []string{"may/stripe.csv", "june/stripe.csv", "june/pix.csv"}}}
	for i, want := range []string{"may/stripe.csv", "june/stripe.csv", "pix.csv"} {
		if got := r.statementName(i); got != want {
			t.Errorf("statement %d is called %q, want %q", i, got, want)
		}
	}
}

func TestTheVerdictGivesTheCodeByPrecedence(t *testing.T) {
	t.Parallel()
	break1 := []reconcile.Divergence{{Severity: reconcile.P3}, {Severity: reconcile.P2}}
	for _, test := range []struct {
		name   string
		failOn reconcile.Severity
		result reconcile.Result
		want   exitCode
	}{
		{"clean", reconcile.P2, reconcile.Result{}, exitDone},
		{"below", reconcile.P1, reconcile.Result{Verdict: reconcile.Breaks, Divergences: break1}, exitDone},
		{"at", reconcile.P2, reconcile.Result{Verdict: reconcile.Breaks, Divergences: break1}, exitDivergences},
		{"never", 0, reconcile.Result{Verdict: reconcile.Breaks, Divergences: break1}, exitDone},
		{"incomplete first", reconcile.P2, reconcile.Result{Verdict: reconcile.Incomplete, Divergences: break1}, exitIncomplete},
		{"incomplete whatever", 0, reconcile.Result{Verdict: reconcile.Incomplete}, exitIncomplete},
		{"defect before all", 0, reconcile.Result{Verdict: reconcile.Incomplete, Divergences: break1, Defect: "1 ≠ 2"}, exitDefect},
	} {
		r := &run{failOn: test.failOn}
		if got := r.codeOf(&test.result); got != test.want {
			t.Errorf("%s: exit %d, want %d", test.name, got, test.want)
		}
	}
}

func TestADefectStillWritesTheReport(t *testing.T) {
	t.Parallel()
	r := read(ProviderConfig{Name: "stripe"})
	var out strings.Builder
	r.d.Out, r.d.global, r.format = &out, &globalOptions{}, "table"
	err := r.report(t.Context(), &reconcile.Result{Defect: "places do not add up"})
	if code, ok := errors.AsType[verdictError](err); !ok || exitCode(code) != exitDefect {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), "DEFECT: places do not add up") {
		t.Errorf("the report says\n%s", out.String())
	}
}

func TestAPanicIsADefectWithAWordAboutWhatToDo(t *testing.T) {
	t.Parallel()
	err := func() (err error) {
		defer caught(&err)
		panic("index out of range")
	}()
	problem := describe(t.Context(), err)
	if problem.Code != int(exitDefect) || !strings.Contains(problem.Message, "index out of range") || problem.Hint == "" {
		t.Errorf("got %+v", problem)
	}
}

func TestAnInterruptDoesNotWaitForTheJudge(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	never := make(chan struct{})
	defer close(never)
	_, err := match(ctx, reconcile.Input{}, func(reconcile.Input) reconcile.Result {
		stop(errTimeout)
		<-never
		return reconcile.Result{}
	})
	if !errors.Is(err, errTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestASmallFileHasNoBar(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "attempts.csv")
	if err := os.WriteFile(path, []byte("id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &run{o: &reconcileOptions{attempts: path, statements: []string{"-", "none"}}}
	if got := r.bytes(); got != 0 {
		t.Errorf("%d bytes for a bar", got)
	}
	if err := os.Truncate(path, worthABar); err != nil {
		t.Fatal(err)
	}
	if got := r.bytes(); got != worthABar {
		t.Errorf("%d bytes, want %d", got, worthABar)
	}
}
