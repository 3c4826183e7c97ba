package profile

import (
	"errors"
	"fmt"
	"time"

	"desfecho/internal/datetext"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// CheckPeriod refuses a period that is inverted, empty or ends after now; now
// is 0 where that is not asked. The error is a *UsageError.
func CheckPeriod(flag string, w payment.Interval, now payment.Instant) error {
	switch {
	case w.From == w.To:
		return &UsageError{Problem: fmt.Sprintf("%s %s is empty", flag, w), Advice: "the end is not part of the period: for one day write DAY..NEXT-DAY"}
	case w.From > w.To:
		return &UsageError{Problem: fmt.Sprintf("%s %s ends before it begins", flag, w), Advice: "write FROM..TO"}
	case now != 0 && w.To > now:
		return &UsageError{Problem: fmt.Sprintf("%s %s ends in the future (now is %s)", flag, w, now), Advice: "nobody can have read what has not happened: end it at the moment the file was made"}
	}
	return nil
}

// IsUnproven tells the error that asks for another pass; a reader passes it on.
func IsUnproven(err error) bool { return errors.Is(err, errUnproven) }

// HintOf is what an error advises, "" where it advises nothing.
func HintOf(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	if textual, ok := errors.AsType[*money.TextError](err); ok {
		return textual.Hint
	}
	if textual, ok := errors.AsType[*datetext.Error](err); ok {
		return textual.Hint
	}
	if fault, ok := errors.AsType[*tabular.Error](err); ok {
		return fault.Hint
	}
	return ""
}

// Days gives the calendar day of instants in one zone. Neighbours in a file
// mostly share their day, so the last one is remembered.
type Days struct {
	zone       *time.Location
	day        payment.Day
	start, end payment.Instant
}

// NewDays gives days in zone.
func NewDays(zone *time.Location) Days { return Days{zone: zone} }

// Of is payment.DayOf in the zone.
func (d *Days) Of(at payment.Instant) payment.Day {
	if at < d.start || at >= d.end {
		d.day = payment.DayOf(at, d.zone)
		d.start, d.end = d.day.Start(d.zone), (d.day + 1).Start(d.zone)
	}
	return d.day
}
