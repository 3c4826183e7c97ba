package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/reconcile"
	"desfecho/report"
)

// report writes what was found and ends with the code that cron sees.
func (r *run) report(ctx context.Context, result *reconcile.Result) error {
	code := r.codeOf(result)
	d := r.d
	if d.global.quiet && code == exitDone && !d.global.toFile() {
		return context.Cause(ctx)
	}
	document := r.document(result, code)
	err := d.write(ctx, func(w io.Writer) error {
		return report.Write(w, r.format, document, report.Options{
			Terminal: d.OutTerminal && !d.global.toFile(), Width: d.Width,
			Color: d.Color && !d.global.toFile(), ASCII: d.ASCII,
		})
	})
	if err != nil {
		return err
	}
	if code != exitDone {
		return verdictError(code)
	}
	return nil
}

// codeOf is the exit code of the result alone.
func (r *run) codeOf(result *reconcile.Result) exitCode {
	codes := []exitCode{exitDone}
	if result.Defect != "" {
		codes = append(codes, exitDefect)
	}
	if result.Verdict == reconcile.Incomplete {
		codes = append(codes, exitIncomplete)
	}
	for i := range result.Divergences {
		if reached(result.Divergences[i].Severity, r.failOn) {
			codes = append(codes, exitDivergences)
			break
		}
	}
	return worst(codes...)
}

func (r *run) document(result *reconcile.Result, code exitCode) *report.Document {
	zone, err := r.commonZone()
	if err != nil {
		zone = nil // two zones: the report speaks UTC
	}
	return &report.Document{
		Version: thisBuild().Version, Result: result, Inputs: r.inputs(), Assumptions: r.assumptions(),
		Zone: zone, FailOn: r.failOn, ExitCode: int(code), Commands: []string{"explain"},
	}
}

func (r *run) inputs() []report.Input {
	own := source("attempts", nameOf(r.o.attempts), r.own.Profile, r.own.Tally)
	own.SHA256, own.Notes, own.Grade = r.own.SHA256, r.own.Notes, r.own.CoverGrade
	if n := len(r.own.Cover); n > 0 {
		own.Covers = payment.Interval{From: r.own.Cover[0].From, To: r.own.Cover[n-1].To}
	}
	all := []report.Input{own}
	for i, f := range r.files {
		in := source("statement", nameOf(r.statements[i].path), f.Profile, f.Tally)
		in.SHA256, in.Notes = f.SHA256, f.Notes
		in.Covers, in.Grade = held(f.Statements), weakest(f.Statements)
		all = append(all, in)
	}
	return all
}

func source(side, name string, p *profile.Profile, t profile.Tally) report.Input {
	return report.Input{
		Side: side, Name: name, Profile: p.Name,
		Rows: t.Rows, Movements: t.Movements, Information: t.Information, Errors: t.Errors,
	}
}

func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

func weakest(statements []payment.Statement) payment.Grade {
	grade := payment.Proven
	for _, s := range statements {
		grade = min(grade, s.Grade)
	}
	return grade
}

// assumptions says what was taken for granted, so that nobody has to guess why
// a report says what it says.
func (r *run) assumptions() []string {
	now := "compared as of " + r.now.String()
	if r.o.parsed.asOf == 0 {
		now += ", this machine's clock"
	}
	all := []string{now}
	if line := r.meansAssumed(); line != "" {
		all = append(all, line)
	}
	return all
}

// meansAssumed says what `succeeded` was taken to mean and by whose word. No
// conclusion about money is right where it is wrong.
func (r *run) meansAssumed() string {
	if r.o.succeededMeans != "" {
		return "succeeded means " + r.o.succeededMeans + ", by --succeeded-means"
	}
	configured := true // for every provider of this run: what is said of another one says nothing here
	for _, name := range distinct(append(r.attemptProviders(), r.statementProviders()...)) {
		entry, _ := r.entry(name)
		configured = configured && entry.SucceededMeans != (MeansConfig{})
	}
	if configured {
		return ""
	}
	word := r.own.Profile.Attempts.SucceededMeans[payment.Charge]
	if word == "" {
		return "succeeded is taken to mean captured: say otherwise with --succeeded-means"
	}
	return fmt.Sprintf("succeeded means %s, by the profile %s: say otherwise with --succeeded-means", word, r.own.Profile.Name)
}

// reportFormat checks the form, and that it has a place to go, before anything
// is read.
func (d *deps) reportFormat(format string) (string, error) {
	if format == "xlsx" && d.OutTerminal && !d.global.toFile() {
		return "", &usageError{err: errors.New("an xlsx report is no text for a terminal"), hint: "say where it goes: -o report.xlsx"}
	}
	if slices.Contains(report.Formats(), format) {
		return format, nil
	}
	return "", &usageError{
		err:  fmt.Errorf("unknown format %q", format),
		hint: "want one of " + strings.Join(report.Formats(), ", "),
	}
}
