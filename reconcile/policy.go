package reconcile

import (
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
	// look-up exists.
	LookupBy []payment.LookupKey // Value is empty here
	// HasObjectList says that the provider has a list of what was created,
	// whether or not it was read this time.
	HasObjectList bool
	LineIDsUnique bool
	// NoUnknownWord: the merchant's table cannot hold `unknown`, so an old
	// pending attempt is one (RULES §1, status).
	NoUnknownWord bool
	CapacityMany  bool // charge_capacity: many
	// Variation is the allowed difference per method, in basis points of the
	// principal.
	Variation map[string]int64
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
