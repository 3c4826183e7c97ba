package cmd

import (
	"cmp"
	"slices"

	"desfecho/internal/check"
	"desfecho/internal/payment"
	"desfecho/internal/settle"
	"desfecho/internal/store/postgres"
	"desfecho/reconcile"
	"desfecho/resolve"
)

// terms are what the function that writes holds the evidence against: the
// configuration, over what the providers' adapters know. Nobody is asked.
func (c *Config) terms() (*postgres.Terms, error) {
	var desk settle.Desk
	if err := c.Resolve.apply(&desk); err != nil {
		return nil, err
	}
	t := &postgres.Terms{ApprovalTTL: cmp.Or(desk.ApprovalTTL, resolve.DefaultApprovalTTL), ApprovalAbove: desk.ApprovalAbove}
	for _, name := range c.providerNames() {
		policy := reconcile.NewPolicy(name)
		policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
		entries := c.entries(name)
		for i := range entries {
			if !entries[i].online() {
				continue
			}
			known, err := able(c, entries[i])
			if err != nil {
				return nil, err
			}
			learnAble(&known, &policy)
		}
		for _, entry := range slices.Backward(entries) { // the first has the last word
			if err := entry.apply(&policy); err != nil {
				return nil, err
			}
		}
		t.Policies = append(t.Policies, policy)
	}
	return t, nil
}

// generated is what `schema --roles` makes for this configuration.
func (c *Config) generated() (check.Generated, error) {
	described := c.described()
	terms, err := c.terms()
	if err != nil {
		return check.Generated{}, err
	}
	g := check.Generated{Wanted: described.WritesByFunction()}
	if g.Function, err = postgres.Function(described, terms); err != nil {
		return check.Generated{}, err
	}
	g.Guard, err = postgres.GuardBody(described)
	return g, err
}
