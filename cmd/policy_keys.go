package cmd

import (
	"fmt"
	"time"

	"desfecho/internal/check"
	"desfecho/reconcile"
)

// keys is what is said of idempotency keys and of the key for reading.
// retention is how long the provider remembers an idempotency key, 0 where
// nothing is said; moves whether the key that desfecho was given could do more
// than read.
func (p ProviderConfig) keys() (retention time.Duration, moves check.Seen, err error) {
	if p.KeyRetention != "" {
		if retention, err = parseDuration(p.KeyRetention); err != nil {
			return 0, check.NotSeen, fmt.Errorf("key_retention %w", err)
		}
	}
	switch p.KeyAccess {
	case "":
	case "read":
		moves = check.No
	case "full":
		moves = check.Yes
	default:
		err = fmt.Errorf("key_access %q: want read or full", p.KeyAccess)
	}
	return retention, moves, err
}

func (p ProviderConfig) checkKeys(*reconcile.Policy) error {
	_, _, err := p.keys()
	return err
}

// audited is what the audits need to know of a provider. Of several accounts
// the shortest retention and the worst key count.
func (c *Config) audited(policy reconcile.Policy) (check.Provider, error) {
	audited := check.Provider{Policy: policy, KeySays: "the configuration says so"}
	for i, entry := range c.entries(policy.Provider) {
		retention, moves, err := entry.keys()
		if err != nil {
			return audited, entry.problem(err)
		}
		if audited.KeyRetention == 0 || retention > 0 && retention < audited.KeyRetention {
			audited.KeyRetention = retention
		}
		if i == 0 || moves == check.Yes || moves == check.NotSeen && audited.MovesMoney == check.No {
			audited.MovesMoney = moves
		}
	}
	return audited, nil
}
