package resolve_test

import (
	"strings"
	"testing"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// found is an attempt whose unit was found captured just now.
func foundCase() resolve.Case {
	r := row{status: unknown, means: 3, asked: foundNow, state: payment.StateCaptured, statement: listed}
	return r.caseOf()
}

func declinedCase() resolve.Case {
	r := row{status: unknown, means: 3, asked: foundNow, state: payment.StateDeclined, statement: listed}
	return r.caseOf()
}

func alias(c *resolve.Case, id string) {
	for i := range c.Lookups {
		for j := range c.Lookups[i].Units {
			c.Lookups[i].Units[j].Aliases = []string{id}
		}
	}
	for i := range c.Units {
		c.Units[i].Aliases = []string{id}
	}
}

// The write finds the row only where it names no object or this one, so the
// mark takes the id that the row holds already.
func TestTheRowsOwnObjectDecidesWhatIsWritten(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		c      resolve.Case
		stored string
		mark   resolve.Mark
		unit   string
		reason string
	}{
		"none stored":                  {foundCase(), "", resolve.Succeeded, "p1", ""},
		"the same":                     {foundCase(), "p1", resolve.Succeeded, "p1", ""},
		"another name of it":           {foundCase(), "pi_1", resolve.Succeeded, "pi_1", ""},
		"another object":               {foundCase(), "p7", resolve.Succeeded, "", resolve.ReasonOtherObject},
		"declined, none stored":        {declinedCase(), "", resolve.Failed, "", ""},
		"declined, the same":           {declinedCase(), "p1", resolve.Failed, "p1", ""},
		"declined, and another object": {declinedCase(), "p7", resolve.Failed, "", resolve.ReasonOtherObject},
	} {
		one.c.Attempts[0].ProviderID = one.stored
		alias(&one.c, "pi_1")
		v := resolve.Decide(one.c)
		if o := v.Offers(one.mark); o.Allowed != (one.reason == "") || o.Unit != one.unit || o.Reason != one.reason {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// One object on two rows, or one that two attempts' keys name: a person's word
// and another's approval, never the table.
func TestAnObjectOfTwoAttemptsIsOfferedToNone(t *testing.T) {
	t.Parallel()
	twice := foundCase()
	next := twice.Attempts[0]
	next.ID, next.Status, next.References = "a2", payment.Succeeded, nil
	next.ProviderID, twice.Attempts[0].ProviderID = "p1", "p1"
	twice.Attempts[0].References = twice.Attempts[0].References[1:]
	twice.Attempts = append(twice.Attempts, next)
	ambiguous := foundCase()
	next.ID, next.ProviderID, next.References = "a2", "", ambiguous.Attempts[0].References
	ambiguous.Attempts = append(ambiguous.Attempts, next)
	for reason, c := range map[string]resolve.Case{resolve.ReasonRecordedTwice: twice, resolve.ReasonAmbiguous: ambiguous} {
		v := resolve.Decide(c)
		for _, mark := range bothFinal {
			if o := v.Marks[mark]; o.Allowed || mark == resolve.Succeeded && o.Reason != reason {
				t.Errorf("%s: %s is %+v", reason, mark, o)
			}
		}
		c.Manual = []payment.Manual{{Attempt: "a1", Seen: payment.StateCaptured, Where: "dashboard", By: "ana", At: now}}
		v = resolve.Decide(c)
		if o := v.Marks[resolve.Succeeded]; o.Allowed != (reason == resolve.ReasonAmbiguous) || o.Allowed && !o.ApprovalDue {
			t.Errorf("%s, seen captured: %+v", reason, o)
		}
	}
}

func TestALineKnownToTheDayNeedsTheWholeDay(t *testing.T) {
	t.Parallel()
	r := row{status: unknown, means: 3, asked: periodNotHeld, statement: provenLine}
	for through, allowed := range map[time.Duration]bool{0: true, -13 * time.Hour: false} {
		c := r.caseOf()
		c.Lines[0].DayOnly = true
		c.Statements[0].Through = (c.Lines[0].Day + 1).Start(time.UTC).Add(through)
		if v := resolve.Decide(c); v.Marks[resolve.Succeeded].Allowed != allowed {
			t.Errorf("read to %s: %+v", c.Statements[0].Through, v.Marks[resolve.Succeeded])
		}
	}
}

// A duplicate is what the books say: the credit was given with the sibling.
func TestWhatASiblingPaid(t *testing.T) {
	t.Parallel()
	r := row{status: unknown, means: 3, asked: foundNow, state: payment.StateCaptured, statement: listed, sibling: paidSibling}
	returned := payment.Unit{
		ID: "q2", Provider: "psp", Account: "acct", State: payment.StateRefunded, Final: true, Currency: brl, Captured: payment.Known(minor),
		CreatedAt: now.Add(-49 * time.Hour), References: []payment.Reference{{Name: "ref", Value: "r2"}}, Source: payment.FromList, ObservedAt: now,
	}
	for name, one := range map[string]struct {
		change  func(*resolve.Case)
		as      resolve.Transition
		surplus int64
	}{
		"the whole charge":                {func(*resolve.Case) {}, resolve.ToSucceededDuplicate, minor},
		"the charge wants both":           {func(c *resolve.Case) { c.Wanted = payment.Known(2 * minor) }, resolve.ToSucceeded, 0},
		"of another charge":               {func(c *resolve.Case) { c.Attempts[1].Charge = "c9" }, resolve.ToSucceeded, 0},
		"in another currency":             {func(c *resolve.Case) { c.Attempts[1].Amount.Currency = usd }, resolve.ToSucceeded, 0},
		"it may be paid several times":    {func(c *resolve.Case) { c.Policies[0].CapacityMany = true }, resolve.ToSucceeded, 0},
		"and gave it back":                {func(c *resolve.Case) { c.Units = append(c.Units, returned) }, resolve.ToSucceeded, 0},
		"an unpaid object, created meant": {func(c *resolve.Case) { c.Policies[0].SucceededMeans[payment.Charge] = evidence.MeansCreated }, resolve.ToSucceeded, 0},
		"a third capture that only metadata names": {func(c *resolve.Case) {
			foreign := returned
			foreign.ID, foreign.State, foreign.References, foreign.ForeignCharge = "q3", payment.StateCaptured, nil, "c1"
			c.Units = append(c.Units, foreign)
		}, resolve.ToSucceededDuplicate, minor},
	} {
		c := r.caseOf()
		one.change(&c)
		v := resolve.Decide(c)
		o := v.Marks[resolve.Succeeded]
		if !o.Allowed || o.Transition != one.as || v.Surplus != one.surplus {
			t.Errorf("%s: %s, surplus %d, want %s, %d (%s%s)", name, o.Transition, v.Surplus, one.as, one.surplus, o.Sentence, o.Reason)
		}
		if strings.Contains(o.Sentence, "duplicate") != (one.as == resolve.ToSucceededDuplicate) {
			t.Errorf("%s: %s", name, o.Sentence)
		}
	}
}

// Questions come in the provider's order of trust, with what lines and events
// carry besides the attempt.
func TestWhatTheProviderCanBeAsked(t *testing.T) {
	t.Parallel()
	r := row{status: unknown, means: 3, statement: provenLine, extra: capturedEvent}
	c := r.caseOf()
	c.Policies[0].LookupBy = []payment.LookupKey{{Kind: payment.KeyUnit}, {Kind: payment.KeyIdempotency}, {Kind: payment.KeyReference, Name: "ref"}}
	c.Events[0].Key, c.Events[0].Unit = "k9", "p7"
	var asked []string
	for _, q := range resolve.Questions(c) {
		asked = append(asked, q.Key.Value)
	}
	if got := strings.Join(asked, " "); got != "p1 p7 k9 r1" {
		t.Errorf("asks by %s, want p1 p7 k9 r1", got)
	}
	if c.Attempt = "a9"; resolve.Questions(c) != nil || resolve.Decide(c).Marks[resolve.Keep].Allowed {
		t.Error("an attempt that was not loaded has questions, or may be kept")
	}
}
