// Package datetext reads dates and times as they are written in files.
//
// It keeps the written day beside the instant, knows how precise the text is,
// and never guesses: neither day and month, nor seconds and milliseconds, nor
// a zone's abbreviation.
package datetext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// DateOnly is the precision of a text without a time of day.
const DateOnly = 24 * time.Hour

// Error says why a text is no date, and what to do. It does not hold the text:
// whoever knows file and line adds it.
type Error struct {
	Problem string
	Hint    string
}

func (e *Error) Error() string { return e.Problem }

// Parse reads a cell in one of the layouts; none means "iso". Text without an
// offset of its own is read in zone. Days and times of day that do not exist
// (30 February, the hour that a zone skips) and cells that two of the layouts
// read differently are an *Error.
func Parse(cell string, layouts []string, zone *time.Location) (Value, error) {
	if len(layouts) == 0 {
		layouts = []string{"iso"}
	}
	text := clean(cell)
	if text == "" {
		return Value{}, &Error{Problem: "no date"}
	}
	var found Value
	var by string
	var last error
	for _, layout := range layouts {
		v, err := parse(text, layout, zone)
		if err != nil {
			last = err
			continue
		}
		if by != "" && v != found {
			return Value{}, &Error{
				fmt.Sprintf("ambiguous: %s as %s, %s as %s", found.Day, by, v.Day, layout),
				"keep one of the layouts in the profile (dates: layouts)",
			}
		}
		found, by = v, layout
	}
	if by == "" {
		return Value{}, refusal(last, layouts)
	}
	return found, nil
}

func refusal(last error, layouts []string) error {
	if len(layouts) == 1 {
		if !errors.Is(last, errShape) {
			return last
		}
		return &Error{"not a date in the layout " + layouts[0], "is it the right column? else correct its layout in the profile (dates: layouts)"}
	}
	return &Error{
		"not a date in any of the layouts " + strings.Join(layouts, ", "),
		"is it the right column? else add its layout to the profile (dates: layouts)",
	}
}

// clean takes off what no reader sees, and blanks of other kinds.
func clean(cell string) string {
	for i := range len(cell) {
		if cell[i] >= 0x80 {
			cell = invisible.Replace(cell)
			break
		}
	}
	return strings.TrimSpace(cell)
}

var invisible = strings.NewReplacer("\uFEFF", "", "\u200B", "", "\u200E", "", "\u200F", "", "\u00AD", "",
	"\u00A0", " ", "\u202F", " ", "\u2007", " ", "\u2009", " ", "\u2212", "-")

// Known tells whether Parse can use the layout: one of Names, or a Go layout
// that holds a whole date and no zone abbreviation.
func Known(layout string) bool {
	if slices.Contains(Names(), layout) {
		return true
	}
	sample := time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)
	written := sample.Format(layout)
	v, err := parse(written, layout, time.UTC)
	return err == nil && written != layout && v.Day == payment.DayOfDate(sample.Date()) && !strings.Contains(layout, "MST")
}

// Names are the layouts that have a name.
func Names() []string {
	names := []string{"iso", "rfc3339", "unix", "unix_ms", "unix_us", "excel", "excel1904", "qif"}
	for name := range numeric {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func parse(text, layout string, zone *time.Location) (Value, error) {
	switch layout {
	case "iso":
		return parseISO(text, zone, false)
	case "rfc3339":
		return parseISO(text, zone, true)
	case "unix":
		return parseUnix(text, time.Second, zone)
	case "unix_ms":
		return parseUnix(text, time.Millisecond, zone)
	case "unix_us":
		return parseUnix(text, time.Microsecond, zone)
	case "excel":
		return parseSerial(text, 0, zone)
	case "excel1904":
		return parseSerial(text, 1462, zone)
	case "qif":
		return parseNumeric(strings.NewReplacer(" ", "", "'", "/").Replace(text), numeric["mm/dd/yyyy"], zone)
	}
	if order, ok := numeric[layout]; ok {
		return parseNumeric(text, order, zone)
	}
	return parseGo(text, layout, zone)
}
