package cmd

import (
	"fmt"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/stripe"
)

// StripeConfig says what no document of Stripe's settles.
type StripeConfig struct {
	CreatedBefore string           `mapstructure:"created_before"`
	CreatedAfter  string           `mapstructure:"created_after"`
	Reread        string           `mapstructure:"reread"`
	Decimals      []DecimalsConfig `mapstructure:"decimals"`
}

// DecimalsConfig is in how many decimals a currency is counted.
type DecimalsConfig struct {
	Currency string `mapstructure:"currency"`
	Places   int64  `mapstructure:"places"`
}

func stripeAdapter() adapter {
	return adapter{
		func(_ *ProviderConfig, mode payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
			return stripe.Connection(mode, key)
		},
		func(o buildOptions) (provider.Provider, error) {
			options := stripe.Options{
				Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, Connected: o.entry.Connected, Zone: o.zone, References: o.places,
			}
			if err := o.entry.Stripe.fill(&options); err != nil {
				return nil, err
			}
			return stripe.New(options, o.client)
		},
	}
}

func (c *StripeConfig) fill(o *stripe.Options) error {
	for _, length := range []struct {
		key, text string
		to        *time.Duration
	}{{"created_before", c.CreatedBefore, &o.Before}, {"created_after", c.CreatedAfter, &o.After}, {"reread", c.Reread, &o.Reread}} {
		if length.text == "" {
			continue
		}
		read, err := parseDuration(length.text)
		if err == nil && read <= 0 {
			err = fmt.Errorf("%q: want more than nothing", length.text)
		}
		if err != nil {
			return fmt.Errorf("stripe.%s: %w", length.key, err)
		}
		*length.to = read
	}
	o.Exponents = map[money.Currency]int{}
	for i, d := range c.Decimals {
		currency, err := money.ParseCurrency(d.Currency)
		if err == nil && (d.Places < 0 || d.Places > 4) {
			err = fmt.Errorf("places %d: want 0 to 4", d.Places)
		}
		if err != nil {
			return fmt.Errorf("stripe.decimals[%d]: %w", i, err)
		}
		o.Exponents[currency] = int(d.Places)
	}
	return nil
}
