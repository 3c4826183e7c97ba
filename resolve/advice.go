package resolve

import (
	"slices"
	"time"

	"desfecho/internal/payment"
)

// Original is how the original call ended, by what the merchant kept of it. It
// orders lists and words advice; it opens no gate (law 5).
type Original uint8

// The classes of RULES §6, outcome of the original call.
const (
	OriginalNotStated Original = iota
	OriginalNeverArrived
	OriginalUnknown
	OriginalFailed
	OriginalCreated
)

func (o Original) String() string {
	return [...]string{"not stated", "probably never arrived", "unknown", "failed for good", "created"}[o]
}

// Outcome reads last_error. After a 429 the documents disagree: unknown.
func Outcome(e payment.CallError) Original {
	switch e {
	case payment.ErrorRefused, payment.ErrorDNS:
		return OriginalNeverArrived
	case payment.Error4xx, payment.ErrorCardRefused:
		return OriginalFailed
	case payment.ErrorOK:
		return OriginalCreated
	case payment.ErrorTimeout, payment.ErrorReset, payment.Error5xx, payment.Error409, payment.Error429, payment.ErrorOther:
		return OriginalUnknown
	case payment.ErrorNone:
	}
	return OriginalNotStated
}

// Retry is what to tell who wants to send the payment again.
type Retry uint8

// The four answers of RULES §6.
const (
	DoNotRetry    Retry = iota
	SameKey             // with the same idempotency key, until Advice.At
	SameReference       // proven absent at Advice.At, where the provider has no idempotency
	NewAttempt          // with a new key: it is known that this one did not complete
)

func (r Retry) String() string {
	return [...]string{"do not retry", "same key", "resend with the same reference", "a new attempt with a new key"}[r]
}

// Advice is one of the four answers, until or since when, and why.
type Advice struct {
	Retry    Retry
	At       payment.Instant
	Sentence string
}

// keyMargin is how long before the provider forgets a key it is no longer used.
const keyMargin = 10 * time.Minute

// advise asks the four questions in order: is it known that the original did
// not complete; does the provider guarantee idempotency; can the original be
// looked up; what would both completing cost.
func (s *scene) advise(v *Verdict) Advice {
	switch {
	case s.a.Status == payment.Succeeded:
		return Advice{Sentence: "it succeeded"}
	case s.held():
		return Advice{Sentence: "the provider may hold an object of it: settle that first"}
	case s.a.Status == payment.Failed && s.over():
		return Advice{Retry: NewAttempt, Sentence: "this one did not complete"}
	case s.a.Status == payment.Failed:
		return Advice{Sentence: "it is failed here, and the provider has not said so: query instead"}
	case s.a.Status == payment.Pending && !s.a.Policy.Orphan(s.a.Attempt, s.Now):
		return Advice{Sentence: "its own call may still be running"}
	case len(s.units.Dead) > 0 || Outcome(s.a.LastError) == OriginalFailed:
		return Advice{Sentence: "it ended without money: mark it failed, then make a new attempt with a new key"}
	}
	if advice, ok := s.sameKey(); ok {
		return advice
	}
	if s.proved(v) {
		return Advice{SameReference, s.a.Answers.NegativeAt, "proven absent"}
	}
	return Advice{Sentence: "both may complete: query instead"}
}

// held: money, an open unit, an event or an unclear unit speaks for it.
func (s *scene) held() bool {
	u := &s.units
	return len(u.Money)+len(u.Open)+len(u.Unmapped)+len(u.Conflict)+len(u.Other)+len(u.Stub)+len(s.a.Doubtful) > 0 ||
		s.contradiction() != "" || slices.ContainsFunc(s.a.Events, func(e *payment.Event) bool { return !s.spent(e) })
}

// over: the provider said that the original ended, or does not know it after
// the horizon.
func (s *scene) over() bool {
	answers := &s.a.Answers
	return Outcome(s.a.LastError) == OriginalFailed || len(s.units.Dead) > 0 ||
		answers.Negative && answers.NegativeAt >= s.a.Policy.Horizon(s.a.Attempt)
}

// sameKey: until the provider forgets the key, less a margin; not for money out
// without a documented contract, nor where payload or sends are not known, nor
// after a 5xx, whose stored reply would come back.
func (s *scene) sameKey() (Advice, bool) {
	contract := s.Contracts[s.a.Operation]
	until := s.a.CreatedAt.Add(contract.Retention - keyMargin)
	ok := contract.Retention > 0 && s.a.Key != "" && s.a.PayloadHash != "" && s.a.CreatedAt != 0 && s.a.LastSent != 0 &&
		s.Now < until && s.a.LastError != payment.Error5xx &&
		(s.a.Direction() == payment.In || contract.Documented) &&
		!slices.ContainsFunc(s.Attempts, func(o payment.Attempt) bool {
			return o.Key == s.a.Key && o.Provider == s.a.Provider && o.PayloadHash != s.a.PayloadHash
		})
	return Advice{SameKey, until, "the provider gives the first answer again"}, ok
}

// proved: the gate is open, the provider has no idempotency for it, and money
// in can be given back.
func (s *scene) proved(v *Verdict) bool {
	return s.Contracts[s.a.Operation].Retention == 0 && s.a.Direction() == payment.In && len(v.Gate) > 0 &&
		!slices.ContainsFunc(v.Gate, func(c Condition) bool { return !c.Met })
}
