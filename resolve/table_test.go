package resolve_test

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/resolve"
)

// row is one line of the verdict table: what is known of one attempt, in the
// words of RULES. caseOf makes facts of it, oracle says what RULES allow.
type row struct {
	status    status
	out       bool
	means     evidence.Means
	asked     asked
	state     payment.State
	notFinal  bool
	statement statement
	amount    amount
	sibling   sibling
	byCharge  bool // only a reference of scope charge ties the object to the attempt
	young     bool // the horizon is not over
	extra     extra
}

type status int

const (
	pendingYoung status = iota
	pendingOld
	pendingNoWord // the table has no word for unknown
	unknown
	succeeded
	failed
	statuses
)

// asked is what the provider answered, and when.
type asked int

const (
	never asked = iota
	inconclusive
	periodNotHeld
	noControl
	noOnce
	noTwice
	noTwiceFirstEarly // the first before the horizon
	noTwiceTooClose
	noTwiceLastStale
	foundNow
	foundStale
	foundThenNot
	notThenFound
	otherReference
	askeds
)

// statement is what the provider's statements show.
type statement int

const (
	lateLedger  statement = iota // no list, and a ledger that books too late to tell
	emptyList                    // the list was read to the end and does not hold it
	claimedList                  // so says an operator
	unreadList                   // the list was not read so far
	listed                       // the list holds the object
	provenLine                   // a ledger line says captured, coverage proven
	claimedLine                  // coverage claimed
	emptyLedger                  // no list; a ledger that books at once, read to the end, without it
	statementEnds
)

type amount int

const (
	equal amount = iota
	other
	otherCurrency
	unstated
	amounts
)

type sibling int

const (
	noSibling sibling = iota
	paidSibling
	failedSibling
	siblings
)

type extra int

const (
	nothing extra = iota
	lookAlike
	lookAlikeDismissed
	capturedEvent
	secondCapture
	secondCaptureNamed // the operator named the first
	sawCaptured
	sawAbsent
	sawAbsentEarly // before the horizon
	sawDeclined
	sawAbsentApproved
	sawAbsentApprovedByWhoSaw
	approvedOther // an approval for another digest
	mapGap        // the transitions are not declared
	extras
)

var (
	brl = money.MustCurrency("BRL")
	usd = money.MustCurrency("USD")
	now = payment.InstantOf(time.Date(2025, 3, 12, 12, 0, 0, 0, time.UTC))
)

const (
	minor = 5000
	who   = "ana"
)

func (r *row) created() payment.Instant {
	switch {
	case r.status == pendingYoung:
		return now.Add(-5 * time.Minute)
	case r.young:
		return now.Add(-3 * time.Hour)
	}
	return now.Add(-50 * time.Hour)
}

// caseOf builds the facts that the row describes.
func (r *row) caseOf() resolve.Case {
	c := resolve.Case{Now: now, Attempt: "a1", Declared: resolve.Transitions()}
	c.Policies = []evidence.Policy{r.policy()}
	c.Attempts = r.attempts()
	c.Statements, c.Units, c.Lines = r.read()
	c.Lookups = r.lookups()
	r.add(&c)
	return c
}

func (r *row) policy() evidence.Policy {
	p := evidence.NewPolicy("psp")
	p.Accounts = []string{"acct"}
	p.SucceededMeans = map[payment.Operation]evidence.Means{payment.Charge: r.means, payment.Transfer: r.means}
	p.LookupBy = []payment.LookupKey{r.key()}
	p.LookupBy[0].Value = ""
	p.HasObjectList = r.statement >= emptyList && r.statement <= listed
	p.NoUnknownWord = r.status == pendingNoWord
	if r.statement == lateLedger {
		p.BooksAfter = 30 * 24 * time.Hour
	}
	return p
}

func (r *row) key() payment.LookupKey {
	if r.byCharge {
		return payment.LookupKey{Kind: payment.KeyReference, Name: "charge", Value: "c1"}
	}
	return payment.LookupKey{Kind: payment.KeyReference, Name: "ref", Value: "r1"}
}

func (r *row) attempts() []payment.Attempt {
	operation := payment.Charge
	if r.out {
		operation = payment.Transfer
	}
	of := map[status]payment.Status{
		pendingYoung: payment.Pending, pendingOld: payment.Pending, pendingNoWord: payment.Pending,
		unknown: payment.Unknown, succeeded: payment.Succeeded, failed: payment.Failed,
	}
	own := payment.Attempt{
		ID: "a1", Charge: "c1", Provider: "psp", Account: "acct", Status: of[r.status], Operation: operation, Version: "7",
		Amount: money.Amount{Minor: minor, Currency: brl}, CreatedAt: r.created(), LastSent: r.created(),
		References: []payment.Reference{{Name: "ref", Value: "r1"}, {Name: "charge", Scope: payment.ScopeCharge, Value: "c1"}},
	}
	if r.sibling == noSibling {
		return []payment.Attempt{own}
	}
	next := own
	next.ID, next.CreatedAt, next.LastSent = "a2", own.CreatedAt.Add(10*time.Minute), own.CreatedAt.Add(10*time.Minute)
	next.References = []payment.Reference{{Name: "ref", Value: "r2"}, own.References[1]}
	next.Status = payment.Failed
	if r.sibling == paidSibling {
		next.Status = payment.Succeeded
	}
	return []payment.Attempt{own, next}
}

// unit is the provider's object as it stands.
func (r *row) unit(id string, state payment.State) payment.Unit {
	u := payment.Unit{
		ID: id, Provider: "psp", Account: "acct", State: state, Currency: brl, CreatedAt: r.created().Add(8 * time.Second),
		Asked: payment.Known(minor), References: []payment.Reference{{Name: r.key().Name, Scope: r.scope(), Value: r.key().Value}},
	}
	u.Final = (state.Dead() || state == payment.StateCaptured || state == payment.StateRefunded) && !r.notFinal
	if state.Money() {
		u.Captured = payment.Known(minor)
	}
	switch r.amount {
	case other:
		u.Asked, u.Captured.Minor = payment.Known(minor+100), u.Captured.Minor+100
	case otherCurrency:
		u.Currency = usd
	case unstated:
		u.Asked, u.Captured = payment.Stated{}, payment.Stated{}
	case equal, amounts:
	}
	return u
}

func (r *row) scope() payment.Scope {
	if r.byCharge {
		return payment.ScopeCharge
	}
	return payment.ScopeAttempt
}

// shown lists the objects that the provider shows of the attempt.
func (r *row) shown() []payment.Unit {
	all := []payment.Unit{r.unit("p1", r.state)}
	if r.extra == secondCapture || r.extra == secondCaptureNamed {
		second := r.unit("p2", payment.StateCaptured)
		second.Final, second.Asked, second.Captured, second.Currency = true, payment.Known(minor), payment.Known(minor), brl
		all = append(all, second)
	}
	return all
}

func (r *row) read() (statements []payment.Statement, units []payment.Unit, lines []payment.Line) {
	s := payment.Statement{
		Name: "ledger", Provider: "psp", Account: "acct", Grade: payment.Proven,
		From: now.Add(-30 * 24 * time.Hour), Through: now.Add(-time.Minute),
	}
	switch r.statement {
	case emptyList, claimedList, unreadList, listed:
		s.Name, s.Sort = "objects", payment.ObjectList
	case lateLedger, provenLine, claimedLine, emptyLedger, statementEnds:
	}
	switch r.statement {
	case claimedList, claimedLine:
		s.Grade = payment.Claimed
	case unreadList:
		s.Through = r.created()
	case lateLedger, emptyList, listed, provenLine, emptyLedger, statementEnds:
	}
	switch r.statement {
	case listed:
		for _, u := range r.shown() {
			u.Source, u.Statement, u.ObservedAt = payment.FromList, "objects", now.Add(-2*time.Hour)
			units = append(units, u)
		}
	case provenLine, claimedLine:
		lines = []payment.Line{r.line()}
	case lateLedger, emptyList, claimedList, unreadList, emptyLedger, statementEnds:
	}
	return []payment.Statement{s}, units, lines
}

func (r *row) line() payment.Line {
	u := r.unit("p1", payment.StateCaptured)
	at := r.created().Add(8 * time.Second)
	l := payment.Line{
		ID: "l1", Unit: "p1", Provider: "psp", Account: "acct", Statement: "ledger", Kind: payment.KindCharge, References: u.References,
		Gross: minor, Net: minor, Currency: u.Currency, At: at, Day: payment.DayOf(at, time.UTC),
	}
	if r.amount == other {
		l.Gross += 100
	}
	if r.out {
		l.Kind, l.Gross = payment.KindTransferOut, -l.Gross
	}
	l.Net = l.Gross
	return l
}

func (r *row) lookups() []payment.Lookup {
	horizon := r.created().Add(24*time.Hour + 2*time.Minute)
	answer := func(at payment.Instant, outcome payment.Outcome) payment.Lookup {
		l := payment.Lookup{Attempt: "a1", Provider: "psp", Account: "acct", Key: r.key(), At: at, Outcome: outcome}
		if outcome == payment.Found {
			l.Units = r.shown()
		}
		return l
	}
	no, yes := payment.NotFound, payment.Found
	switch r.asked {
	case inconclusive, periodNotHeld:
		l := answer(now, payment.Inconclusive)
		l.Reason = map[asked]string{inconclusive: "timeout", periodNotHeld: "period_not_held"}[r.asked]
		return []payment.Lookup{l}
	case noControl:
		first, last := answer(now.Add(-30*time.Minute), no), answer(now, no)
		first.NoControl, last.NoControl = true, true
		return []payment.Lookup{first, last}
	case noOnce:
		return []payment.Lookup{answer(now, no)}
	case noTwice:
		return []payment.Lookup{answer(now.Add(-30*time.Minute), no), answer(now, no)}
	case noTwiceFirstEarly:
		return []payment.Lookup{answer(min(horizon, now).Add(-time.Second), no), answer(now, no)}
	case noTwiceTooClose:
		return []payment.Lookup{answer(now.Add(-9*time.Minute), no), answer(now, no)}
	case noTwiceLastStale:
		return []payment.Lookup{answer(now.Add(-40*time.Minute), no), answer(now.Add(-6*time.Minute), no)}
	case foundNow:
		return []payment.Lookup{answer(now, yes)}
	case foundStale:
		return []payment.Lookup{answer(now.Add(-6*time.Minute), yes)}
	case foundThenNot:
		return []payment.Lookup{answer(now.Add(-30*time.Minute), yes), answer(now, no)}
	case notThenFound:
		return []payment.Lookup{answer(now.Add(-30*time.Minute), no), answer(now, yes)}
	case otherReference:
		l := answer(now, yes)
		stranger := r.unit("p9", payment.StateDeclined)
		stranger.References = []payment.Reference{{Name: r.key().Name, Scope: r.scope(), Value: "r99"}}
		stranger.Final = true
		l.Units = []payment.Unit{stranger}
		return []payment.Lookup{l}
	case never, askeds:
	}
	return nil
}

// add gives the case what the row has besides.
func (r *row) add(c *resolve.Case) {
	manual := func(seen payment.State, at payment.Instant) {
		c.Manual = append(c.Manual, payment.Manual{Attempt: "a1", Seen: seen, Where: "dashboard", By: who, At: at})
	}
	approve := func(by string) {
		v := resolve.Decide(*c)
		for i := range v.Marks {
			if digest := v.Marks[i].Digest; digest != "" {
				c.Approvals = append(c.Approvals, resolve.Approval{Attempt: "a1", Digest: digest, By: by, At: now})
			}
		}
	}
	switch r.extra {
	case lookAlike, lookAlikeDismissed:
		like := payment.Unit{
			ID: "p8", Provider: "psp", Account: "acct", State: payment.StateCaptured, Final: true, Currency: brl,
			Captured: payment.Known(minor), CreatedAt: r.created().Add(time.Hour), Source: payment.FromList, ObservedAt: now,
		}
		c.Units = append(c.Units, like)
		if r.extra == lookAlikeDismissed {
			c.Dismissed = []resolve.Dismissal{{Attempt: "a1", Unit: "p8", Reason: "paid in the shop", By: who, At: now}}
		}
	case capturedEvent:
		c.Events = []payment.Event{{Provider: "psp", At: now, Unit: "p1", State: payment.StateCaptured, References: []payment.Reference{{Name: "ref", Value: "r1"}}}}
	case secondCaptureNamed:
		c.Unit = "p1"
	case sawCaptured:
		manual(payment.StateCaptured, now)
	case sawAbsent:
		manual(payment.StateNone, now)
	case sawAbsentEarly:
		manual(payment.StateNone, r.created().Add(time.Hour))
	case sawDeclined:
		manual(payment.StateDeclined, now)
	case sawAbsentApproved:
		manual(payment.StateNone, now)
		approve("bia")
	case sawAbsentApprovedByWhoSaw:
		manual(payment.StateNone, now)
		approve(who)
	case approvedOther:
		c.Approvals = []resolve.Approval{{Attempt: "a1", Digest: "other", By: "bia", At: now}}
	case mapGap:
		c.Declared = []resolve.Transition{resolve.ToUnknown}
	case nothing, secondCapture, extras:
	}
}
