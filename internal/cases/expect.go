package cases

import (
	"encoding/json"

	"desfecho/internal/payment"
)

// Expect is what must hold, at the end or right after a step. What is not
// given is not compared, except that every residual of RULES §5 must be 0 and
// that the run found no defect. Divergences, where given, is the whole list;
// maps are compared at the keys they give.
//
// Fields with the tag `screen` are about one attempt's screen and what its marks
// would write; no run tells them. Those with the tag `waits` need a database or
// an input file: they are read strictly and counted, not compared.
type Expect struct {
	Verdict      string                         `json:"verdict" words:"verdict"`
	Divergences  *[]Entry                       `json:"divergences"`
	Places       map[string]int                 `json:"places" keys:"place"`
	Bridge       *bridge                        `json:"bridge"`
	Days         map[string]payment.Day         `json:"days"`
	Repeats      *int                           `json:"repeats"`
	NextPullFrom *payment.Instant               `json:"next_pull_from"`
	Life         map[string]string              `json:"life" keys:"subject" words:"life"`
	Reopened     *[]payment.Day                 `json:"reopened"`
	Exit         string                         `json:"exit" words:"exit"`
	MustNotPrint texts                          `json:"must_not_print"`
	Allowed      map[string][]string            `json:"allowed" words:"mark" screen:"marks"`
	Forbidden    map[string][]string            `json:"forbidden" words:"mark" screen:"marks"`
	Named        map[string]map[string][]string `json:"named" words:"mark" screen:"marks"`
	Writes       map[string]writtenRow          `json:"writes" screen:"writes"`
	Reserve      map[string]string              `json:"reserve" words:"reserve" screen:"writes"`
	Rows         map[string]writtenRow          `json:"rows" screen:"steps"`
	AuditRows    *int                           `json:"audit_rows" screen:"steps"`
	Parsed       json.RawMessage                `json:"parsed" waits:"files"`
	Rejected     json.RawMessage                `json:"rejected" waits:"files"`
}

// Entry is one expected divergence; the fields it gives are compared.
type Entry struct {
	Class        string           `json:"class" case:"required" words:"class"`
	Subject      string           `json:"subject" case:"required" words:"subject"`
	Severity     string           `json:"severity" words:"severity"`
	Unit         nullable         `json:"unit"`
	LinkedCharge nullable         `json:"linked_charge"`
	Amount       *int64           `json:"amount"`
	Expected     scalar           `json:"expected"`
	Actual       scalar           `json:"actual"`
	Hint         string           `json:"hint" words:"hint"`
	Surplus      *int64           `json:"surplus"`
	Excess       *int64           `json:"excess"`
	SameMoneyAs  nullable         `json:"same_money_as"`
	Also         []string         `json:"also" words:"class"`
	Reason       nullable         `json:"reason"`
	Raw          nullable         `json:"raw"`
	Reference    nullable         `json:"reference"`
	Key          nullable         `json:"key"`
	Lines        *[]string        `json:"lines"`
	Reserve      string           `json:"reserve" words:"reserve"`
	Returned     *int64           `json:"returned"`
	Until        *payment.Instant `json:"until"`
	From         *payment.Instant `json:"from"`
	To           *payment.Instant `json:"to"`
}

// bridge is RULES §5, added over days, accounts and currencies of the case.
type bridge struct {
	Lines     map[string]int64  `json:"lines" keys:"line_row"`
	Succeeded map[string]int64  `json:"succeeded" keys:"attempt_row"`
	NotDue    *int64            `json:"not_due"`
	Tie       *int64            `json:"tie"`
	Balance   *int64            `json:"balance"`
	Payout    map[string]scalar `json:"payout"`
}

// writtenRow is an attempt as it must stand in the merchant's table.
type writtenRow struct {
	Status     string   `json:"status" words:"status"`
	Unit       nullable `json:"unit"`
	Transition string   `json:"transition" words:"transition"`
	Version    *int64   `json:"version"`
	Reserve    string   `json:"reserve" words:"reserve"`
}
