package cmd

import (
	"maps"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/reconcile"
)

// learnAble takes what the adapter of a provider that can be asked knows of it.
// What is configured stands over it.
func learnAble(able *provider.Capabilities, policy *reconcile.Policy) {
	if zone, err := loadZone(able.Zone); err == nil { // "" is none: the account's is configured
		policy.Zone = zone
	}
	policy.HasObjectList = policy.HasObjectList || able.HasObjectList
	policy.LineIDsUnique = policy.LineIDsUnique && able.LineIDsUnique
	policy.BooksAfter = max(policy.BooksAfter, able.BooksAfter)
	if policy.BooksAfterBy == nil {
		policy.BooksAfterBy = maps.Clone(able.BooksAfterBy)
	}
	if policy.Variation == nil {
		policy.Variation = maps.Clone(able.Variation)
	}
	for _, word := range able.Expected {
		if !slices.Contains(policy.Expected, word) {
			policy.Expected = append(policy.Expected, word)
		}
	}
	for i := range able.Lookups {
		learnLookup(&able.Lookups[i], policy)
	}
	policy.HeldFor = heldFor(able.Lookups)
}

// learnLookup takes one way to ask: by what, and until when an object must show
// there; of several ways the slowest holds.
func learnLookup(way *provider.Lookup, policy *reconcile.Policy) {
	key := payment.LookupKey{Kind: way.Key.Kind, Name: way.Key.Name}
	if !slices.Contains(policy.LookupBy, key) {
		policy.LookupBy = append(policy.LookupBy, key)
	}
	policy.VisibleAfter = max(policy.VisibleAfter, way.VisibleAfter)
}

// heldFor is how long the provider answers about an attempt of which no object
// is known, 0 where that is not known to end.
func heldFor(ways []provider.Lookup) (longest time.Duration) {
	for i := range ways {
		if ways[i].Key.Kind == payment.KeyUnit {
			continue
		}
		if ways[i].HeldFor == 0 {
			return 0
		}
		longest = max(longest, ways[i].HeldFor)
	}
	return longest
}
