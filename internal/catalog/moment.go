package catalog

import (
	"strings"
	"time"

	"desfecho/internal/payment"
)

// Moment reads a time as either database prints it. zoned is false where the
// text has no zone of its own and zone was used; ok is false where it is no
// time. A nil zone reads as UTC.
func Moment(text string, zone *time.Location) (at payment.Instant, zoned, ok bool) {
	text = strings.Replace(text, " ", "T", 1)
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07"} {
		if t, err := time.Parse(layout, text); err == nil {
			return payment.InstantOf(t), true, true
		}
	}
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return payment.InstantOf(t), false, true
		}
	}
	return epoch(text)
}

// epoch reads whole seconds, milliseconds or microseconds since 1970, told
// apart by their length.
func epoch(text string) (at payment.Instant, zoned, ok bool) {
	scale, known := map[int]int64{10: 1_000_000, 13: 1_000, 16: 1}[len(text)]
	if !known {
		return 0, false, false
	}
	n := int64(0)
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		n = n*10 + int64(c-'0')
	}
	return payment.Instant(n * scale), true, true
}
