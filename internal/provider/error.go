package provider

import (
	"cmp"
	"fmt"
	"strings"
)

// Reason says in one word why there is no answer. It is kept as the Reason of
// a payment.Lookup and printed as it stands.
type Reason string

// The reasons. None of them means that something does not exist (law 5).
const (
	Unreachable  Reason = "unreachable"    // no connection, name not found, TLS refused, connection cut
	Timeout      Reason = "timeout"        // a deadline passed; Stage says which
	HTTP5xx      Reason = "http_5xx"       // a 500 and above, or what a proxy in front said
	HTTP429      Reason = "http_429"       // the provider's limit, after all tries
	HTTP409      Reason = "http_409"       // in use, a concurrent request
	HTTP4xx      Reason = "http_4xx"       // refused for another cause
	Credentials  Reason = "credentials"    // 401, 403: the key is wrong or may not ask this
	Redirect     Reason = "redirect"       // sent elsewhere; nothing follows
	Unparsable   Reason = "unparsable"     // no JSON, another shape, an error inside a 200
	Partial      Reason = "partial"        // cut off, or over a cap
	Loop         Reason = "loop"           // pages that lead back
	Shifted      Reason = "shifted"        // rows moved while pages were read, twice
	Untied       Reason = "untied"         // stated counts or balances do not add up
	Expired      Reason = "cursor_expired" // the cursor is no longer known: the slice starts again
	NotAnswering Reason = "not_answering"  // asked too often without an answer; not asked again now

	OtherReference Reason = "other_reference" // the answer is about something else
	OtherAccount   Reason = "other_account"
	WrongMode      Reason = "wrong_mode"
	PeriodNotHeld  Reason = "period_not_held"
)

// The stages of a request that a deadline or failure can fall in.
const (
	StageDial    = "connect"
	StageTLS     = "tls"
	StageSend    = "request"
	StageHeaders = "headers"
	StageBody    = "body"
)

// Error is that there is no complete, well-formed answer. Its text names
// endpoint, reason, stage and cause, and holds no secret and no query.
type Error struct {
	Reason   Reason
	Stage    string // one of the stages, "" where none is to blame
	Endpoint string // its name, not its URL
	Status   int    // of HTTP, 0 where none came
	Err      error
}

func (e *Error) Error() string {
	parts := []string{"ask " + cmp.Or(e.Endpoint, "the provider"), strings.ReplaceAll(string(e.Reason), "_", " ")}
	if e.Stage != "" {
		parts = append(parts, "at "+e.Stage)
	}
	if e.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", e.Status))
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

func (e *Error) Unwrap() error { return e.Err }
