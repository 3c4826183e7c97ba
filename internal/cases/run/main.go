// Command run plays case files through reconcile.Match, or with -database
// through the built program over a database, and their screens through
// resolve.Decide, and says, case by case, what differs. It exits 1 if a case failed, 2 if a file could not be read or holds
// no case of the asked ID.
package main

import (
	"bytes"
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
	os.Exit(run(os.Args[1:], reconcile.Match, os.Stdout, os.Stderr))
}

func run(args []string, judge cases.Judge, out, errs io.Writer) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(errs)
	verbose := flags.Bool("v", false, "print what was found in a case that fails")
	only := flags.String("only", "", "play only the case of this `ID`")
	database := flags.String("database", "", "play over a database: sqlite, or the `URL` of an empty PostgreSQL one that nobody else uses")
	program := flags.String("program", "bin/desfecho", "the built `program` that runs over the database")
	if flags.Parse(args) != nil {
		return 2
	}
	lines, err := read(flags.Args(), *only)
	if err != nil {
		_, _ = fmt.Fprintln(errs, "run:", err)
		return 2
	}
	r := &runner{judge: judge, verbose: *verbose, waits: map[string]int{}}
	if *database != "" {
		over, err := newOver(*database, *program)
		if err != nil {
			_, _ = fmt.Fprintln(errs, "run:", err)
			return 2
		}
		defer over.close()
		r.over = over
	}
	for i := range lines {
		r.play(&lines[i])
	}
	r.close()
	if _, err := out.Write(r.out.Bytes()); err != nil {
		_, _ = fmt.Fprintln(errs, "run: write the result:", err)
		return 1
	}
	if r.failed > 0 {
		return 1
	}
	return 0
}

// read gives the cases of all files, or none where one of them cannot be read.
func read(names []string, only string) ([]cases.Line, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("no file named: give at least one file of cases, one JSON object a line")
	}
	var all []cases.Line
	for _, name := range names {
		lines, err := cases.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	if only == "" {
		return all, nil
	}
	all = slices.DeleteFunc(all, func(l cases.Line) bool { return l.ID != only })
	if len(all) == 0 {
		return nil, fmt.Errorf("no case %q in %s", only, strings.Join(names, ", "))
	}
	return all, nil
}

type runner struct {
	judge                   cases.Judge
	over                    *over // nil: Match itself
	out                     bytes.Buffer
	verbose                 bool
	passed, failed, waiting int
	waits                   map[string]int
}

func (r *runner) play(line *cases.Line) {
	report := line.Play(r.judge)
	if r.over != nil && line.Err == nil && !report.Waiting {
		report = r.over.play(line.Case)
	}
	for field, n := range report.Waits {
		r.waits[field] += n
	}
	switch {
	case report.Waiting:
		r.waiting++
		fmt.Fprintf(&r.out, "waits %s: its facts are not all in a database, or come from an input file\n", report.ID)
	case report.Passed():
		r.passed++
		fmt.Fprintf(&r.out, "ok %s\n", report.ID)
	default:
		r.failed++
		fmt.Fprintf(&r.out, "FAIL %s: %s\n", report.ID, strings.Join(report.Differences, "; "))
		if r.verbose {
			r.details(&report.Final)
		}
	}
}

// details prints what was found at the end of a case that fails.
func (r *runner) details(final *reconcile.Result) {
	fmt.Fprintf(&r.out, "    verdict %s, places %v, repeats %d\n", final.Verdict, final.Places, final.Repeats)
	for i := range final.Divergences {
		d := &final.Divergences[i]
		text, err := json.Marshal(d)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&r.out, "    %s %s %s: %s\n", d.Severity, d.Class, d.Subject, text)
	}
	for i := range final.Bridges {
		fmt.Fprintf(&r.out, "    bridge %+v\n", final.Bridges[i])
	}
}

func (r *runner) close() {
	if len(r.waits) > 0 {
		var fields []string
		for _, field := range slices.Sorted(maps.Keys(r.waits)) {
			fields = append(fields, fmt.Sprintf("%s %d", field, r.waits[field]))
		}
		fmt.Fprintf(&r.out, "not compared yet, by field: %s", strings.Join(fields, ", "))
		if r.waiting > 0 {
			fmt.Fprintf(&r.out, "; cases that wait as a whole: %d", r.waiting)
		}
		fmt.Fprintln(&r.out)
	}
	fmt.Fprintf(&r.out, "%d passed, %d failed\n", r.passed, r.failed)
}
