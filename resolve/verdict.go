package resolve

import (
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Mark is what an operator may do about an attempt.
type Mark uint8

// The marks of RULES §2.3. Keep leaves it open.
const (
	Succeeded Mark = iota
	Failed
	Unknown
	Keep
	markEnd
)

// Transition is what a mark would be in the merchant's own system: each has
// its own declared follow-ups (RULES §7).
type Transition uint8

// A credit is given only by ToSucceeded, a reserve released only by ToFailed.
const (
	NoTransition Transition = iota
	ToSucceeded
	ToSucceededDuplicate // the charge is paid by a sibling already
	ToSucceededReversed  // captured, and given back or disputed since
	ToFailed
	ToUnknown
)

// Basis says what a mark rests on.
type Basis uint8

// What an offered mark may rest on.
const (
	NoBasis       Basis = iota
	BasisLookup         // the provider was asked just now and shows it
	BasisLine           // a line of proven coverage, where the provider cannot be asked any more
	BasisDeclined       // only units that ended without money, tied to this attempt
	BasisAbsence        // the gate for `failed` on absence is open
	BasisManual         // what a person saw
	BasisAge            // pending past orphan_after
)

// Verdict is what the evidence allows for one attempt.
type Verdict struct {
	Attempt string
	Version string
	Status  payment.Status // as the rules read it: an old pending one may be unknown
	// Marks holds one entry for each mark, in the order of the constants.
	Marks [markEnd]Offer
	// Gate lists the conditions of `failed` on absence (RULES §6); of an unknown
	// attempt only.
	Gate []Condition
	// Contradiction: the evidence contradicts itself; look again.
	Contradiction bool
	// Surplus is what the charge has been charged too much, once this attempt's
	// unit counts, in minor units of the attempt's currency.
	Surplus  int64
	Original Original
	Advice   Advice
}

// Offer is one mark, allowed or refused, and why.
type Offer struct {
	Mark    Mark
	Allowed bool
	Basis   Basis
	// Transition, Unit and Amount are what the mark would write and confirm.
	// Unit is empty where the mark writes no provider id.
	Transition Transition
	Unit       string
	Amount     money.Amount
	// ApprovalDue: a second person must approve Digest first. ApprovedBy is who
	// did.
	ApprovalDue bool
	ApprovedBy  string
	// Reason is one stable word for a refusal, Sentence says the same to a
	// person, of an allowed mark why it is allowed.
	Reason   string
	Sentence string
	// ChangesAt is the earliest instant at which a refusal can change: now or
	// earlier where asking the provider again is all it takes; 0 where only a
	// person, the provider or the merchant's system can change it.
	ChangesAt payment.Instant
	// Again lists what must be asked once more right before the write.
	Again []Question
	// Facts are what the digest covers besides the row and the mark, sorted.
	Facts []string
	// Digest is the SHA-256 of what is decided and on which facts, in hex; empty
	// for a refused mark and for Keep. Fresh evidence that says the same gives
	// the same digest.
	Digest string

	unit *evidence.Unit
}

// Condition is one condition of the gate.
type Condition struct {
	Name      string // stable
	Met       bool
	Reason    string // of an unmet one, as Offer.Reason
	Sentence  string
	ChangesAt payment.Instant // as Offer.ChangesAt
}

// Question is one thing to ask the provider.
type Question struct {
	Key     payment.LookupKey
	Account string
}

// Offers gives the entry of one mark.
func (v *Verdict) Offers(mark Mark) *Offer { return &v.Marks[mark] }

// refusal is why a mark is refused.
type refusal struct {
	Reason    string
	Sentence  string
	ChangesAt payment.Instant
}

func refuse(mark Mark, r refusal) Offer {
	return Offer{Mark: mark, Reason: r.Reason, Sentence: r.Sentence, ChangesAt: r.ChangesAt}
}

func keep() Offer {
	return Offer{Mark: Keep, Allowed: true, Sentence: "nothing is written; it stays on the list"}
}
