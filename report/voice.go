package report

import (
	"fmt"
	"strconv"
	"time"

	"desfecho/internal/payment"
)

// voice is how times are said: to a person at a terminal ("30 Nov 2025 14:05"),
// or exactly (RFC 3339), both in the account's zone.
type voice struct {
	zone  *time.Location
	exact bool
	dot   string // between the parts of a sentence
}

func (v voice) instant(i payment.Instant) string {
	switch {
	case i.IsZero():
		return ""
	case v.exact:
		return i.Time().In(v.zone).Format(time.RFC3339Nano)
	case i.Time().Second() != 0:
		return i.Time().In(v.zone).Format("2 Jan 2006 15:04:05")
	default:
		return i.Time().In(v.zone).Format("2 Jan 2006 15:04")
	}
}

// until is an instant to wait for, with the zone of whose clock it is: whoever
// looks at that minute finds it passed.
func (v voice) until(i payment.Instant) string {
	if v.exact || i.IsZero() {
		return v.instant(i)
	}
	up := i.Add(time.Minute - time.Microsecond).Time().In(v.zone)
	return up.Format("2 Jan 15:04 -07:00")
}

// day is a calendar day, whatever the zone.
func (v voice) day(d payment.Day) string {
	if v.exact || d == 0 {
		return d.String()
	}
	return d.Start(time.UTC).Time().Format("2 Jan 2006")
}

// period says whole days as days, first to last, and all else as two instants
// of which the second is outside.
func (v voice) period(w payment.Interval) string {
	if w.Empty() || w.From.IsZero() {
		return ""
	}
	first, last := payment.DayOf(w.From, v.zone), payment.DayOf(w.To-1, v.zone)
	if first.Start(v.zone) != w.From || (last+1).Start(v.zone) != w.To {
		return v.instant(w.From) + " to " + v.instant(w.To)
	}
	if first == last {
		return v.day(first)
	}
	return v.day(first) + " to " + v.day(last)
}

// age is how long ago something was, in one unit.
func age(now, then payment.Instant) string {
	if now.IsZero() || then.IsZero() || then > now {
		return ""
	}
	switch d := now.Sub(then); {
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
}

// number groups thousands: 12,001.
func number(n int) string {
	s := strconv.Itoa(n)
	from := 0
	if n < 0 {
		from = 1
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// parseMinor reads minor units as Match prints them: no sign but a minus, no
// leading zeros.
func parseMinor(text string) (minor int64, ok bool) {
	minor, err := strconv.ParseInt(text, 10, 64)
	return minor, err == nil && strconv.FormatInt(minor, 10) == text
}
