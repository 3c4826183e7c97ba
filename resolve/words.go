package resolve

import (
	"strings"

	"desfecho/internal/evidence"
)

// The stable words of refusals and of the gate's conditions.
const (
	ReasonGone            = "gone"
	ReasonUncountable     = "uncountable"
	ReasonFinal           = "final"
	ReasonInFlight        = "in_flight"
	ReasonOrphan          = "orphan"
	ReasonUnknown         = "unknown_already"
	ReasonUnmappedStatus  = "unmapped_status"
	ReasonConflict        = "conflicting_lines"
	ReasonAmount          = "amount_mismatch"
	ReasonAmountUnstated  = "amount_unstated"
	ReasonCurrency        = "currency_mismatch"
	ReasonTestMode        = "test_mode_mismatch"
	ReasonAmbiguous       = "ambiguous"
	ReasonRecordedTwice   = "recorded_twice"
	ReasonOtherObject     = "other_object"
	ReasonSeveral         = "several"
	ReasonNotNamed        = "not_among_them"
	ReasonCaptured        = "captured"
	ReasonOpen            = "open"
	ReasonDeclined        = "declined"
	ReasonOnlyReturn      = "only_return_known"
	ReasonContradiction   = "contradiction"
	ReasonNotAsked        = "not_asked"
	ReasonNoLookup        = "no_lookup"
	ReasonInconclusive    = "inconclusive"
	ReasonStale           = "stale"
	ReasonNotFound        = "not_found"
	ReasonBeforeHorizon   = "before_horizon"
	ReasonAskedOnce       = "asked_once"
	ReasonFoundBefore     = "found_before"
	ReasonNotCovered      = "not_covered"
	ReasonLookAlike       = "look_alike"
	ReasonStoredEvent     = "stored_event"
	ReasonPeriodNotProven = "line_not_proven"
	ReasonUndeclared      = "transition_not_declared"
)

// plain makes a stable word readable.
func plain(word string) string {
	if word == evidence.ReasonNoControl {
		return "nothing that is known to exist could be found that way either"
	}
	return strings.ReplaceAll(word, "_", " ")
}

func (m Mark) String() string { return [...]string{"succeeded", "failed", "unknown", "keep"}[m] }

func (t Transition) String() string {
	return [...]string{"", "succeeded", "succeeded_duplicate", "succeeded_reversed", "failed", "unknown"}[t]
}

func (b Basis) String() string {
	return [...]string{"", "lookup", "line", "declined", "absence", "manual", "age"}[b]
}

// Transitions lists all transitions there are.
func Transitions() []Transition {
	return []Transition{ToSucceeded, ToSucceededDuplicate, ToSucceededReversed, ToFailed, ToUnknown}
}
