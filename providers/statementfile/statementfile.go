// Package statementfile reads a provider's statement out of a file: lines,
// units and coverage (RULES §1), by a profile.
//
// It takes all of a file or nothing, drops no row, and never guesses a kind, a
// currency, a mark or a date. It opens the one path it is given and asks no
// provider.
package statementfile

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

// Options say what is known of a file beforehand.
type Options struct {
	Profile   *profile.Profile // nil: found out among the built-in ones
	Provider  string           // "": the profile's; a file that names another is refused
	Account   string           // "": the file's or the profile's
	Mode      payment.Mode
	Zone      *time.Location // the account's zone; nil: the profile's, else UTC
	Encoding  string         // "": found out
	Covers    *payment.Interval
	Name      string // of the statement; "": the base name of the path
	FileIndex int32
	Progress  func(bytes int64)  // called with the bytes read since the last call
	Now       payment.Instant    // a period that ends later is refused; 0: not checked
	Line      func(line int) int // of the file, for a line of what is read; nil: the same
}

// File is what one statement file says. Where neither file, profile nor
// options name the provider, it is empty until SetProvider.
type File struct {
	Statements []payment.Statement
	Lines      []payment.Line
	Units      []payment.Unit
	Tally      profile.Tally
	Notes      []string // evidence: encoding, marks and layouts with the line that proves them, zone
	SHA256     string
	Profile    *profile.Profile
}

// Read reads the file at path. The error is a *profile.Refused, a
// *profile.UsageError, a *tabular.Error or one of the disk; nothing is
// returned with it.
func Read(ctx context.Context, path string, o Options) (*File, error) {
	if o.Name == "" {
		o.Name = filepath.Base(path)
	}
	source, release, err := profile.OpenFile(path, o.Source(path))
	if err != nil {
		return nil, fmt.Errorf("statement: %w", err)
	}
	defer release()
	return read(ctx, source, o)
}

// ReadFrom is Read for a stream, such as standard input; what cannot seek is
// held in memory.
func ReadFrom(ctx context.Context, r io.Reader, o Options) (*File, error) {
	if o.Name == "" {
		o.Name = "-"
	}
	source, err := profile.NewSource(r, o.Source(o.Name))
	if err != nil {
		return nil, fmt.Errorf("statement: %w", err)
	}
	return read(ctx, source, o)
}

// Source says how a file of that name is opened.
func (o *Options) Source(name string) profile.SourceOptions {
	return profile.SourceOptions{
		Name: name, Kind: profile.KindStatement, Profile: o.Profile, Encoding: o.Encoding, Zone: o.Zone, Progress: o.Progress, Line: o.Line,
	}
}

func read(ctx context.Context, source *profile.Source, o Options) (*File, error) {
	if o.Covers != nil {
		if err := profile.CheckPeriod("--covers", *o.Covers, o.Now); err != nil {
			return nil, fmt.Errorf("statement %s: %w", o.Name, err)
		}
	}
	r := &reader{o: o, source: source}
	tally, err := source.Each(ctx, r.start, r.row)
	if err != nil {
		return nil, fmt.Errorf("statement: %w", err)
	}
	r.end = source.End()
	if o.Covers != nil && r.end.Missing != "" {
		return nil, fmt.Errorf("statement: %w", profile.NotWhole(o.Name, "--covers", r.end))
	}
	file := &File{Tally: tally, SHA256: source.SHA256(), Profile: source.Profile()}
	file.Statements = r.statements()
	file.Lines, file.Units = r.lines, r.settledUnits()
	file.Notes = append(source.Notes(), r.remarks()...)
	return file, nil
}

// SetProvider names the provider of a file that names none itself.
func (f *File) SetProvider(name string) {
	for i := range f.Statements {
		setWhereEmpty(&f.Statements[i].Provider, name)
	}
	for i := range f.Lines {
		setWhereEmpty(&f.Lines[i].Provider, name)
	}
	for i := range f.Units {
		setWhereEmpty(&f.Units[i].Provider, name)
	}
}

// Rename gives a statement of the file another name, its lines and units along
// with it: pieces of one statement carry one name.
func (f *File) Rename(old, name string) {
	for i := range f.Statements {
		if f.Statements[i].Name == old {
			f.Statements[i].Name = name
		}
	}
	for i := range f.Lines {
		if f.Lines[i].Statement == old {
			f.Lines[i].Statement = name
		}
	}
	for i := range f.Units {
		if f.Units[i].Statement == old {
			f.Units[i].Statement = name
		}
	}
}

func setWhereEmpty(provider *string, name string) {
	if *provider == "" {
		*provider = name
	}
}
