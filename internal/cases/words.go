package cases

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// known tells whether the word stands in the closed list of that name. The
// lists are those of the case format; where RULES has the list, its own parser
// is asked. An empty word is in no list.
func known(list, word string) error {
	switch list {
	case "currency":
		currency, err := money.ParseCurrency(word)
		if err == nil && currency.String() != word {
			err = fmt.Errorf("currency %q: want %s", word, currency)
		}
		return err
	case "class":
		if _, ok := reconcile.ParseClass(word); !ok {
			return fmt.Errorf("unknown class %q", word)
		}
		return nil
	case "subject":
		kind, id, ok := strings.Cut(word, ":")
		if !ok || id == "" {
			return fmt.Errorf("subject %q: want KIND:ID", word)
		}
		return known("subject_kind", kind)
	case "life":
		state, cause, caused := strings.Cut(word, ":")
		if caused && (state != "resolved" || cause == "") {
			return fmt.Errorf("life %q: want resolved:CAUSE", word)
		}
		word = state
	}
	if !slices.Contains(words(list), word) {
		return fmt.Errorf("unknown %s %q: want one of %s", strings.ReplaceAll(list, "_", " "), word, strings.Join(words(list), ", "))
	}
	return nil
}

func words(list string) []string {
	switch list {
	case "kind":
		return spell(payment.KindOther, payment.KindReserveRelease)
	case "place":
		return append(strings.Fields(ownWords("place")), words("kind")...)
	case "line_row":
		return append(strings.Fields(ownWords("line_row")), words("kind")...)
	case "lookup_reason":
		return append(strings.Fields(ownWords("lookup_reason")), words("last_error")...)
	case "operation":
		return spell(payment.Charge, payment.BillPayment)
	case "status":
		return spell(payment.Pending, payment.Failed)
	case "state":
		return spell(payment.StateCaptured, payment.StateUnmapped)
	case "mode":
		return spell(payment.Live, payment.Test)
	case "sort":
		return spell(payment.Ledger, payment.ObjectList)
	case "grade":
		return spell(payment.Assumed, payment.Proven)
	case "scope":
		return spell(payment.ScopeAttempt, payment.ScopeCharge)
	case "last_error":
		return spell(payment.ErrorRefused, payment.ErrorOK)
	case "reserve":
		return spell(payment.ReserveHeld, payment.ReserveConsumed)
	case "outcome":
		return spell(payment.Inconclusive, payment.NotFound)
	case "verdict":
		return spell(reconcile.Clean, reconcile.Incomplete)
	case "severity":
		return spell(reconcile.P1, reconcile.P4)
	case "subject_kind":
		return spell(reconcile.SubjectAttempt, reconcile.SubjectStatement)
	}
	return strings.Fields(ownWords(list))
}

// ownWords are the words that only the case format has.
func ownWords(list string) string {
	switch list {
	case "place":
		return "agreed in_flight in_transit not_covered own_side_not_covered no_money expected_without_attempt"
	case "line_row":
		return "matched open_attempts failed_attempts surplus unrecorded_in unrecorded_out unbooked_returns cannot_be_judged " +
			"own_side_not_covered expected_without_attempt"
	case "lookup_reason":
		return "other_reference wrong_mode no_control period_not_held unparsable"
	case "attempt_row":
		return "matched surplus recorded_twice declined missing in_transit not_covered still_open cannot_be_judged"
	case "mark":
		return "mark_succeeded mark_succeeded_duplicate mark_failed mark_unknown keep mark_failed_with_approval mark_succeeded_with_approval"
	case "transition":
		return "succeeded succeeded_duplicate succeeded_reversed failed unknown"
	case "exit":
		return "done failed not_usable divergences incomplete moved not_confirmed outcome_unknown credentials defect leased"
	case "do":
		return "run open app confirm approve dismiss"
	case "on":
		return "replica"
	case "life":
		return "resolved vanished persisting"
	case "means":
		return "created authorized captured"
	case "capacity":
		return "one many"
	case "seen":
		return "captured declined absent"
	case "digest":
		return "other"
	case "hint":
		return "factor_10 factor_100 factor_1000"
	case "file_kind":
		return "statement sheet"
	}
	return ""
}

// spell lists the words of an enumeration from first to last.
func spell[T interface {
	~uint8
	String() string
}](first, last T) []string {
	var list []string
	for v := first; v <= last; v++ {
		list = append(list, v.String())
	}
	return list
}
