package datetext

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// order is where day, month and year stand in a date of digits.
type order struct {
	first, second, third byte // d, m or y
	sep                  byte // 0: none, two digits each but for a year of four
	name                 bool // the month is a word
	longYear             bool
}

// numeric holds the named layouts; "yyyy" also reads a year of two digits
// where a separator shows its end.
var numeric = map[string]order{
	"dd/mm/yyyy": {'d', 'm', 'y', '/', false, true}, "mm/dd/yyyy": {'m', 'd', 'y', '/', false, true},
	"dd-mm-yyyy": {'d', 'm', 'y', '-', false, true}, "mm-dd-yyyy": {'m', 'd', 'y', '-', false, true},
	"dd.mm.yyyy": {'d', 'm', 'y', '.', false, true}, "mm.dd.yyyy": {'m', 'd', 'y', '.', false, true},
	"yyyy/mm/dd": {'y', 'm', 'd', '/', false, true}, "yyyy.mm.dd": {'y', 'm', 'd', '.', false, true},
	"yyyymmdd": {'y', 'm', 'd', 0, false, true}, "ddmmyyyy": {'d', 'm', 'y', 0, false, true},
	"yymmdd": {'y', 'm', 'd', 0, false, false}, "ddmmyy": {'d', 'm', 'y', 0, false, false},
	"dd mon yyyy": {'d', 'm', 'y', ' ', true, true}, "dd-mon-yyyy": {'d', 'm', 'y', '-', true, true},
	"dd/mon/yyyy": {'d', 'm', 'y', '/', true, true},
}

// errShape says that the text is no date of the layout; refusal words it.
var errShape = errors.New("not a date in this layout")

// parseISO reads 2006-01-02, alone or with a time behind a T or a blank. With
// strict the text must be RFC 3339: a time and an offset.
func parseISO(text string, zone *time.Location, strict bool) (Value, error) {
	w := written{}
	rest, ok := w.date(text, order{'y', 'm', 'd', '-', false, true})
	if ok {
		ok = w.timeOfDay(rest)
	}
	switch {
	case !ok:
		return Value{}, errShape
	case strict && w.zone == nil:
		return Value{}, &Error{"a time without offset", "use the layout iso and name the column's zone in the profile"}
	}
	return w.value(zone)
}

func parseNumeric(text string, o order, zone *time.Location) (Value, error) {
	w := written{}
	rest, ok := w.date(text, o)
	if !ok || !w.timeOfDay(rest) {
		return Value{}, errShape
	}
	return w.value(zone)
}

// date reads a date at the beginning of the text.
func (w *written) date(text string, o order) (rest string, ok bool) {
	for i, part := range [...]byte{o.first, o.second, o.third} {
		if i > 0 && o.sep != 0 {
			if text == "" || text[0] != o.sep {
				return "", false
			}
			text = text[1:]
		}
		if text, ok = w.part(text, part, o); !ok {
			return "", false
		}
	}
	return text, true
}

// part reads day, month or year.
func (w *written) part(text string, part byte, o order) (rest string, ok bool) {
	least := 2
	if o.sep != 0 {
		least = 1
	}
	var n int
	switch {
	case part == 'y':
		return w.readYear(text, o)
	case part == 'm' && o.name:
		w.month, rest, ok = monthName(text)
		return rest, ok
	default:
		n, rest, ok = digitsOf(text, least, 2)
	}
	if part == 'd' {
		w.day = n
	} else {
		w.month = n
	}
	return rest, ok
}

// readYear reads four digits, or two: 00 to 79 are 2000 to 2079.
func (w *written) readYear(text string, o order) (rest string, ok bool) {
	if o.longYear {
		if w.year, rest, ok = digitsOf(text, 4, 4); ok {
			return rest, w.year > 0
		}
		if o.sep == 0 || o.first == 'y' {
			return "", false
		}
	}
	w.year, rest, ok = digitsOf(text, 2, 2)
	if w.year += 1900; w.year < 1980 {
		w.year += 100
	}
	return rest, ok
}

// months by the first three letters of their names in English, Portuguese and
// Spanish.
const months = "jan1 ene1 feb2 fev2 mar3 apr4 abr4 may5 mai5 jun6 jul7 aug8 ago8 sep9 set9 oct10 out10 nov11 dec12 dez12 dic12 "

func monthName(text string) (month int, rest string, ok bool) {
	n := 0
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n != 3 {
		return 0, "", false
	}
	_, found, ok := strings.Cut(months, strings.ToLower(text[:3]))
	if !ok {
		return 0, "", false
	}
	month, _, ok = digitsOf(found, 1, 2)
	return month, strings.TrimPrefix(text[3:], "."), ok
}

// parseUnix reads a count of seconds, or parts of them, since 1970.
func parseUnix(text string, unit time.Duration, zone *time.Location) (Value, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	perSecond := int64(time.Second / unit)
	seconds := n / perSecond
	if err != nil {
		return Value{}, &Error{"not a count of seconds since 1970, or of parts of them", "correct the column's layout in the profile (dates: layouts)"}
	}
	if seconds < 315_532_800 || seconds >= 4_102_444_800 { // 1980 to 2100
		return Value{}, &Error{"a moment before 1980 or after 2099", "seconds, milliseconds (unix_ms) and microseconds (unix_us) look alike: correct the layout in the profile (dates: layouts)"}
	}
	at := payment.Instant(n * (1_000_000 / perSecond))
	if zone == nil {
		zone = time.UTC
	}
	return Value{Day: payment.DayOf(at, zone), At: at, Precision: unit}, nil
}

// parseSerial reads a spreadsheet's day count, with the time as a fraction.
// shift is the first day's number in the count from 1900.
func parseSerial(text string, shift int, zone *time.Location) (Value, error) {
	whole, fraction, timed := strings.Cut(text, ".")
	days, rest, ok := digitsOf(whole, 1, 6)
	if !ok || rest != "" || days+shift < 61 || days+shift > 65_535 {
		return Value{}, &Error{"not a spreadsheet's day number", "correct the column's layout in the profile (dates: layouts)"}
	}
	w := written{precision: DateOnly}
	date := time.Date(1899, time.December, 30+shift+days, 0, 0, 0, 0, time.UTC)
	if timed {
		if len(fraction) > 9 {
			fraction = fraction[:9]
		}
		part, rest, ok := digitsOf(fraction, 1, 9)
		if !ok || rest != "" {
			return Value{}, &Error{Problem: "not a spreadsheet's day number"}
		}
		for range 9 - len(fraction) {
			part *= 10
		}
		date = date.Add(time.Duration((int64(part)*86_400+500_000_000)/1_000_000_000) * time.Second)
		w.precision = time.Second
	}
	year, month, day := date.Date()
	w.year, w.month, w.day = year, int(month), day
	w.hour, w.minute, w.second = date.Clock()
	return w.value(zone)
}

// parseGo reads a layout of Go's time package, the year of two digits our way.
func parseGo(text, layout string, zone *time.Location) (Value, error) {
	t, err := time.Parse(layout, text)
	if err != nil || t.Year() < 1 || strings.Contains(layout, "MST") { // Go reads any MST as UTC
		return Value{}, errShape
	}
	w := written{year: t.Year(), month: int(t.Month()), day: t.Day(), nanos: t.Nanosecond(), precision: DateOnly}
	w.hour, w.minute, w.second = t.Clock()
	if !strings.Contains(layout, "2006") && w.year >= 1969 && w.year < 1980 {
		w.year += 100
	}
	switch {
	case w.nanos != 0:
		w.precision = time.Microsecond
	case strings.Contains(layout, "05"):
		w.precision = time.Second
	case strings.Contains(layout, "15") || strings.Contains(layout, "03") || strings.Contains(layout, "3:"):
		w.precision = time.Minute
	}
	if strings.Contains(layout, "-07") || strings.Contains(layout, "Z07") {
		_, seconds := t.Zone()
		w.zone = time.FixedZone("", seconds)
	}
	return w.value(zone)
}
