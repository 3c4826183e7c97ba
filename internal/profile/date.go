package profile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/datetext"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// DateColumn reads one field's dates in one style.
type DateColumn struct {
	field   string
	cells   *Cells
	zone    *time.Location
	utc     []bool // by place: its text is UTC
	layouts []string
	iso     bool // the fast forms are among the layouts
	proven  string
	proof   datetext.Proof
	day     isoDay
}

// Date gives the reader of a field's dates. Asked again it is the same.
func (b *Binding) Date(field string) *DateColumn {
	if d := b.dates[field]; d != nil {
		return d
	}
	style := &b.Profile.Dates
	d := &DateColumn{field: field, cells: b.fields[field], zone: b.textZone, layouts: style.Layouts}
	for _, at := range d.cells.places {
		d.utc = append(d.utc, slices.ContainsFunc(style.UTC, func(h string) bool { return tabular.Fold(h) == tabular.Fold(at.heading) }))
	}
	d.iso = len(d.layouts) == 0 || slices.ContainsFunc(d.layouts, func(l string) bool {
		return l == "iso" || l == "rfc3339" || strings.HasPrefix(l, "2006-01-02")
	})
	b.dates[field] = d
	return d
}

// Has tells whether the file has the column.
func (d *DateColumn) Has() bool { return d.cells.Has() }

// Read gives the cell's moment; ok is false for an empty cell. The error is
// errUnproven or says what is wrong with the text.
func (d *DateColumn) Read(row tabular.Row) (v datetext.Value, ok bool, err error) {
	text, at := d.cells.Text(row), 0
	if len(d.cells.places) > 1 {
		var where *place
		text, where = d.cells.find(row)
		at = slices.IndexFunc(d.cells.places, func(p place) bool { return p == *where })
	}
	if text == "" {
		return v, false, nil
	}
	zone := d.zone
	if d.utc[at] {
		zone = time.UTC
	}
	if d.iso {
		if v, ok = d.day.parse(text, zone); ok {
			return v, true, nil
		}
	}
	if len(d.layouts) == 0 {
		if v, err = datetext.Parse(text, nil, zone); err == nil {
			return v, true, nil // ISO is no other layout's form: it needs no proof
		}
		return v, false, errUnproven
	}
	v, err = datetext.Parse(text, d.layouts, zone)
	return v, err == nil, err //nolint:wrapcheck // the caller adds file, line and heading
}

// observe takes one row of a pass over the whole file.
func (d *DateColumn) observe(row tabular.Row) {
	if text := d.cells.Text(row); text != "" {
		d.proof.Observe(text, row.Line)
	}
}

// conclude fixes the layouts after that pass.
func (d *DateColumn) conclude() error {
	if len(d.layouts) > 0 || !d.cells.Has() {
		return nil
	}
	layouts, err := d.proof.Layouts()
	if err != nil {
		cell, line := d.proof.Where()
		return &doubt{d.cells, cell, line, err}
	}
	if len(layouts) == 0 {
		return nil // the column is empty
	}
	d.layouts, d.proven = layouts, strings.Join(layouts, ", ")
	if evidence := d.proof.Evidence(); evidence != "" {
		d.proven += " by " + evidence
	}
	d.iso = slices.ContainsFunc(layouts, func(l string) bool { return l == "iso" || l == "rfc3339" })
	return nil
}

// note is the evidence for people, "" where the profile stated the layouts or
// the text is plain ISO.
func (d *DateColumn) note() string {
	if d.proven == "" {
		return ""
	}
	return fmt.Sprintf("%s: dates are %s", d.cells.places[0].heading, d.proven)
}

// isoDay remembers the last date that was read: rows of a file mostly repeat
// it, and the calendar is the dear part.
type isoDay struct {
	text  string
	day   payment.Day
	start int64 // microseconds at 00:00 UTC
}

// parse reads "2006-01-02", "2006-01-02 15:04:05" and "2006-01-02T15:04:05Z",
// and nothing else.
func (c *isoDay) parse(text string, zone *time.Location) (v datetext.Value, ok bool) {
	var of int64 // seconds of the day
	precision := time.Second
	utc := zone == time.UTC
	switch {
	case len(text) == 10:
		precision = 24 * time.Hour
	case len(text) == 20 && text[19] == 'Z' && text[10] == 'T':
		utc = true
		fallthrough
	case len(text) == 19 && (text[10] == ' ' || text[10] == 'T'):
		h, okH := twoDigits(text[11:], 23)
		m, okM := twoDigits(text[14:], 59)
		s, okS := twoDigits(text[17:], 59)
		if !okH || !okM || !okS || text[13] != ':' || text[16] != ':' {
			return v, false
		}
		of = int64(h)*3600 + int64(m)*60 + int64(s)
	default:
		return v, false
	}
	if c.text != text[:10] && !c.set(text[:10]) {
		return v, false
	}
	v.Day, v.Precision = c.day, precision
	if !utc {
		ok = c.local(&v, of, zone)
		return v, ok
	}
	v.At = payment.Instant(c.start + of*1e6)
	return v, true
}

// local places the wall clock time in a zone. Times that the zone's clock
// skipped or had twice are left to the careful reader.
func (c *isoDay) local(v *datetext.Value, of int64, zone *time.Location) bool {
	wall := time.UnixMicro(c.start + of*1e6).UTC()
	if v.Precision == 24*time.Hour {
		v.At = v.Day.Start(zone)
		return true
	}
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	start, end := t.ZoneBounds()
	if !start.IsZero() && t.Sub(start) < 3*time.Hour || !end.IsZero() && end.Sub(t) < 3*time.Hour {
		return false
	}
	v.At = payment.InstantOf(t)
	return true
}

// set reads the date; false where it is none.
func (c *isoDay) set(date string) bool {
	century, ok0 := twoDigits(date, 99)
	years, ok1 := twoDigits(date[2:], 99)
	month, ok2 := twoDigits(date[5:], 12)
	day, ok3 := twoDigits(date[8:], 31)
	if !ok0 || !ok1 || !ok2 || !ok3 || date[4] != '-' || date[7] != '-' || century < 19 {
		return false
	}
	t := time.Date(century*100+years, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day || int(t.Month()) != month {
		return false
	}
	c.text, c.day, c.start = date, payment.DayOfDate(t.Date()), t.UnixMicro()
	return true
}

func twoDigits(text string, most int) (int, bool) {
	a, b := text[0]-'0', text[1]-'0'
	n := int(a)*10 + int(b)
	return n, a <= 9 && b <= 9 && n <= most
}
