package resolve_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// outflow is a transfer that the gate would let fail, with a second person's
// word.
func outflow() resolve.Case {
	r := row{status: unknown, out: true, means: 3, asked: noTwice, statement: emptyList}
	return r.caseOf()
}

func approve(c resolve.Case, by string, ago time.Duration) resolve.Case {
	v := resolve.Decide(c)
	c.Approvals = append(slices.Clone(c.Approvals), resolve.Approval{Attempt: "a1", Digest: v.Marks[resolve.Failed].Digest, By: by, At: c.Now.Add(-ago)})
	return c
}

func TestAnApprovalIsAnotherLoginsAndEnds(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		by       string
		ago      time.Duration
		operator string
		due      bool
	}{
		"another login":             {by: "bia", operator: "ana"},
		"nobody confirms yet":       {by: "bia"},
		"the same login":            {by: "ana", operator: "ana", due: true},
		"no login":                  {due: true},
		"a second before its end":   {by: "bia", ago: 24*time.Hour - time.Second},
		"at its end":                {by: "bia", ago: 24 * time.Hour, due: true},
		"from a clock that is fast": {by: "bia", ago: -time.Second, due: true},
	} {
		c := outflow()
		c.Operator = one.operator
		v := resolve.Decide(approve(c, one.by, one.ago))
		if o := v.Marks[resolve.Failed]; !o.Allowed || o.ApprovalDue != one.due || !one.due && o.ApprovedBy != one.by {
			t.Errorf("%s: allowed %v, due %v, by %q", name, o.Allowed, o.ApprovalDue, o.ApprovedBy)
		}
	}
}

func TestAnApprovalIsForWhatWasSeen(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*resolve.Case){
		"another version": func(c *resolve.Case) { c.Attempts[0].Version = "8" },
		"another amount":  func(c *resolve.Case) { c.Attempts[0].Amount.Minor++ },
		"another key asked": func(c *resolve.Case) {
			c.Policies[0].LookupBy = append(c.Policies[0].LookupBy, payment.LookupKey{Kind: payment.KeyIdempotency})
			c.Attempts[0].Key = "k1"
			for _, l := range c.Lookups {
				l.Key = payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k1"}
				c.Lookups = append(c.Lookups, l)
			}
		},
		"a look-alike dismissed meanwhile": func(c *resolve.Case) {
			c.Dismissed = []resolve.Dismissal{{Attempt: "a1", Unit: "p8", Reason: "shop", By: "ana", At: now}}
		},
		"the approval is another attempt's": func(c *resolve.Case) { c.Approvals[0].Attempt = "a2" },
	} {
		c := approve(outflow(), "bia", 0)
		if v := resolve.Decide(c); v.Marks[resolve.Failed].ApprovalDue {
			t.Fatalf("not approved: %+v", v.Marks[resolve.Failed])
		}
		change(&c)
		if v := resolve.Decide(c); !v.Marks[resolve.Failed].Allowed || !v.Marks[resolve.Failed].ApprovalDue {
			t.Errorf("%s: the approval still holds, or nothing is offered: %+v", name, v.Marks[resolve.Failed])
		}
	}
}

func TestLargeAmountsNeedApproval(t *testing.T) {
	t.Parallel()
	r := row{status: unknown, means: 3, asked: foundNow, state: payment.StateCaptured, statement: listed}
	for name, one := range map[string]struct {
		limits []money.Amount
		due    bool
	}{
		"no limit":               {},
		"at the limit":           {limits: []money.Amount{{Minor: minor, Currency: brl}}},
		"one cent above it":      {limits: []money.Amount{{Minor: minor - 1, Currency: brl}}, due: true},
		"limits of others alone": {limits: []money.Amount{{Minor: minor * 100, Currency: usd}}, due: true},
	} {
		c := r.caseOf()
		c.ApprovalAbove = one.limits
		if v := resolve.Decide(c); !v.Marks[resolve.Succeeded].Allowed || v.Marks[resolve.Succeeded].ApprovalDue != one.due {
			t.Errorf("%s: %+v", name, v.Marks[resolve.Succeeded])
		}
	}
}

// What an operator reads is one sentence without a line break, and a refusal
// that time or asking again can change says from when.
func TestARefusalSaysFromWhenItCanChange(t *testing.T) {
	t.Parallel()
	hours := func(n int) payment.Instant { return now.Add(time.Duration(n) * time.Hour) }
	for name, one := range map[string]struct {
		row  row
		mark resolve.Mark
		at   payment.Instant
	}{
		"its own call may still run": {row{status: pendingYoung, means: 3}, resolve.Unknown, now.Add(10 * time.Minute)},
		"before the horizon":         {row{status: unknown, means: 3, asked: noTwice, statement: emptyList, young: true}, resolve.Failed, hours(21).Add(12 * time.Minute)},
		"asked once":                 {row{status: unknown, means: 3, asked: noOnce, statement: emptyList}, resolve.Failed, now.Add(10 * time.Minute)},
		"nine minutes apart":         {row{status: unknown, means: 3, asked: noTwiceTooClose, statement: emptyList}, resolve.Failed, now.Add(time.Minute)},
		"asked too long ago":         {row{status: unknown, means: 3, asked: foundStale, state: payment.StateCaptured, statement: listed}, resolve.Succeeded, now},
		"a look-alike":               {row{status: unknown, means: 3, asked: noTwice, statement: emptyList, extra: lookAlike}, resolve.Failed, 0},
		"a final status":             {row{status: failed, means: 3}, resolve.Succeeded, 0},
	} {
		v := resolve.Decide(one.row.caseOf())
		o := v.Offers(one.mark)
		if o.Allowed || o.ChangesAt != one.at || o.Reason == "" || o.Sentence == "" || strings.ContainsAny(o.Sentence, "\n") {
			t.Errorf("%s: %+v, want from %s", name, o, one.at)
		}
	}
}
