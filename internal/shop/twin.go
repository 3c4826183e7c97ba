package shop

import (
	"fmt"

	"desfecho/internal/payment"
)

// Twin is the one rule that a shop breaks.
type Twin uint8

// Right breaks none. KeyPerCall: a new key for every HTTP call, so a retry is
// a new charge. TimeoutAsFailed: no answer is taken for a no. CheckThenAct:
// looks for an open attempt, then inserts, with nothing that holds in between.
// CreditPerEvent: every event that says paid gives a credit, whatever the
// payment's state. ReserveFreed: money set aside for an outflow is free again
// as soon as its outcome is unknown. KeyFromOrder: the key is made from the
// charge, so a second try reuses it, stored refusal and all, until it is
// forgotten and charges again.
const (
	Right Twin = iota
	KeyPerCall
	TimeoutAsFailed
	CheckThenAct
	CreditPerEvent
	ReserveFreed
	KeyFromOrder
)

// Twins lists all, the right one first.
func Twins() []Twin {
	return []Twin{Right, KeyPerCall, TimeoutAsFailed, CheckThenAct, CreditPerEvent, ReserveFreed, KeyFromOrder}
}

func (t Twin) String() string {
	return [...]string{
		"right", "key_per_call", "timeout_as_failed", "check_then_act", "credit_per_event", "reserve_freed", "key_from_order",
	}[t]
}

// key of a new attempt of the charge: fresh ones are random.
func (t Twin) key(charge int64, fresh func() string) string {
	if t == KeyFromOrder {
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", charge)
	}
	return fresh()
}

// keys of the calls that one attempt makes. One call is the rule: what has no
// answer is looked up, not sent again.
func (t Twin) keys(stored string, fresh func() string) []string {
	if t == KeyPerCall {
		return []string{stored, fresh(), fresh()}
	}
	return []string{stored}
}

// believes is the status that the shop takes from an outcome.
func (t Twin) believes(status payment.Status) payment.Status {
	if t == TimeoutAsFailed && status == payment.Unknown {
		return payment.Failed
	}
	return status
}

// reserve is what becomes of the money set aside for an attempt of the status:
// only a proven failure frees it.
func (t Twin) reserve(status payment.Status) payment.Reserve {
	switch {
	case status == payment.Succeeded:
		return payment.ReserveConsumed
	case status == payment.Failed, t == ReserveFreed && status == payment.Unknown:
		return payment.ReserveReleased
	default:
		return payment.ReserveHeld
	}
}

// creditKey makes a credit unique: it belongs to the charge, not to what told
// of it.
func (t Twin) creditKey(charge, event int64) string {
	if t == CreditPerEvent && event != 0 {
		return fmt.Sprintf("event:%d", event)
	}
	return fmt.Sprintf("charge:%d", charge)
}
