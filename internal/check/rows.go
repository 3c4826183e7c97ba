package check

import (
	"context"
	"time"

	"desfecho/internal/payment"
)

// doubtful are the errors after which nobody knows whether the provider carried
// the call out (RULES §6).
func doubtful(e payment.CallError) bool {
	switch e { //nolint:exhaustive // the others are certain, or say nothing
	case payment.ErrorTimeout, payment.ErrorReset, payment.Error5xx, payment.Error409, payment.Error429:
		return true
	default:
		return false
	}
}

// call is the longest that the call itself may have lasted: what is final
// later than that was settled by something else.
const call = 2 * time.Minute

// sentAt is when the attempt went out last, as far as a column of its own says;
// updated_at would be the time of the outcome.
func (l *look) sentAt(a *payment.Attempt) payment.Instant {
	if l.reading.Columns.LastSent != "" {
		return a.LastSent
	}
	return a.CreatedAt
}

// waited tells whether a failed attempt was failed only when the provider had
// to show what it had.
func (l *look) waited(a *payment.Attempt) bool {
	p := l.provider(a.Provider)
	return !a.ResolvedAt.IsZero() && a.ResolvedAt >= l.sentAt(a).Add(p.Visible(a))
}

// tally counts attempts and keeps one id.
type tally struct {
	n       int64
	example string
}

func (t *tally) add(id string) {
	if t.n == 0 {
		t.example = id
	}
	t.n++
}

func (l *look) failedOnDoubt(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the error of the call", l.reading.Columns.LastError}); lacking {
		return v
	}
	s := l.failed(ctx)
	if s.err != nil {
		return because(s.err)
	}
	var hits tally
	byClass := map[payment.CallError]int{}
	most := payment.ErrorNone
	for i := range s.attempts {
		a := &s.attempts[i]
		if !doubtful(a.LastError) || l.waited(a) {
			continue
		}
		hits.add(a.ID)
		byClass[a.LastError]++
		if n := byClass[a.LastError]; n > byClass[most] || n == byClass[most] && a.LastError < most {
			most = a.LastError
		}
	}
	if hits.n > 0 {
		return Fault.of(hits.n, hits.example, "failed attempts%s whose last error proves nothing, mostly %s: the provider may have carried them out", s.among(), most)
	}
	return good("none of %d failed attempts%s was", len(s.attempts), s.among())
}

func (l *look) failedTooEarly(ctx context.Context) verdict {
	c := &l.reading.Columns
	if v, lacking := l.needs(named{"the error of the call", c.LastError}, named{"the time of the outcome", c.ResolvedAt}); lacking {
		return v
	}
	s := l.failed(ctx)
	if s.err != nil {
		return because(s.err)
	}
	var doubt, silent tally
	for i := range s.attempts {
		a := &s.attempts[i]
		if a.ResolvedAt.IsZero() || l.waited(a) || a.ResolvedAt.Sub(l.sentAt(a)) < call {
			continue
		}
		switch {
		case doubtful(a.LastError):
			doubt.add(a.ID)
		case a.LastError == payment.ErrorNone && a.ProviderID == "":
			silent.add(a.ID)
		}
	}
	switch {
	case doubt.n > 0:
		return Fault.of(doubt.n+silent.n, doubt.example, "attempts in doubt%s that were failed before the provider had to show them", s.among())
	case silent.n > 0:
		return Warning.of(silent.n, silent.example, "attempts%s that were failed after the call, before the provider had to show them, and kept no reason", s.among())
	}
	return good("none was%s", s.among())
}

func (l *look) orphans(ctx context.Context) verdict {
	if v, lacking := l.needs(); lacking {
		return v
	}
	s := l.open(ctx)
	if s.err != nil {
		return because(s.err)
	}
	if l.clockErr != nil && l.AsOf == 0 {
		return because(l.clockErr)
	}
	var hits tally
	oldest := time.Duration(0)
	for i := range s.attempts {
		a := &s.attempts[i]
		p := l.provider(a.Provider)
		limit := p.OrphanAfter
		if l.reading.NoUnknownWord() { // its old pending attempts are unknown ones
			limit = p.Review(a)
		}
		age := l.AsOf.Sub(a.CreatedAt)
		if a.Status != payment.Pending || age < limit {
			continue
		}
		hits.add(a.ID)
		oldest = max(oldest, age)
	}
	if hits.n > 0 {
		return Warning.of(hits.n, hits.example, "attempts are pending whose caller must be gone, the oldest for %s%s", span(oldest), s.among())
	}
	return good("no attempt is pending for longer than a call can last")
}

// span is a duration for people.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return itoa(int64(d/(24*time.Hour))) + " d"
	case d >= 2*time.Hour:
		return itoa(int64(d/time.Hour)) + " h"
	case d >= 2*time.Minute:
		return itoa(int64(d/time.Minute)) + " min"
	}
	return itoa(int64(d/time.Second)) + " s"
}

// resent needs to know when an attempt was sent last. Where no column says so,
// a pending row that was written long after it was made was sent again: who
// else would have left it pending?
func (l *look) resent(ctx context.Context) verdict {
	if v, lacking := l.needs(named{"the key", l.reading.Columns.Key}); lacking {
		return v
	}
	s := l.newest(ctx)
	if l.reading.Columns.LastSent == "" {
		s = l.open(ctx)
	}
	if s.err != nil {
		return because(s.err)
	}
	var hits tally
	known := false
	for i := range s.attempts {
		a := &s.attempts[i]
		p := l.provider(a.Provider)
		if p.KeyRetention == 0 {
			continue
		}
		known = true
		if l.reading.Columns.LastSent == "" && a.Status != payment.Pending {
			continue
		}
		if a.LastSent.Sub(a.CreatedAt) > p.KeyRetention-10*time.Minute {
			hits.add(a.ID)
		}
	}
	switch {
	case hits.n > 0:
		return Fault.of(hits.n, hits.example, "attempts%s that were sent again when their key was forgotten: the provider takes each for a new request", s.among())
	case l.reading.Columns.LastSent == "":
		return unseen("no column holds the time of the last try")
	case !known && len(s.attempts) > 0:
		return unseen("it is not known how long the provider remembers a key")
	}
	return good("none was%s", s.among())
}

// soon is the time within which a provider carries out nearly all.
const soon = time.Minute

func (l *look) readTimeout(ctx context.Context) verdict {
	c := &l.reading.Columns
	if v, lacking := l.needs(); lacking {
		return v
	}
	if l.Pairs.n == 0 && (c.LastError == "" || c.ResolvedAt == "") {
		return unseen("no column keeps the error of a call that succeeded in the end, and no linked pairs were given")
	}
	s := l.newest(ctx)
	if s.err != nil {
		return because(s.err)
	}
	var hits tally
	doubts := int64(0)
	for i := range s.attempts {
		a := &s.attempts[i]
		if a.LastError != payment.ErrorTimeout {
			continue
		}
		doubts++
		late := a.Status == payment.Succeeded && !a.ResolvedAt.IsZero() && a.ResolvedAt.Sub(a.CreatedAt) <= soon
		if late || l.Pairs.soon[a.ID] {
			hits.add(a.ID)
		}
	}
	switch {
	case doubts == 0:
		return good("no attempt%s keeps a timeout", s.among())
	case hits.n >= 3 && hits.n*5 >= doubts:
		return Warning.of(hits.n, hits.example, "of %d timeouts%s that ended in a success within a minute", doubts, s.among())
	}
	return good("%d of %d timeouts%s ended in a success within a minute", hits.n, doubts, s.among())
}
