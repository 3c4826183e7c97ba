// Package file reads the merchant's own attempts out of a file, by a profile.
//
// It takes all of a file or nothing. It opens the one path it is given and
// never writes.
package file

import (
	"context"
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
	Provider string            // of a file that names none; must agree with one that does
	Progress func(bytes int64) // called with the bytes read since the last call
	Now      payment.Instant   // a period that ends later is refused
}

// Attempts is what one attempts file says.
type Attempts struct {
	Attempts []payment.Attempt
	// Cover lists which created_at were loaded to the end. Claimed: Options.Covers.
	// Assumed: the file's own first to last-but-one day; empty where it has one day.
	Cover      []payment.Interval
	CoverGrade payment.Grade
	Tally      profile.Tally
	Notes      []string
	SHA256     string
	Profile    *profile.Profile
}

// ReadAttempts reads the file at path. The error is a *profile.Refused, a
// *profile.UsageError, a *tabular.Error or one of the disk; nothing is
// returned with it.
func ReadAttempts(ctx context.Context, path string, o Options) (*Attempts, error) {
	return nil, &profile.UsageError{Problem: "not yet"}
}

// ReadAttemptsFrom is ReadAttempts for a stream, such as standard input; what
// cannot seek is held in memory.
func ReadAttemptsFrom(ctx context.Context, r io.Reader, name string, o Options) (*Attempts, error) {
	return nil, &profile.UsageError{Problem: "not yet"}
}
