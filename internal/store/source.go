package store

import (
	"context"
	"errors"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// AttemptFilter says which attempts to read: those that meet any one of the
// conditions stated. The zero filter reads all.
type AttemptFilter struct {
	Providers []string          // only these, and rows that name none; nil: all
	Others    bool              // rows that name another than Providers, and no others
	Created   *payment.Interval // created in it
	Open      bool              // pending or unknown
	By        AttemptKey        // with Values: whose key is one of them
	Values    []string
	// Outside, where given, stands alone beside Providers: neither open nor
	// created in it.
	Outside *payment.Interval
	Limit   int // ErrMore beyond so many rows; 0: none
	// Wanted, where given, is told what the charge of the row that comes next
	// wants, in minor units, where that is not the amount of the row itself.
	Wanted func(charge string, minor int64) error
	// Bad, where given, is told of a row that cannot be read, whose keys are
	// there; the reading goes on.
	Bad func(a payment.Attempt, err error) error
}

// AttemptKey is what attempts are looked for by.
type AttemptKey struct {
	Kind      KeyKind
	Reference int // into Description.References, where Kind is ByReference
}

// KeyKind is the sort of column that attempts are looked for by.
type KeyKind uint8

// The keys of an attempt.
const (
	ByID KeyKind = iota
	ByCharge
	ByIdempotencyKey
	ByProviderID
	ByReference
)

// LineFilter says which stored lines to read: of a statement day or of none,
// with one of the keys, held by one of the payouts, or versions of one line.
// With Outside the days alone are asked for, and all others are meant.
type LineFilter struct {
	Providers  []string
	Days       []DayRange
	Keys       []int64
	Payouts    []string
	Identities [][16]byte
	Outside    bool
	Limit      int // with Outside: ErrMore beyond so many rows
}

// UnitFilter says which observations to read: of units created in the interval,
// or with one of the keys. With Outside all others are meant.
type UnitFilter struct {
	Providers []string
	Created   *payment.Interval
	Keys      []int64
	Outside   bool
	Limit     int // with Outside: ErrMore beyond so many rows
}

// ErrMore is the error of a reading that met more rows than its limit.
var ErrMore = errors.New("more rows than were asked for")

// StoredLine is a line, its place in the order of storing and what tells it
// from others.
type StoredLine struct {
	Seq      int64
	Identity [16]byte
	Line     payment.Line
}

// StoredUnit is an observation and its place in the order of storing.
type StoredUnit struct {
	Seq  int64
	Unit payment.Unit
}

// Source is what Gather reads from: one snapshot of a database. Each row may
// come more than once.
type Source interface {
	Attempts(ctx context.Context, filter AttemptFilter, each func(payment.Attempt) error) error
	Lines(ctx context.Context, filter LineFilter, each func(StoredLine) error) error
	Units(ctx context.Context, filter UnitFilter, each func(StoredUnit) error) error
	// Lookups reads what was asked about the attempts, oldest first; about all
	// where attempts is nil, and ErrMore beyond so many.
	Lookups(ctx context.Context, attempts []string, limit int, each func(payment.Lookup) error) error
	// Events reads stored events of the providers from an instant on, and those
	// that name no provider.
	Events(ctx context.Context, providers []string, since payment.Instant, each func(StoredEvent) error) error
	// Dismissals reads what was put aside, for all attempts where attempts is nil.
	Dismissals(ctx context.Context, attempts []string) ([]reconcile.Dismissal, error)
	Statements(ctx context.Context, providers []string) ([]StoredStatement, error)
	Memory(ctx context.Context, providers []string, days []DayRange) (*reconcile.Memory, LoadedFrom, error)
}

// StoredStatement is a coverage and the number of lines it has in all.
type StoredStatement struct {
	payment.Statement
	Lines int
}
