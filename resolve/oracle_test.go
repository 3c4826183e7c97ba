package resolve_test

import (
	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// oracle says which marks RULES §2.3 and §6 allow for the row, in the words of
// the page. It reads the row alone: it shares no code with what it checks, and
// builds no facts.
func (r *row) oracle() []string {
	switch r.status {
	case succeeded, failed:
		return nil // a final status never changes
	case pendingYoung:
		return []string{"keep"}
	case pendingOld:
		return []string{"unknown", "keep"}
	case pendingNoWord, unknown, statuses:
	}
	marks := []string{}
	if word := r.maySucceed(); word != "" {
		marks = append(marks, word)
	}
	if word := r.mayFail(); word != "" {
		marks = append(marks, word)
	}
	return append(marks, "keep")
}

// What is known of the object p1, and by whom.

func (r *row) lined() bool { return r.statement == provenLine || r.statement == claimedLine }

func (r *row) found() bool {
	return r.asked == foundNow || r.asked == foundStale || r.asked == foundThenNot || r.asked == notThenFound
}

// told: somebody stated a state of p1.
func (r *row) told() bool { return r.statement == listed || r.found() }

func (r *row) moneyWord() bool {
	return r.state == payment.StateCaptured || r.state == payment.StateRefunded || r.state == payment.StateDisputed
}

func (r *row) captured() bool { return r.lined() || r.told() && r.moneyWord() }

func (r *row) second() bool {
	return (r.extra == secondCapture || r.extra == secondCaptureNamed) && r.told()
}

func (r *row) deadWord() bool {
	return r.state == payment.StateDeclined || r.state == payment.StateCanceled || r.state == payment.StateExpired
}

func (r *row) dead() bool { return r.told() && !r.lined() && r.deadWord() && !r.notFinal }

func (r *row) open() bool {
	return r.told() && !r.captured() && !r.dead() && r.state != payment.StateUnmapped
}

func (r *row) unmapped() bool { return r.told() && r.state == payment.StateUnmapped }

func (r *row) justFound() bool { return r.asked == foundNow || r.asked == notThenFound }

// maySucceed is the table's upper half.
func (r *row) maySucceed() string {
	if r.extra == mapGap || r.unmapped() {
		return ""
	}
	if word := r.tableSucceeds(); word != "" {
		return word
	}
	if r.extra != sawCaptured || !r.justAsked() || r.dead() {
		return ""
	}
	if (r.captured() || r.open()) && (r.amount == other || r.amount == otherCurrency) {
		return ""
	}
	return "succeeded_with_approval"
}

func (r *row) tableSucceeds() string {
	switch {
	case r.captured() && r.second():
		if r.extra != secondCaptureNamed {
			return "" // several captured: none until the operator names one
		}
	case r.second():
		if r.extra == secondCaptureNamed || !r.justFound() {
			return ""
		}
		return r.word(false)
	case r.captured():
	case r.open() && r.fulfils():
	default:
		return ""
	}
	if r.amount == other || r.amount == otherCurrency || r.amount == unstated && !r.lined() {
		return ""
	}
	switch {
	case r.justFound():
		if r.lined() && !r.moneyWord() {
			return "" // a captured line and an open or declined look-up
		}
		return r.word(r.state == payment.StateRefunded || r.state == payment.StateDisputed)
	case r.asked == periodNotHeld && r.statement == provenLine:
		if r.approved() {
			return r.word(false)
		}
		return "succeeded_with_approval"
	}
	return ""
}

func (r *row) fulfils() bool {
	switch r.means {
	case evidence.MeansCreated:
		return !r.deadWord()
	case evidence.MeansAuthorized:
		return r.state == payment.StateAuthorized
	case evidence.MeansCaptured:
	}
	return false
}

func (r *row) word(reversed bool) string {
	if r.sibling == paidSibling && !reversed {
		return "succeeded_duplicate"
	}
	return "succeeded"
}

func (r *row) approved() bool {
	return r.extra == sawAbsentApproved || r.extra == sawAbsentApprovedByWhoSaw
}

// mayFail is the table's lower half and the gate.
func (r *row) mayFail() string {
	if r.extra == mapGap || r.unmapped() || r.captured() || r.second() || r.extra == sawCaptured {
		return ""
	}
	switch {
	case r.extra == capturedEvent:
	case r.dead() && !r.byCharge && r.justFound():
		return "failed"
	case r.gate():
		if r.out && !r.approved() {
			return "failed_with_approval"
		}
		return "failed"
	}
	return r.manualFail()
}

func (r *row) gate() bool {
	if r.young || r.open() || r.extra == lookAlike {
		return false
	}
	covered := r.statement == lateLedger || r.statement == emptyList || r.statement == emptyLedger
	if r.dead() { // tied by the charge only: what ended without money counts as a no
		return r.byCharge && r.asked == notThenFound && (covered || r.statement == listed)
	}
	return r.asked == noTwice && covered
}

// justAsked: the provider's last answer, whatever it is, is of now.
func (r *row) justAsked() bool {
	return r.asked != never && r.asked != noTwiceLastStale && r.asked != foundStale
}

func (r *row) manualFail() string {
	if !r.justAsked() {
		return ""
	}
	switch r.extra { //nolint:exhaustive // what a person saw, only
	case sawDeclined:
		return "failed_with_approval"
	case sawAbsent, sawAbsentApprovedByWhoSaw, sawAbsentApproved:
		if r.young || r.open() {
			return ""
		}
		if r.extra == sawAbsentApproved {
			return "failed"
		}
		return "failed_with_approval"
	default:
		return ""
	}
}
