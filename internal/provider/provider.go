// Package provider is the port to payment providers: what desfecho asks them,
// what they answer, what each can and cannot say (RULES §1, §6).
//
// An adapter in providers/ implements it over one provider's API and must pass
// the suite in providers/providertest. Nothing behind this port can create,
// capture, refund, cancel or send anything (law 1): no method takes an amount
// or a target, and providers/httpx sends GET. It stores nothing and concludes
// nothing: pages are checked and kept by internal/pull, answers by those who
// ask.
package provider

import (
	"context"

	"desfecho/internal/payment"
)

// Provider is one account of one provider, in one mode. Its methods may be
// called at once from several goroutines.
//
// Every method that asks returns either a complete, well-formed answer of the
// account and mode that it was made for, or an *Error; never part of an answer.
type Provider interface {
	// Capabilities says what the provider can tell. It does no I/O and always
	// gives the same.
	Capabilities() Capabilities
	// Identity asks whose account the credential opens. The caller binds it on
	// first use and refuses another one later.
	Identity(ctx context.Context) (Identity, error)
	// Page reads one page of a statement's slice. Reading a slice again from
	// the cursor "" gives it again from its beginning.
	Page(ctx context.Context, request Request) (Page, error)
	// LookUp asks by one key. A complete, well-formed no is NotFound; whatever
	// else is not Found is an *Error (law 5). The positive control is a LookUp
	// of a unit that is known to exist, by the same endpoint and kind of key.
	LookUp(ctx context.Context, question Question) (Answer, error)
}

// Identity is whose account a credential opens.
type Identity struct {
	// Account is the provider's own id of the account; where it has none that
	// a credential can ask for, a digest of what it tells of the owner.
	Account string
	Mode    payment.Mode
}

// Request asks for one page.
type Request struct {
	Statement string           // name of one of Capabilities.Statements
	Slice     payment.Interval // half-open, cut as the statement's Slice says
	Cursor    string           // "" for the first page, else Next of the page before
}

// Page is one page of a slice, whole.
type Page struct {
	// Lines and Units, in the provider's order. They carry the adapter's name
	// and account, and Statement is the request's. ObservedAt is not set: that
	// is the database's clock, which the caller knows.
	Lines []payment.Line
	Units []payment.Unit
	// Rows are the provider's ids of the page's rows, in order, one per row
	// whatever became of it: repeats and shifts are seen by them.
	Rows []string
	// Next goes on where this page ends, "" where the slice is at its end and
	// the provider says so.
	Next string
	// Total is how many rows the slice has, where the provider states it.
	Total payment.Stated
	// Date is the provider's clock when it answered, 0 where it told none.
	Date payment.Instant
	// Through is the provider's own watermark: nothing earlier is still to
	// come. 0: Date less the statement's PublishLag. The slice is covered up to
	// it at most, and not at all where there is neither.
	Through payment.Instant
	// Opening and Closing are the balances before the earliest and after the
	// latest of this page's rows, where the ledger states them: minor units of
	// the only currency of its lines.
	Opening, Closing payment.Stated
}

// Question asks about one attempt by one key. A positive control asks about
// the attempt that the known unit would belong to.
type Question struct {
	// Attempt gives operation, account and the window in which the unit must
	// have been created, for providers that list and compare. It is never nil.
	Attempt *payment.Attempt
	// Key is of one of Capabilities.Lookups.
	Key payment.LookupKey
}

// Answer is a complete, well-formed answer: Found with every unit that carries
// the key, or NotFound. The units' ObservedAt is the caller's to set.
type Answer struct {
	Outcome payment.Outcome
	Units   []payment.Unit
	Account string
	Mode    payment.Mode
	// Endpoint names what was asked, as Lookup.Endpoint does.
	Endpoint string
	// Date is the provider's clock, 0 where it told none.
	Date payment.Instant
	// Canonical is the facts of the answer in a form that is the same bytes
	// whenever they are the same, for digests. Raw is what came, for people; it
	// holds personal data until it is masked.
	Canonical []byte
	Raw       []byte
}
