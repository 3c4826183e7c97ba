package store

import (
	"errors"
	"strings"
	"time"

	"desfecho/internal/payment"
)

var errNoZone = errors.New("has no zone")

// moment reads what databases print for a time: ISO with a blank or a T, up to
// microseconds, with or without zone, a date alone, or whole seconds,
// milliseconds or microseconds since 1970, which no three of them can be
// mistaken for one another between 2001 and 2286.
func moment(text string, zone *time.Location) (payment.Instant, error) {
	if at, ok := utcMoment(text); ok {
		return at, nil
	}
	if n, err := decimal(text, 0); err == nil && n > 0 {
		switch len(text) {
		case 10:
			return payment.Instant(n * 1_000_000), nil
		case 13:
			return payment.Instant(n * 1_000), nil
		case 16:
			return payment.Instant(n), nil
		}
		return 0, errors.New("is no time: whole numbers are seconds, milliseconds or microseconds since 1970")
	}
	text = strings.Replace(text, " ", "T", 1)
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07"} {
		if t, err := time.Parse(layout, text); err == nil {
			return payment.InstantOf(t), nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateOnly} {
		if _, err := time.Parse(layout, text); err != nil {
			continue
		}
		if zone == nil {
			return 0, errNoZone
		}
		t, err := time.ParseInLocation(layout, text, zone)
		return payment.InstantOf(t), err
	}
	return 0, errors.New("is no time that can be read")
}

// utcMoment is the form that PostgreSQL prints for most columns,
// "2025-11-29 22:14:00[.123456]+00", without the generality of time.Parse.
func utcMoment(text string) (payment.Instant, bool) {
	n := len(text)
	if n < 22 || text[n-3:] != "+00" || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	var fields [6]int
	for i, span := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, c := range []byte(text[span[0]:span[1]]) {
			if c < '0' || c > '9' {
				return 0, false
			}
			fields[i] = fields[i]*10 + int(c-'0')
		}
	}
	micros, fraction := 0, text[19:n-3]
	if fraction != "" {
		if fraction[0] != '.' || len(fraction) > 7 {
			return 0, false
		}
		for i := 1; i < 7; i++ {
			micros *= 10
			if i < len(fraction) {
				if fraction[i] < '0' || fraction[i] > '9' {
					return 0, false
				}
				micros += int(fraction[i] - '0')
			}
		}
	}
	if fields[1] < 1 || fields[1] > 12 || fields[2] < 1 || fields[2] > 31 || fields[3] > 23 || fields[4] > 59 || fields[5] > 59 {
		return 0, false // not plain: time.Parse says what it is
	}
	t := time.Date(fields[0], time.Month(fields[1]), fields[2], fields[3], fields[4], fields[5], micros*1000, time.UTC)
	return payment.InstantOf(t), t.Day() == fields[2] // no 31 April
}

// StatusWord is the status of a row as it stands in the table.
func (r *Reading) StatusWord(row []Text) string { return row[r.at.status].Value }

// VersionWord is the version column of a row.
func (r *Reading) VersionWord(row []Text) string { return row[r.at.version].Value }

// TimeLikeCreated writes an instant in the form that the row's time of creation
// has, for databases without a type for times: whole seconds, milliseconds or
// microseconds since 1970, else text, with the zone that it shows or else that
// of the description.
func (r *Reading) TimeLikeCreated(row []Text, at payment.Instant) any {
	text := row[r.at.createdAt].Value
	if _, err := decimal(text, 0); err == nil {
		switch len(text) {
		case 10:
			return int64(at) / 1_000_000
		case 13:
			return int64(at) / 1_000
		}
		return int64(at)
	}
	layout := "2006-01-02 15:04:05.000000"
	if strings.Contains(text, "T") {
		layout = "2006-01-02T15:04:05.000000"
	}
	zone := r.zone
	if strings.HasSuffix(text, "Z") || len(text) > 19 && strings.ContainsAny(text[19:], "+-") {
		layout, zone = layout+"Z07:00", time.UTC
	}
	if zone == nil {
		zone = time.UTC
	}
	return at.Time().In(zone).Format(layout)
}
