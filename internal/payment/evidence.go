package payment

// Outcome is what one look-up answered.
type Outcome uint8

// Found names units; NotFound is a complete, well-formed no; Inconclusive is
// all the rest (law 5).
const (
	Inconclusive Outcome = iota
	Found
	NotFound
)

// LookupKey is what the provider was asked by.
type LookupKey struct {
	Kind  KeyKind
	Name  string // of the reference, where Kind is KeyReference
	Value string
}

// KeyKind is the sort of key that a look-up used.
type KeyKind uint8

// A provider may be asked by unit id, by idempotency key or by a reference.
const (
	KeyUnit KeyKind = iota
	KeyIdempotency
	KeyReference
)

// Lookup is one stored observation about one attempt: the answer of the
// provider to one question.
type Lookup struct {
	Attempt   string
	Provider  string
	Account   string // empty: the provider's only account
	Key       LookupKey
	At        Instant // when it was observed, by the database's clock
	Outcome   Outcome
	Units     []Unit // as they stood at At
	Reason    string // of an inconclusive answer: timeout, http_5xx, wrong_mode, period_not_held, …
	NoControl bool   // no positive control was found for this endpoint and key type
	Endpoint  string // what was asked
	Canonical string // hex SHA-256 of the facts of the answer: the same facts, the same hash
	RawHash   string // hex SHA-256 of what came
	Raw       string // what came, masked; "" once it was purged
}

// Event is a stored webhook event. It names a unit to ask about and may block
// a mark; it decides nothing (law 15).
type Event struct {
	Provider   string
	At         Instant
	Unit       string
	Key        string
	References []Reference
	State      State
	Mode       Mode
}

// Manual is what a person saw at the provider (RULES §6, manual evidence).
type Manual struct {
	Attempt string
	Seen    State // StateCaptured, StateDeclined, or StateNone for absent
	Where   string
	By      string
	At      Instant
}
