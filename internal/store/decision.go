package store

import (
	"context"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Decisions are what people say about attempts that a later settlement rests
// on. Each is written together with its audit entry, whose Seq, At, Login and
// hashes the store fills, in one transaction.
type Decisions interface {
	// Logins tells whether the database can tell two people apart. Where it can
	// not nobody can approve.
	Logins() bool
	// Approve records a second person's yes to one digest. ErrNoLogins where Logins
	// says no.
	Approve(ctx context.Context, a Approval, entry audit.Entry) (audit.Entry, error)
	// Approvals lists those of an attempt, oldest first.
	Approvals(ctx context.Context, attempt string) ([]Approval, error)
	// AddManual records what a person saw at the provider.
	AddManual(ctx context.Context, m Manual, entry audit.Entry) (audit.Entry, error)
	// Manuals lists what people saw about an attempt, in the order of adding.
	Manuals(ctx context.Context, attempt string) ([]Manual, error)
	// Dismiss puts a look-alike of an attempt aside; a later reason replaces the
	// earlier one.
	Dismiss(ctx context.Context, d reconcile.Dismissal, entry audit.Entry) (audit.Entry, error)
}

// Approval is a second person's yes to one verdict. Login and At are filled by
// the store.
type Approval struct {
	Attempt, Mark, Digest string
	Operator              string
	Login                 string
	At                    payment.Instant
}

// Manual is what a person saw at the provider, and where. Login and AddedAt
// are filled by the store.
type Manual struct {
	OpID       string
	Attempt    string
	Seen       string // captured, declined, absent
	Place      string
	Note       string
	Attachment string // hex SHA-256 of a file that is kept elsewhere, "" for none
	Operator   string
	Login      string
	ObservedAt payment.Instant
	AddedAt    payment.Instant
}
