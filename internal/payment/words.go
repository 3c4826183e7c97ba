package payment

import (
	"fmt"
	"slices"
	"strings"
)

// The words of RULES §1 as they stand in code, output, files and docs. Each
// list is indexed by its type's values.
var (
	statusWords    = []string{"", "pending", "unknown", "succeeded", "failed"}
	operationWords = []string{"charge", "authorize", "capture", "refund", "transfer", "bill_payment"}
	directionWords = []string{"in", "out"}
	stateWords     = []string{
		"", "captured", "authorized", "processing", "requires_action", "declined",
		"canceled", "expired", "refunded", "disputed", "unmapped",
	}
	kindWords = []string{
		"other", "charge", "charge_reversal", "refund", "refund_reversal", "chargeback",
		"chargeback_reversal", "fee", "fee_reversal", "tax", "payout", "payout_reversal", "transfer_in",
		"transfer_out", "transfer_reversal", "adjustment", "anticipation", "reserve_hold", "reserve_release",
	}
	modeWords      = []string{"live", "test"}
	sortWords      = []string{"ledger", "objects"}
	gradeWords     = []string{"assumed", "claimed", "proven"}
	scopeWords     = []string{"attempt", "charge"}
	callErrorWords = []string{
		"", "refused", "dns", "timeout", "reset", "http_5xx", "http_409", "http_429",
		"http_4xx", "card_refused", "ok", "other",
	}
	reserveWords = []string{"", "held", "released", "consumed"}
	outcomeWords = []string{"inconclusive", "found", "not_found"}
)

func (s Status) String() string    { return statusWords[s] }
func (o Operation) String() string { return operationWords[o] }
func (d Direction) String() string { return directionWords[d] }
func (s State) String() string     { return stateWords[s] }
func (k Kind) String() string      { return kindWords[k] }
func (m Mode) String() string      { return modeWords[m] }
func (s Sort) String() string      { return sortWords[s] }
func (g Grade) String() string     { return gradeWords[g] }
func (s Scope) String() string     { return scopeWords[s] }
func (e CallError) String() string { return callErrorWords[e] }
func (r Reserve) String() string   { return reserveWords[r] }
func (o Outcome) String() string   { return outcomeWords[o] }

// ParseStatus reads a status word; "" is StatusNone.
func ParseStatus(word string) (Status, error) { return parse[Status]("status", statusWords, word) }

// ParseOperation reads an operation word.
func ParseOperation(word string) (Operation, error) {
	return parse[Operation]("operation", operationWords, word)
}

// ParseState reads a unit state; "" is StateNone.
func ParseState(word string) (State, error) { return parse[State]("state", stateWords, word) }

// ParseKind reads a line kind.
func ParseKind(word string) (Kind, error) { return parse[Kind]("kind", kindWords, word) }

// ParseMode reads "live" or "test".
func ParseMode(word string) (Mode, error) { return parse[Mode]("mode", modeWords, word) }

// ParseSort reads "ledger" or "objects".
func ParseSort(word string) (Sort, error) { return parse[Sort]("sort", sortWords, word) }

// ParseGrade reads a grade of coverage.
func ParseGrade(word string) (Grade, error) { return parse[Grade]("grade", gradeWords, word) }

// ParseScope reads "attempt" or "charge".
func ParseScope(word string) (Scope, error) { return parse[Scope]("scope", scopeWords, word) }

// ParseCallError reads a class of last_error; "" is ErrorNone.
func ParseCallError(word string) (CallError, error) {
	return parse[CallError]("last_error", callErrorWords, word)
}

// ParseReserve reads the state of a reserve; "" is ReserveNone.
func ParseReserve(word string) (Reserve, error) { return parse[Reserve]("reserve", reserveWords, word) }

// ParseOutcome reads the outcome of a look-up.
func ParseOutcome(word string) (Outcome, error) {
	return parse[Outcome]("outcome", outcomeWords, word)
}

func parse[T ~uint8](what string, words []string, word string) (T, error) {
	if i := slices.Index(words, word); i >= 0 {
		return T(i), nil
	}
	known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	return 0, fmt.Errorf("unknown %s %q: want one of %s", what, word, strings.Join(known, ", "))
}
