package check

import (
	"strings"

	"desfecho/internal/payment"
)

// Answer is one of the review questions with what was found.
type Answer struct {
	Question string
	Is       Seen
	Why      string // one sentence
}

func (a Answer) String() string {
	switch a.Is {
	case Yes:
		return "yes: " + a.Why
	case No:
		return "no: " + a.Why
	case NotSeen:
	}
	if a.Why == "" {
		return CannotBeSeen
	}
	return CannotBeSeen + ": " + a.Why
}

// CannotBeSeen is the answer where rows and catalogue tell nothing.
const CannotBeSeen = "cannot be seen from the database"

// question is one review question and how it is answered.
type question struct {
	text   string
	answer func(*Report, *look) (Seen, string)
}

func questions() []question {
	return []question{
		{"is the key made before the call and stored?", keyBefore},
		{"does a retry reuse key and payload?", retryReuses},
		{"do timeouts and 5xx become unknown, not failed?", doubtIsUnknown},
		{"does something resolve unknown by asking, and does an index forbid two open attempts?", somethingResolves},
		{"is an event unique by provider and id, inserted first?", eventOnce},
		{"are stale pending events swept?", eventsSwept},
		{"is the payment locked with the provider's call outside the transaction?", func(*Report, *look) (Seen, string) { return NotSeen, "" }},
		{"is status a state machine with effects tied to transitions?", stateMachine},
		{"has the ledger entry a unique key of its own?", func(r *Report, _ *look) (Seen, string) { return plainly(r.Find("credit_key")) }},
	}
}

// Questions lists the review questions in the order of the answers.
func Questions() []string {
	var all []string
	for _, q := range questions() {
		all = append(all, q.text)
	}
	return all
}

func answers(r *Report, l *look) []Answer {
	var all []Answer
	for _, q := range questions() {
		is, why := q.answer(r, l)
		all = append(all, Answer{q.text, is, why})
	}
	return all
}

// plainly is the answer of one audit: ok is yes, a fault or warning no.
func plainly(f Finding) (Seen, string) {
	switch f.Level {
	case OK:
		return Yes, f.Name + ": " + f.Says
	case Warning, Fault:
		return No, f.Name + ": " + f.Says
	case Unknown:
	}
	return NotSeen, strings.TrimPrefix(f.Says, "cannot be seen: ")
}

// against is the first of the audits that found something.
func against(r *Report, names ...string) (Finding, bool) {
	for _, name := range names {
		if f := r.Find(name); f.Level == Fault || f.Level == Warning {
			return f, true
		}
	}
	return Finding{}, false
}

// keyBefore: a row that has a key and no outcome was there before the answer.
func keyBefore(_ *Report, l *look) (Seen, string) {
	if l.reading.Columns.Key == "" {
		return No, "no column holds the key"
	}
	open, newest := l.samples["open"], l.samples["newest"]
	if open == nil || newest == nil || open.err != nil || newest.err != nil {
		return NotSeen, ""
	}
	bare := 0
	for i := range newest.attempts {
		if newest.attempts[i].Key == "" {
			bare++
		}
	}
	switch {
	case bare > 0:
		return No, itoa(int64(bare)) + " attempts" + newest.among() + " have no key"
	case len(open.attempts) > 0:
		return Yes, itoa(int64(len(open.attempts))) + " attempts without an outcome hold their key"
	}
	return NotSeen, "every attempt holds a key, and none is open that would show it was there before the call"
}

func retryReuses(r *Report, _ *look) (Seen, string) {
	if f, bad := against(r, "key_per_call", "key_reused", "resend_after_retention"); bad {
		return No, f.Name + ": " + f.Says
	}
	if f := r.Find("key_per_call"); f.Level == OK && r.Find("key_reused").Level == OK {
		return Yes, f.Says + ", and no key went out with two payloads"
	}
	return NotSeen, ""
}

func doubtIsUnknown(r *Report, l *look) (Seen, string) {
	if f, bad := against(r, "failed_on_doubt", "failed_too_early"); bad {
		return No, f.Name + ": " + f.Says
	}
	open := l.samples["open"]
	if r.Find("failed_on_doubt").Level != OK || open == nil {
		return NotSeen, ""
	}
	for i := range open.attempts {
		if a := &open.attempts[i]; a.Status == payment.Unknown && doubtful(a.LastError) {
			return Yes, "attempt " + a.ID + " is unknown after " + a.LastError.String() + ", and no failed one is in doubt"
		}
	}
	return NotSeen, "no failed attempt is in doubt, and no unknown one either"
}

// somethingResolves: an outcome that came long after the call was not the
// call's own.
func somethingResolves(r *Report, l *look) (Seen, string) {
	if f, bad := against(r, "open_index", "two_open_attempts", "orphans"); bad {
		return No, f.Name + ": " + f.Says
	}
	newest := l.samples["newest"]
	if r.Find("open_index").Level != OK || newest == nil {
		return NotSeen, ""
	}
	for i := range newest.attempts {
		if a := &newest.attempts[i]; a.Status.Final() && a.ResolvedAt.Sub(a.CreatedAt) > call && !a.ResolvedAt.IsZero() {
			return Yes, r.Find("open_index").Says + "; attempt " + a.ID + " got its outcome " + span(a.ResolvedAt.Sub(a.CreatedAt)) + " after it was made"
		}
	}
	return NotSeen, r.Find("open_index").Says + ", but no attempt got its outcome after its call"
}

func eventOnce(r *Report, _ *look) (Seen, string) {
	is, why := plainly(r.Find("events_unique"))
	if is == Yes {
		return NotSeen, why + ", but whether the event is inserted before anything is done is not in the rows"
	}
	return is, why
}

func eventsSwept(r *Report, _ *look) (Seen, string) { return plainly(r.Find("events_stale")) }

func stateMachine(r *Report, _ *look) (Seen, string) {
	if f, bad := against(r, "reopened", "double_credit", "credit_without_payment", "reserve_freed", "events_unsettled"); bad {
		return No, f.Name + ": " + f.Says
	}
	return NotSeen, "no row speaks against it"
}
