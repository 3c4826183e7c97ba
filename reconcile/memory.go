package reconcile

import (
	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// Life is where a divergence stands between runs (RULES §4).
type Life uint8

// The states of a divergence's life.
const (
	LifeNew Life = iota
	LifePersisting
	LifeResolved
	LifeVanished
	LifeLapsed   // put aside until the run before, and not any more
	LifeAccepted // put aside by a person
	LifeSnoozed  // put aside by a person for a time
)

// Ended tells whether the divergence is no longer open.
func (l Life) Ended() bool { return l == LifeResolved || l == LifeVanished }

// Aside tells whether a person put the divergence aside.
func (l Life) Aside() bool { return l == LifeAccepted || l == LifeSnoozed }

// Memory is what one run leaves for the next: open divergences, what was in
// transit, and what each closed day's report rested on.
type Memory struct {
	Items   []Item
	Transit []Transit
	Days    []DayDigest
}

// Item is one divergence that was open after a run, or ended in it.
type Item struct {
	ID        string
	Class     Class
	Severity  Severity
	Subject   Subject
	Provider  string
	Account   string
	Mode      payment.Mode
	Amount    money.Amount
	FirstSeen payment.Instant
	State     Life
	Cause     string // why it resolved: returned, settled, recorded, agreed, …
}

// DayDigest sums up the lines of one statement day that a report rested on.
type DayDigest struct {
	Provider string
	Account  string
	Day      payment.Day
	Lines    int
	Hash     uint64
}

// ItemsRow is equation 7 in one currency: Open = Yesterday + New + Reopened +
// Lapsed − Resolved − Accepted − Vanished (± Restated), in number and money.
// What people put aside, accepted or snoozed, is not open.
type ItemsRow struct {
	Currency                                                     money.Currency
	Yesterday, New, Reopened, Restated, Resolved, Vanished, Open int64
	Lapsed, Accepted                                             int64
	YesterdayCount, NewCount, ReopenedCount                      int
	ResolvedCount, VanishedCount, OpenCount                      int
	LapsedCount, AcceptedCount                                   int
	// MovedCount is what came from or went to another currency's row.
	MovedCount int
}
