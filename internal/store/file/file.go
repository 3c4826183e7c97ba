// Package file reads the merchant's own attempts out of a file, by a profile.
//
// It takes all of a file or nothing, and never guesses a status, a currency, a
// mark or a date. It opens the one path it is given and never writes.
package file

import (
	"context"
	"fmt"
	"io"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

// Options say what is known of a file beforehand.
type Options struct {
	Profile  *profile.Profile // nil: found out among the built-in ones
	Encoding string           // "": found out
	Zone     *time.Location   // of text without a zone, and of days; nil: the profile's, else UTC
	Covers   []payment.Interval
	Provider string             // of rows that name none
	Progress func(bytes int64)  // called with the bytes read since the last call
	Now      payment.Instant    // a period that ends later is refused; 0: not checked
	Line     func(line int) int // of the file, for a line of what is read; nil: the same
}

// Attempts is what one attempts file says. Where neither a row, the profile
// nor the options name a provider, it is empty until SetProvider.
type Attempts struct {
	Attempts []payment.Attempt
	// Cover lists which created_at were loaded to the end. Claimed: Options.Covers.
	// Assumed: the file's own first to last-but-one day; empty and not nil where
	// it has one day.
	Cover      []payment.Interval
	CoverGrade payment.Grade
	Tally      profile.Tally
	Notes      []string // evidence: encoding, marks and layouts with the line that proves them, zone
	SHA256     string
	Profile    *profile.Profile
}

// ReadAttempts reads the file at path. The error is a *profile.Refused, a
// *profile.UsageError, a *tabular.Error or one of the disk; nothing is
// returned with it.
func ReadAttempts(ctx context.Context, path string, o Options) (*Attempts, error) {
	source, release, err := profile.OpenFile(path, o.Source(path))
	if err != nil {
		return nil, fmt.Errorf("attempts: %w", err)
	}
	defer release()
	return read(ctx, source, o)
}

// ReadAttemptsFrom is ReadAttempts for a stream, such as standard input; what
// cannot seek is held in memory. The name stands in messages.
func ReadAttemptsFrom(ctx context.Context, r io.Reader, name string, o Options) (*Attempts, error) {
	source, err := profile.NewSource(r, o.Source(name))
	if err != nil {
		return nil, fmt.Errorf("attempts: %w", err)
	}
	return read(ctx, source, o)
}

// Source says how a file of that name is opened.
func (o *Options) Source(name string) profile.SourceOptions {
	return profile.SourceOptions{
		Name: name, Kind: profile.KindAttempts, Profile: o.Profile, Encoding: o.Encoding, Zone: o.Zone, Progress: o.Progress, Line: o.Line,
	}
}

func read(ctx context.Context, source *profile.Source, o Options) (*Attempts, error) {
	for _, period := range o.Covers {
		if err := profile.CheckPeriod("--attempts-cover", period, o.Now); err != nil {
			return nil, fmt.Errorf("attempts: %w", err)
		}
	}
	r := &reader{o: o, source: source}
	tally, err := source.Each(ctx, r.start, r.row)
	if err != nil {
		return nil, fmt.Errorf("attempts: %w", err)
	}
	end := source.End()
	if len(o.Covers) > 0 && end.Missing != "" {
		return nil, fmt.Errorf("attempts: %w", profile.NotWhole(source.Name(), "--attempts-cover", end))
	}
	a := &Attempts{Attempts: r.attempts, Tally: tally, SHA256: source.SHA256(), Profile: source.Profile(), Notes: source.Notes()}
	a.cover(r, end)
	return a, nil
}

// cover says which created_at were loaded to the end.
func (a *Attempts) cover(r *reader, end profile.End) {
	if len(r.o.Covers) > 0 {
		a.Cover, a.CoverGrade = r.o.Covers, payment.Claimed
		return
	}
	a.Cover = []payment.Interval{}
	days := payment.Interval{From: r.first.Start(r.b.Zone), To: r.last.Start(r.b.Zone)}
	switch {
	case end.Missing != "":
		a.Notes = append(a.Notes, "the file is not whole, so it is not taken to hold all of any day: "+end.Missing)
		return
	case r.first == 0 || days.Empty():
		a.Notes = append(a.Notes, "the file has one day or none, so it is not assumed to hold all of any: say what it holds with --attempts-cover")
		return
	}
	a.Cover = append(a.Cover, days)
}

// SetProvider names the provider of the attempts that name none themselves.
func (a *Attempts) SetProvider(name string) {
	for i := range a.Attempts {
		if a.Attempts[i].Provider == "" {
			a.Attempts[i].Provider = name
		}
	}
}
