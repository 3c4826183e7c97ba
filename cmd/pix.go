package cmd

import (
	"errors"
	"fmt"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/pix"
)

// PixConfig says how a participant of Pix lets itself be asked.
type PixConfig struct {
	Participant  string         `mapstructure:"participant"`
	BaseURL      string         `mapstructure:"base_url"`
	TokenURL     string         `mapstructure:"token_url"`
	CredentialIn string         `mapstructure:"credential_in"`
	Scopes       []string       `mapstructure:"scopes"`
	Headers      []HeaderConfig `mapstructure:"headers"`
	MaxWindow    string         `mapstructure:"max_window"`
}

// HeaderConfig is a header that is sent with every question and is no secret.
type HeaderConfig struct {
	Name  string `mapstructure:"name"`
	Value string `mapstructure:"value"`
}

func pixAdapter() adapter {
	return adapter{
		func(p *ProviderConfig, mode payment.Mode, key secret.Secret) (string, map[string]secret.Secret, error) {
			at, err := p.Pix.at(mode)
			return at.BaseURL, nil, errors.Join(err, pix.CheckCredential(key))
		},
		func(o buildOptions) (provider.Provider, error) {
			options, err := o.entry.Pix.options(&o)
			if err != nil {
				return nil, err
			}
			return pix.New(options, o.client)
		},
	}
}

func (p *PixConfig) at(mode payment.Mode) (pix.Address, error) {
	return pix.At(p.Participant, pix.Address{BaseURL: p.BaseURL, TokenURL: p.TokenURL}, mode)
}

func (p *PixConfig) options(o *buildOptions) (options pix.Options, err error) {
	options = pix.Options{
		Name: o.entry.Name, Account: o.entry.Account, Mode: o.mode, References: o.places, Scopes: p.Scopes, Now: o.now,
		Headers: map[string]string{}, Token: pix.Token{Credential: o.key},
	}
	at, err := p.at(o.mode)
	if err != nil {
		return options, err
	}
	options.Token.URL = at.TokenURL
	switch p.CredentialIn {
	case "", "header":
	case "body":
		options.Token.InBody = true
	default:
		return options, fmt.Errorf("pix.credential_in %q: want header or body", p.CredentialIn)
	}
	for i, h := range p.Headers {
		if h.Name == "" || h.Value == "" {
			return options, fmt.Errorf("pix.headers[%d]: name and value are wanted", i)
		}
		options.Headers[h.Name] = h.Value
	}
	if err := pix.CheckHeaders(options.Headers); err != nil {
		return options, err
	}
	if p.MaxWindow != "" {
		var window time.Duration
		if window, err = parseDuration(p.MaxWindow); err != nil {
			return options, fmt.Errorf("pix.max_window: %w", err)
		}
		options.MaxWindow = window
	}
	return options, nil
}
