package resolve_test

import (
	"fmt"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/resolve"

	"pgregory.net/rapid"
)

// anyCase draws a case out of few names, so that keys meet, links double and
// amounts are near each other; nothing of it need make sense.
func anyCase(t *rapid.T) resolve.Case {
	c := resolve.Case{Now: now, Attempt: pick(t, "attempt", "a1", "a1", "a1", "a9"), Unit: pick(t, "named", "", "", "p1"), Operator: pick(t, "operator", "", "ana")}
	c.Policies = []evidence.Policy{anyPolicy(t)}
	for i := range rapid.IntRange(1, 3).Draw(t, "attempts") {
		c.Attempts = append(c.Attempts, anyAttempt(t, fmt.Sprintf("a%d", i+1)))
	}
	c.Statements = some(t, "statements", 3, anyStatement)
	c.Units = some(t, "units", 3, anyUnit)
	c.Lines = some(t, "lines", 3, anyLine)
	c.Lookups = some(t, "lookups", 5, anyLookup)
	c.Events = some(t, "events", 2, anyEvent)
	c.Manual = some(t, "manual", 2, func(t *rapid.T) payment.Manual {
		return payment.Manual{
			Attempt: pick(t, "about", "a1", "a2"), By: pick(t, "by", "ana", "bia"), At: moment(t),
			Seen: pick(t, "seen", payment.StateNone, payment.StateCaptured, payment.StateDeclined),
		}
	})
	c.Dismissed = some(t, "dismissed", 1, func(t *rapid.T) resolve.Dismissal {
		return resolve.Dismissal{Attempt: "a1", Unit: pick(t, "unit", "p1", "p2"), Reason: pick(t, "reason", "", "shop"), At: moment(t)}
	})
	if rapid.IntRange(0, 9).Draw(t, "declared") > 0 {
		c.Declared = resolve.Transitions()
	}
	if rapid.Bool().Draw(t, "above") {
		c.ApprovalAbove = []money.Amount{{Minor: 4000, Currency: brl}}
	}
	return c
}

func pick[T any](t *rapid.T, name string, from ...T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, name)]
}

func some[T any](t *rapid.T, name string, most int, one func(*rapid.T) T) []T {
	var all []T
	for range rapid.IntRange(0, most).Draw(t, name) {
		all = append(all, one(t))
	}
	return all
}

// moment is an instant that the rules could tell apart.
func moment(t *rapid.T) payment.Instant {
	return now.Add(-pick(t, "at", 0, time.Second, 6*time.Minute, 9*time.Minute, 11*time.Minute, time.Hour, 25*time.Hour, 49*time.Hour, 50*time.Hour, 80*time.Hour))
}

func anyPolicy(t *rapid.T) evidence.Policy {
	p := evidence.NewPolicy("psp")
	p.SucceededMeans = map[payment.Operation]evidence.Means{
		payment.Charge:   evidence.Means(rapid.IntRange(1, 3).Draw(t, "means")),
		payment.Transfer: evidence.MeansCaptured,
	}
	for _, key := range []payment.LookupKey{
		{Kind: payment.KeyUnit},
		{Kind: payment.KeyIdempotency},
		{Kind: payment.KeyReference, Name: "ref"},
		{Kind: payment.KeyReference, Name: "charge"},
	} {
		if rapid.IntRange(0, 3).Draw(t, "offers") > 1 {
			p.LookupBy = append(p.LookupBy, key)
		}
	}
	p.HasObjectList, p.NoUnknownWord, p.CapacityMany = rapid.Bool().Draw(t, "list"), rapid.Bool().Draw(t, "no word"), rapid.Bool().Draw(t, "many")
	p.BooksAfter = pick(t, "books", 0, 30*24*time.Hour)
	p.Accounts = pick(t, "accounts", []string{""}, []string{"x"}, []string{"x", "y"})
	p.LineIDsUnique = rapid.Bool().Draw(t, "unique")
	return p
}

func references(t *rapid.T) []payment.Reference {
	var all []payment.Reference
	if ref := pick(t, "ref", "", "r1", "r1", "r2"); ref != "" {
		all = append(all, payment.Reference{Name: "ref", Value: ref})
	}
	if charge := pick(t, "charge", "", "c1", "c2"); charge != "" {
		all = append(all, payment.Reference{Name: "charge", Scope: payment.ScopeCharge, Value: charge})
	}
	return all
}

func someMinor(t *rapid.T) int64 {
	return pick(t, "minor", int64(0), 4000, 5000, 5000, 5000, -5000, 1<<62)
}

func anyAttempt(t *rapid.T, id string) payment.Attempt {
	return payment.Attempt{
		ID: id, Charge: pick(t, "of", "c1", "c1", "c2", ""), Provider: "psp", Account: pick(t, "account", "", "x"),
		Key: pick(t, "key", "", "k1"), ProviderID: pick(t, "unit", "", "", "", "p1", "p2"), References: references(t), Version: "1",
		Amount:    money.Amount{Minor: pick(t, "amount", int64(5000), 5000, 4000, 0), Currency: pick(t, "currency", brl, brl, usd)},
		Status:    pick(t, "status", payment.Unknown, payment.Unknown, payment.Unknown, payment.Pending, payment.Succeeded, payment.Failed, payment.StatusNone),
		Operation: pick(t, "operation", payment.Charge, payment.Charge, payment.Transfer), CreatedAt: now.Add(-50 * time.Hour),
		LastSent: now.Add(-pick(t, "sent", 50*time.Hour, 25*time.Hour, time.Hour)), PayloadHash: pick(t, "payload", "", "h1", "h2"),
		LastError: payment.CallError(rapid.IntRange(0, int(payment.ErrorOther)).Draw(t, "error")),
	}
}

func anyUnit(t *rapid.T) payment.Unit {
	u := payment.Unit{
		ID: pick(t, "id", "p1", "p1", "p2", "p3"), Provider: "psp", Account: pick(t, "account", "", "x", "y"), References: references(t),
		State:    payment.State(rapid.IntRange(0, int(payment.StateUnmapped)).Draw(t, "state")),
		Final:    rapid.IntRange(0, 4).Draw(t, "final") > 0,
		Currency: pick(t, "currency", brl, brl, usd, money.Currency{}), Key: pick(t, "key", "", "", "k1"), Parent: pick(t, "parent", "", "", "", "p1", "p2"),
		CreatedAt: now.Add(-pick(t, "created", 50*time.Hour, 50*time.Hour-8*time.Second, 24*time.Hour)),
		Mode:      pick(t, "mode", payment.Live, payment.Live, payment.Live, payment.Test),
		Source:    pick(t, "source", payment.FromList, payment.FromLedger), ObservedAt: moment(t), Statement: "s",
	}
	if rapid.IntRange(0, 3).Draw(t, "captured") > 0 {
		u.Captured = payment.Known(someMinor(t))
	}
	if rapid.Bool().Draw(t, "asked") {
		u.Asked = payment.Known(someMinor(t))
	}
	if rapid.IntRange(0, 5).Draw(t, "alias") == 0 {
		u.Aliases = []string{pick(t, "alias id", "p2", "p9")}
	}
	if rapid.IntRange(0, 5).Draw(t, "group") == 0 {
		u.Group, u.N, u.Of = "g", rapid.IntRange(0, 2).Draw(t, "n"), 2
	}
	return u
}

func anyLine(t *rapid.T) payment.Line {
	at := moment(t)
	return payment.Line{
		ID: pick(t, "line", "l1", "l2", ""), Unit: pick(t, "of", "p1", "p1", "p2", ""), Parent: pick(t, "parent", "", "", "p1"), Provider: "psp",
		Statement: "s", References: references(t), Kind: payment.Kind(rapid.IntRange(0, int(payment.KindReserveRelease)).Draw(t, "kind")),
		Gross: someMinor(t), Currency: pick(t, "currency", brl, brl, usd), At: at, Day: payment.DayOf(at, time.UTC),
		Still: rapid.IntRange(0, 5).Draw(t, "still") == 0,
	}
}

func anyLookup(t *rapid.T) payment.Lookup {
	l := payment.Lookup{
		Attempt: pick(t, "for", "a1", "a1", "a1", "a2"), Provider: "psp", Account: pick(t, "account", "", "x", "y"), At: moment(t),
		Outcome:   payment.Outcome(rapid.IntRange(0, int(payment.NotFound)).Draw(t, "outcome")),
		NoControl: rapid.IntRange(0, 9).Draw(t, "control") == 0,
		Key: pick(t, "key", payment.LookupKey{Kind: payment.KeyUnit, Value: "p1"}, payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k1"},
			payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"}, payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"},
			payment.LookupKey{Kind: payment.KeyReference, Name: "charge", Value: "c1"}),
	}
	switch l.Outcome {
	case payment.Found:
		l.Units = some(t, "found", 2, func(t *rapid.T) payment.Unit {
			u := anyUnit(t)
			u.Source, u.ObservedAt, u.Statement = 0, 0, ""
			return u
		})
	case payment.Inconclusive:
		l.Reason = pick(t, "reason", "timeout", evidence.ReasonPeriodNotHeld, "")
	case payment.NotFound:
	}
	return l
}

func anyEvent(t *rapid.T) payment.Event {
	return payment.Event{
		Provider: "psp", At: moment(t), Unit: pick(t, "unit", "", "p1", "p7"), Key: pick(t, "key", "", "k1"), References: references(t),
		State: payment.State(rapid.IntRange(0, int(payment.StateUnmapped)).Draw(t, "state")),
		Mode:  pick(t, "mode", payment.Live, payment.Live, payment.Live, payment.Test),
	}
}

func anyStatement(t *rapid.T) payment.Statement {
	s := payment.Statement{
		Name: "s", Provider: "psp", Account: pick(t, "account", "", "x"), Sort: pick(t, "sort", payment.Ledger, payment.ObjectList),
		Grade: pick(t, "grade", payment.Proven, payment.Proven, payment.Claimed, payment.Assumed), From: now.Add(-90 * time.Hour), Through: moment(t),
	}
	if rapid.IntRange(0, 5).Draw(t, "hole") == 0 {
		s.Holes = []payment.Interval{{From: now.Add(-49 * time.Hour), To: now.Add(-48 * time.Hour)}}
	}
	return s
}
