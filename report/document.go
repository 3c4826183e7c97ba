// Package report lays one Document out for a person, a spreadsheet or a
// program: table, csv, csv-br, json, ndjson, md, html and xlsx. It also explains the
// classes of divergence.
//
// It computes nothing that Match did not conclude, beyond adding up what it
// lists, and reads no clock, no locale and no environment: the same document
// with the same options gives the same bytes. Text from outside is shown
// through ui.Safe; what is personal in free text is masked; ids never are, and
// no id is ever cut. It contains the only use of tablewriter, and of excelize to write.
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Schema is the version of the csv, json and ndjson forms. New columns and
// fields do not change it; a changed meaning does.
const Schema = 1

// Document is everything a report says: the numbers of one run, once. Writers
// only lay it out.
type Document struct {
	Version     string // of the program
	Result      *reconcile.Result
	Inputs      []Input
	Assumptions []string       // what was taken for granted, such as "succeeded read as captured"
	Zone        *time.Location // of the account, for people and csv-br; nil: UTC
	FailOn      reconcile.Severity
	ExitCode    int
	// Commands lists the commands that may be offered as next steps: resolve,
	// show, explain. Without them the next step is said in words.
	Commands []string
	Remembered
}

// Input says what was read of one source, and that every row went somewhere:
// Rows = Movements + Information + Errors. Repeats are movements that were
// there before and count once.
type Input struct {
	Side        string // attempts, statement
	Name        string // file or relation
	Profile     string
	SHA256      string // of the bytes read, hexadecimal; empty where there is no file
	Rows        int
	Movements   int
	Information int
	Errors      int
	Repeats     int
	Covers      payment.Interval // empty: nothing is claimed or proven
	Grade       payment.Grade    // of Covers
	Notes       []string         // styles found, such as "dates DD/MM/YYYY in America/Sao_Paulo"
}

// Options say for whom a table is drawn. The other formats take no notice, but
// of Decisions.
type Options struct {
	Terminal bool // a person reads it as it comes; else tab-separated, RFC 3339, no frame
	Width    int  // columns; 0: 80
	Color    bool
	ASCII    bool // own ornaments in ASCII only
	// Decisions adds to csv and csv-br the empty columns in which people decide,
	// for `desfecho import-decisions`.
	Decisions bool
}

// writers are the formats in the order in which they are offered.
func writers() []namedWriter {
	return []namedWriter{
		{"table", writeTable},
		{"csv", writeCSV},
		{"csv-br", writeCSVBR},
		{"json", writeJSON},
		{"ndjson", writeNDJSON},
		{"md", writeMarkdown},
		{"html", writeHTML},
		{"xlsx", writeXLSX},
	}
}

type namedWriter struct {
	name  string
	write func(w *bufio.Writer, d *Document, o Options) error
}

// Formats lists what Write knows.
func Formats() []string {
	var names []string
	for _, f := range writers() {
		names = append(names, f.name)
	}
	return names
}

// Write lays the document out. An unknown format is an error that lists the
// known ones, and nothing is written; so is a sum that does not fit in 64 bits
// (money.ErrOverflow). Every failure of w is returned, and then a part of the
// report may have been written.
func Write(w io.Writer, format string, d *Document, o Options) error {
	for _, f := range writers() {
		if f.name != format {
			continue
		}
		out := bufio.NewWriterSize(w, 1<<16) // remembers the first failure of w
		if err := f.write(out, d, o); err != nil {
			return fmt.Errorf("format %s: %w", format, err)
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("format %s: %w", format, err)
		}
		return nil
	}
	return fmt.Errorf("unknown format %q: want one of %s", format, strings.Join(Formats(), ", "))
}

func (d *Document) zone() *time.Location {
	if d.Zone == nil {
		return time.UTC
	}
	return d.Zone
}

// open tells whether a divergence still stands after the run.
func open(d *reconcile.Divergence) bool {
	return d.LifeState != reconcile.LifeResolved && d.LifeState != reconcile.LifeVanished
}
