package datetext

import (
	"fmt"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// written is a date and time of day taken apart.
type written struct {
	year, month, day     int
	hour, minute, second int
	nanos                int
	precision            time.Duration
	zone                 *time.Location // the text's own, nil where it has none
}

// value finds the instant; zone is for text without its own.
func (w written) value(zone *time.Location) (Value, error) {
	if w.month < 1 || w.month > 12 || w.day < 1 || w.day > daysIn(w.year, w.month) {
		return Value{}, &Error{
			fmt.Sprintf("there is no day %d of month %d in %d", w.day, w.month, w.year),
			"are day and month the wrong way round?",
		}
	}
	if w.hour > 23 || w.minute > 59 || w.second > 59 {
		return Value{}, &Error{Problem: "there is no such time of day"}
	}
	v := Value{Day: payment.DayOfDate(w.year, time.Month(w.month), w.day), Precision: w.precision}
	if w.zone != nil {
		zone = w.zone
	}
	if zone == nil {
		return Value{}, &Error{"a time without a zone", "name the column's zone in the profile (dates: zone)"}
	}
	if w.precision == DateOnly {
		v.At = v.Day.Start(zone)
		return v, nil
	}
	t := time.Date(w.year, time.Month(w.month), w.day, w.hour, w.minute, w.second, w.nanos, zone)
	if t.Hour() != w.hour || t.Minute() != w.minute || t.Day() != w.day {
		return Value{}, &Error{
			"this time of day does not exist in " + zone.String() + ": the clock was set forward over it",
			"is the column in another zone? correct it in the profile (dates: zone)",
		}
	}
	earlier, twice := repeated(t)
	v.At = payment.InstantOf(earlier)
	v.Precision += twice
	return v, nil
}

// repeated is the first of the moments that a clock shows t's time, and how
// much later the second is, where the clock was set back over it.
func repeated(t time.Time) (earlier time.Time, later time.Duration) {
	start, end := t.ZoneBounds()
	if back := setBack(start); back > 0 && t.Sub(start) < back {
		return t.Add(-back), back
	}
	if back := setBack(end); back > 0 && end.Sub(t) <= back {
		return t, back
	}
	return t, 0
}

// setBack is by how much the clock goes back at a change of its zone's offset.
func setBack(change time.Time) time.Duration {
	if change.IsZero() {
		return 0
	}
	_, before := change.Add(-time.Second).Zone()
	_, after := change.Zone()
	return time.Duration(before-after) * time.Second
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// timeOfDay reads what follows a date: nothing, or a time with or without
// seconds, fraction, AM or PM, and zone. It is false where the text is
// something else.
func (w *written) timeOfDay(text string) bool {
	w.precision = DateOnly
	if text == "" {
		return true
	}
	if text[0] != ' ' && text[0] != 'T' && text[0] != 't' && text[0] != ',' {
		return false
	}
	text = strings.TrimLeft(text[1:], " ")
	var ok bool
	if w.hour, text, ok = twoDigits(text, ':'); !ok {
		return false
	}
	if w.minute, text, ok = digitsOf(text, 2, 2); !ok {
		return false
	}
	w.precision = time.Minute
	if rest, seconds := strings.CutPrefix(text, ":"); seconds {
		if w.second, text, ok = digitsOf(rest, 2, 2); !ok {
			return false
		}
		w.precision = time.Second
		if text, ok = w.fraction(text); !ok {
			return false
		}
	}
	if w.second == 60 && w.minute == 59 { // a leap second belongs to the day it is written on
		w.second, w.nanos = 59, 999_999_000
	}
	text = strings.TrimLeft(text, " ")
	if text, ok = w.halfDay(text); !ok {
		return false
	}
	return w.ownZone(strings.TrimLeft(text, " "))
}

func (w *written) fraction(text string) (rest string, ok bool) {
	if text == "" || text[0] != '.' && text[0] != ',' {
		return text, true
	}
	n := 0
	for 1+n < len(text) && text[1+n] >= '0' && text[1+n] <= '9' {
		n++
	}
	if n == 0 {
		return "", false
	}
	w.nanos, _, _ = digitsOf(text[1:1+n], 1, 9)
	for range 9 - n {
		w.nanos *= 10
	}
	w.precision = time.Microsecond
	if n <= 3 {
		w.precision = time.Millisecond
	}
	return text[1+n:], true
}

// halfDay reads AM or PM.
func (w *written) halfDay(text string) (rest string, ok bool) {
	if len(text) < 2 || text[1]|0x20 != 'm' || len(text) > 2 && text[2] != ' ' {
		return text, true
	}
	switch text[0] | 0x20 {
	case 'a':
		if w.hour == 12 {
			w.hour = 0
		} else if w.hour > 12 || w.hour == 0 {
			return "", false
		}
	case 'p':
		if w.hour < 12 && w.hour > 0 {
			w.hour += 12
		} else if w.hour != 12 {
			return "", false
		}
	default:
		return text, true
	}
	return text[2:], true
}

func (w *written) ownZone(text string) bool {
	if text == "" {
		return true
	}
	if (text[0] == '+' || text[0] == '-') && (len(text) < 3 || text[2] < '0' || text[2] > '9') {
		return false // "-0" is what is left of an offset whose end was cut off
	}
	zone, err := offset(text)
	w.zone = zone
	return err == nil
}

// twoDigits reads one or two digits and the mark behind them.
func twoDigits(text string, mark byte) (n int, rest string, ok bool) {
	n, rest, ok = digitsOf(text, 1, 2)
	if !ok || rest == "" || rest[0] != mark {
		return 0, "", false
	}
	return n, rest[1:], true
}

// digitsOf reads least to most digits.
func digitsOf(text string, least, most int) (n int, rest string, ok bool) {
	i := 0
	for i < len(text) && i < most && text[i] >= '0' && text[i] <= '9' {
		n = n*10 + int(text[i]-'0')
		i++
	}
	return n, text[i:], i >= least
}
