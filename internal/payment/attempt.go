// Package payment holds the words of RULES §1 as plain values: attempts,
// units, lines, statements and their coverage, evidence.
//
// It knows no file, no database, no provider and no clock, and it concludes
// nothing: that is the business of reconcile and resolve.
package payment

import "desfecho/internal/money"

// Status is what the merchant's own table says of an attempt.
type Status uint8

// The four statuses (RULES §1). Pending and Unknown are open, Succeeded and
// Failed final.
const (
	StatusNone Status = iota
	Pending
	Unknown
	Succeeded
	Failed
)

// Open tells whether the outcome is still owed.
func (s Status) Open() bool { return s == Pending || s == Unknown }

// Final tells whether the status may never change again (law 3).
func (s Status) Final() bool { return s == Succeeded || s == Failed }

// Operation is what an attempt tries to do.
type Operation uint8

// The operations of RULES §1.
const (
	Charge Operation = iota
	Authorize
	Capture
	Refund
	Transfer
	BillPayment
)

// Direction says which way the money goes, seen from the merchant.
type Direction uint8

// In is towards the merchant, Out away from it.
const (
	In Direction = iota
	Out
)

// Direction of an operation: refunds, transfers and bill payments go out.
func (o Operation) Direction() Direction {
	if o == Refund || o == Transfer || o == BillPayment {
		return Out
	}
	return In
}

// Scope says what one value of a reference stands for.
type Scope uint8

// ScopeAttempt: one attempt. ScopeCharge: a charge, shared by its attempts.
const (
	ScopeAttempt Scope = iota
	ScopeCharge
)

// Reference is a merchant's identifier as it was sent, or as it was found at
// the provider. Values are compared byte for byte. Name is the configured name
// of the reference, so that only values of one kind meet.
type Reference struct {
	Name  string
	Scope Scope
	Value string
}

// CallError is how the original call to the provider ended, from the
// merchant's last_error. It words advice and sets horizons; it opens no gate
// (law 5).
type CallError uint8

// The classes of RULES §6, outcome of the original call.
const (
	ErrorNone CallError = iota
	ErrorRefused
	ErrorDNS
	ErrorTimeout
	ErrorReset
	Error5xx
	Error409
	Error429
	Error4xx
	ErrorCardRefused
	ErrorOK
	ErrorOther
)

// Reserve is what the merchant did with the money set aside for an outflow.
type Reserve uint8

// The states of a reserve; ReserveNone where the merchant keeps none.
const (
	ReserveNone Reserve = iota
	ReserveHeld
	ReserveReleased
	ReserveConsumed
)

// Attempt is one row of the merchant's attempts table: one try to make a
// charge happen. Amount is unsigned, in minor units; all instants are UTC.
type Attempt struct {
	ID          string
	Charge      string
	Provider    string
	Account     string // empty: any account of the provider
	Key         string // idempotency key
	ProviderID  string // the stored id of the provider's object, empty if none
	References  []Reference
	Version     string
	PayloadHash string
	Amount      money.Amount
	CreatedAt   Instant
	LastSent    Instant // RULES §1 last_sent; readers fill it
	ResolvedAt  Instant
	Status      Status
	RawStatus   string // the merchant's own word, where it is outside the map (Status is StatusNone)
	Operation   Operation
	LastError   CallError
	Reserve     Reserve
}

// Direction of the attempt's money.
func (a *Attempt) Direction() Direction { return a.Operation.Direction() }
