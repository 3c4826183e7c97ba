// Package bankday knows the days on which the banks of a country book nothing.
//
// It knows national days alone: none of a state or a city, on which payments go
// on. It reads no clock and holds no list that ends.
package bankday

import (
	"time"

	"desfecho/internal/payment"
)

// Calendars lists what Calendar finds.
var Calendars = []string{"brazil"}

// Calendar finds the days without booking by the name of their country.
func Calendar(name string) (closed func(payment.Day) bool, ok bool) {
	if name != "brazil" {
		return nil, false
	}
	return Brazil, true
}

type monthDay struct {
	month time.Month
	day   int
}

// fixed are Brazil's national holidays that have a date (Leis 662/1949,
// 6.802/1980 and 10.607/2002), and the one that was added for 2024
// (Lei 14.759/2023).
var fixed = map[monthDay]bool{
	{time.January, 1}: true, {time.April, 21}: true, {time.May, 1}: true, {time.September, 7}: true, {time.October, 12}: true,
	{time.November, 2}: true, {time.November, 15}: true, {time.December, 25}: true,
}

// byEaster are the days after Easter on which no bank works: Carnival's Monday
// and Tuesday, Good Friday and Corpus Christi (CMN, Resolução 4.880/2020).
var byEaster = map[payment.Day]bool{-48: true, -47: true, -2: true, 60: true}

// Brazil tells whether a day is no working day of Brazilian banks: a Saturday,
// a Sunday, a national holiday or one of those that the Conselho Monetário
// Nacional adds. The last day of the year, on which banks serve no customers,
// is a working day.
func Brazil(day payment.Day) bool {
	date := day.Start(time.UTC).Time()
	year, month, of := date.Date()
	switch weekday := date.Weekday(); {
	case weekday == time.Saturday || weekday == time.Sunday:
		return true
	case fixed[monthDay{month, of}], year >= 2024 && month == time.November && of == 20:
		return true
	}
	return byEaster[day-easter(year)]
}

// easter is Easter Sunday of a year of the Gregorian calendar, by the moon's
// and the calendar's cycles.
func easter(year int) payment.Day {
	golden, century := year%19, year/100
	epact := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	moon := epact - epact/28*(1-29/(epact+1)*(21-golden)/11)
	weekday := (year + year/4 + moon + 2 - century + century/4) % 7
	sunday := moon - weekday // days from 21 March on, which may be below
	return payment.DayOfDate(year, time.March, 28) + payment.Day(sunday)
}
