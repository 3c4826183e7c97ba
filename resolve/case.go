package resolve

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Case is everything Decide may know. The order of rows has no influence. It
// holds the attempt, the other attempts of its charge and all that share a key
// with it, what is known of their units, and every captured unit within
// look_alike_window of it that belongs to no attempt.
type Case struct {
	Now     payment.Instant // the database's clock
	Attempt string          // id of the one to decide
	// Unit is the id that the operator named (--unit); empty: none.
	Unit string
	// Operator is the database login of who would confirm; empty: nobody yet.
	Operator string

	Policies []evidence.Policy // one per provider
	Attempts []payment.Attempt
	// Wanted is what the charge wants, in minor units of its attempts' currency;
	// not known: the amount of its first attempt.
	Wanted     payment.Stated
	Statements []payment.Statement
	Units      []payment.Unit // observations from lists and ledgers
	Lines      []payment.Line
	Lookups    []payment.Lookup
	Events     []payment.Event
	Manual     []payment.Manual
	Dismissed  []Dismissal
	Approvals  []Approval

	// Declared lists the transitions that the configuration declares, even as
	// empty; no other is offered (RULES §7).
	Declared []Transition
	// ApprovalTTL is how long an approval lives; 0: DefaultApprovalTTL.
	ApprovalTTL time.Duration
	// ApprovalAbove: final marks of a larger amount need approval, one limit per
	// currency; empty: none does. An amount of a currency without a limit needs
	// it where any limit is set.
	ApprovalAbove []money.Amount
	// Contracts says, per operation, what the provider's documents promise about
	// sending one request twice. Advice rests on it, marks do not.
	Contracts map[payment.Operation]Contract
}

// DefaultApprovalTTL is approval_ttl of RULES §8.
const DefaultApprovalTTL = 24 * time.Hour

// Dismissal puts one look-alike of one attempt aside, for a reason (RULES §6,
// the gate).
type Dismissal struct {
	Attempt string
	Unit    string
	Reason  string
	By      string
	At      payment.Instant
}

// Approval is a second person's word for one digest.
type Approval struct {
	Attempt string
	Digest  string
	By      string // database login
	At      payment.Instant
}

// Contract is what a provider promises about one operation sent twice with one
// idempotency key.
type Contract struct {
	// Retention is how long a key is kept after the first send; 0: no key is.
	Retention time.Duration
	// Documented: the provider's own documents promise it. For money out nothing
	// less will do.
	Documented bool
}
