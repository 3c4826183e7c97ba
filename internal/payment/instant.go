package payment

import (
	"fmt"
	"time"
)

// Instant is a moment in microseconds since 1970-01-01T00:00:00Z, as precise
// as PostgreSQL keeps it. The zero value means "not known"; the epoch itself
// is no moment any payment happened at.
type Instant int64

// InstantOf takes the moment of t; its zone does not matter. The zero time is
// the unknown Instant.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro())
}

// IsZero tells whether the moment is unknown.
func (i Instant) IsZero() bool { return i == 0 }

// Time is the moment in UTC; the zero time where it is unknown.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}

// Add moves the instant by d.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d/time.Microsecond) }

// Sub is the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i-j) * time.Microsecond }

// String is RFC 3339 in UTC with the digits that are needed, "" where unknown.
func (i Instant) String() string {
	if i == 0 {
		return ""
	}
	return i.Time().Format(time.RFC3339Nano)
}

// MarshalText gives String.
func (i Instant) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads RFC 3339 with a zone, or an empty text.
func (i *Instant) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*i = 0
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return err
	}
	*i = InstantOf(t)
	return nil
}

// Day is a calendar day in an account's zone, counted from 1970-01-01. The
// zero value means "not known".
type Day int32

// DayOf is the calendar day that zone shows at the instant (law 11).
func DayOf(i Instant, zone *time.Location) Day {
	if i == 0 {
		return 0
	}
	year, month, day := i.Time().In(zone).Date()
	return DayOfDate(year, month, day)
}

// DayOfDate is the day of a written date, whatever the zone.
func DayOfDate(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Start is the first instant of the day in zone. Where the zone skips
// midnight it is the first instant that the day has.
func (d Day) Start(zone *time.Location) Instant {
	year, month, day := time.Unix(int64(d)*86400, 0).UTC().Date()
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Day() != day { // midnight does not exist: Go went back before the gap
		_, end := t.ZoneBounds()
		t = end
	}
	return InstantOf(t)
}

// String is the ISO form, "2025-03-10"; "" where unknown.
func (d Day) String() string {
	if d == 0 {
		return ""
	}
	return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly)
}

// MarshalText gives String.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the ISO form, or an empty text.
func (d *Day) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = 0
		return nil
	}
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return err
	}
	*d = DayOfDate(t.Date())
	return nil
}

// Interval is the half-open [From, To).
type Interval struct {
	From Instant `json:"from"`
	To   Instant `json:"to"`
}

// Contains tells whether the instant lies in the interval.
func (w Interval) Contains(i Instant) bool { return w.From <= i && i < w.To }

// Overlaps tells whether the two share an instant.
func (w Interval) Overlaps(o Interval) bool { return w.From < o.To && o.From < w.To }

// Empty tells whether no instant lies in the interval.
func (w Interval) Empty() bool { return w.To <= w.From }

func (w Interval) String() string { return fmt.Sprintf("[%s, %s)", w.From, w.To) }
