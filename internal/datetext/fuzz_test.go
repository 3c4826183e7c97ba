package datetext

import (
	"testing"
	"time"

	"desfecho/internal/payment"
)

// FuzzDate holds the laws of reading dates on any text: no panic; what is read
// lies on a day between year 1 and 9999, its instant on the day as written;
// what the time package reads as RFC 3339 we read as the same moment.
func FuzzDate(f *testing.F) {
	for _, cell := range []string{
		"2026-01-31T23:59:59-03:00", "1/2/2026", "31.12.26 10:00", "26 Jan 2026", "1764547200", " 6/ 4'18",
		"2016-12-31T23:59:60Z", "46053.5", "2026-01-31 10:00 PM CEST", "2018-11-04 00:30",
	} {
		f.Add(cell)
	}
	saoPaulo := zone(f, "America/Sao_Paulo")
	names := append(Names(), "02/01/06 15:04", "2006-01-02T15:04:05Z07:00")
	f.Fuzz(func(t *testing.T, cell string) {
		for _, layout := range names {
			v, err := Parse(cell, []string{layout}, saoPaulo)
			if err != nil {
				continue
			}
			if v.Precision < time.Microsecond || v.Precision > DateOnly {
				t.Errorf("%q as %s is precise to %s", cell, layout, v.Precision)
			}
			if year := v.Day.String(); len(year) != len(time.DateOnly) && v.Day != 0 {
				t.Errorf("%q as %s is on %s", cell, layout, year)
			}
			if written := payment.DayOf(v.At, saoPaulo) - v.Day; v.At != 0 && (written < -1 || written > 1) {
				t.Errorf("%q as %s is on %s, but at %s", cell, layout, v.Day, v.At)
			}
			if v.Precision == DateOnly && v.At != v.Day.Start(saoPaulo) {
				t.Errorf("%q as %s begins at %s", cell, layout, v.At)
			}
		}
		if want, err := time.Parse(time.RFC3339, cell); err == nil && want.Year() > 0 {
			_, seconds := want.Zone()
			v, err := Parse(cell, []string{"rfc3339"}, nil)
			if err == nil && v.At != payment.InstantOf(want) || err != nil && seconds <= 14*3600 && seconds >= -14*3600 {
				t.Errorf("%q is %s, %v; the time package says %s", cell, v.At, err, want)
			}
		}
		var p Proof
		p.Observe(cell, 1)
		if layouts, err := p.Layouts(); err == nil && layouts != nil {
			if _, err := Parse(cell, layouts, time.UTC); err != nil {
				t.Errorf("%q proves %q, which do not read it: %v", cell, layouts, err)
			}
		}
	})
}
