package cmd

import (
	"fmt"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/reconcile"
)

// policies makes one policy per provider that either side names: defaults,
// under what the profiles know, under the configuration, under the flags.
func (r *run) policies() ([]reconcile.Policy, error) {
	var policies []reconcile.Policy
	for _, name := range distinct(append(r.attemptProviders(), r.statementProviders()...)) {
		policy, err := r.policy(name)
		if err != nil {
			return nil, err
		}
		policies = append(policies, policy)
	}
	return policies, nil
}

func (r *run) policy(name string) (reconcile.Policy, error) {
	policy := reconcile.NewPolicy(name)
	policy.NoUnknownWord = r.own.Profile.Attempts.NoUnknownWord
	if err := means(&policy, r.own.Profile); err != nil {
		return policy, err
	}
	for _, f := range r.files {
		if statementProvider(f.Statements) == name {
			readingOf(f.Profile).Learn(&policy)
		}
	}
	if entry, ok := r.entry(name); ok {
		if err := entry.apply(&policy); err != nil {
			return policy, err
		}
	}
	if said := r.o.parsed.succeededMeans; said != 0 {
		for _, operation := range operations() {
			policy.SucceededMeans[operation] = said
		}
	}
	return policy, r.learnStatements(&policy)
}

// entry is the configuration of the provider, of the account and mode that the
// statements have.
func (r *run) entry(name string) (ProviderConfig, bool) {
	for _, f := range r.files {
		for _, s := range f.Statements {
			if s.Provider == name {
				return r.config.provider(name, s.Account, s.Mode.String())
			}
		}
	}
	return r.config.provider(name, "", "")
}

// learnStatements takes what the statements of the provider were read as:
// flags and configuration are in it already.
func (r *run) learnStatements(policy *reconcile.Policy) error {
	var accounts []string
	known := false
	for i, f := range r.files {
		if statementProvider(f.Statements) != policy.Provider {
			continue
		}
		zone := zoneOf(r.statements[i].options.Zone, f.Profile)
		if known && zone.String() != policy.Zone.String() {
			return &usageError{
				err:  fmt.Errorf("statements of %s are in two zones, %s and %s", policy.Provider, policy.Zone, zone),
				hint: "give one --zone for all of them",
			}
		}
		known, policy.Zone = true, zone
		for _, s := range f.Statements {
			policy.Mode = s.Mode
			policy.HasObjectList = policy.HasObjectList || s.Sort == payment.ObjectList
			accounts = append(accounts, s.Account)
		}
	}
	if known {
		policy.Accounts = distinct(accounts)
	}
	return nil
}

// means takes what the attempts' profile says of `succeeded`. Where it says
// nothing the word is taken at its face, which the report prints as an
// assumption.
func means(policy *reconcile.Policy, p *profile.Profile) error {
	policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
	for _, operation := range operations() {
		word := p.Attempts.SucceededMeans[operation]
		if word == "" {
			policy.SucceededMeans[operation] = assumedMeans(operation)
			continue
		}
		said, err := reconcile.ParseMeans(word)
		if err != nil {
			return &usageError{err: fmt.Errorf("profile %s: %w", p.Name, err)}
		}
		policy.SucceededMeans[operation] = said
	}
	return nil
}

func assumedMeans(operation payment.Operation) reconcile.Means {
	if operation == payment.Authorize {
		return reconcile.MeansAuthorized
	}
	return reconcile.MeansCaptured
}

func operations() []payment.Operation {
	return []payment.Operation{payment.Charge, payment.Authorize, payment.Capture, payment.Refund, payment.Transfer, payment.BillPayment}
}

// commonZone is the zone of a date that is not of one statement.
func (r *run) commonZone() (*time.Location, error) {
	var common *time.Location
	for i, f := range r.files {
		zone := zoneOf(r.statements[i].options.Zone, f.Profile)
		if common != nil && zone.String() != common.String() {
			return nil, &usageError{
				err:  fmt.Errorf("the statements are in two zones, %s and %s: a date is not one day", common, zone),
				hint: "say --since and --until as instants with their offset",
			}
		}
		common = zone
	}
	return common, nil
}
