package cases

import (
	"fmt"
	"slices"

	"desfecho/reconcile"
	"desfecho/resolve"
)

// Judge is reconcile.Match, or what stands in for it in a test.
type Judge func(reconcile.Input) reconcile.Result

// Report is what became of one case.
type Report struct {
	ID          string
	Differences []string         // empty: passed
	Waits       map[string]int   // what was given and not compared, by field
	Waiting     bool             // the whole case waits: its facts come from a file
	Final       reconcile.Result // of the last run
}

// Passed tells whether everything that was compared is as expected.
func (r *Report) Passed() bool { return !r.Waiting && len(r.Differences) == 0 }

// Play runs the steps of the case in order, then once more at its now, and
// compares what each expects of the run and of each attempt's screen. Runs hand
// their memory on, screens what they showed.
func Play(c *Case, judge Judge) Report { return play(c, judge, resolve.Decide) }

func play(c *Case, judge Judge, decide Decide) Report {
	report := Report{ID: c.ID, Waits: map[string]int{}}
	report.wait(c.Expect)
	if c.File != nil {
		report.Waits["file"]++
		report.Waiting = true
		return report
	}
	m := &moment{
		Case: c, attempts: slices.Clone(c.Attempts), dismissed: slices.Clone(c.Dismissed),
		decide: decide, opened: map[string]opening{},
	}
	var memory *reconcile.Memory
	for i := range c.Steps {
		memory = report.step(m, i, memory, judge)
	}
	m.at, m.through, m.window = c.Now, 0, c.window(nil)
	final := *c.Expect
	if final.Repeats == nil {
		final.Repeats = new(int) // no line is a repeat unless the case says so
	}
	report.Final = report.run(m, "", &final, memory, judge)
	report.marks(m, "", &final)
	report.stored(m, "", &final)
	return report
}

func (r *Report) wait(e *Expect) {
	for field, n := range e.Waits() {
		r.Waits[field] += n
	}
}

func (r *Report) failf(format string, args ...any) {
	r.Differences = append(r.Differences, fmt.Sprintf(format, args...))
}

// step plays one step and gives the memory that the next run starts from.
func (r *Report) step(m *moment, i int, memory *reconcile.Memory, judge Judge) *reconcile.Memory {
	s := &m.Steps[i]
	m.at, m.through, m.window = s.At, s.Through, m.Case.window(s.Window)
	r.wait(s.Expect)
	prefix := fmt.Sprintf("step %d: ", i+1)
	exit := ""
	switch s.Do {
	case "run":
		memory = r.run(m, prefix, s.Expect, memory, judge).Memory
	case "app":
		overlay(m.row(s.Attempt), s.Set)
	case "dismiss":
		m.dismissed = append(m.dismissed, dismissalRow{s.Attempt, s.Unit, s.Reason, s.By, s.At})
	case "open":
		r.open(m, s, prefix)
	case "approve":
		m.approve(s)
	case "confirm":
		exit = r.confirm(m, s, prefix)
	}
	if s.Expect == nil {
		return memory
	}
	want := *s.Expect
	if s.Do != "run" {
		if exit == "" && want.Exit != "" {
			r.Waits["exit of a "+s.Do]++
		} else if want.Exit != "" && exit != want.Exit {
			r.failf("%sexit %s, want %s", prefix, exit, want.Exit)
		}
		if want.Exit = ""; want.compares() {
			r.run(m, prefix, &want, memory, judge)
		}
	}
	r.marks(m, prefix, &want)
	r.stored(m, prefix, &want)
	return memory
}

// row of an attempt as it stands now.
func (m *moment) row(attempt string) *attemptRow {
	i := slices.IndexFunc(m.attempts, func(a attemptRow) bool { return a.ID == attempt })
	return &m.attempts[i]
}

// run is one run at the moment; a step may expect nothing of it.
func (r *Report) run(m *moment, prefix string, want *Expect, memory *reconcile.Memory, judge Judge) reconcile.Result {
	in, err := m.input()
	if err != nil {
		r.failf("%s%v", prefix, err)
		return reconcile.Result{}
	}
	in.Previous = memory
	result := judge(in)
	if want == nil {
		want = &Expect{}
	}
	for _, difference := range Compare(&in, &result, want) {
		r.failf("%s%s", prefix, difference)
	}
	return result
}
