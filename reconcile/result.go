package reconcile

import (
	"slices"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Verdict of a run (RULES §4).
type Verdict uint8

// From best to worst.
const (
	Clean Verdict = iota
	Pending
	Notices
	Breaks
	Incomplete
)

// Severity says when somebody must look: P1 page now, P2 same day, P3 daily
// report, P4 information.
type Severity uint8

// The severities, worst first; 0 is none.
const (
	P1 Severity = iota + 1
	P2
	P3
	P4
)

// SubjectKind is what a divergence is about.
type SubjectKind uint8

// The subjects of RULES §4. SubjectAttempts is one entry for several attempts.
const (
	SubjectAttempt SubjectKind = iota
	SubjectAttempts
	SubjectUnit
	SubjectCharge
	SubjectLine
	SubjectPayout
	SubjectStatement
)

// Subject names what a divergence is about. Only SubjectAttempts has several
// ids, sorted.
type Subject struct {
	Kind SubjectKind
	IDs  []string
}

// Divergence is one difference between the sides (RULES §1). Amounts are minor
// units of Currency.
type Divergence struct {
	ID       string // stable across reclassification: hash of provider, account, mode, subject
	Class    Class
	Severity Severity
	Subject  Subject
	Also     []Class // the other classes that apply, worst first
	Provider string
	Account  string
	Mode     payment.Mode

	Direction payment.Direction // of the money; in where nothing tells
	Currency  money.Currency
	Amount    int64 // money at stake, unsigned
	// SameMoneyAs names the subject whose divergence already counts this
	// money; empty Kind and IDs: none.
	SameMoneyAs *Subject

	Attempts     []string // the attempts concerned
	Unit         string
	Units        []string // all of them, where there are several
	Charge       string   // of the attempt or attempts concerned
	LinkedCharge string   // known only by metadata that is not configured
	Expected     string   // decimal of minor units, or a currency code
	Actual       string
	Hint         string // factor_10, factor_100, factor_1000
	Surplus      int64
	Excess       int64
	Returned     int64
	Reason       string // look_alike, contradiction, timeout, not_asked, …
	Raw          string // the provider's own word, where it is outside the map
	Reference    string
	Key          string
	Lines        []string
	LookAlikes   []string // unlinked captured units that block a mark
	Reserve      payment.Reserve
	Until        payment.Instant // when it can change by itself
	Interval     payment.Interval
	Grade        payment.Grade   // of the coverage an absence rests on
	Since        payment.Instant // created_at of the attempt, else of the unit
	Attributes   []string        // aging_out, accepted, …
	LifeState    Life
	FirstSeen    payment.Instant
}

// What people decided about a divergence stands among its attributes; Match
// itself never sets these.
const (
	AttributeAccepted = "accepted"
	AttributeSnoozed  = "snoozed"
)

// Aside tells whether a person put the divergence aside: it is counted and
// listed where everything is, and fails no run.
func (d *Divergence) Aside() bool {
	return slices.Contains(d.Attributes, AttributeAccepted) || slices.Contains(d.Attributes, AttributeSnoozed)
}

// Place is where an attempt, unit or line stands that is not listed
// (RULES §4), or the kind of a non-attempt line.
type Place string

// The counted places.
const (
	Agreed                 Place = "agreed"
	InFlight               Place = "in_flight"
	InTransit              Place = "in_transit"
	NotCovered             Place = "not_covered"
	OwnSideNotCovered      Place = "own_side_not_covered"
	NoMoney                Place = "no_money"
	ExpectedWithoutAttempt Place = "expected_without_attempt"
)

// Transit is one succeeded attempt that the statement need not show yet.
type Transit struct {
	Attempt  string
	Provider string
	BreakOn  payment.Instant // from then on it is missing, or late
	Amount   money.Amount
}

// Result is what Match concludes. Every slice is sorted; same input, same
// bytes.
type Result struct {
	Now         payment.Instant
	Window      payment.Interval
	Verdict     Verdict
	Divergences []Divergence
	Groups      []Group
	Places      map[Place]int
	Transit     []Transit
	Bridges     []Bridge
	Statements  []StatementResult
	Repeats     int // lines dropped as repeats
	Counts      Counts
	Items       []ItemsRow
	Memory      *Memory // what the next run needs
	Reopened    []payment.Day
	// Defect says what did not add up; empty when everything did. The caller
	// still writes the report, headed DEFECT, and exits 70.
	Defect string
}

// Counts of what was put in and judged.
type Counts struct {
	Attempts, Units, Lines, Lookups int
	// What was given and is not of the window, nor of anything in it.
	OutsideAttempts, OutsideLines int
}

// Group shows many divergences of one class that share one cause as one
// finding. Indexes are into Result.Divergences.
type Group struct {
	Class     Class
	Severity  Severity
	Provider  string
	Attribute string // the shared reason, raw word, hint or "" (class alone)
	Count     int
	Amounts   []money.Amount
	Example   int
	Members   []int
}

// Bridge is RULES §5 for one provider, account, mode and currency.
type Bridge struct {
	Provider string
	Account  string
	Mode     payment.Mode
	Currency money.Currency

	Lines     []LineRow    // equation 1, by statement day and row
	LinesSum  int64        // Σ gross of lines that moved money, added on its own
	Succeeded []AttemptRow // equation 2 for succeeded attempts
	Open      []AttemptRow // likewise by class
	Failed    []AttemptRow
	Tie       Tie
	Roll      Roll
	Balances  []Balance
	Payouts   []Payout
}

// LineRow is one row of equation 1: matched, open_attempts, failed_attempts,
// surplus, unrecorded_in, unrecorded_out, unbooked_returns, cannot_be_judged,
// own_side_not_covered, expected_without_attempt, or a kind.
type LineRow struct {
	Day   payment.Day
	Row   string
	Minor int64
	Count int
}

// AttemptRow is one row of equation 2: matched, surplus, recorded_twice,
// declined, missing, in_transit, not_covered, still_open, cannot_be_judged; a
// class or place for open and failed attempts. Out is negative.
type AttemptRow struct {
	Row   string
	Minor int64
	Count int
}

// Tie is equation 3: MatchedLines + NotDue = MatchedAttempts + Differences +
// Residual, in the payer's currency.
type Tie struct {
	MatchedLines, NotDue, MatchedAttempts, Differences, Residual int64
}

// Roll is equation 4 for attempts in transit, in minor units.
type Roll struct {
	Yesterday, NewlySucceeded, Matched, Ended, Restated, Today int64
}

// Balance is equation 5 for one statement that states balances.
type Balance struct {
	Statement                          string
	Opening, NetSum, Closing, Residual int64
	LineErrors                         []string // lines where net ≠ gross − fee − tax
}

// Payout is equation 6 for one payout: Residual = payout + Σ net of its lines.
type Payout struct {
	ID           string
	Statement    string
	Minor        int64
	MembersNet   int64
	Residual     int64
	Unverifiable bool
}

// StatementResult says what was read of one statement and where the next pull
// starts.
type StatementResult struct {
	payment.Statement
	Lines        int
	Units        int
	NextPullFrom payment.Instant
}
