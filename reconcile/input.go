package reconcile

import "desfecho/internal/payment"

// Input is everything Match may know. The order of rows has no influence.
type Input struct {
	Now payment.Instant
	// Window is what the run was asked for; empty: from the earliest From to
	// the latest Through of the statements.
	Window payment.Interval
	// Wanted is what the statements must hold to the end; empty: the window.
	// Files that nobody vouched for are compared whole, and owe no more than
	// they can be taken to cover.
	Wanted payment.Interval
	// WantedBy says the same by provider where nobody asked for a window: their
	// accounts were not all read from one moment on, and were asked a while
	// before now. Of a provider that is not in it Wanted holds.
	WantedBy map[string]payment.Interval
	// OwnSide lists which created_at of the merchant's side were loaded to the
	// end; nil means all of it.
	OwnSide []payment.Interval
	// OwnWhole: the own side must hold all that is wanted, too.
	OwnWhole bool
	// OwnGrade says by whose word the own side was loaded to the end.
	OwnGrade payment.Grade

	Policies   []Policy // one per provider
	Attempts   []payment.Attempt
	Charges    []Charge // only where the amount is not the first attempt's
	Statements []payment.Statement
	Units      []payment.Unit
	Lines      []payment.Line
	Lookups    []payment.Lookup
	Events     []payment.Event
	Dismissed  []Dismissal

	// Previous is what the last run left; nil for a first run and in file mode.
	Previous *Memory
}

// Charge states what a charge wants of money that comes in, in minor units of
// its attempts' currency.
type Charge struct {
	ID    string
	Minor int64
}

// Dismissal puts one look-alike of one attempt aside (RULES §6, the gate).
type Dismissal struct {
	Attempt string
	Unit    string
	Reason  string
	By      string
	At      payment.Instant
}
