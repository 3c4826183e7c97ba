// Package store is the contract between desfecho and the database it works
// over: the merchant's described attempts, which it only reads here, and
// desfecho's own tables, which hold what was read at providers and what runs
// concluded (DESIGN §3).
//
// It holds the words of that contract and the parts that are the same over
// every database: which attempts and lines a run needs, what makes two lines
// one, how a described row becomes an attempt. It opens no database; adapters
// (postgres, sqlite) do, and each must pass the suite in store/storetest.
// Nothing here decides about a payment.
package store

import (
	"context"
	"time"

	"desfecho/internal/partition"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Store is one opened database. Every method that writes does it in one
// transaction of its own: with an error nothing of the call was written,
// except with ErrUnconfirmed.
type Store interface {
	Migrations
	Leases
	Pages
	Runs
	Settlements
	Decisions
	// View opens one consistent snapshot for reading. The caller closes it and
	// holds none open while a provider is asked or a person reads (law 4).
	View(ctx context.Context) (View, error)
	// Close gives back the connections.
	Close() error
}

// Migrations keep desfecho's own tables at the version of the program.
type Migrations interface {
	// Migrate applies what is missing, each step in one transaction, and names
	// what it applied. Concurrent calls are safe; ErrNewerSchema where the
	// database is ahead of the program.
	Migrate(ctx context.Context) (applied []string, err error)
	// CheckSchema is nil where the tables are those of the program, else
	// ErrNoSchema, ErrOldSchema or ErrNewerSchema.
	CheckSchema(ctx context.Context) error
	// Schema is the SQL of desfecho's own tables, for people who apply it
	// themselves.
	Schema() string
}

// Leases keep two runs off one account of a provider (DESIGN §3). Time is the
// database's.
type Leases interface {
	// Acquire takes the lease of an account, ErrLeased where another owner
	// holds it. A lease whose time is over is free: nobody has to release what
	// a dead owner held.
	Acquire(ctx context.Context, provider, account, owner string, ttl time.Duration) (Lease, error)
	// Release gives the lease back. ErrLeaseLost where it was not held any more.
	Release(ctx context.Context, lease Lease) error
}

// Lease is the right to write what one account of one provider says. Token
// grows with every acquisition, so that an owner who slept through its expiry
// is told so at its next write.
type Lease struct {
	Provider string
	Account  string
	Owner    string
	Token    int64
	TTL      time.Duration // each page renews the lease for so long
}

// Pages store what was read at a provider.
type Pages interface {
	// StorePage writes a page whole or not at all: it checks and renews the
	// lease (ErrLeaseLost), keeps of the lines only what is new (RULES §3.2),
	// and records units, coverage and cursor. The same page again changes
	// nothing but the lease. Text that a database cannot hold is refused with
	// an *UnstorableError.
	StorePage(ctx context.Context, lease Lease, page Page) (Counts, error)
	// StoreLookups records what a provider answered about attempts, and gives
	// how many of the observations were new. It needs no lease: observations are
	// added and never changed, and a person on call waits for no cron.
	StoreLookups(ctx context.Context, lookups []payment.Lookup) (int, error)
}

// Page is what one transaction stores: one page of a provider's answer, or a
// piece of a file. All of it is of the lease's provider; the lines' and units'
// account is theirs, and only the lease's or none is taken.
type Page struct {
	Source     string // where it came from, for people: a file's name and hash, an endpoint
	Lines      []NumberedLine
	Units      []payment.Unit
	Statements []payment.Statement // coverage that is proven once this page is stored
	// StatementLines tells how many lines each of Statements has in all, so
	// that its stated balances are only checked when all of them are loaded.
	StatementLines []int
	Cursor         *Cursor
	// Turn, where given, is awaited once lines and units are written, and gives
	// the cursor: a page whose lines and units no page under way holds may be
	// written beside it, and is finished after it.
	Turn func(context.Context) (*Cursor, error)
}

// Cursor is where the reading of one statement goes on.
type Cursor struct {
	Statement string
	Mode      payment.Mode
	Value     string
}

// Counts says what became of a page's lines. Repeats are not stored; a line
// restated with other facts and a later version of it are both kept beside the
// first. New + Later + Restated + Repeated is the number of lines.
type Counts struct {
	New, Later, Restated, Repeated int
}

// Add sums counts over pages.
func (c Counts) Add(o Counts) Counts {
	return Counts{c.New + o.New, c.Later + o.Later, c.Restated + o.Restated, c.Repeated + o.Repeated}
}

// Runs keep what runs concluded.
type Runs interface {
	// SaveRun writes a run, its divergences and their life, what is in transit
	// and the digests of its days in one transaction. ErrMoved where another
	// run of one of its providers was saved since the run's data were loaded.
	// Saving a run id again writes nothing and succeeds, which is how a lost
	// reply (ErrUnconfirmed) is settled. The leases are checked where given.
	SaveRun(ctx context.Context, leases []Lease, run Run) error
	// Told notes that somebody was told what the run found. What follows a run
	// that nobody was told of has it to tell (LoadedFrom.Untold).
	Told(ctx context.Context, run string) error
	// Run gives a saved run with its result; ErrNoRun.
	Run(ctx context.Context, id string) (Run, error)
	// Note adds to divergences' histories what a person decided, all or none.
	Note(ctx context.Context, notes ...Note) error
}

// Run is one comparison and what it concluded.
type Run struct {
	ID        string
	At        payment.Instant   // Result.Now
	Began     payment.Instant   // wall clock, for people
	Program   string            // version of the program
	Providers []string          // whose memory it replaces
	Loaded    LoadedFrom        // SaveRun guards and cuts by it; Run gives back the page alone
	Result    *reconcile.Result // Memory is saved as rows, and nil in what Run gives back
	Lapsed    []Note            // the decisions that end with it; Run gives none back
}

// LoadedFrom is what a run's data rested on. SaveRun refuses when it moved.
type LoadedFrom struct {
	Follows map[string]string // by provider, the run that the memory is of
	Untold  bool              // one of these ended before it was told (Runs.Told)
	Page    int64             // the last page that the snapshot saw
	Days    []DayRange        // the statement days that were loaded whole
}

// DayRange is the statement days First to Last, both included, of a provider.
type DayRange struct {
	Provider    string
	First, Last payment.Day
}

// Contains tells whether the day of the provider is in the range.
func (r DayRange) Contains(provider string, day payment.Day) bool {
	return r.Provider == provider && r.First <= day && day <= r.Last
}

// NoteKind is what a person did about a divergence.
type NoteKind string

// The notes of RULES §4, life. A baseline accepts the opening stock of an old
// merchant as one block (RULES §8).
const (
	NoteText        NoteKind = "note"
	NoteAcknowledge NoteKind = "acknowledged"
	NoteAccept      NoteKind = "accepted"
	NoteSnooze      NoteKind = "snoozed"
	NoteBaseline    NoteKind = "baseline"
	NoteLapsed      NoteKind = "lapsed" // by the program: the decision Ends does not hold any more
	NoteTold        NoteKind = "told"   // by the program: Text has who was told, and of which severity
)

// Note is one entry in a divergence's history, which is only added to. Class and
// Amount are what was accepted: an acceptance lapses when they change.
type Note struct {
	Number     int64 // grows with each; filled by the store
	Ends       int64 // NoteLapsed: Number of the decision that lapsed; else 0
	Divergence string
	Kind       NoteKind
	Until      payment.Instant // 0: without end
	Class      string
	Minor      int64
	Currency   string
	Text       string
	Operator   string          // as the program was told
	Login      string          // the database login; filled by the store
	At         payment.Instant // database clock; filled by the store
}

// View is one consistent snapshot of the database, read-only.
type View interface {
	// Now is the database's clock at the snapshot.
	Now() payment.Instant
	// Load reads all that a run over the scope needs (RULES §8).
	Load(ctx context.Context, scope Scope) (*Loaded, error)
	// About reads all that a decision about one attempt rests on; ErrNoAttempt.
	About(ctx context.Context, scope Scope, attempt string) (*Loaded, error)
	// Source streams described attempts and what is stored; an error of each
	// ends it. An attempt's row that cannot be read is a *BadRowError.
	Source
	// Coverage lists the statements of the providers, as stored; the balances
	// are left out, for they hold only beside all their lines.
	Coverage(ctx context.Context, providers []string) ([]payment.Statement, error)
	// Cursor is where reading goes on, "" where nothing was read.
	Cursor(ctx context.Context, provider, account string, cursor Cursor) (string, error)
	// ClosedDays lists what the last report of each closed day rested on.
	ClosedDays(ctx context.Context, providers []string) ([]reconcile.DayDigest, error)
	// LateDays lists the statement days that got lines since the last run of
	// their provider was saved.
	LateDays(ctx context.Context, providers []string) ([]reconcile.DayDigest, error)
	// Notes lists what people decided about divergences, oldest first; of all
	// of them where ids is nil.
	Notes(ctx context.Context, ids []string) ([]Note, error)
	// LatestRun is the id of the provider's last saved run, "" where none was.
	LatestRun(ctx context.Context, provider string) (string, error)
	// Close ends the snapshot.
	Close() error
}

// Scope is what a run compares.
type Scope struct {
	Now      payment.Instant
	Window   payment.Interval
	Policies []reconcile.Policy // one per provider: name and zone are read here
	// AskUpTo is up to how many rows every key is asked for, and from where on
	// what lies outside is read through where that is cheaper; 0: fewRows. What
	// is loaded is the same.
	AskUpTo int
}

// Providers lists the names of the policies.
func (s Scope) Providers() []string {
	names := make([]string, len(s.Policies))
	for i := range s.Policies {
		names[i] = s.Policies[i].Provider
	}
	return names
}

// Days is the window in statement days of each provider.
func (s Scope) Days() []DayRange {
	days := make([]DayRange, len(s.Policies))
	for i := range s.Policies {
		p := &s.Policies[i]
		days[i] = DayRange{p.Provider, payment.DayOf(s.Window.From, p.Zone), payment.DayOf(s.Window.To-1, p.Zone)}
	}
	return days
}

// Loaded is what a run compares, and what it rested on. Whoever loads it closes
// it.
type Loaded struct {
	Input reconcile.Input // without rows, where Rows holds them
	Rows  *partition.Rows
	// Succeeded lists the operations of which attempts among the rows succeeded.
	Succeeded []Said
	From      LoadedFrom
	// ReplayedTo is the instant up to which a replica that served the attempts
	// had replayed; 0 where the primary did.
	ReplayedTo payment.Instant
}
