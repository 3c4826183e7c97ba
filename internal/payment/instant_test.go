package payment

import (
	"encoding/json"
	"testing"
	"time"

	_ "time/tzdata" // the tests must not depend on the machine's zones

	"pgregory.net/rapid"
)

func zones(t *testing.T) []*time.Location {
	t.Helper()
	var loaded []*time.Location
	for _, name := range []string{
		"UTC",
		"America/Sao_Paulo",   // skipped midnight
		"America/Havana",      // shows midnight twice
		"America/New_York",    // changes at night
		"Australia/Lord_Howe", // changes by half an hour
		"Pacific/Apia",        // left a whole day out
	} {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		loaded = append(loaded, z)
	}
	return loaded
}

var (
	first = DayOfDate(1990, time.January, 1)
	last  = DayOfDate(2040, time.December, 31)
)

// TestDaysTileTime: the days from 1990 to 2040 follow one another without gap
// or overlap, and DayOf agrees with them at both ends and in the middle.
func TestDaysTileTime(t *testing.T) {
	t.Parallel()
	for _, zone := range zones(t) {
		skipped := 0
		for day := first; day <= last; day++ {
			start, end := day.Start(zone), (day + 1).Start(zone)
			if start == end {
				skipped++
				continue
			}
			if length := end.Sub(start); length < 22*time.Hour || length > 26*time.Hour {
				t.Fatalf("%s in %s is %s long", day, zone, length)
			}
			for _, at := range []Instant{start, start.Add(end.Sub(start) / 2), end - 1} {
				if got := DayOf(at, zone); got != day {
					t.Fatalf("%s in %s is on %s, want %s", at, zone, got, day)
				}
			}
			if got := DayOf(start-1, zone); got >= day {
				t.Fatalf("before %s in %s is %s", day, zone, got)
			}
		}
		want := 0
		if zone.String() == "Pacific/Apia" {
			want = 1
		}
		if skipped != want {
			t.Errorf("%s left out %d days, want %d", zone, skipped, want)
		}
	}
}

// TestAMomentIsInExactlyOneDay is law 11 for moments anywhere.
func TestAMomentIsInExactlyOneDay(t *testing.T) {
	t.Parallel()
	all := zones(t)
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(all).Draw(t, "zone")
		at := Instant(rapid.Int64Range(int64(first.Start(zone)), int64(last.Start(zone))).Draw(t, "at"))
		in := 0
		for day := DayOf(at, zone) - 2; day <= DayOf(at, zone)+2; day++ {
			if (Interval{day.Start(zone), (day + 1).Start(zone)}).Contains(at) {
				in++
			}
		}
		if in != 1 {
			t.Fatalf("%s is in %d days of %s", at, in, zone)
		}
	})
}

func TestDaysAndInstantsReadAsTheyPrint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			At  Instant
			Day Day
		}
		want := pair{
			Instant(rapid.Int64Range(int64(first.Start(time.UTC)), int64(last.Start(time.UTC))).Draw(t, "at")),
			Day(rapid.Int32Range(int32(first), int32(last)).Draw(t, "day")),
		}
		if rapid.Bool().Draw(t, "unknown") {
			want = pair{}
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got pair
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Fatalf("%s reads as %v, %v", text, got, err)
		}
	})
}

func TestTheUnknownInstantIsNoMoment(t *testing.T) {
	t.Parallel()
	var i Instant
	if InstantOf(time.Time{}) != 0 || !i.Time().IsZero() || i.String() != "" || DayOf(i, time.UTC) != 0 {
		t.Errorf("the zero Instant is %s, on %s", i.Time(), DayOf(i, time.UTC))
	}
	for _, text := range []string{"2026-01-31", "2026-01-31T10:00:00", "x"} {
		if err := i.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for an instant", text)
		}
	}
	var d Day
	for _, text := range []string{"2026-02-30", "31/01/2026", "x"} {
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a day", text)
		}
	}
}

func TestIntervalsAreHalfOpen(t *testing.T) {
	t.Parallel()
	w := Interval{10, 20}
	for at, want := range map[Instant]bool{9: false, 10: true, 19: true, 20: false} {
		if w.Contains(at) != want {
			t.Errorf("%s contains %d: %v", w, at, !want)
		}
	}
	for other, want := range map[Interval]bool{{0, 10}: false, {0, 11}: true, {19, 30}: true, {20, 30}: false} {
		if w.Overlaps(other) != want || other.Overlaps(w) != want {
			t.Errorf("%v overlaps %v: %v", w, other, !want)
		}
	}
	if w.Empty() || !(Interval{5, 5}).Empty() || !(Interval{6, 5}).Empty() {
		t.Error("empty intervals are not told apart")
	}
}
