// Package fakepsp is a payment provider for tests and demonstrations: an HTTP
// API over loopback with the habits of real ones. It keeps idempotency keys
// for a day and replays stored errors, shows objects late, creates some of
// them minutes after it answered 500, sends webhooks twice and out of order,
// and breaks off a request wherever it is told to.
//
// It is deterministic: it reads no clock but the one it is given, draws no
// randomness but from the source it is given, and sleeps never. Its only
// goroutines are those of a Listener, which end with it. It listens on loopback
// only and moves no money.
package fakepsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// View is a way of looking at the provider's objects; each may lag behind.
type View uint8

// The views: by the object's id, by idempotency key, by the merchant's
// reference, in the object list, in the ledger.
const (
	ByID View = iota
	ByKey
	ByReference
	InList
	InLedger
)

// Settings is what one provider is like. The zero value of everything but
// Clock is usable.
type Settings struct {
	Account string         // the merchant's account; empty: acct_loopback
	Token   string         // bearer token that requests must carry; empty: any
	Zone    *time.Location // of statement days and payouts; nil: UTC
	Clock   *Clock
	// NewID makes the id of the n-th object of a prefix (pay, ref, trf, bt, po,
	// evt); nil: pay_000001.
	NewID func(prefix string, n int) string
	// KeyRetention is how long idempotency keys are kept; 0: 24 hours.
	KeyRetention time.Duration
	// Delay is how long after its creation an object shows in a view.
	Delay map[View]time.Duration
	// BooksAfter is how long after a payment of a method the ledger shows it.
	BooksAfter map[string]time.Duration
	// FeePoints is the fee per payment in basis points, rounded down, booked as
	// a row of its own.
	FeePoints int64
	// Payouts pays each day's balance out at the end of the day.
	Payouts bool
	// Faults decides the fault of each request; nil: none. It is called under
	// the provider's lock, once per request, in the order of arrival.
	Faults func(Request) Fault
	// Webhooks decides when an event is delivered: one delivery per duration,
	// counted from the event. Nil: once, at once. An empty answer: never.
	Webhooks func(Event) []time.Duration
}

// Request is one request that arrived, as recorded.
type Request struct {
	N      int // from 1
	Method string
	Path   string
	Query  string
	Key    string // Idempotency-Key
	Status int    // answered; 0: none
}

// Provider is one provider: an http.Handler and the deeds that happen there
// without a request. All methods may be called at once from several
// goroutines.
type Provider struct {
	settings Settings

	mu       sync.Mutex
	at       time.Time // what happens now happens at this instant
	s        state
	requests []Request
}

// state is everything that a provider remembers; it is what Snapshot saves.
type state struct {
	Objects    []*Object         `json:"objects"`
	Ledger     []Entry           `json:"ledger"`
	Keys       map[string]*keyed `json:"keys"`
	Jobs       []job             `json:"jobs"`
	Events     []Event           `json:"events"`
	Deliveries []delivery        `json:"deliveries"`
	Counters   map[string]int    `json:"counters"`
	Balance    int64             `json:"balance"`
	PaidOut    time.Time         `json:"paid_out"` // end of the last day paid out
}

// New opens a provider without any object. Its first payout day is the
// clock's.
func New(settings Settings) *Provider {
	settings.Account = cmp.Or(settings.Account, "acct_loopback")
	settings.KeyRetention = cmp.Or(settings.KeyRetention, 24*time.Hour)
	if settings.Zone == nil {
		settings.Zone = time.UTC
	}
	if settings.NewID == nil {
		settings.NewID = func(prefix string, n int) string { return fmt.Sprintf("%s_%06d", prefix, n) }
	}
	p := &Provider{settings: settings, s: state{Keys: map[string]*keyed{}, Counters: map[string]int{}}}
	p.s.PaidOut = p.dayStart(settings.Clock.Now())
	return p
}

// Requests lists what arrived so far, in order.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Request(nil), p.requests...)
}

// Snapshot saves the provider's whole state, without its recorded requests.
func (p *Provider) Snapshot() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return json.MarshalIndent(p.s, "", " ")
}

// Restore takes a state that Snapshot saved in place of the present one.
func (p *Provider) Restore(snapshot []byte) error {
	var s state
	if err := json.Unmarshal(snapshot, &s); err != nil {
		return fmt.Errorf("restore the loopback provider: %w", err)
	}
	if s.Keys == nil || s.Counters == nil {
		return fmt.Errorf("restore the loopback provider: not a snapshot of one")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s = s
	return nil
}

func (p *Provider) newID(prefix string) string {
	p.s.Counters[prefix]++
	return p.settings.NewID(prefix, p.s.Counters[prefix])
}

func (p *Provider) dayStart(t time.Time) time.Time {
	year, month, day := t.In(p.settings.Zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, p.settings.Zone)
}
