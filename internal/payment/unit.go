package payment

import (
	"time"

	"desfecho/internal/money"
)

// State is what a provider says of a unit, mapped to the words of RULES §1.
type State uint8

// The unit states. StateNone: nothing states it (a unit that only lines name).
const (
	StateNone State = iota
	StateCaptured
	StateAuthorized
	StateProcessing
	StateRequiresAction
	StateDeclined
	StateCanceled
	StateExpired
	StateRefunded
	StateDisputed
	StateUnmapped
)

// Money tells whether the state says that money was captured, whatever came
// back later.
func (s State) Money() bool {
	return s == StateCaptured || s == StateRefunded || s == StateDisputed
}

// Open tells whether the unit may still be captured.
func (s State) Open() bool {
	return s == StateAuthorized || s == StateProcessing || s == StateRequiresAction
}

// Dead tells whether the unit ended without money.
func (s State) Dead() bool {
	return s == StateDeclined || s == StateCanceled || s == StateExpired
}

// Mode is the provider's environment that an object lives in.
type Mode uint8

// Live money or the provider's test mode.
const (
	Live Mode = iota
	Test
)

// Stated is an amount that a source may leave out. Minor units.
type Stated struct {
	Minor int64
	Known bool
}

// Known is a stated amount.
func Known(minor int64) Stated { return Stated{Minor: minor, Known: true} }

// Parcel is one instalment of a unit's plan: number, due day in the account's
// zone, amount in minor units of the unit's currency.
type Parcel struct {
	N     int
	Due   Day
	Minor int64
}

// Source says who told of a unit. A unit can have several sources.
type Source uint8

// The sources of RULES §1: an object list, a ledger (with the object expanded
// on its lines), a look-up.
const (
	FromList Source = 1 << iota
	FromLedger
	FromLookup
)

// Unit is one observation of what the provider calls one sale, one refund or
// one transfer. Amounts are unsigned minor units of the payer's currency.
// Several observations of one id are merged in order of ObservedAt, later
// stated fields over earlier ones.
type Unit struct {
	ID            string
	Aliases       []string // other ids of the same unit; a group's id among them
	Group         string   // objects of one group are one unit, amounts summed
	Provider      string
	Account       string
	Mode          Mode
	Key           string // idempotency key, where the provider tells it
	References    []Reference
	ForeignCharge string // our charge's id in metadata that is not configured as a reference
	Parent        string // id of the unit it gives back or belongs to
	State         State
	RawState      string // the provider's own word
	Final         bool
	Asked         Stated // amount asked for
	Captured      Stated // captured in all, in the payer's currency
	Principal     Stated // without interest, fine, discount
	Currency      money.Currency
	Method        string
	CreatedAt     Instant
	Precision     time.Duration // how precise CreatedAt is; 0 reads as one second, 24 h: known to the day
	N, Of         int           // parcel of the group
	Plan          []Parcel
	Reason        string
	ObservedAt    Instant
	FirstSeen     Instant // when it was first observed in this state, 0: not known
	Source        Source
	Statement     string // name of the statement that told of it, empty for look-ups
}
