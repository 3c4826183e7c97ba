package provider

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
)

// Capabilities is what a provider can tell, by operation where that differs.
// Durations that the provider does not document are named in Doubtful.
type Capabilities struct {
	Type       string // of the adapter: stripe, asaas, …
	Zone       string // IANA name of the statement days, where the provider fixes it
	Statements []Statement
	Lookups    []Lookup
	// BooksAfter is how long after its capture a unit shows in the ledger;
	// BooksAfterBy the same by method. A parcel's due day comes on top.
	BooksAfter   time.Duration
	BooksAfterBy map[string]time.Duration
	// Keys says what the provider promises about idempotency keys.
	Keys []KeyPromise
	// Means lists what `succeeded` can mean at this provider, by operation.
	Means         map[payment.Operation][]evidence.Means
	LineIDsUnique bool
	// HasObjectList: what was created can be listed by creation time, whole.
	HasObjectList bool
	// Unlisted are operations whose units no object list shows. What is absent
	// of them the ledger tells, and look-ups.
	Unlisted []payment.Operation
	// Expected are raw words of lines that no attempt is behind (RULES §4).
	Expected []string
	// Variation is the allowed difference per method, in basis points of the
	// principal (interest and fine of a boleto).
	Variation map[string]int64
	// Marks lists what can ever be offered, and on which evidence.
	Marks []Mark
	// NeverKnown are sentences about what cannot be known here; Doubtful about
	// what this adapter assumes and no document settles.
	NeverKnown []string
	Doubtful   []string
	Rate       Rate
}

// Statement is one list or ledger that can be read by time.
type Statement struct {
	Name string // unique within the provider; stored coverage carries it
	Sort payment.Sort
	// PublishLag is until what happened must show here.
	PublishLag time.Duration
	// Reread is how far behind the covered end each pull reads again, for late
	// and restated rows.
	Reread  time.Duration
	Slice   Slice
	Members payment.Membership
	// Shifts: pages are counted by offset, so that rows move between them while
	// new ones arrive. Such a slice is read until two passes agree.
	Shifts bool
	// NewestFirst: later rows come on earlier pages.
	NewestFirst bool
	// Chained: each page states its balances, and each page's opening is the
	// closing of the one before it in time.
	Chained bool
	// Parallel is how many slices may be read at once, 0: one.
	Parallel int
	// PageRows is how many rows a page has at most; MaxRows how many rows of
	// one slice can be reached at all, 0: no limit.
	PageRows, MaxRows int
	// HeldFor is how far back the provider answers, 0: not known to end.
	HeldFor time.Duration
}

// Slice says how time may be cut for a statement.
type Slice struct {
	// Grain is the smallest step of a boundary, 0: a second. Days: boundaries
	// are the starts of days in the account's zone.
	Grain time.Duration
	Days  bool
	// Max is the longest slice that may be asked for, 0: no limit; Aim is a
	// good length for a usual shop, which the reader may shorten, 0: a day.
	Max, Aim time.Duration
}

// Consistency says whether a look-up may miss what exists.
type Consistency uint8

// Strong shows what is stored; Eventual lags behind it (a search index).
const (
	Strong Consistency = iota
	Eventual
)

// Lookup is one way to ask about one attempt.
type Lookup struct {
	// Key is what it asks by; Value is empty. A KeyReference's Name is the
	// configured reference's, whose place at the provider is this endpoint's.
	Key         payment.LookupKey
	Operations  []payment.Operation // nil: all of the provider
	Endpoint    string
	Consistency Consistency
	// VisibleAfter is until a unit must show here; HeldFor how long the
	// endpoint answers about it, 0: not known to end.
	VisibleAfter time.Duration
	HeldFor      time.Duration
}

// KeyPromise is what a provider says of idempotency keys of an operation.
type KeyPromise struct {
	Operation  payment.Operation
	Retention  time.Duration // 0: none
	Documented bool          // a contract, not an observation
}

// Mark is a verdict that can be offered, and what it takes.
type Mark struct {
	Operation payment.Operation
	Status    payment.Status // Succeeded or Failed
	By        string         // the evidence, in a few words
}

// Rate is the provider's published limit: Requests per Per, and how many may
// run at once, 0: no limit known.
type Rate struct {
	Requests   int
	Per        time.Duration
	Concurrent int
}

// Place says where a merchant's reference stands at the provider.
type Place struct {
	Name  string // of the reference, as configured
	Scope payment.Scope
	There string // field, or metadata.KEY
}

// Statement gives the statement of a name.
func (c *Capabilities) Statement(name string) (Statement, bool) {
	for _, s := range c.Statements {
		if s.Name == name {
			return s, true
		}
	}
	return Statement{}, false
}
