package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"desfecho/reconcile"
	"desfecho/report"
)

// report tells what was found, unless nothing is new and nobody looks.
func (r *databaseRun) report(ctx context.Context) error {
	code := r.code()
	if r.silent(code) {
		return nil
	}
	document := r.document(code)
	d := r.d
	terminal := d.OutTerminal && !d.global.toFile()
	if !terminal && r.format == "table" && !r.o.always && !d.global.toFile() && !r.loaded.From.Untold {
		document.Folded = r.unchanged()
	}
	return d.write(ctx, func(w io.Writer) error {
		return report.Write(w, r.format, document, report.Options{
			Terminal: terminal, Width: d.Width, Color: d.Color && !d.global.toFile(), ASCII: d.ASCII,
		})
	})
}

// told notes that the report was written: a run that ends before that leaves
// its news to the next one.
func (r *databaseRun) told(ctx context.Context) error {
	if r.id == "" {
		return nil
	}
	return afterwards(ctx, func(ctx context.Context) error { return r.store.Told(ctx, r.id) })
}

// untold says of a report that was not written that its run is saved.
func (r *databaseRun) untold(err error) error {
	if r.id == "" {
		return err
	}
	return &stoppedError{err, "run " + r.id + " was saved, its report was not written; the next run tells all of it, and `desfecho report` writes it again"}
}

// endWith ends a command that has said what there is to say.
func endWith(code exitCode) error {
	if code == exitDone {
		return nil
	}
	return verdictError(code)
}

// silent tells whether there is nothing to say. A person at a terminal, a
// program that asked for a form, a file and --always get the report whatever it
// says; cron's mail only what is new: a divergence that came, changed or ended,
// an open attempt past review_after, a day whose report has a new version, a
// hole in what was read, a defect; and all that stands where the run before
// ended before it had told.
func (r *databaseRun) silent(code exitCode) bool {
	d := r.d
	if d.global.quiet && code == exitDone && !d.global.toFile() {
		return true
	}
	if d.OutTerminal || d.global.toFile() || r.o.always || r.format != "table" || code == exitDefect || code == exitIncomplete ||
		r.loaded.From.Untold {
		return false
	}
	return r.changes.Nothing() && len(r.result.Reopened) == 0 && len(r.stuck()) == 0
}

// stuck lists the ids of divergences about open attempts past review_after that
// nobody put aside.
func (r *databaseRun) stuck() (ids []string) {
	for i := range r.result.Divergences {
		d := &r.result.Divergences[i]
		if !d.Aside() && slices.ContainsFunc(d.Attempts, func(id string) bool { return r.late[id] }) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// unchanged are the divergences that cron's reader has seen before: all that
// stand as they stood, but for open attempts that wait too long.
func (r *databaseRun) unchanged() []string {
	stuck := r.stuck()
	return slices.DeleteFunc(slices.Clone(r.changes.Same), func(id string) bool { return slices.Contains(stuck, id) })
}

// code is the exit code: what people put aside fails no run.
func (r *databaseRun) code() exitCode { return codeOfResult(r.result, r.failOn) }

// codeOfResult is the exit code of a result alone.
func codeOfResult(result *reconcile.Result, failOn reconcile.Severity) exitCode {
	codes := []exitCode{exitDone}
	if result.Defect != "" {
		codes = append(codes, exitDefect)
	}
	for i := range result.Divergences {
		d := &result.Divergences[i]
		switch {
		case d.Aside():
		case d.Class == reconcile.CoverageIncomplete:
			codes = append(codes, exitIncomplete)
		}
		if reached(d.Severity, failOn) && !d.Aside() {
			codes = append(codes, exitDivergences)
		}
	}
	return worst(codes...)
}

func (r *databaseRun) document(code exitCode) *report.Document {
	zone, err := databaseZone(r.policies)
	if err != nil {
		zone = nil // two zones: the report speaks UTC
	}
	rows := r.result.Counts.Attempts
	own := report.Input{Side: "attempts", Name: r.config.Attempts.Read, Rows: rows, Movements: rows, Grade: r.loaded.Input.OwnGrade}
	if r.loaded.ReplayedTo != 0 {
		own.Notes = append(own.Notes, "read from a replica that had replayed to "+r.loaded.ReplayedTo.String())
	}
	return &report.Document{
		Version: thisBuild().Version, Result: r.result, Inputs: []report.Input{own}, Assumptions: r.assumptions(),
		Zone: zone, FailOn: r.failOn, ExitCode: int(code), Commands: []string{"resolve", "show", "explain"},
		Remembered: report.Remembered{Run: r.id, Ended: r.changes.Ended},
	}
}

// assumptions says what was taken for granted.
func (r *databaseRun) assumptions() []string {
	now := "compared as of " + r.result.Now.String()
	if r.o.parsed.asOf == 0 {
		now += ", the database's clock"
	}
	all := []string{now}
	if r.newest != 0 && r.result.Now.Sub(r.newest) > staleReading {
		all = append(all, fmt.Sprintf("nothing was read of what happened after %s", r.newest))
	}
	if r.others != "" {
		all = append(all, r.others)
	}
	if said := r.o.succeededMeans; said != "" {
		all = append(all, "succeeded means "+said+", by --succeeded-means")
	}
	return all
}

// staleReading is the age of the newest statement from which on the report
// says so: a pull that fails every day must not look like quiet days.
const staleReading = 48 * time.Hour
