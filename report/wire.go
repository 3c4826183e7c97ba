package report

import (
	"desfecho/internal/money"
)

// The types of this file are the contract of json and ndjson (docs/json.md).
// Fields are only ever added. Absent means empty, unknown or 0, as that page
// says field by field; instants are RFC 3339 in UTC, money is whole minor
// units.

type wireRun struct {
	Version     string         `json:"version"`
	ID          string         `json:"id,omitempty"`
	Now         string         `json:"now,omitempty"`
	Zone        string         `json:"zone"`
	Window      *wireInterval  `json:"window,omitempty"`
	Verdict     string         `json:"verdict"`
	Defect      string         `json:"defect,omitempty"`
	FailOn      string         `json:"fail_on,omitempty"`
	Exit        int            `json:"exit"`
	Counts      wireCounts     `json:"counts"`
	Severities  wireSeverities `json:"severities"`
	Money       []wireHeadline `json:"money"`
	Assumptions []string       `json:"assumptions"`
	Items       []wireItems    `json:"items"`
	Reopened    []string       `json:"reopened"`
}

type wireInterval struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

type wireCounts struct {
	Attempts int `json:"attempts"`
	Units    int `json:"units"`
	Lines    int `json:"lines"`
	Lookups  int `json:"lookups"`
	Repeats  int `json:"repeats"`

	OutsideAttempts int `json:"outside_attempts"`
	OutsideLines    int `json:"outside_lines"`
}

type wireSeverities struct {
	P1  int `json:"P1"`
	P2  int `json:"P2"`
	P3  int `json:"P3"`
	P4  int `json:"P4"`
	New int `json:"new"`
}

type wireHeadline struct {
	Mode               string     `json:"mode"`
	Currency           string     `json:"currency"`
	ChargedNotRecorded wireFigure `json:"charged_not_recorded"`
	Doubled            wireFigure `json:"doubled"`
	OutUnexplained     wireFigure `json:"out_unexplained"`
	Stuck              wireFigure `json:"stuck"`
	RecordedNotCharged wireFigure `json:"recorded_not_charged"`
	Other              wireFigure `json:"other"`
}

type wireFigure struct {
	Amount money.Amount `json:"amount"`
	Count  int          `json:"count"`
}

type wireItems struct {
	Currency  string     `json:"currency"`
	Yesterday wireFigure `json:"yesterday"`
	New       wireFigure `json:"new"`
	Reopened  wireFigure `json:"reopened"`
	Resolved  wireFigure `json:"resolved"`
	Lapsed    wireFigure `json:"lapsed"`
	Accepted  wireFigure `json:"accepted"`
	Vanished  wireFigure `json:"vanished"`
	Restated  int64      `json:"restated_minor"`
	Open      wireFigure `json:"open"`
}

type wireSubject struct {
	Kind string   `json:"kind"`
	IDs  []string `json:"ids"`
}

type wireDivergence struct {
	ID           string        `json:"id"`
	Class        string        `json:"class"`
	Severity     string        `json:"severity,omitempty"`
	Subject      wireSubject   `json:"subject"`
	Also         []string      `json:"also,omitempty"`
	Provider     string        `json:"provider"`
	Account      string        `json:"account,omitempty"`
	Mode         string        `json:"mode"`
	Amount       *money.Amount `json:"amount,omitempty"`
	SameMoneyAs  *wireSubject  `json:"same_money_as,omitempty"`
	Attempts     []string      `json:"attempts,omitempty"`
	Unit         string        `json:"unit,omitempty"`
	Units        []string      `json:"units,omitempty"`
	Charge       string        `json:"charge,omitempty"`
	LinkedCharge string        `json:"linked_charge,omitempty"`
	Lines        []string      `json:"lines,omitempty"`
	Expected     string        `json:"expected,omitempty"`
	Actual       string        `json:"actual,omitempty"`
	Surplus      *money.Amount `json:"surplus,omitempty"`
	Excess       *money.Amount `json:"excess,omitempty"`
	Returned     *money.Amount `json:"returned,omitempty"`
	Hint         string        `json:"hint,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Raw          string        `json:"raw,omitempty"`
	Reference    string        `json:"reference,omitempty"`
	Key          string        `json:"key,omitempty"`
	Reserve      string        `json:"reserve,omitempty"`
	Since        string        `json:"since,omitempty"`
	FirstSeen    string        `json:"first_seen,omitempty"`
	Until        string        `json:"until,omitempty"`
	Interval     *wireInterval `json:"interval,omitempty"`
	Grade        string        `json:"grade,omitempty"`
	Attributes   []string      `json:"attributes,omitempty"`
	Life         string        `json:"life"`
	Next         string        `json:"next"`
}

type wireGroup struct {
	Class     string         `json:"class"`
	Severity  string         `json:"severity,omitempty"`
	Provider  string         `json:"provider"`
	Attribute string         `json:"attribute,omitempty"`
	Count     int            `json:"count"`
	Amounts   []money.Amount `json:"amounts"`
	Example   string         `json:"example"`
	Members   []string       `json:"members"`
}

type wirePlace struct {
	Place string `json:"place"`
	Count int    `json:"count"`
}

type wireTransit struct {
	Attempt  string       `json:"attempt"`
	Provider string       `json:"provider"`
	BreakOn  string       `json:"break_on,omitempty"`
	Amount   money.Amount `json:"amount"`
}

type wireBridge struct {
	Provider  string        `json:"provider"`
	Account   string        `json:"account,omitempty"`
	Mode      string        `json:"mode"`
	Currency  string        `json:"currency"`
	LinesSum  int64         `json:"lines_sum_minor"`
	Lines     []wireLineRow `json:"lines"`
	Succeeded []wireRow     `json:"succeeded"`
	Open      []wireRow     `json:"open"`
	Failed    []wireRow     `json:"failed"`
	Tie       wireTie       `json:"tie"`
	Roll      wireRoll      `json:"roll"`
	Balances  []wireBalance `json:"balances"`
	Payouts   []wirePayout  `json:"payouts"`
}

type wireLineRow struct {
	Day   string `json:"day,omitempty"`
	Row   string `json:"row"`
	Minor int64  `json:"minor"`
	Count int    `json:"count"`
}

type wireRow struct {
	Row   string `json:"row"`
	Minor int64  `json:"minor"`
	Count int    `json:"count"`
}

type wireTie struct {
	MatchedLines    int64 `json:"matched_lines_minor"`
	NotDue          int64 `json:"not_due_minor"`
	MatchedAttempts int64 `json:"matched_attempts_minor"`
	Differences     int64 `json:"differences_minor"`
	Residual        int64 `json:"residual_minor"`
}

type wireRoll struct {
	Yesterday      int64 `json:"yesterday_minor"`
	NewlySucceeded int64 `json:"newly_succeeded_minor"`
	Matched        int64 `json:"matched_minor"`
	Ended          int64 `json:"ended_minor"`
	Restated       int64 `json:"restated_minor"`
	Today          int64 `json:"today_minor"`
}

type wireBalance struct {
	Statement  string   `json:"statement"`
	Opening    int64    `json:"opening_minor"`
	NetSum     int64    `json:"net_sum_minor"`
	Closing    int64    `json:"closing_minor"`
	Residual   int64    `json:"residual_minor"`
	LineErrors []string `json:"line_errors,omitempty"`
}

type wirePayout struct {
	ID           string `json:"id"`
	Statement    string `json:"statement"`
	Minor        int64  `json:"minor"`
	MembersNet   int64  `json:"members_net_minor"`
	Residual     int64  `json:"residual_minor"`
	Unverifiable bool   `json:"unverifiable"`
}

type wireCoverage struct {
	Statement    string         `json:"statement"`
	Provider     string         `json:"provider"`
	Account      string         `json:"account,omitempty"`
	Mode         string         `json:"mode"`
	Sort         string         `json:"sort"`
	Grade        string         `json:"grade"`
	From         string         `json:"from,omitempty"`
	Through      string         `json:"through,omitempty"`
	Holes        []wireInterval `json:"holes"`
	Lines        int            `json:"lines"`
	Units        int            `json:"units"`
	NextPullFrom string         `json:"next_pull_from,omitempty"`
}

type wireInput struct {
	Side        string        `json:"side"`
	Name        string        `json:"name"`
	Profile     string        `json:"profile,omitempty"`
	SHA256      string        `json:"sha256,omitempty"`
	Rows        int           `json:"rows"`
	Movements   int           `json:"movements"`
	Information int           `json:"information"`
	Errors      int           `json:"errors"`
	Repeats     int           `json:"repeats"`
	Covers      *wireInterval `json:"covers,omitempty"`
	Grade       string        `json:"grade,omitempty"`
	Notes       []string      `json:"notes"`
}
