// Package check looks at a merchant's database for what lets payment attempts
// go wrong: an index that is missing, a timeout that was taken for a no, a key
// made from the order, a credit given twice. Each audit answers one question
// about the rows or the catalogue in one line; at the end stand the questions
// that a payments team should be able to answer yes to.
//
// It never writes, asks no provider, opens no database and reads no clock. It
// proves nothing about a single payment, and what it cannot see it says.
package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"desfecho/internal/catalog"
	"desfecho/internal/mask"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// Level is how an audit ended.
type Level uint8

// OK: nothing against it. Warning: look at it. Fault: money is or will be at
// stake. Unknown: it cannot be seen, and the finding says why.
const (
	OK Level = iota
	Warning
	Fault
	Unknown
)

func (l Level) String() string { return [...]string{"ok", "warning", "fault", "unknown"}[l] }

// Finding is one line: what an audit found. Says and Example hold text of the
// database: they reach a screen only through ui.Clean.
type Finding struct {
	Name    string
	Level   Level
	Rows    int64  // how many rows, charges or keys it is about
	Example string // the id of one of them, "" where there is none
	Says    string // one sentence
	Do      string // what to do, "" at OK
}

// ExampleOf says what Example is the id of.
func (f *Finding) ExampleOf() string {
	switch f.Name {
	case "two_open_attempts", "several_succeeded", "double_credit":
		return "charge"
	case "key_reused":
		return "key"
	case "events_stale", "events_unsettled":
		return "event"
	case "credit_without_payment":
		return "entry"
	case "provider_key":
		return "provider"
	case ProviderReach, ProviderAccount, ProviderAccess, ProviderClock, ProviderStatement, ProviderLookup:
		return "account"
	}
	return "attempt"
}

// Report is what Run found, in the order of Audits and of Questions.
type Report struct {
	Findings []Finding
	Answers  []Answer
}

// Worst is the worst level of all findings; Unknown is none.
func (r *Report) Worst() Level {
	worst := OK
	for _, f := range r.Findings {
		if f.Level != Unknown {
			worst = max(worst, f.Level)
		}
	}
	return worst
}

// Find gives the finding of an audit.
func (r *Report) Find(name string) Finding {
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	return Finding{Name: name, Level: Unknown}
}

// Audit is one line of the report. Question is what it asks, Do what to do
// where the answer is bad.
type Audit struct {
	Name     string
	Question string
	Do       string
	judge    func(*look, context.Context) verdict
}

// verdict is what an audit came to.
type verdict struct {
	level   Level
	rows    int64
	example string
	says    string
}

func good(format string, args ...any) verdict { return verdict{says: fmt.Sprintf(format, args...)} }

func unseen(format string, args ...any) verdict {
	return verdict{level: Unknown, says: "cannot be seen: " + fmt.Sprintf(format, args...)}
}

// of is a verdict whose sentence begins with its number, where there is one.
func (l Level) of(rows int64, example, format string, args ...any) verdict {
	v := l.about(rows, example, format, args...)
	if rows > 0 {
		v.says = fmt.Sprintf("%d %s", rows, v.says)
	}
	return v
}

func (l Level) about(rows int64, example, format string, args ...any) verdict {
	return verdict{level: l, rows: rows, example: example, says: fmt.Sprintf(format, args...)}
}

// Input is what there is to look at. Database and Attempts are required.
type Input struct {
	Database catalog.Database
	Replica  *catalog.Database // that serves reading, nil where none does
	Attempts *store.Description
	Events   *store.EventsTable
	Business *BusinessTable
	// Providers as configured; of one that is not here the defaults of RULES §8
	// hold.
	Providers []Provider
	// Configured are the names of all providers of the configuration, also of
	// those that nobody asked about.
	Configured []string
	Pairs      *Paired // nil: none
	// Generated is what the configuration makes for the database.
	Generated Generated
	Links     []Link
	// Clock is the program's own clock; it is compared with the database's.
	Clock func() time.Time
	// AsOf is the moment from which ages count; 0: the database's clock.
	AsOf payment.Instant
	// Sample bounds the rows that are read one by one, newest first; 0: 20,000.
	Sample int
}

// Provider is what an audit needs to know of one provider.
type Provider struct {
	reconcile.Policy
	KeyRetention time.Duration // how long it remembers a key; 0: not known
	// MovesMoney: whether the key that desfecho was given could do more than
	// read; KeySays is how that is known.
	MovesMoney Seen
	KeySays    string
}

// Seen is an answer that may be missing.
type Seen uint8

// The answers; the zero value is that it was not seen.
const (
	NotSeen Seen = iota
	Yes
	No
)

// Pair is an attempt and the provider's object that is linked to it beyond
// doubt (RULES §3.3).
type Pair struct {
	Attempt    *payment.Attempt
	Unit       string
	UnitKey    string // as the provider tells it, "" where it does not
	UnitMade   payment.Instant
	Precision  time.Duration // of UnitMade; 0: a second
	UnitIsPaid bool
}

// Link counts the lines of a provider's statements by what they say of one
// reference.
type Link struct {
	Provider  string
	Reference string // name
	Lines     int64  // of attempts' money: charges, refunds, transfers
	Carrying  int64  // that carry the reference at all
	Linked    int64  // whose value is one that is stored here
}

// Run asks every audit. An audit that cannot be asked says so; only an end of
// the context or a description that cannot be used (*store.DescriptionError)
// is an error.
func Run(ctx context.Context, in Input) (*Report, error) {
	if in.Pairs == nil {
		in.Pairs = &Paired{}
	}
	l, err := open(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	r := &Report{}
	for _, a := range Audits() {
		v := a.judge(l, ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("check: %w", context.Cause(ctx))
		}
		f := Finding{Name: a.Name, Level: v.level, Rows: v.rows, Example: mask.Key(v.example), Says: v.says}
		if v.level == Warning || v.level == Fault {
			f.Do = a.Do
		}
		r.Findings = append(r.Findings, f)
	}
	r.Answers = answers(r, l)
	return r, nil
}

// because turns an error into a verdict.
func because(err error) verdict {
	if errors.Is(err, store.ErrTimedOut) {
		return unseen("the database took longer than a statement may: %v", err)
	}
	return unseen("%v", err)
}
