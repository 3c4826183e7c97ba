package cmd

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/settle"
	"desfecho/report"
	"desfecho/resolve"
)

// ResolveConfig says what settling needs besides RULES: when a second person
// has to approve, and where people find the objects.
type ResolveConfig struct {
	ApprovalTTL   string        `mapstructure:"approval_ttl"`
	ApprovalAbove []LimitConfig `mapstructure:"approval_above"`
	Links         []LinkConfig  `mapstructure:"links"`
}

// LimitConfig is an amount as people write it, such as 1000.00, with its
// currency.
type LimitConfig struct {
	Amount   string `mapstructure:"amount"`
	Currency string `mapstructure:"currency"`
}

// LinkConfig is an address with {unit}, {charge} or {id} in it.
type LinkConfig struct {
	Name string `mapstructure:"name"`
	URL  string `mapstructure:"url"`
}

// apply lays the configuration over the desk.
func (c *ResolveConfig) apply(desk *settle.Desk) error {
	var err error
	if c.ApprovalTTL != "" {
		if desk.ApprovalTTL, err = parseDuration(c.ApprovalTTL); err != nil {
			return &usageError{err: fmt.Errorf("configuration, resolve.approval_ttl %w", err)}
		}
	}
	for i, limit := range c.ApprovalAbove {
		currency, err := money.ParseCurrency(limit.Currency)
		if err != nil {
			return &usageError{err: fmt.Errorf("configuration, resolve.approval_above[%d]: %w", i, err)}
		}
		minor, stated, err := money.ParseText(limit.Amount, '.', currency)
		if err == nil && !stated.IsZero() && stated != currency {
			err = fmt.Errorf("%q and %s are two currencies", limit.Amount, currency)
		}
		if err != nil {
			return &usageError{err: fmt.Errorf("configuration, resolve.approval_above[%d]: %w", i, err), hint: "write it as 1000.00"}
		}
		desk.ApprovalAbove = append(desk.ApprovalAbove, money.Amount{Minor: minor, Currency: currency})
	}
	return nil
}

// links fills the addresses in. One that needs what is not known is left out.
func (c *ResolveConfig) links(a *payment.Attempt, v *resolve.Verdict) (links []report.Stated) {
	unit := a.ProviderID
	if offer := v.Offers(resolve.Succeeded); offer.Unit != "" {
		unit = offer.Unit
	}
	for _, link := range c.Links {
		text, whole := link.URL, true
		for name, value := range map[string]string{"{unit}": unit, "{charge}": a.Charge, "{id}": a.ID} {
			whole = whole && (value != "" || !strings.Contains(text, name))
			text = strings.ReplaceAll(text, name, url.PathEscape(value))
		}
		if whole {
			links = append(links, report.Stated{Name: link.Name, Text: text})
		}
	}
	return links
}

// zoneOf is the configured zone of a provider, UTC where none is.
func (c *Config) zoneOf(name string) *time.Location {
	for _, entry := range c.entries(name) {
		if zone, err := loadZone(entry.Timezone); err == nil && entry.Timezone != "" {
			return zone
		}
	}
	return time.UTC
}
