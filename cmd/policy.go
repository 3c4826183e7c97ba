package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"desfecho/internal/bankday"
	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// provider is the configured entry of the name, account and mode; an entry
// that leaves account or mode open stands for any. ok is false where there is
// none.
func (c Config) provider(name, account, mode string) (entry ProviderConfig, ok bool) {
	for _, p := range c.Providers {
		if p.Name == name && (p.Account == "" || account == "" || p.Account == account) &&
			(p.Mode == "" || mode == "" || p.Mode == mode) {
			return p, true
		}
	}
	return ProviderConfig{}, false
}

// apply lays what is configured over a policy.
func (p ProviderConfig) apply(policy *reconcile.Policy) error {
	for _, step := range []func(*reconcile.Policy) error{p.applyWords, p.applyMeans, p.applyLengths, p.applyBooks, p.applyBankDays, p.applyVariation, p.applyFees, p.applyLookups, p.checkKeys} {
		if err := step(policy); err != nil {
			return p.problem(err)
		}
	}
	return nil
}

func (p ProviderConfig) problem(err error) error {
	return &usageError{err: fmt.Errorf("configuration, provider %s: %w", p.Name, err), hint: "see `desfecho help environment`"}
}

func (p ProviderConfig) applyWords(policy *reconcile.Policy) error {
	if p.Account != "" {
		policy.Accounts = []string{p.Account}
	}
	if p.Mode != "" {
		mode, err := payment.ParseMode(p.Mode)
		if err != nil {
			return err
		}
		policy.Mode = mode
	}
	if p.Timezone != "" {
		zone, err := loadZone(p.Timezone)
		if err != nil {
			return fmt.Errorf("timezone: %w", err)
		}
		policy.Zone = zone
	}
	switch p.ChargeCapacity {
	case "", "one":
	case "many":
		policy.CapacityMany = true
	default:
		return fmt.Errorf("charge_capacity %q: want one or many", p.ChargeCapacity)
	}
	if len(p.Expected) > 0 {
		policy.Expected = p.Expected
	}
	return nil
}

// loadZone finds a zone by its IANA name. "Local" is refused: the machine's
// zone has no say.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("%q is no zone: want a name such as America/Sao_Paulo or UTC", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no zone: want a name such as America/Sao_Paulo or UTC", name)
	}
	return zone, nil
}

// meansWord is what is said of one operation.
type meansWord struct {
	operation payment.Operation
	word      string
}

func (m MeansConfig) words() []meansWord {
	return []meansWord{
		{payment.Charge, m.Charge},
		{payment.Authorize, m.Authorize},
		{payment.Capture, m.Capture},
		{payment.Refund, m.Refund},
		{payment.Transfer, m.Transfer},
		{payment.BillPayment, m.BillPayment},
	}
}

func (p ProviderConfig) applyMeans(policy *reconcile.Policy) error {
	for _, said := range p.SucceededMeans.words() {
		if said.word == "" {
			continue
		}
		means, err := reconcile.ParseMeans(said.word)
		if err != nil {
			return fmt.Errorf("succeeded_means of %s: %w", said.operation, err)
		}
		policy.SucceededMeans[said.operation] = means
	}
	return nil
}

func (p ProviderConfig) applyLengths(policy *reconcile.Policy) error {
	for _, setting := range []struct {
		name, text string
		target     *time.Duration
	}{
		{"orphan_after", p.OrphanAfter, &policy.OrphanAfter},
		{"visible_after", p.VisibleAfter, &policy.VisibleAfter},
		{"visible_after_5xx", p.VisibleAfter5xx, &policy.VisibleAfter5xx},
		{"publish_lag", p.PublishLag, &policy.PublishLag},
		{"recheck_gap", p.RecheckGap, &policy.RecheckGap},
		{"skew", p.Skew, &policy.Skew},
		{"evidence_max_age", p.EvidenceMaxAge, &policy.EvidenceMaxAge},
		{"look_alike_window", p.LookAlikeWindow, &policy.LookAlikeWindow},
		{"open_limit", p.OpenLimit, &policy.OpenLimit},
		{"review_after", p.ReviewAfter, &policy.ReviewAfter},
	} {
		if setting.text == "" {
			continue
		}
		length, err := parseDuration(setting.text)
		if err != nil {
			return fmt.Errorf("%s %w", setting.name, err)
		}
		*setting.target = length
	}
	if p.EvidenceMaxAge != "" && (policy.EvidenceMaxAge < minEvidenceAge || policy.EvidenceMaxAge > maxEvidenceAge) {
		return fmt.Errorf("evidence_max_age %q: want 1m to 30m", p.EvidenceMaxAge)
	}
	return nil
}

// The bounds of evidence_max_age: a person has to have the time to read what is
// confirmed, and what was true before lunch is confirmed by nobody after it.
const (
	minEvidenceAge = time.Minute
	maxEvidenceAge = 30 * time.Minute
)

// applyBooks reads books_after. Alone of all lengths it may be "0s": booked at
// once.
func (p ProviderConfig) applyBooks(policy *reconcile.Policy) error {
	for _, books := range p.BooksAfter {
		after, err := parseLength(books.After)
		if err == nil && after < 0 {
			err = errNotPositive
		}
		if err != nil {
			return fmt.Errorf("books_after %q: %w", books.After, err)
		}
		if books.Method == "" {
			policy.BooksAfter = after
			continue
		}
		if policy.BooksAfterBy == nil {
			policy.BooksAfterBy = map[string]time.Duration{}
		}
		policy.BooksAfterBy[books.Method] = after
	}
	return nil
}

// applyBankDays reads bank_days. Providers that settle in Brazil keep its days
// where nothing else is said.
func (p ProviderConfig) applyBankDays(policy *reconcile.Policy) error {
	name := p.BankDays
	if name == "" && slices.Contains([]string{"asaas", "pagarme", "pix", "zoop"}, p.Type) {
		name = "brazil"
	}
	if name == "" || name == "all" {
		return nil
	}
	closed, ok := bankday.Calendar(name)
	if !ok {
		return fmt.Errorf("bank_days %q: want all or %s", name, strings.Join(bankday.Calendars, ", "))
	}
	policy.Closed = closed
	return nil
}

func (p ProviderConfig) applyVariation(policy *reconcile.Policy) error {
	for _, variation := range p.Variation {
		if variation.Method == "" || variation.BasisPoints <= 0 || variation.BasisPoints > 10_000 {
			return fmt.Errorf("variation of method %q: want a method and 1 to 10000 basis points", variation.Method)
		}
		if policy.Variation == nil {
			policy.Variation = map[string]int64{}
		}
		policy.Variation[variation.Method] = variation.BasisPoints
	}
	return nil
}

// applyLookups reads by which keys the provider can be asked: unit, key, or the
// name of a reference.
func (p ProviderConfig) applyLookups(policy *reconcile.Policy) error {
	for _, word := range p.LookupBy {
		key := payment.LookupKey{Kind: payment.KeyReference, Name: word}
		switch word {
		case "":
			return errors.New("lookup_by: want unit, key or the name of a reference")
		case "unit":
			key = payment.LookupKey{Kind: payment.KeyUnit}
		case "key":
			key = payment.LookupKey{Kind: payment.KeyIdempotency}
		}
		policy.LookupBy = append(policy.LookupBy, key)
	}
	return nil
}
