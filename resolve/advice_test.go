package resolve_test

import (
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/resolve"
)

func TestTheFourAnswersToSendingAgain(t *testing.T) {
	t.Parallel()
	absent := row{status: unknown, means: 3, asked: noTwice, statement: emptyList}
	keyed := func(c *resolve.Case) {
		c.Attempts[0].Key, c.Attempts[0].PayloadHash = "k1", "h1"
		c.Contracts = map[payment.Operation]resolve.Contract{payment.Charge: {Retention: 72 * time.Hour}, payment.Transfer: {Retention: 72 * time.Hour}}
	}
	with := func(change func(*resolve.Case)) func(*resolve.Case) {
		return func(c *resolve.Case) { keyed(c); change(c) }
	}
	none := func(*resolve.Case) {}
	error5xx := func(c *resolve.Case) { c.Attempts[0].LastError = payment.Error5xx }
	for name, one := range map[string]struct {
		row    row
		change func(*resolve.Case)
		want   resolve.Retry
		at     payment.Instant
	}{
		"proven absent, no idempotency":        {absent, none, resolve.SameReference, now},
		"money out is not sent again on that":  {row{status: unknown, out: true, means: 3, asked: noTwice, statement: emptyList}, none, resolve.DoNotRetry, 0},
		"a key, until ten minutes before":      {absent, keyed, resolve.SameKey, now.Add(22*time.Hour - 10*time.Minute)},
		"the key is forgotten":                 {absent, with(func(c *resolve.Case) { c.Contracts[payment.Charge] = resolve.Contract{Retention: 50 * time.Hour} }), resolve.DoNotRetry, 0},
		"after a 5xx the stored error returns": {absent, with(error5xx), resolve.DoNotRetry, 0},
		"the payload is not known":             {absent, with(func(c *resolve.Case) { c.Attempts[0].PayloadHash = "" }), resolve.DoNotRetry, 0},
		"the key went out with another payload": {
			row{status: unknown, means: 3, asked: noTwice, statement: emptyList, sibling: failedSibling},
			with(func(c *resolve.Case) { c.Attempts[1].Key, c.Attempts[1].PayloadHash = "k1", "h2" }), resolve.DoNotRetry, 0,
		},
		"money out without a document": {row{status: unknown, out: true, means: 3, asked: never, statement: emptyList}, keyed, resolve.DoNotRetry, 0},
		"money out with one": {
			row{status: unknown, out: true, means: 3, asked: never, statement: emptyList},
			with(func(c *resolve.Case) {
				c.Contracts[payment.Transfer] = resolve.Contract{Retention: 72 * time.Hour, Documented: true}
			}),
			resolve.SameKey, now.Add(22*time.Hour - 10*time.Minute),
		},
		"captured":                              {row{status: unknown, means: 3, asked: foundNow, state: payment.StateCaptured, statement: listed}, keyed, resolve.DoNotRetry, 0},
		"still open":                            {row{status: unknown, means: 3, asked: foundNow, state: payment.StateProcessing, statement: listed}, keyed, resolve.DoNotRetry, 0},
		"ended without money, still unknown":    {row{status: unknown, means: 3, asked: foundNow, state: payment.StateDeclined, statement: listed}, keyed, resolve.DoNotRetry, 0},
		"a stored event says captured":          {row{status: unknown, means: 3, asked: noTwice, statement: emptyList, extra: capturedEvent}, keyed, resolve.DoNotRetry, 0},
		"its own call may still run":            {row{status: pendingYoung, means: 3, statement: emptyList}, keyed, resolve.DoNotRetry, 0},
		"asked once":                            {row{status: unknown, means: 3, asked: noOnce, statement: emptyList}, none, resolve.DoNotRetry, 0},
		"it succeeded":                          {row{status: succeeded, means: 3, statement: emptyList}, keyed, resolve.DoNotRetry, 0},
		"failed, and declined there":            {row{status: failed, means: 3, asked: foundNow, state: payment.StateDeclined, statement: listed}, keyed, resolve.NewAttempt, 0},
		"failed for good by its error":          {row{status: failed, means: 3, statement: emptyList}, func(c *resolve.Case) { c.Attempts[0].LastError = payment.ErrorCardRefused }, resolve.NewAttempt, 0},
		"failed, and not found after":           {row{status: failed, means: 3, asked: noOnce, statement: emptyList}, none, resolve.NewAttempt, 0},
		"failed on a timeout, and nobody asked": {row{status: failed, means: 3, statement: emptyList}, func(c *resolve.Case) { c.Attempts[0].LastError = payment.ErrorTimeout }, resolve.DoNotRetry, 0},
		"failed, and captured there":            {row{status: failed, means: 3, asked: foundNow, state: payment.StateCaptured, statement: listed}, keyed, resolve.DoNotRetry, 0},
	} {
		c := one.row.caseOf()
		one.change(&c)
		v := resolve.Decide(c)
		if v.Advice.Retry != one.want || v.Advice.At != one.at || v.Advice.Sentence == "" {
			t.Errorf("%s: %s at %q (%s), want %s at %q", name, v.Advice.Retry, v.Advice.At, v.Advice.Sentence, one.want, one.at)
		}
	}
}

func TestTheOutcomeOfTheOriginalCall(t *testing.T) {
	t.Parallel()
	for e, want := range map[payment.CallError]string{
		payment.ErrorRefused: "probably never arrived", payment.ErrorDNS: "probably never arrived", payment.ErrorTimeout: "unknown",
		payment.ErrorReset: "unknown", payment.Error5xx: "unknown", payment.Error409: "unknown", payment.Error429: "unknown",
		payment.Error4xx: "failed for good", payment.ErrorCardRefused: "failed for good", payment.ErrorOK: "created",
		payment.ErrorOther: "unknown", payment.ErrorNone: "not stated",
	} {
		if got := resolve.Outcome(e).String(); got != want {
			t.Errorf("%s: %s, want %s", e, got, want)
		}
	}
}
