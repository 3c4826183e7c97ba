package cmd

import (
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/pagarme"
)

// PagarmeConfig says how doubtful answers of Pagar.me are taken.
type PagarmeConfig struct {
	Signs string `mapstructure:"signs"`
}

func pagarmeAdapter() adapter {
	return adapter{
		func(_ *ProviderConfig, mode payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
			return pagarme.Connection(mode, key)
		},
		func(o buildOptions) (provider.Provider, error) {
			signs := o.entry.Pagarme.Signs
			if signs != "" && signs != "by_type" && signs != "as_written" {
				return nil, fmt.Errorf("pagarme.signs %q: want by_type or as_written", signs)
			}
			return pagarme.New(pagarme.Options{
				Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, References: o.places, SignsAsWritten: signs == "as_written",
			}, o.client)
		},
	}
}
