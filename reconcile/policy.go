package reconcile

import "desfecho/internal/evidence"

// Policy is what is configured, or known by the adapter, of one provider.
type Policy = evidence.Policy

// Means is what the merchant's `succeeded` says (RULES §1, succeeded_means).
type Means = evidence.Means

// The three meanings of `succeeded`.
const (
	MeansCreated    = evidence.MeansCreated
	MeansAuthorized = evidence.MeansAuthorized
	MeansCaptured   = evidence.MeansCaptured
)

// NewPolicy is the policy of a provider with every default of RULES §8 and
// nothing else: what `succeeded` means must still be said.
func NewPolicy(provider string) Policy { return evidence.NewPolicy(provider) }
