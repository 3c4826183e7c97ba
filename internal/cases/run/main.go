// Command run plays case files through reconcile.Match and says, case by case,
// what differs. It exits 1 if a case failed, 2 if a file could not be read.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"desfecho/internal/cases"
	"desfecho/reconcile"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) //nolint:forbidigo // a program of its own
}

type runner struct {
	out            io.Writer
	verbose        bool
	only           string
	passed, failed int
	waiting        int
	waits          map[string]int
}

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(errs)
	verbose := flags.Bool("v", false, "print what was found in a case that fails")
	only := flags.String("only", "", "play only the case of this `ID`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(errs, "run: name at least one file of cases")
		return 2
	}
	r := &runner{out: out, verbose: *verbose, only: *only, waits: map[string]int{}}
	for _, name := range flags.Args() {
		lines, err := cases.ReadFile(name)
		if err != nil {
			fmt.Fprintln(errs, err)
			return 2
		}
		for i := range lines {
			r.play(&lines[i])
		}
	}
	r.close()
	if r.failed > 0 {
		return 1
	}
	return 0
}

func (r *runner) play(line *cases.Line) {
	if r.only != "" && line.ID != r.only {
		return
	}
	report := line.Play(reconcile.Match)
	for field, n := range report.Waits {
		r.waits[field] += n
	}
	switch {
	case report.Waiting:
		r.waiting++
		fmt.Fprintf(r.out, "waits %s: its facts come from an input file\n", report.ID)
	case report.Passed():
		r.passed++
		fmt.Fprintf(r.out, "ok %s\n", report.ID)
	default:
		r.failed++
		fmt.Fprintf(r.out, "FAIL %s: %s\n", report.ID, strings.Join(report.Differences, "; "))
		if r.verbose {
			r.details(&report)
		}
	}
}

// details prints what Match found at the end of a failing case.
func (r *runner) details(report *cases.Report) {
	final := &report.Final
	fmt.Fprintf(r.out, "    verdict %s, places %v, repeats %d\n", final.Verdict, final.Places, final.Repeats)
	for i := range final.Divergences {
		text, err := json.Marshal(&final.Divergences[i])
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(r.out, "    %s %s %s: %s\n", final.Divergences[i].Severity, final.Divergences[i].Class,
			final.Divergences[i].Subject, text)
	}
	for i := range final.Bridges {
		fmt.Fprintf(r.out, "    bridge %+v\n", final.Bridges[i])
	}
}

func (r *runner) close() {
	if len(r.waits) > 0 {
		var fields []string
		for _, field := range slices.Sorted(maps.Keys(r.waits)) {
			fields = append(fields, fmt.Sprintf("%s %d", field, r.waits[field]))
		}
		fmt.Fprintf(r.out, "not compared yet: %s", strings.Join(fields, ", "))
		if r.waiting > 0 {
			fmt.Fprintf(r.out, "; %d cases wait as a whole", r.waiting)
		}
		fmt.Fprintln(r.out)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed\n", r.passed, r.failed)
}
