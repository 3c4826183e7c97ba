package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/runs"
	"desfecho/internal/store"
	"desfecho/reconcile"
)

// providerNames lists the providers that a database is about: those that are
// configured, and the one that all attempts are of.
func (c *Config) providerNames() []string {
	names := []string{c.Attempts.Provider}
	for _, p := range c.Providers {
		names = append(names, p.Name)
	}
	return distinct(names)
}

// knowsAccount refuses an account that none of the provider's entries names,
// where each of them names one: under a misspelt one a statement would be read
// that no attempt is ever compared with.
func (c *Config) knowsAccount(provider, account string) error {
	var known []string
	for _, p := range c.Providers {
		if p.Name == provider {
			known = append(known, p.Account)
		}
	}
	if account == "" || len(known) == 0 || slices.Contains(known, "") || slices.Contains(known, account) {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("the statement is of account %q, and the configuration of %s names %s: nothing was stored", account, provider, strings.Join(distinct(known), ", ")),
		hint: "is --account misspelt? Else give the account an entry of its own under providers",
	}
}

// knows refuses a provider that is not configured: for a misspelt name every
// line would be unrecorded.
func (c *Config) knows(names ...string) error {
	known := c.providerNames()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "add it under `providers:`, named as in your attempts"
		if len(known) > 0 {
			hint = didYouMean(name, known)
		}
		return &usageError{err: fmt.Errorf("no provider %q is configured", name), hint: hint}
	}
	return nil
}

// entries are the configured accounts of a provider.
func (c *Config) entries(name string) (all []ProviderConfig) {
	for _, p := range c.Providers {
		if p.Name == name {
			all = append(all, p)
		}
	}
	return all
}

// databasePolicy makes the policy of one provider: defaults, under what the
// profiles of its files knew, under the configuration, under the flags.
func (r *databaseRun) databasePolicy(ctx context.Context, view store.View, name string) (reconcile.Policy, error) {
	policy := reconcile.NewPolicy(name)
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
	if d := r.config.described(); d != nil {
		policy.NoUnknownWord = d.NoUnknownWord()
	}
	entries := r.config.entries(name)
	coverage, err := view.Coverage(ctx, []string{name})
	if err != nil {
		return policy, err
	}
	accounts := []string{}
	for i := range coverage {
		policy.HasObjectList = policy.HasObjectList || coverage[i].Sort == payment.ObjectList
		accounts = append(accounts, coverage[i].Account)
	}
	if err := r.learnReadings(ctx, view, &policy, coverage); err != nil {
		return policy, err
	}
	for i := range entries {
		if !entries[i].online() {
			continue
		}
		known, err := able(&r.config, entries[i])
		if err != nil {
			return policy, err
		}
		learnAble(&known, &policy)
	}
	for _, entry := range slices.Backward(entries) { // the first has the last word
		if err := entry.apply(&policy); err != nil {
			return policy, err
		}
		if entry.Account != "" {
			accounts = append(accounts, entry.Account)
		}
	}
	if err := oneZone(entries); err != nil {
		return policy, err
	}
	policy.Accounts = distinct(accounts)
	if said := r.o.parsed.succeededMeans; said != 0 {
		for _, operation := range operations() {
			policy.SucceededMeans[operation] = said
		}
	}
	return policy, nil
}

// oneZone refuses accounts of one provider in several zones, or modes: its days
// would not be one thing.
func oneZone(entries []ProviderConfig) error {
	for _, entry := range entries {
		if entry.Timezone != entries[0].Timezone || entry.Mode != entries[0].Mode {
			return entries[0].problem(errors.New("its accounts differ in timezone or mode"))
		}
	}
	return nil
}

// learnReadings takes what the profiles of the stored files knew.
func (r *databaseRun) learnReadings(ctx context.Context, view store.View, policy *reconcile.Policy, coverage []payment.Statement) error {
	seen := map[store.Lease]bool{}
	for _, s := range coverage {
		key := store.Lease{Account: s.Account, Owner: s.Mode.String()}
		if seen[key] {
			continue
		}
		seen[key] = true
		value, err := view.Cursor(ctx, s.Provider, s.Account, store.Cursor{Statement: runs.ReadingsCursor, Mode: s.Mode})
		if err != nil {
			return err
		}
		readings, err := runs.ParseReadings(value)
		if err != nil {
			return err
		}
		readings.Learn(policy)
	}
	return nil
}

// saysMeans refuses succeeded attempts whose word nobody explained: no
// conclusion about money is right without (RULES §1, succeeded_means).
func saysMeans(loaded *store.Loaded) error {
	missing := map[string]bool{}
	for _, said := range loaded.Succeeded {
		for k := range loaded.Input.Policies {
			if p := &loaded.Input.Policies[k]; p.Provider == said.Provider && p.SucceededMeans[said.Operation] == 0 {
				missing[p.Provider+": "+said.Operation.String()] = true
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("nobody said what `succeeded` means for %s; nothing was judged", strings.Join(sortedNames(missing), ", ")),
		hint: "write `succeeded_means: {charge: captured}` under the provider (created, authorized or captured), or give --succeeded-means",
	}
}

// configuredZone is the zone of a date, by the configuration alone: who may
// only read what was concluded needs no more.
func (r *databaseRun) configuredZone() (*time.Location, error) {
	var policies []reconcile.Policy
	for _, name := range r.providers {
		policy, err := r.configuredPolicy(name)
		if err != nil {
			return nil, err
		}
		policies = append(policies, policy)
	}
	return databaseZone(policies)
}

// configuredPolicy is the policy of a provider by the configuration alone.
func (r *databaseRun) configuredPolicy(name string) (reconcile.Policy, error) {
	policy := reconcile.NewPolicy(name)
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
	if d := r.config.described(); d != nil {
		policy.NoUnknownWord = d.NoUnknownWord()
	}
	for _, entry := range slices.Backward(r.config.entries(name)) { // the first has the last word
		if err := entry.apply(&policy); err != nil {
			return policy, err
		}
	}
	return policy, nil
}

// databaseZone is the zone of a date that is not of one provider.
func databaseZone(policies []reconcile.Policy) (*time.Location, error) {
	var common *time.Location
	for i := range policies {
		zone := policies[i].Zone
		if common != nil && zone.String() != common.String() {
			return nil, &usageError{
				err:  fmt.Errorf("the providers are in two zones, %s and %s: a date is not one day", common, zone),
				hint: "say --since and --until as instants with their offset, or name one provider",
			}
		}
		common = zone
	}
	return common, nil
}
