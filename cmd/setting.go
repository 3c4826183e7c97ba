package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

var (
	errNotPositive = errors.New("must be longer than 0")
	errTooLong     = errors.New("must be at most 10 years")
)

// maxLength bounds every length of time: added to an instant, a longer one
// could leave the range of instants, and nobody means it.
const maxLength = 3660 * 24 * time.Hour

// parseDuration reads a positive length of time with its unit: "15m", "24h",
// "30d", at most ten years. A bare number is refused, since nobody can tell
// hours from minutes.
func parseDuration(text string) (time.Duration, error) {
	d, err := parseLength(text)
	switch {
	case err != nil:
	case d <= 0:
		err = errNotPositive
	case d > maxLength:
		err = errTooLong
	}
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, err)
	}
	return d, nil
}

func parseLength(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 64)
		switch {
		case err != nil:
			return 0, errors.New("is no number of days")
		case n <= 0:
			return 0, errNotPositive
		case n > int64(maxLength/(24*time.Hour)):
			return 0, errTooLong
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || text == "0" {
		return 0, errors.New("is no length of time; write a number and its unit, such as 15m, 24h or 30d")
	}
	return d, nil
}

// parseFailOn reads the severity that fails a run; 0 is never.
func parseFailOn(text string) (reconcile.Severity, error) {
	switch strings.ToUpper(text) {
	case "NEVER":
		return 0, nil
	case "P1":
		return reconcile.P1, nil
	case "P2":
		return reconcile.P2, nil
	case "P3":
		return reconcile.P3, nil
	case "P4":
		return reconcile.P4, nil
	}
	return 0, fmt.Errorf("fail_on %q: want P1, P2, P3, P4 or never", text)
}

// reached tells whether a divergence of this severity fails the run.
func reached(s, failOn reconcile.Severity) bool { return s >= reconcile.P1 && s <= failOn }

// moment is an instant, or a date whose midnight depends on the account's
// zone.
type moment struct {
	instant payment.Instant
	day     payment.Day
}

func parseMoment(text string) (moment, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return moment{instant: payment.InstantOf(t)}, nil
	}
	var day payment.Day
	if err := day.UnmarshalText([]byte(text)); err != nil || day == 0 {
		return moment{}, fmt.Errorf("%q is neither a date (2025-11-29) nor an instant with its offset (2025-11-29T22:14:00-03:00)", text)
	}
	return moment{day: day}, nil
}

// in is the instant: a date is its midnight in the zone.
func (m moment) in(zone *time.Location) payment.Instant {
	if m.day != 0 {
		return m.day.Start(zone)
	}
	return m.instant
}

// span is FROM..TO as written; TO is not included.
type span struct{ from, to moment }

func parseSpan(text string) (span, error) {
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		return span{}, fmt.Errorf("%q: want FROM..TO, such as 2025-11-01..2025-12-01", text)
	}
	from, err := parseMoment(first)
	if err != nil {
		return span{}, err
	}
	to, err := parseMoment(last)
	if err != nil {
		return span{}, err
	}
	return span{from, to}, nil
}

// in is the span as instants. Whether it can be is for the reader to say.
func (s span) in(zone *time.Location) payment.Interval {
	return payment.Interval{From: s.from.in(zone), To: s.to.in(zone)}
}
