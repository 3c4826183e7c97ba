package payment

import "time"

// Sort tells what a statement can prove.
type Sort uint8

// Ledger: what moved the balance; proves money. ObjectList: what was created,
// by creation time; proves existence and absence.
const (
	Ledger Sort = iota
	ObjectList
)

// Grade says how sure the end of a coverage is (RULES §1).
type Grade uint8

// Assumed: a file's own first to last-but-one day. Claimed: an operator said
// so. Proven: the end was reached and every total it states ties.
const (
	Assumed Grade = iota
	Claimed
	Proven
)

// Membership says whether a statement tells which lines a payout holds.
type Membership uint8

// AllMembers: a payout's lines are all in the statement. SomeMembers: lines
// name their payout, but lines booked before the statement begins are not in
// it. NoMembers: nothing is told.
const (
	AllMembers Membership = iota
	SomeMembers
	NoMembers
)

// Statement is the coverage of one statement of one account and mode: which
// instants have been read to the end. The read part is [From, Through) less
// the holes.
type Statement struct {
	Name     string // unique within the run; divergences of the statement name it
	Provider string
	Account  string
	Mode     Mode
	Sort     Sort
	Grade    Grade
	From     Instant
	Through  Instant
	Holes    []Interval
	// PublishLag is the time until what happened must show here; 0 takes the
	// policy's.
	PublishLag time.Duration
	Opening    Stated // balance at From, minor units of the only currency of its lines
	Closing    Stated // balance at Through
	Members    Membership
}
