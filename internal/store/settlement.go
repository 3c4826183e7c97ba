package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/planted"
)

// Settlements give one attempt its outcome (RULES §7): the only write to the
// merchant's data. An operation is known by its id: first an intent, alone;
// then the write with its entry in the audit, in one transaction; and where
// the reply to that is lost, a claim, which finds out or makes sure.
type Settlements interface {
	// Ready tells who is logged in, "" where the database knows no logins;
	// ErrReadOnly where nothing can be written, as on a standby.
	Ready(ctx context.Context) (login string, err error)
	// See reads one attempt as a write must find it again. ErrNoAttempt.
	See(ctx context.Context, id string) (*Seen, error)
	// Intend records what is about to be written, and is committed before it.
	Intend(ctx context.Context, intent Intent) error
	// Settle writes one attempt's outcome, its follow-ups and its audit entry in
	// one transaction. A *MovedError says why nothing was written;
	// ErrUnconfirmed that it is not known: Claim the operation then, never
	// settle again with a new one.
	Settle(ctx context.Context, write Settlement) (audit.Entry, error)
	// Claim ends an operation whose outcome is not known: its entry, if it was
	// written; else one that says it was abandoned, after which it can never be
	// written. ErrTimedOut or ErrUnconfirmed: it is still not known.
	Claim(ctx context.Context, intent Intent, program string) (audit.Entry, error)
	// Unsettled lists the intents older than age that have no audit entry.
	Unsettled(ctx context.Context, age time.Duration) ([]Intent, error)
	// Append adds what a person decided to the audit: Seq, At, Login, PrevHash
	// and Hash are filled.
	Append(ctx context.Context, entry audit.Entry) (audit.Entry, error)
	// Audit gives the entries in order, those of one attempt where it is named.
	Audit(ctx context.Context, attempt string, each func(*audit.Entry) error) error
	// Head is the end of the audit.
	Head(ctx context.Context) (audit.Head, error)
}

// Seen is one attempt's row at one moment.
type Seen struct {
	Attempt payment.Attempt
	Word    string // of the status, as it stands in the table
	Row     []Text // the described columns, as Reading.Selected lists them
	Version string // the version column, else the database's own; "": the row's columns are compared
	// Siblings are the charge's other attempts at that moment, sorted.
	Siblings []Sibling
	At       payment.Instant // database clock
}

// Intent is one operation that is about to be written.
type Intent struct {
	OpID     string
	Attempt  string
	Mark     string
	Digest   string
	Operator string
	Login    string          // filled by the store
	At       payment.Instant // likewise, database clock
}

// Settlement is one confirmed mark and what it rests on.
type Settlement struct {
	Intent
	Seen       *Seen
	Status     payment.Status // that is written: Succeeded, Failed, or Unknown for an orphan
	Transition string         // whose follow-ups belong to it
	Unit       string         // the provider's object, where the mark names one
	Evidence   string         // hashes of the observations, joined by commas
	Reason     string
	Program    string
}

// Legal tells whether the write is one of the three that RULES §2, law 3,
// allows, from the status as the rules read it.
func (s *Settlement) Legal(noUnknownWord bool) bool {
	from := s.Seen.Attempt.Status
	if from == payment.Pending && noUnknownWord {
		from = payment.Unknown
	}
	switch s.Status {
	case payment.Succeeded, payment.Failed:
		return from == payment.Unknown
	case payment.Unknown:
		return from == payment.Pending
	case payment.Pending, payment.StatusNone:
	}
	return false
}

// Settleable gives the effect of the write's transition, and refuses what is no
// legal write before anything is begun: a *MovedError.
func (r *Reading) Settleable(w *Settlement) (Effect, error) {
	refused := func(detail string) (Effect, error) {
		return Effect{}, &MovedError{Cause: CauseIllegal, Attempt: w.Attempt, Now: w.Seen, Detail: detail}
	}
	transition := w.Transition
	if planted.In(planted.ReleaseEarly) && w.Status == payment.Unknown {
		transition = payment.Failed.String()
	}
	effect, declared := r.Effect(transition)
	switch {
	case !w.Legal(r.NoUnknownWord()) && !planted.In(planted.AnyWrite):
		return refused("from " + w.Seen.Word + " to " + w.Status.String() + " is no write that desfecho makes")
	case !strings.HasPrefix(w.Transition, w.Status.String()):
		return refused("the transition " + w.Transition + " is not one to " + w.Status.String())
	case !declared:
		return refused("the transition " + w.Transition + " is not declared under attempts.transitions")
	case r.WordFor(w.Status) == "":
		return refused("attempts.status has no word for " + w.Status.String())
	}
	return effect, nil
}

// UnitAfter is what stands as the provider's object after the write.
func (s *Settlement) UnitAfter() string {
	if s.Status == payment.Succeeded && s.Unit != "" {
		return s.Unit
	}
	return s.Seen.Attempt.ProviderID
}

// Values are the parameters of the follow-ups.
func (s *Settlement) Values() map[string]string {
	a := &s.Seen.Attempt
	return map[string]string{
		"id": a.ID, "charge": a.Charge, "key": a.Key, "provider": a.Provider, "account": a.Account, "unit": s.Unit,
		"amount": fmt.Sprint(a.Amount.Minor), "currency": a.Amount.Currency.String(), "mark": s.Mark, "transition": s.Transition,
		"op_id": s.OpID, "operator": s.Operator, "reason": s.Reason,
	}
}

// Entry is the audit entry of the settlement; the store fills Seq, At, Login
// and the hashes.
func (s *Settlement) Entry(after string) audit.Entry {
	a := &s.Seen.Attempt
	return audit.Entry{
		Format: audit.Format, OpID: s.OpID, Kind: audit.Settled, Attempt: a.ID, Provider: a.Provider, Account: a.Account,
		Mark: s.Mark, Transition: s.Transition, Unit: s.Unit, Amount: a.Amount.Minor, Currency: a.Amount.Currency.String(),
		Before: s.Seen.Word + " " + a.ProviderID, After: after, Digest: s.Digest, Evidence: s.Evidence, Reason: s.Reason,
		Operator: s.Operator, Program: s.Program,
	}
}

// Abandonment is the audit entry that ends an operation for good.
func (i *Intent) Abandonment(program string) audit.Entry {
	return audit.Entry{
		Format: audit.Format, OpID: i.OpID, Kind: audit.Abandoned, Attempt: i.Attempt, Mark: i.Mark, Digest: i.Digest,
		Operator: i.Operator, Program: program,
	}
}

// ErrNoAttempt says that the attempts table has no such row, or the role cannot see it.
var ErrNoAttempt = errors.New("no such attempt")

// Cause says why a settlement wrote nothing.
type Cause string

// The causes of RULES §7.
const (
	CauseSettled   Cause = "settled"    // another outcome stands there
	CauseChanged   Cause = "changed"    // still open, but not the row that was seen
	CauseGone      Cause = "gone"       // no such row
	CauseHidden    Cause = "hidden"     // the row is there, the update does not reach it
	CauseLocked    Cause = "locked"     // somebody works on it just now
	CauseUnitHeld  Cause = "unit_held"  // another attempt holds the unit
	CauseSibling   Cause = "sibling"    // another attempt of the charge moved
	CauseFollowUp  Cause = "follow_up"  // a follow-up touched another number of rows
	CauseAbandoned Cause = "abandoned"  // the operation was claimed meanwhile
	CauseRefused   Cause = "refused"    // the database refused a statement
	CauseIllegal   Cause = "not_legal"  // no legal write, or no declared transition
	CauseEscaped   Cause = "left_alone" // a follow-up ended the transaction
)

// MovedError says that nothing was written, and why (exit 5).
type MovedError struct {
	Cause   Cause
	Attempt string
	Now     *Seen  // what stands there, nil where nothing could be read
	By      string // who settled it, holds the lock, holds the unit, or moved
	Detail  string // the index, the follow-up and its rows, the database's words
}

func (e *MovedError) Error() string {
	text := "attempt " + e.Attempt + ": nothing was written: "
	switch e.Cause {
	case CauseSettled:
		text += "it is " + e.Now.Word + " now" + by(e.By)
	case CauseChanged:
		text += "the row changed since it was read; it is still " + e.Now.Word + ": look again"
	case CauseGone:
		text += "the row is gone"
	case CauseHidden:
		text += "the row is there as it was seen, but the update reaches no row: a policy or trigger keeps it back"
	case CauseLocked:
		text += "it is locked" + by(e.By) + ": try again in a moment"
	case CauseUnitHeld:
		text += "the provider's object already stands on another attempt" + by(e.By) + " (" + e.Detail + ")"
	case CauseSibling:
		text += "attempt " + e.By + " of the same charge " + e.Detail + ": look again"
	case CauseFollowUp:
		text += "a follow-up did not touch the rows that it declares: " + e.Detail
	case CauseAbandoned:
		text += "this operation was given up meanwhile; begin again"
	case CauseRefused:
		text += "the database refused it: " + e.Detail
	case CauseIllegal:
		text += e.Detail
	case CauseEscaped:
		text += "a follow-up ended the transaction, which it may not"
	}
	return text
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " by " + who
}

// Tell says why the update of w reached no row, by the row that stands there.
func (e *MovedError) Tell(w *Settlement, now *Seen) {
	e.Now = now
	switch {
	case now.Attempt.Status.Final():
		e.Cause = CauseSettled
	case now.Word != w.Seen.Word || now.Version != w.Seen.Version || now.Attempt.ProviderID != w.Seen.Attempt.ProviderID:
		e.Cause = CauseChanged
	default:
		e.Cause = CauseHidden
	}
}

// FollowUpError is a follow-up that did not touch what it declares.
type FollowUpError struct {
	SQL  string
	Rows int64
}

func (e *FollowUpError) Error() string { return fmt.Sprintf("%d rows by %s", e.Rows, e.SQL) }

// Is makes errors.Is(err, ErrMoved) hold.
func (e *MovedError) Is(target error) bool { return target == ErrMoved }

// WriteTable is the table that resolve writes.
func (r *Reading) WriteTable() string {
	if r.Write != "" {
		return r.Write
	}
	return r.Read
}
