package probe

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// early are the ages, counted from last_sent, at which an attempt is asked
// about in its first hour: after 30 s, then 1, 2, 5, 10 and 30 min later. Then
// it is hourly for a day, and daily for as long as the attempt is open: it is
// never forgotten.
var early = []time.Duration{
	30 * time.Second, 90 * time.Second, 210 * time.Second, 510 * time.Second, 1110 * time.Second, 2910 * time.Second,
}

// Due is the moment from which an attempt is to be asked about again; asked is
// when it was last, 0 for never. At its horizon, and recheck_gap later, it is
// asked in any case: from then on an answer that finds nothing counts.
func Due(a *payment.Attempt, p *evidence.Policy, asked payment.Instant) payment.Instant {
	if asked.IsZero() {
		return a.LastSent.Add(early[0])
	}
	age := asked.Sub(a.LastSent)
	next := nextAge(age)
	horizon := p.Horizon(a).Sub(a.LastSent)
	for _, point := range []time.Duration{horizon, horizon + p.RecheckGap} {
		if age < point && point < next {
			next = point
		}
	}
	return a.LastSent.Add(next)
}

// nextAge is the first age of the schedule after one.
func nextAge(age time.Duration) time.Duration {
	for _, point := range early {
		if age < point {
			return point
		}
	}
	const hour, day = time.Hour, 24 * time.Hour
	last := early[len(early)-1]
	if next := last + (age-last)/hour*hour + hour; next <= day {
		return next
	}
	return age/day*day + day
}

// Asks tells whether an attempt is one to ask about at all, from its own row:
// open ones always, failed ones as long as the provider may still show that
// they went through, where the error does not say that they cannot have
// (RULES §6). Succeeded ones are asked about before they may be called missing,
// which their row does not tell.
func Asks(a *payment.Attempt, p *evidence.Policy, now payment.Instant) bool {
	if a.Status.Open() {
		return true
	}
	return a.Status == payment.Failed && doubtful(a.LastError) && now < a.LastSent.Add(p.Books("")+failedFor)
}

// failedFor is how long after books_after a failed attempt is asked about.
const failedFor = 7 * 24 * time.Hour

// FailedSince is the earliest creation of failed attempts that may be asked
// about, give or take how long after it they were last sent.
func FailedSince(p *evidence.Policy, now payment.Instant) payment.Instant {
	return now.Add(-p.Books("") - failedFor)
}

// doubtful tells whether the call may have gone through although it failed.
func doubtful(e payment.CallError) bool {
	switch e {
	case payment.Error4xx, payment.ErrorCardRefused, payment.ErrorOK:
		return false
	case payment.ErrorNone, payment.ErrorRefused, payment.ErrorDNS, payment.ErrorTimeout, payment.ErrorReset,
		payment.Error5xx, payment.Error409, payment.Error429, payment.ErrorOther:
		return true
	}
	return true
}
