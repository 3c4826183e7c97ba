// Package asaas reads one account of Asaas, API v3, into the words of RULES §1:
// the lists of payments and transfers by day of creation, the ledger with its
// running balance, and look-ups by id and externalReference.
//
// It sends GET and nothing else. It keeps no name, document, e-mail, card or
// bank account of anybody: such fields are never read, and texts that people
// wrote are masked. It concludes nothing and stores nothing.
//
// What it knows of the API stands in docs/providers/asaas.md, with what no
// document settles; the latter is in Capabilities too.
package asaas

import (
	"context"
	"fmt"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// zone is where the provider's days are days.
const zone = "America/Sao_Paulo"

// Provider is one account of Asaas. It implements provider.Provider.
type Provider struct {
	owner
	client *httpx.Client
}

// Options say whose account is read, and which of the merchant's references
// stand where at the provider.
type Options struct {
	Name    string // as in the merchant's table
	Account string
	Mode    payment.Mode
	// References have their place in PlaceReference or PlaceRefunded.
	References []provider.Place
}

// New makes the adapter; it sends nothing. The client's base URL and headers
// are those of Connection.
func New(o Options, client *httpx.Client) (*Provider, error) {
	days, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("asaas: %w", err)
	}
	for _, p := range o.References {
		if p.There != PlaceReference && p.There != PlaceRefunded {
			return nil, fmt.Errorf("asaas: reference %s: no place %q: want %s, or %s for refunds", p.Name, p.There, PlaceReference, PlaceRefunded)
		}
	}
	return &Provider{owner{name: o.Name, account: o.Account, mode: o.Mode, zone: days, places: o.References}, client}, nil
}

// The keys of the two environments begin so; older ones begin otherwise.
const (
	livePrefix = "$aact_prod_"
	testPrefix = "$aact_hmlg_"
)

// Connection says where the API of a mode is, and the header that carries the
// key. It refuses a key of the other mode, and one that a shell took for a
// variable. Its errors never hold the key.
func Connection(mode payment.Mode, key secret.Secret) (baseURL string, headers map[string]secret.Secret, err error) {
	baseURL, other := "https://api.asaas.com/v3", testPrefix
	if mode == payment.Test {
		baseURL, other = "https://api-sandbox.asaas.com/v3", livePrefix
	}
	switch text := key.Reveal(); {
	case text == "":
		return "", nil, fmt.Errorf("asaas: the key is empty: it begins with a dollar sign, which a shell or an .env file takes for a variable; write it in single quotes")
	case strings.HasPrefix(text, other):
		return "", nil, fmt.Errorf("asaas: the key is one of the other environment: the account is configured as %s", mode)
	}
	return baseURL, map[string]secret.Secret{"access_token": key}, nil
}

// Identity is the account's wallet, the only name of its own that a key is
// known to tell; its mode is that of the address that answered.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	got, err := ask[wallet](ctx, p, httpx.Ask{Endpoint: "wallets", Path: "/wallets/"}, 0)
	if err != nil {
		return provider.Identity{}, err
	}
	if len(got.rows) != 1 || got.rows[0].ID == "" {
		return provider.Identity{}, got.refuse(provider.Unparsable, "%d wallets, want one with an id", len(got.rows))
	}
	return provider.Identity{Account: got.rows[0].ID, Mode: p.mode}, nil
}
