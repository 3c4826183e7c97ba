package cmd

import (
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/zoop"
)

// ZoopConfig says how doubtful answers of Zoop are taken.
type ZoopConfig struct {
	Whole string `mapstructure:"whole"`
}

func zoopAdapter() adapter {
	return adapter{
		func(p *ProviderConfig, mode payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
			return zoop.Connection(p.Account, mode, key)
		},
		func(o buildOptions) (provider.Provider, error) {
			whole := o.entry.Zoop.Whole
			if whole != "" && whole != "refused" && whole != "centavos" {
				return nil, fmt.Errorf("zoop.whole %q: want refused or centavos", whole)
			}
			return zoop.New(zoop.Options{
				Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, References: o.places, Centavos: whole == "centavos",
			}, o.client)
		},
	}
}
