// Package cases reads the case format of testdata/cases, runs reconcile.Match
// over the facts of a case and resolve.Decide over each attempt that the case
// says something of, and says, field by field, where they differ from what the
// case expects. Screens, approvals and confirmed marks are played as values:
// what a mark would write is written to the case's own rows.
//
// A field, a word or a key that the format does not know fails the case. The
// package judges nothing, writes nothing and asks nobody: what it does not
// compare (input files) it counts and names.
package cases

import "desfecho/internal/payment"

// Case is one line of a case file: the facts, the steps before now, and what
// must be concluded. Amounts are minor units, instants UTC.
//
// The tags `case:"required"`, `words:"LIST"` and `keys:"LIST"` are read by the
// strict decoder: required fields, closed lists of words for values (of any
// depth) and for the keys of maps.
type Case struct {
	ID         string          `json:"id" case:"required"`
	Point      string          `json:"point"`
	Now        payment.Instant `json:"now" case:"required"`
	Currency   string          `json:"currency" words:"currency"`
	Window     *span           `json:"window"`
	OwnSide    *ownSide        `json:"own_side"`
	Policy     policyRow       `json:"policy"`
	Charges    []chargeRow     `json:"charges"`
	Attempts   []attemptRow    `json:"attempts"`
	Replica    []attemptRow    `json:"replica"`
	Units      []unitRow       `json:"units"`
	Statements []statementRow  `json:"statements"`
	Lookups    []lookupRow     `json:"lookups"`
	Events     []eventRow      `json:"events"`
	Manual     []manualRow     `json:"manual"`
	Approvals  []approvalRow   `json:"approvals"`
	Dismissed  []dismissalRow  `json:"dismissed"`
	Steps      []step          `json:"steps"`
	File       *inputFile      `json:"file"`
	Expect     *Expect         `json:"expect" case:"required"`
}

type ownSide struct {
	From payment.Instant `json:"from" case:"required"`
	To   payment.Instant `json:"to" case:"required"`
}

type chargeRow struct {
	ID     string `json:"id" case:"required"`
	Amount *int64 `json:"amount" case:"required"`
}

// attemptRow is a row of the merchant's table; steps use it for what the
// application sets.
type attemptRow struct {
	ID          string          `json:"id"`
	Charge      string          `json:"charge"`
	Operation   string          `json:"operation" words:"operation"`
	Status      string          `json:"status" words:"status"`
	Amount      *int64          `json:"amount"`
	Currency    string          `json:"currency" words:"currency"`
	Ref         string          `json:"ref"`
	Ref2        string          `json:"ref2"`
	Key         string          `json:"key"`
	PayloadHash string          `json:"payload_hash"`
	Unit        nullable        `json:"unit"`
	Account     string          `json:"account"`
	Version     *int64          `json:"version"`
	CreatedAt   payment.Instant `json:"created_at"`
	SentAt      payment.Instant `json:"sent_at"`
	LastError   string          `json:"last_error" words:"last_error"`
	Reserve     string          `json:"reserve" words:"reserve"`
	Since       payment.Instant `json:"since"`
}

// unitRow is one entry of a unit; a later entry of the same id replaces the
// fields it gives.
type unitRow struct {
	ID             string          `json:"id" case:"required"`
	Aliases        []string        `json:"aliases"`
	Group          string          `json:"group"`
	N              int             `json:"n"`
	Of             int             `json:"of"`
	Ref            string          `json:"ref"`
	Ref2           string          `json:"ref2"`
	Charge         string          `json:"charge"`
	Key            string          `json:"key"`
	MetadataCharge string          `json:"metadata_charge"`
	Parent         string          `json:"parent"`
	State          string          `json:"state" words:"state"`
	Raw            string          `json:"raw"`
	Final          *bool           `json:"final"`
	Amount         *int64          `json:"amount"`
	Captured       *int64          `json:"captured"`
	Principal      *int64          `json:"principal"`
	Currency       string          `json:"currency" words:"currency"`
	Method         string          `json:"method"`
	CreatedAt      payment.Instant `json:"created_at"`
	Precision      *duration       `json:"precision"`
	Plan           []parcel        `json:"plan"`
	Account        string          `json:"account"`
	Mode           string          `json:"mode" words:"mode"`
	Reason         string          `json:"reason"`
	PayerDocument  string          `json:"payer_document"`
	Since          payment.Instant `json:"since"`
}

type statementRow struct {
	Sort            string          `json:"sort" case:"required" words:"sort"`
	Name            string          `json:"name"`
	Account         string          `json:"account"`
	Mode            string          `json:"mode" words:"mode"`
	Units           []string        `json:"units"`
	Lines           []lineRow       `json:"lines"`
	From            payment.Instant `json:"from" case:"required"`
	CompleteThrough payment.Instant `json:"complete_through" case:"required"`
	Holes           []span          `json:"holes"`
	Grade           string          `json:"grade" words:"grade"`
	Opening         *int64          `json:"opening"`
	Closing         *int64          `json:"closing"`
	PayoutMembers   *bool           `json:"payout_members"`
}

type lineRow struct {
	ID                string          `json:"id"`
	Unit              string          `json:"unit"`
	Kind              string          `json:"kind" case:"required" words:"kind"`
	Gross             *int64          `json:"gross" case:"required"`
	Fee               int64           `json:"fee"`
	Tax               int64           `json:"tax"`
	Net               *int64          `json:"net"`
	Currency          string          `json:"currency" words:"currency"`
	Presented         *int64          `json:"presented"`
	PresentedCurrency string          `json:"presented_currency" words:"currency"`
	MovesMoney        *bool           `json:"moves_money"`
	At                payment.Instant `json:"at" case:"required"`
	AvailableAt       payment.Instant `json:"available_at"`
	Payout            string          `json:"payout"`
	N                 int16           `json:"n"`
	Of                int16           `json:"of"`
	Recipient         string          `json:"recipient"`
	Ref               string          `json:"ref"`
	Ref2              string          `json:"ref2"`
	Charge            string          `json:"charge"`
	Parent            string          `json:"parent"`
	Raw               string          `json:"raw"`
	File              string          `json:"file"`
	Since             payment.Instant `json:"since"`
}

type lookupRow struct {
	Attempt string          `json:"attempt" case:"required"`
	By      string          `json:"by"`
	Value   string          `json:"value"`
	Account string          `json:"account"`
	At      payment.Instant `json:"at"`
	Outcome string          `json:"outcome" case:"required" words:"outcome"`
	Units   []string        `json:"units"`
	Reason  string          `json:"reason" words:"lookup_reason"`
}

type eventRow struct {
	At    payment.Instant `json:"at" case:"required"`
	Ref   string          `json:"ref"`
	Key   string          `json:"key"`
	Unit  string          `json:"unit"`
	State string          `json:"state" words:"state"`
}

type manualRow struct {
	Attempt string          `json:"attempt" case:"required"`
	Seen    string          `json:"seen" case:"required" words:"seen"`
	Where   string          `json:"where"`
	By      string          `json:"by"`
	At      payment.Instant `json:"at" case:"required"`
}

type approvalRow struct {
	Attempt string          `json:"attempt" case:"required"`
	Mark    string          `json:"mark" case:"required" words:"mark"`
	By      string          `json:"by"`
	At      payment.Instant `json:"at" case:"required"`
	Digest  string          `json:"digest" words:"digest"`
}

type dismissalRow struct {
	Attempt string          `json:"attempt" case:"required"`
	Unit    string          `json:"unit" case:"required"`
	Reason  string          `json:"reason"`
	By      string          `json:"by"`
	At      payment.Instant `json:"at"`
}

type step struct {
	At      payment.Instant `json:"at" case:"required"`
	Do      string          `json:"do" case:"required" words:"do"`
	Window  *span           `json:"window"`
	Through payment.Instant `json:"through"`
	Attempt string          `json:"attempt"`
	On      string          `json:"on" words:"on"`
	Set     *attemptRow     `json:"set"`
	Mark    string          `json:"mark" words:"mark"`
	Unit    string          `json:"unit"`
	By      string          `json:"by"`
	Reason  string          `json:"reason"`
	Expect  *Expect         `json:"expect"`
}

type inputFile struct {
	Kind    string   `json:"kind" case:"required" words:"file_kind"`
	Columns []string `json:"columns"`
	Rows    []any    `json:"rows"`
}
