// Package statementfile reads a provider's statement out of a file: lines,
// units and coverage (RULES §1), by a profile.
//
// It takes all of a file or nothing, drops no row, and never guesses a kind, a
// currency, a mark or a date. It opens the one path it is given and asks no
// provider.
package statementfile

import (
	"context"
	"io"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
)

// Options say what is known of a file beforehand.
type Options struct {
	Profile   *profile.Profile // nil: found out among the built-in ones
	Provider  string           // of a file that names none; must agree with one that does
	Account   string
	Mode      payment.Mode
	Zone      *time.Location // the account's zone; nil: the profile's, else UTC
	Encoding  string         // "": found out
	Covers    *payment.Interval
	Name      string // of the statement; "": the base name of the path
	FileIndex int32
	Progress  func(bytes int64) // called with the bytes read since the last call
	Now       payment.Instant   // a period that ends later is refused
}

// File is what one statement file says.
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
	return nil, &profile.UsageError{Problem: "not yet"}
}

// ReadFrom is Read for a stream, such as standard input; what cannot seek is
// held in memory.
func ReadFrom(ctx context.Context, r io.Reader, o Options) (*File, error) {
	return nil, &profile.UsageError{Problem: "not yet"}
}

// SetProvider names the provider of a file that names none itself.
func (f *File) SetProvider(name string) {}
