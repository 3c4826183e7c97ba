// Package profile describes dialects of files as data: which headings a file
// has, in which words, marks, layouts and zone it speaks, which of its rows
// are movements and which ids name a unit. A new dialect needs no code.
//
// It also holds what the readers of both sides share: binding headings to
// cells, and reading amounts and dates by the style that a column proves. It
// judges no payment, and opens no file but a profile's own.
package profile

import (
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
)

// The two kinds of file that a profile can describe.
const (
	KindStatement = "statement" // a provider's side
	KindAttempts  = "attempts"  // the merchant's own side
)

// Profile is one dialect. docs/profiles.md explains every key of the YAML form.
type Profile struct {
	Name   string
	Title  string
	Kind   string // KindStatement or KindAttempts
	Origin string // "built in", or the path it was loaded from
	Hint   string // what to do where a column is missing, in the provider's own words

	Provider     string // of every row; empty: a column or the caller says it
	Account      string
	ManyAccounts bool // rows of several accounts may stand in one file

	Records   string // JSON: dot path to the rows
	Pages     PageKeys
	Encoding  string // "": found out
	Delimiter rune   // 0: found out

	Amounts      AmountStyle
	Dates        DateStyle
	Columns      map[string][]Column // by field name
	Required     [][]string          // of each group, one field must have a column
	Unless       []string            // headings that make Detect doubt
	Ignore       []string            // headings that are known and not read
	RefuseOthers bool                // a heading that is in no list refuses the file
	References   []Reference
	Units        []UnitRule

	Statement StatementRules
	Attempts  AttemptRules

	// What a policy of this provider should know (RULES §1, horizons).
	Variation    map[string]int64 // basis points of the principal, by method
	BooksAfter   time.Duration
	BooksAfterBy map[string]time.Duration // by method

	needs []need // Required, made ready to compare
}

// StatementRules say what the rows of a statement are.
type StatementRules struct {
	Sort          payment.Sort
	LineIDsUnique bool
	Kinds         map[payment.Kind][]string // the provider's words; "*": any other
	SignWins      bool                      // a charge that takes money is its reversal, and so on
	Information   []string                  // rows that are no movement begin with these
	Opening       []string
	Closing       []string
	Still         []string // types or statuses of rows that moved no money
	Moved         []string // statuses of rows that did
	States        map[payment.State][]string
	Expected      []string // types of lines that need no attempt
	Members       payment.Membership
	PublishLag    time.Duration
}

// AttemptRules say what the rows of an attempts file are.
type AttemptRules struct {
	SucceededMeans map[payment.Operation]string // created, authorized or captured
	Status         map[payment.Status][]string
	Operations     map[payment.Operation][]string
	Reserves       map[payment.Reserve][]string
	NoUnknownWord  bool // no word of Status means unknown
}

// AmountStyle says how amounts are written.
type AmountStyle struct {
	Minor        bool           // integers of minor units, else decimals
	Mark         byte           // '.' or ','; 0: proven per column
	Currency     string         // of every row where no column says it
	DebitWords   []string       // the words of column side that turn the sign; nil: no such rule
	CreditWords  []string       //
	FeesNegative bool           // fees and taxes that were kept back are negative numbers
	Exponents    map[string]int // of minor units, where the provider counts otherwise than ISO 4217
}

// DateStyle says how dates are written.
type DateStyle struct {
	Layouts []string       // empty: proven per column
	Zone    *time.Location // of text without a zone; nil: the caller's, else UTC
	UTC     []string       // headings whose text is UTC whatever Zone says
}

// Column is one heading that a field may be read from. In JSON rows the
// heading is a dot path. Path leads to a value inside a cell that itself
// holds JSON.
type Column struct {
	Heading string
	Path    string
}

// Reference says which columns hold one kind of merchant's identifier. A `*`
// in a heading stands for any text, which replaces a `*` in Name.
type Reference struct {
	Name    string
	Scope   payment.Scope
	Kinds   []payment.Kind // nil: lines of every kind
	Columns []Column
}

// UnitRule overrides, for lines of some kinds, which columns name the unit,
// its parent and the payout. A nil list leaves the general column in force,
// an empty one names nothing.
type UnitRule struct {
	Kinds  []payment.Kind
	Unit   []Column
	Parent []Column
	Payout []Column
}

// UsageError is an input that cannot be used as asked (exit 2): nothing of it
// was taken.
type UsageError struct {
	Problem string
	Advice  string
}

// Error masks what the problem quotes of a file.
func (e *UsageError) Error() string { return mask.Text(e.Problem) }

// Hint says what to do next.
func (e *UsageError) Hint() string { return e.Advice }

// Tally is the identity that every reading prints: Rows = Movements +
// Information + Errors.
type Tally struct{ Rows, Movements, Information, Errors int }
