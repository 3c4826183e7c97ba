package datetext

import (
	"errors"
	"strings"
	"testing"
	"time"

	_ "time/tzdata" // the tests must not depend on the machine's zones

	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// dated is a cell and what it says in America/Sao_Paulo.
type dated struct {
	cell, layout, day, at string
	precision             time.Duration
}

func (row dated) check(t *testing.T) {
	t.Helper()
	v, err := Parse(row.cell, []string{row.layout}, zone(t, "America/Sao_Paulo"))
	if err != nil || v.Day.String() != row.day || v.At.String() != row.at || v.Precision != row.precision {
		t.Errorf("%q as %s: day %s, at %s, precise to %s, %v; want %s, %s, %s",
			row.cell, row.layout, v.Day, v.At, v.Precision, err, row.day, row.at, row.precision)
	}
	if !Known(row.layout) {
		t.Errorf("layout %s is not known", row.layout)
	}
}

const (
	day, minute, second = DateOnly, time.Minute, time.Second
	milli, micro        = time.Millisecond, time.Microsecond
)

func TestParseReadsEveryLayoutMet(t *testing.T) {
	t.Parallel()
	for _, row := range []dated{
		{"2026-01-31", "iso", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"2026-1-5", "iso", "2026-01-05", "2026-01-05T03:00:00Z", day},
		{"31/01/2026", "dd/mm/yyyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"1/2/2026", "dd/mm/yyyy", "2026-02-01", "2026-02-01T03:00:00Z", day},
		{"01/02/2026", "mm/dd/yyyy", "2026-01-02", "2026-01-02T03:00:00Z", day},
		{"1/2/2026", "mm/dd/yyyy", "2026-01-02", "2026-01-02T03:00:00Z", day},
		{"31/01/26", "dd/mm/yyyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"31.01.2026", "dd.mm.yyyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"2026.01.31", "yyyy.mm.dd", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"31-01-2026", "dd-mm-yyyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"20260131", "yyyymmdd", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"260131", "yymmdd", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"310126", "ddmmyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"31012026", "ddmmyyyy", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"26 Jan 2026", "dd mon yyyy", "2026-01-26", "2026-01-26T03:00:00Z", day},
		{"1 out. 2026", "dd mon yyyy", "2026-10-01", "2026-10-01T03:00:00Z", day},
		{"26/DEZ/2026", "dd/mon/yyyy", "2026-12-26", "2026-12-26T03:00:00Z", day},
		{" 6/ 4'18", "qif", "2018-06-04", "2018-06-04T03:00:00Z", day},
		{"1764547200", "unix", "2025-11-30", "2025-12-01T00:00:00Z", second},
		{"1764547200123", "unix_ms", "2025-11-30", "2025-12-01T00:00:00.123Z", milli},
		{"1764547200123456", "unix_us", "2025-11-30", "2025-12-01T00:00:00.123456Z", micro},
		{"46053", "excel", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"44591", "excel1904", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"46053.5", "excel", "2026-01-31", "2026-01-31T15:00:00Z", second},
		{"46053.999999999999", "excel", "2026-02-01", "2026-02-01T03:00:00Z", second},
		{"2026-01-31 10:20", "2006-01-02 15:04", "2026-01-31", "2026-01-31T13:20:00Z", minute},
		{"Jan 31, 2026", "Jan 2, 2006", "2026-01-31", "2026-01-31T03:00:00Z", day},
		{"31/01/69", "02/01/06", "2069-01-31", "2069-01-31T03:00:00Z", day},
		{"31/01/80", "02/01/06", "1980-01-31", "1980-01-31T03:00:00Z", day},
		{"31/01/80", "dd/mm/yyyy", "1980-01-31", "1980-01-31T03:00:00Z", day},
		{"31/01/79", "dd/mm/yyyy", "2079-01-31", "2079-01-31T03:00:00Z", day},
		{"31/01/78", "02/01/06", "2078-01-31", "2078-01-31T03:00:00Z", day},
		{"20260131T102030-0500", "20060102T150405-0700", "2026-01-31", "2026-01-31T15:20:30Z", second},
		{"2016-12-31T23:59:60Z", "rfc3339", "2016-12-31", "2016-12-31T23:59:59.999999Z", second},
		{"\uFEFF2026-01-31\u00A010:00", "iso", "2026-01-31", "2026-01-31T13:00:00Z", minute},
		{"29/02/2024", "dd/mm/yyyy", "2024-02-29", "2024-02-29T03:00:00Z", day},
	} {
		row.check(t)
	}
}

func TestParseReadsTimesAndOffsets(t *testing.T) {
	t.Parallel()
	for _, row := range []dated{
		{"2026-01-31T23:59:59Z", "rfc3339", "2026-01-31", "2026-01-31T23:59:59Z", second},
		{"2026-01-31T23:59:59-03:00", "rfc3339", "2026-01-31", "2026-02-01T02:59:59Z", second},
		{"2026-01-31T23:59:59-0400", "iso", "2026-01-31", "2026-02-01T03:59:59Z", second},
		{"2026-08-10T14:32:00.000-03:00", "iso", "2026-08-10", "2026-08-10T17:32:00Z", milli},
		{"2026-01-31T23:59:59.123456Z", "iso", "2026-01-31", "2026-01-31T23:59:59.123456Z", micro},
		{"2026-01-31 23:59:59.123456789Z", "iso", "2026-01-31", "2026-01-31T23:59:59.123456Z", micro},
		{"2026-01-31 23:59:59", "iso", "2026-01-31", "2026-02-01T02:59:59Z", second},
		{"2026-01-21 07:21", "iso", "2026-01-21", "2026-01-21T10:21:00Z", minute},
		{"2026-01-21 07:21:05 UTC", "iso", "2026-01-21", "2026-01-21T07:21:05Z", second},
		{"2026-06-21 07:21:05 CEST", "iso", "2026-06-21", "2026-06-21T05:21:05Z", second},
		{"2026-06-21 07:21 GMT-3", "iso", "2026-06-21", "2026-06-21T10:21:00Z", minute},
		{"21/06/2026, 7:21 PM", "dd/mm/yyyy", "2026-06-21", "2026-06-21T22:21:00Z", minute},
		{"6/21/2026 12:21:09 am PDT", "mm/dd/yyyy", "2026-06-21", "2026-06-21T07:21:09Z", second},
	} {
		row.check(t)
	}
}

type refusedCell struct{ cell, layout, words string }

// refusedCells are no dates, and the words that say why.
func refusedCells() []refusedCell {
	return []refusedCell{
		{"", "iso", "no date"},
		{" ", "iso", "no date"},
		{"2026-02-30", "iso", "no day 30"},
		{"2026-13-01", "iso", "no day 1 of month 13"},
		{"2025-02-29", "iso", "no day 29"},
		{"31/04/2026", "dd/mm/yyyy", "no day 31"},
		{"13/25/2026", "dd/mm/yyyy", "month 25"},
		{"00/01/2026", "dd/mm/yyyy", "no day 0"},
		{"1900-02-29", "iso", "no day 29"},
		{"0000-01-01", "iso", "not a date"},
		{"2026-01-31 24:00", "iso", "time of day"},
		{"2026-01-31 10:60", "iso", "time of day"},
		{"2026-01-31 10:10:60", "iso", "time of day"},
		{"2026-01-31T23:59:59", "rfc3339", "without offset"},
		{"2026-01-31", "rfc3339", "without offset"},
		{"2026-01-31 10:00 CST", "iso", "not a date"},
		{"2026-01-31 10:00 IST", "iso", "not a date"},
		{"2026-01-31 10:00 XYZ", "iso", "not a date"},
		{"2026-01-31 10:00:00.", "iso", "not a date"},
		{"2026-01-31 10", "iso", "not a date"},
		{"2026-01-31x", "iso", "not a date"},
		{"2026-01-31 13:00 PM", "iso", "not a date"},
		{"2026-01-31 0:30 AM", "iso", "not a date"},
		{"2026-01-31 13:00 AM", "iso", "not a date"},
		{"2026-01-31T10:00:00+15:00", "iso", "not a date"},
		{"2026-01-31T10:00:00+1", "iso", "not a date"},
		{"2026-01-31T10:00:00-0", "iso", "not a date"},
		{"2026-01-31T10:00:00-03", "iso", ""},
		{"31/01/2026", "iso", "not a date"},
		{"2026-01-31", "dd/mm/yyyy", "not a date"},
		{"1/2/202", "dd/mm/yyyy", "not a date"},
		{"1/2/20261", "dd/mm/yyyy", "not a date"},
		{"01-02-2026", "dd/mm/yyyy", "not a date"},
		{"1/2", "dd/mm/yyyy", "not a date"},
		{"26 Foo 2026", "dd mon yyyy", "not a date"},
		{"26 an1 2026", "dd mon yyyy", "not a date"},
		{"２０２６-01-31", "iso", "not a date"},
		{"1764547200123", "unix", "before 1980 or after 2099"},
		{"1764547200", "unix_ms", "before 1980"},
		{"12", "unix", "before 1980"},
		{"1764547200.5", "unix", "not a count"},
		{"99999999999999999999", "unix", "not a count"},
		{"60", "excel", "day number"},
		{"1234567", "excel", "day number"},
		{"46053,5", "excel", "day number"},
		{"46053.", "excel", "day number"},
		{"46053.5x", "excel", "day number"},
		{"310126", "ddmmyyyy", "not a date"},
		{"260131", "yyyymmdd", "not a date"},
		{"26-01-31", "iso", "not a date"},
		{"2026131", "yyyymmdd", "not a date"},
		{"CET", "MST", "not a date"},
		{"2026-01-31 10:00 CET", "2006-01-02 15:04 MST", "not a date"},
	}
}

func TestParseRefusesWhatIsNoDate(t *testing.T) {
	t.Parallel()
	for _, row := range refusedCells() {
		v, err := Parse(row.cell, []string{row.layout}, time.UTC)
		if row.words == "" {
			if err != nil {
				t.Errorf("%q as %s: %v", row.cell, row.layout, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), row.words) {
			t.Errorf("%q as %s is %s %s, %v; want a refusal with %q", row.cell, row.layout, v.Day, v.At, err, row.words)
		}
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%q: the error is a %T", row.cell, err)
		}
	}
}

func TestSeveralLayoutsMustAgree(t *testing.T) {
	t.Parallel()
	both := []string{"dd/mm/yyyy", "mm/dd/yyyy"}
	if v, err := Parse("25/12/2026", both, time.UTC); err != nil || v.Day.String() != "2026-12-25" {
		t.Errorf("one fits: %s, %v", v.Day, err)
	}
	if v, err := Parse("12/25/2026", both, time.UTC); err != nil || v.Day.String() != "2026-12-25" {
		t.Errorf("the second fits: %s, %v", v.Day, err)
	}
	if v, err := Parse("05/05/2026", both, time.UTC); err != nil || v.Day.String() != "2026-05-05" {
		t.Errorf("both say the same: %s, %v", v.Day, err)
	}
	if v, err := Parse("01/02/2026", both, time.UTC); err == nil || !strings.Contains(err.Error(), "ambiguous") {
		t.Errorf("two days: %s, %v", v.Day, err)
	}
	if _, err := Parse("tomorrow", both, time.UTC); err == nil || !strings.Contains(err.Error(), "any of the layouts") {
		t.Errorf("none fits: %v", err)
	}
	if v, err := Parse("2026-01-31", nil, time.UTC); err != nil || v.Day.String() != "2026-01-31" {
		t.Errorf("no layouts is iso: %s, %v", v.Day, err)
	}
}

func TestTimesThatAClockSkipsOrShowsTwice(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		zone, cell, at string
		precision      time.Duration
		refused        bool
	}{
		{"America/Sao_Paulo", "2018-11-04 00:30:00", "", 0, true}, // the day began at 01:00
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", DateOnly, false},
		{"America/Sao_Paulo", "2018-02-17 23:30:00", "2018-02-18T01:30:00Z", time.Hour + time.Second, false},
		{"America/Sao_Paulo", "2018-02-17 23:00:00", "2018-02-18T01:00:00Z", time.Hour + time.Second, false},
		{"America/Sao_Paulo", "2018-02-17 22:59:59", "2018-02-18T00:59:59Z", time.Second, false},
		{"America/Sao_Paulo", "2018-02-18 00:00:00", "2018-02-18T03:00:00Z", time.Second, false},
		{"America/New_York", "2026-03-08 02:30:00", "", 0, true},
		{"America/New_York", "2026-11-01 01:30:00", "2026-11-01T05:30:00Z", time.Hour + time.Second, false},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04T14:45:00Z", 30*time.Minute + time.Second, false},
		{"Pacific/Apia", "2011-12-30 12:00:00", "", 0, true}, // a day that was left out
		{"America/New_York", "2026-11-01 01:30:00 EST", "2026-11-01T06:30:00Z", time.Second, false},
	} {
		v, err := Parse(row.cell, nil, zone(t, row.zone))
		if row.refused != (err != nil) || v.At.String() != row.at || v.Precision != row.precision {
			t.Errorf("%s in %s: %s, precise to %s, %v; want %s, %s", row.cell, row.zone, v.At, v.Precision, err, row.at, row.precision)
		}
	}
	if _, err := Parse("2026-01-31 10:00", nil, nil); err == nil {
		t.Error("a time without any zone is read")
	}
}

func TestZoneReadsWhatColumnsHold(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.June, 21, 12, 0, 0, 0, time.UTC)
	for text, seconds := range map[string]int{
		"UTC": 0, "Z": 0, "CEST": 7200, "PDT": -25200, "BRT": -10800, "-03:00": -10800, "+0530": 19800, "-3": -10800,
		"UTC-3": -10800, "GMT+01:00": 3600, "America/Sao_Paulo": -10800, "Europe/Amsterdam": 7200, "\u00A0CET": 3600,
	} {
		z, err := Zone(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if _, got := at.In(z).Zone(); got != seconds {
			t.Errorf("%q is %d s from UTC, want %d", text, got, seconds)
		}
	}
	for _, text := range []string{"", "CST", "IST", "BST", "AMT", "XYZ", "cet", "+25", "+1:2", "Mars/Base", "../etc/passwd", "/etc/localtime", "Local"} {
		if z, err := Zone(text); err == nil {
			t.Errorf("%q is taken for %s", text, z)
		}
	}
}

func TestKnownRefusesLayoutsThatHoldNoWholeDate(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{"", "15:04", "2006-01", "Jan 2", "02/01", "2006-01-02 MST", "dd/MM/yyyy", "yyyy-mm-dd", "%Y-%m-%d", "ISO"} {
		if Known(layout) {
			t.Errorf("%q is taken for a layout", layout)
		}
	}
	for _, layout := range append(Names(), "2006-01-02", "2/1/2006", "02.01.06", "2006-01-02T15:04:05Z07:00", "_2 Jan 2006") {
		if !Known(layout) {
			t.Errorf("%q is not known", layout)
		}
	}
}

func TestParseGivesBackWhatWasPrinted(t *testing.T) {
	t.Parallel()
	var zones []*time.Location
	for _, name := range []string{"UTC", "America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"} {
		zones = append(zones, zone(t, name))
	}
	printed := map[string]string{
		"iso": "2006-01-02 15:04:05.999999", "rfc3339": time.RFC3339Nano, "dd/mm/yyyy": "02/01/2006 15:04:05.000000",
		"mm/dd/yyyy": "1/2/2006 3:04:05.000000 PM", "dd.mm.yyyy": "2.1.2006 15:04:05,000000", "dd mon yyyy": "2 Jan 2006, 15:04:05.000000",
	}
	first := time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	last := time.Date(2040, time.December, 31, 0, 0, 0, 0, time.UTC).UnixMicro()
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		layout := rapid.SampledFrom([]string{"iso", "rfc3339", "dd/mm/yyyy", "mm/dd/yyyy", "dd.mm.yyyy", "dd mon yyyy"}).Draw(t, "layout")
		at := payment.Instant(rapid.Int64Range(first, last).Draw(t, "at"))
		text := at.Time().In(z).Format(printed[layout])
		v, err := Parse(text, []string{layout}, z)
		if err != nil {
			t.Fatalf("%q as %s: %v", text, layout, err)
		}
		if v.Day != payment.DayOf(at, z) {
			t.Fatalf("%q is on %s, want %s", text, v.Day, payment.DayOf(at, z))
		}
		if at < v.At || at >= v.At.Add(v.Precision) || v.Precision < time.Hour/2 && at != v.At {
			t.Fatalf("%q is [%s, +%s), want %s", text, v.At, v.Precision, at)
		}
	})
}

func TestDatesReadAsTheyArePrintedOnEveryDay(t *testing.T) {
	t.Parallel()
	layouts := map[string]string{
		"iso": "2006-01-02", "dd/mm/yyyy": "2/1/2006", "mm/dd/yyyy": "01/02/2006", "yyyymmdd": "20060102",
		"ddmmyyyy": "02012006", "yymmdd": "060102", "ddmmyy": "020106",
	}
	for _, name := range []string{"UTC", "America/Sao_Paulo"} {
		z := zone(t, name)
		for day := time.Date(1990, time.January, 1, 12, 0, 0, 0, time.UTC); day.Year() < 2041; day = day.AddDate(0, 0, 1) {
			for layout, printed := range layouts {
				v, err := Parse(day.Format(printed), []string{layout}, z)
				want := payment.DayOfDate(day.Date())
				if err != nil || v.Day != want || v.At != want.Start(z) || v.Precision != DateOnly {
					t.Fatalf("%s as %s in %s: %s at %s, %v", day.Format(printed), layout, name, v.Day, v.At, err)
				}
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	z := zone(b, "America/Sao_Paulo")
	for cell, layouts := range map[string][]string{
		"2026-11-29 10:01:41":   {"iso"},
		"29/11/2026":            {"dd/mm/yyyy"},
		"2026-11-29T10:01:41Z ": {"dd/mm/yyyy", "iso"},
	} {
		b.Run(cell, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(cell, layouts, z); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("observe", func(b *testing.B) {
		var p Proof
		for b.Loop() {
			p.Observe("29/11/2026 10:01", 2)
		}
	})
}
