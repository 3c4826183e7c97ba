package store

import (
	"errors"
	"fmt"

	"desfecho/internal/payment"
)

// The errors that a caller treats differently. With each but ErrUnconfirmed
// nothing was written.
var (
	// ErrLeased: another run holds the lease (exit 75). The error is a *LeasedError.
	ErrLeased = errors.New("another run holds the lease")
	// ErrLeaseLost: the lease ended before the write, and somebody else may
	// have taken it. Take it again and go on from the stored cursor.
	ErrLeaseLost = errors.New("the lease was lost: nothing of this step was written, what was stored before stays; run it again")
	// ErrNewerSchema: desfecho's tables were made by a newer program. Update
	// the program; the tables are never taken back.
	ErrNewerSchema = errors.New("desfecho's tables are newer than this program: nothing was read or written; update desfecho")
	// ErrOldSchema: a migration is missing.
	ErrOldSchema = errors.New("desfecho's tables are older than this program: nothing was read or written; run `desfecho schema --apply`")
	// ErrNoSchema: there are no tables of desfecho in this database.
	ErrNoSchema = errors.New("desfecho's tables are not in this database: nothing was read or written; run `desfecho schema --apply`")
	// ErrReadOnly: a standby, or a connection or role that may not write.
	ErrReadOnly = errors.New("the database takes no writes here: nothing was written; use the primary, and a role that may write desfecho's tables")
	// ErrDenied: the role lacks a grant. The message names the object.
	ErrDenied = errors.New("the database role may not do this: nothing was written; see `desfecho schema --roles`")
	// ErrMoved: another run was saved since this one loaded, or somebody stored
	// the same lines meanwhile. Load and compare again.
	ErrMoved = errors.New("another run wrote the same meanwhile: nothing was written; run it again")
	// ErrUnconfirmed: the connection broke while the database committed. It is
	// not known whether it was written; do the same call again, which finds out.
	ErrUnconfirmed = errors.New("it is not known whether this was written: the connection broke during the commit; run it again, which finds out")
	// ErrNoRun: no run of that id was saved.
	ErrNoRun = errors.New("no such run")
	// ErrNoLogins: the database knows no logins, so that it cannot tell who
	// proposes from who approves.
	ErrNoLogins = errors.New("an approval needs a database with logins, and this is a file: nothing was written")
	// ErrBroken: the connection ended before a commit was sent, or in the middle
	// of reading.
	ErrBroken = errors.New("the connection to the database broke: nothing of this step was written; run it again")
	// ErrDisk: the database's disk, or a limit on it, takes no more.
	ErrDisk = errors.New("the database's disk is full or fails: nothing of this step was written; make room and run it again")
	// ErrHiddenRows: row-level security would hide attempts. Where a part is
	// read for the whole, what is missing here would be called unrecorded.
	ErrHiddenRows = errors.New("row-level security may hide rows from this role: nothing was judged or written; give the role BYPASSRLS, or describe a view whose owner sees every row")
	// ErrTimedOut: the database ended a statement that took too long, or a
	// lock was not given in time.
	ErrTimedOut = errors.New("the database ended the statement: nothing of this step was written")
)

// LeasedError names who holds a lease.
type LeasedError struct {
	Provider, Account string
	Owner             string
	Since, Expires    payment.Instant
}

func (e *LeasedError) Error() string {
	return fmt.Sprintf("%s %s is in use by %s since %s: nothing was written; its lease ends by itself at %s unless it is renewed",
		e.Provider, e.Account, e.Owner, e.Since, e.Expires)
}

// Is makes errors.Is(err, ErrLeased) hold.
func (e *LeasedError) Is(target error) bool { return target == ErrLeased }

// DescriptionError is a description of the attempts table that cannot be used
// (exit 2).
type DescriptionError struct {
	Key     string // of the configuration, such as attempts.columns.amount
	Problem string
	Advice  string
}

func (e *DescriptionError) Error() string { return e.Key + ": " + e.Problem }

// Hint says what to do next.
func (e *DescriptionError) Hint() string { return e.Advice }

// BadRowError is a row of the attempts table that cannot be read as the
// description says (exit 2). Nothing was taken.
type BadRowError struct {
	Relation, ID, Column, Value string
	Problem                     string
	Advice                      string
}

func (e *BadRowError) Error() string {
	return fmt.Sprintf("%s, attempt %s, column %s: %q: %s; nothing was judged", e.Relation, e.ID, e.Column, e.Value, e.Problem)
}

// Hint says what to do next.
func (e *BadRowError) Hint() string { return e.Advice }

// UnstorableError is text of a provider that a database cannot hold: a NUL
// byte or bytes that are no UTF-8.
type UnstorableError struct {
	What, Name, Field string // line or unit, its id, its column
	Row               int32  // line of the file, where there is one
}

func (e *UnstorableError) Error() string {
	return fmt.Sprintf("%s %q (row %d), field %s: holds a NUL byte or is not UTF-8; nothing of the page was stored", e.What, e.Name, e.Row, e.Field)
}

// ForeignError is a line or unit of another provider or account than the
// lease's.
type ForeignError struct{ What, Name, Provider, Account string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s %q is of %s %s, which is not what is being stored; nothing of the page was stored", e.What, e.Name, e.Provider, e.Account)
}
