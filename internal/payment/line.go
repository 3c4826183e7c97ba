package payment

import "desfecho/internal/money"

// Kind is what a line of a statement is.
type Kind uint8

// The kinds of RULES §1. KindOther is a type the adapter does not know:
// counted, summed and named, never dropped, never guessed.
const (
	KindOther Kind = iota
	KindCharge
	KindChargeReversal
	KindRefund
	KindRefundReversal
	KindChargeback
	KindChargebackReversal
	KindFee
	KindFeeReversal
	KindTax
	KindPayout
	KindPayoutReversal
	KindTransferIn
	KindTransferOut
	KindTransferReversal
	KindAdjustment
	KindAnticipation
	KindReserveHold
	KindReserveRelease
)

// Line is one row of a statement. Gross, Fee, Tax and Net are minor units of
// Currency, the account's own; Gross is signed as the account's holder sees
// it, Fee and Tax are positive when kept back, Net = Gross − Fee − Tax unless
// the statement says otherwise.
type Line struct {
	ID                string // empty where the statement gives none
	Unit              string // id of the unit it moves, empty if it names none
	Parent            string // id of the unit that this one gives back or belongs to
	Provider          string
	Account           string
	Statement         string // name of the statement it came with
	References        []Reference
	ForeignCharge     string // our charge's id in metadata that is not configured as a reference
	Payout            string // the payout that holds it, or that it is
	Recipient         string // set where the line is one recipient's share
	Raw               string // the provider's own type
	Status            string // the provider's own status of the line, where it has one
	Gross             int64
	Fee               int64
	Tax               int64
	Net               int64
	Presented         Stated // in the payer's currency, where it differs
	Currency          money.Currency
	PresentedCurrency money.Currency
	At                Instant // occurred at
	AvailableAt       Instant
	Day               Day   // statement day in the account's zone
	File              int32 // index of the file it came from, for the occurrence number of RULES §3.2
	Row               int32 // line of that file, from 1
	N, Of             int16 // parcel n of N
	Kind              Kind
	Mode              Mode
	DayOnly           bool // At is known to the day only
	Still             bool // moved no money (an authorization, an information row)
}
