package reconcile

// Class is one row of RULES §4.
type Class uint8

// The classes, in the order of RULES §4, which breaks ties of severity.
const (
	NoClass Class = iota
	DuplicateCharge
	UnknownCharged
	FailedButCharged
	UnrecordedCharge
	UnrecordedOutflow
	PendingCharged
	MissingAtProvider
	DeclinedAtProvider
	OutflowReturned
	ChargebackUnrecorded
	RefundExceedsCaptured
	AmbiguousMatch
	ReferenceCollision
	TestModeMismatch
	FailedButOpen
	CurrencyMismatch
	AmountMismatch
	UnmappedStatus
	ConflictingLines
	RecordedTwice
	RefundUnrecorded
	UnlinkedReversal
	TwoOpenAttempts
	KeyReused
	UnknownDeclined
	UnknownNotFound
	SucceededButOpen
	UnknownOpen
	UnknownInconclusive
	PendingStale
	FeeMismatch
	SettlementLate
	PayoutMismatch
	Unexplained
	UnknownWaiting
	AmountAdjusted
	CoverageIncomplete
	classEnd
)

var classNames = [classEnd]string{
	"", "duplicate_charge", "unknown_charged", "failed_but_charged", "unrecorded_charge", "unrecorded_outflow",
	"pending_charged", "missing_at_provider", "declined_at_provider", "outflow_returned", "chargeback_unrecorded",
	"refund_exceeds_captured", "ambiguous_match", "reference_collision", "test_mode_mismatch", "failed_but_open",
	"currency_mismatch", "amount_mismatch", "unmapped_status", "conflicting_lines", "recorded_twice",
	"refund_unrecorded", "unlinked_reversal", "two_open_attempts", "key_reused", "unknown_declined",
	"unknown_not_found", "succeeded_but_open", "unknown_open", "unknown_inconclusive", "pending_stale",
	"fee_mismatch", "settlement_late", "payout_mismatch", "unexplained", "unknown_waiting", "amount_adjusted",
	"coverage_incomplete",
}

func (c Class) String() string { return classNames[c] }

// Classes lists every class in the order of RULES §4.
func Classes() []Class {
	all := make([]Class, 0, classEnd-1)
	for c := DuplicateCharge; c < classEnd; c++ {
		all = append(all, c)
	}
	return all
}

// ParseClass finds a class by its name; ok is false where there is none.
func ParseClass(name string) (class Class, ok bool) {
	for _, c := range Classes() {
		if c.String() == name {
			return c, true
		}
	}
	return NoClass, false
}
