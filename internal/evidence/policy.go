// Package evidence says what is known of the merchant's attempts: which units
// the observations and lines make, which attempt each unit belongs to, what it
// moved, what look-ups answered and whether an absence is proven (RULES §1, §3
// and the first paragraph of §4).
//
// It is pure and serves both reconcile and resolve, so that a report and a
// screen never differ about a fact. It draws no conclusion: it names no class,
// offers no mark, reads no clock and does no I/O.
package evidence

import (
	"slices"
	"time"

	"desfecho/internal/payment"
)

// Means is what the merchant's `succeeded` says (RULES §1, succeeded_means).
type Means uint8

// The three meanings. There is no default: a policy states one per operation.
const (
	MeansCreated Means = iota + 1
	MeansAuthorized
	MeansCaptured
)

// Policy is what is configured, or known by the adapter, of one provider.
// NewPolicy gives the defaults of RULES §8.
type Policy struct {
	Provider string
	Accounts []string
	Mode     payment.Mode
	Zone     *time.Location

	SucceededMeans map[payment.Operation]Means
	// LookupBy names the keys that the provider can be asked by; empty: no
	// look-up exists. Value is empty here.
	LookupBy []payment.LookupKey
	// HasObjectList says that the provider has a list of what was created,
	// whether or not it was read this time.
	HasObjectList bool
	// Unlisted are the operations whose units stand in no object list.
	Unlisted      []payment.Operation
	LineIDsUnique bool
	// NoUnknownWord: the merchant's table cannot hold `unknown`, so an old
	// pending attempt is one (RULES §1, status).
	NoUnknownWord bool
	CapacityMany  bool // charge_capacity: many
	// Variation is the allowed difference per method, in basis points of the
	// principal.
	Variation map[string]int64
	// Fees are what was agreed, the first rule that is about a sale holds; none:
	// what was kept is not judged.
	Fees []FeeRule
	// Expected lists the providers' own words (Line.Raw) of lines that need no
	// attempt.
	Expected []string
	// HeldFor is how long the provider answers look-ups about an attempt; 0:
	// not known to end.
	HeldFor time.Duration

	OrphanAfter     time.Duration
	VisibleAfter    time.Duration
	VisibleAfter5xx time.Duration
	PublishLag      time.Duration
	BooksAfter      time.Duration
	BooksAfterBy    map[string]time.Duration // by method
	// Closed tells the days on which a ledger books nothing: what is due on one
	// is due on the next that is none; nil: it books on all.
	Closed          func(payment.Day) bool
	RecheckGap      time.Duration
	Skew            time.Duration
	SlotSkew        time.Duration
	EvidenceMaxAge  time.Duration
	LookAlikeWindow time.Duration
	OpenLimit       time.Duration
	ReviewAfter     time.Duration // 0: the default of RULES §4, which depends on the attempt
}

// NewPolicy is the policy of a provider with every default of RULES §8 and
// nothing else: what `succeeded` means must still be said.
func NewPolicy(provider string) Policy {
	return Policy{
		Provider: provider, Zone: time.UTC, LineIDsUnique: true,
		OrphanAfter: 15 * time.Minute, VisibleAfter: 24 * time.Hour, VisibleAfter5xx: 72 * time.Hour,
		PublishLag: 10 * time.Minute, RecheckGap: 10 * time.Minute, Skew: 2 * time.Minute, SlotSkew: 5 * time.Second,
		EvidenceMaxAge: 5 * time.Minute, LookAlikeWindow: 24 * time.Hour, OpenLimit: 24 * time.Hour,
	}
}

// Means of `succeeded` for one operation; where nothing is said the weakest,
// so that no claim about money is made.
func (p *Policy) Means(operation payment.Operation) Means {
	if m := p.SucceededMeans[operation]; m != 0 {
		return m
	}
	return MeansCreated
}

// Status is the attempt's status as the rules read it at now: where the table
// has no word for unknown, an old pending attempt is one (RULES §1).
func (p *Policy) Status(a *payment.Attempt, now payment.Instant) payment.Status {
	if a.Status == payment.Pending && p.NoUnknownWord && p.Orphan(a, now) {
		return payment.Unknown
	}
	return a.Status
}

// Orphan tells whether a pending attempt is past orphan_after.
func (p *Policy) Orphan(a *payment.Attempt, now payment.Instant) bool {
	return a.Status == payment.Pending && now.Sub(a.CreatedAt) >= p.OrphanAfter
}

// Visible is visible_after for an attempt: longer after a 5xx, which the
// provider may still roll forward.
func (p *Policy) Visible(a *payment.Attempt) time.Duration {
	if a.LastError == payment.Error5xx {
		return max(p.VisibleAfter, p.VisibleAfter5xx)
	}
	return p.VisibleAfter
}

// Horizon is the instant from which on a look-up that finds nothing counts
// (law 6).
func (p *Policy) Horizon(a *payment.Attempt) payment.Instant {
	return a.LastSent.Add(p.Visible(a) + p.Skew)
}

// Review is the age, from created_at, at which an open attempt is at least P2
// (RULES §4).
func (p *Policy) Review(a *payment.Attempt) time.Duration {
	switch {
	case p.ReviewAfter > 0:
		return p.ReviewAfter
	case a.Direction() == payment.Out:
		return 30 * time.Minute
	default:
		return max(4*time.Hour, p.Visible(a)+p.Skew)
	}
}

// Lists tells whether an object list shows the units of the operation.
func (p *Policy) Lists(o payment.Operation) bool {
	return p.HasObjectList && !slices.Contains(p.Unlisted, o)
}

// Never is books_after of a method that no ledger books: money that the
// provider was told of and did not move.
const Never = 100 * 365 * 24 * time.Hour

// Books is books_after for a method, "" where the method is not known: then
// the longest of all, for an absence must not be claimed too early.
func (p *Policy) Books(method string) time.Duration {
	if d, ok := p.BooksAfterBy[method]; ok {
		return d
	}
	longest := p.BooksAfter
	if method == "" {
		for _, d := range p.BooksAfterBy {
			if d < Never {
				longest = max(longest, d)
			}
		}
	}
	return longest
}

// longestClosed is more than any row of days without booking.
const longestClosed = 10

// Opens is the first day from a day on on which a ledger books.
func (p *Policy) Opens(day payment.Day) payment.Day {
	for n := 0; p.Closed != nil && n < longestClosed && p.Closed(day); n++ {
		day++
	}
	return day
}

// BooksBy is the moment by which a ledger must have booked a sale of a method,
// without its publish_lag. What books at once books on every day.
func (p *Policy) BooksBy(sold payment.Instant, method string) payment.Instant {
	after := p.Books(method)
	due := sold.Add(after)
	if after == 0 || p.Closed == nil {
		return due
	}
	day := payment.DayOf(due, p.Zone)
	return due.Add(time.Duration(p.Opens(day)-day) * 24 * time.Hour)
}

// BookedSince is the earliest moment of a sale that a ledger books at a moment.
func (p *Policy) BookedSince(booked payment.Instant) payment.Instant {
	after := p.Books("")
	if after > 0 && p.Closed != nil {
		after += longestClosed * 24 * time.Hour
	}
	return booked.Add(-after)
}

// Expects tells whether the profile expects lines of this word without an
// attempt.
func (p *Policy) Expects(raw string) bool { return slices.Contains(p.Expected, raw) }

// Looks tells whether the provider can be asked at all.
func (p *Policy) Looks() bool { return len(p.LookupBy) > 0 }
