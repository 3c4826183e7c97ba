package bankday_test

import (
	"slices"
	"testing"
	"time"

	"desfecho/internal/bankday"
	"desfecho/internal/payment"
)

// The working days that ANBIMA's list of national holidays takes away, by year:
// those on a weekend are none.
func TestBrazil(t *testing.T) {
	t.Parallel()
	for year, want := range map[int][]string{
		2023: {"02-20", "02-21", "04-07", "04-21", "05-01", "06-08", "09-07", "10-12", "11-02", "11-15", "12-25"},
		2024: {"01-01", "02-12", "02-13", "03-29", "05-01", "05-30", "11-15", "11-20", "12-25"},
		2025: {"01-01", "03-03", "03-04", "04-18", "04-21", "05-01", "06-19", "11-20", "12-25"},
		2026: {"01-01", "02-16", "02-17", "04-03", "04-21", "05-01", "06-04", "09-07", "10-12", "11-02", "11-20", "12-25"},
		2027: {"01-01", "02-08", "02-09", "03-26", "04-21", "05-27", "09-07", "10-12", "11-02", "11-15"},
	} {
		var got []string
		for day := payment.DayOfDate(year, time.January, 1); day < payment.DayOfDate(year+1, time.January, 1); day++ {
			date := day.Start(time.UTC).Time()
			weekend := date.Weekday() == time.Saturday || date.Weekday() == time.Sunday
			switch closed := bankday.Brazil(day); {
			case weekend && !closed:
				t.Errorf("%s is a working day", date.Format(time.DateOnly))
			case closed && !weekend:
				got = append(got, date.Format("01-02"))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", year, got, want)
		}
	}
}

// Easter of some centuries: Good Friday is two days before it, Carnival's Tuesday
// 47, and the day after that is a working day.
func TestEaster(t *testing.T) {
	t.Parallel()
	for _, easter := range []string{"1961-04-02", "1981-04-19", "1954-04-18", "2000-04-23", "2008-03-23", "2011-04-24", "2038-04-25", "2049-04-18", "2285-03-22"} {
		date, err := time.Parse(time.DateOnly, easter)
		if err != nil {
			t.Fatal(err)
		}
		sunday := payment.DayOf(payment.InstantOf(date), time.UTC)
		if !bankday.Brazil(sunday-2) || !bankday.Brazil(sunday-47) || bankday.Brazil(sunday-46) {
			t.Errorf("%s is taken for another day", easter)
		}
	}
}

func TestCalendarsAreFound(t *testing.T) {
	t.Parallel()
	for _, name := range bankday.Calendars {
		if _, ok := bankday.Calendar(name); !ok {
			t.Errorf("%s is listed and not found", name)
		}
	}
	if _, ok := bankday.Calendar("atlantis"); ok {
		t.Error("a calendar of nowhere")
	}
}
