package stripe

import (
	"context"
	"errors"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// Identity asks for the balance, which tells the mode, and for the account's
// id. A key that may not read its account is known by Stripe's refusal, which
// names the account it is a key of.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	id, err := p.accountID(ctx)
	if err != nil {
		return provider.Identity{}, err
	}
	got, err := p.get(ctx, "balance", "/v1/balance", nil, false)
	if err != nil {
		return provider.Identity{}, err
	}
	var balance object
	if err := got.Decode(&balance); err != nil {
		return provider.Identity{}, err
	}
	if balance.Object != "balance" || balance.Livemode == nil {
		return provider.Identity{}, refuse("balance", provider.Unparsable, "not a balance that says its mode")
	}
	mode := payment.Test
	if *balance.Livemode {
		mode = payment.Live
	}
	return provider.Identity{Account: id, Mode: mode}, nil
}

// accountID is the account whose key it is, or the connected one.
func (p *Provider) accountID(ctx context.Context) (string, error) {
	got, err := p.get(ctx, "account", "/v1/account", nil, false)
	var lacks *lacking
	if errors.As(err, &lacks) && lacks.account != "" && p.o.Connected == "" {
		return lacks.account, nil
	}
	if err != nil {
		return "", err
	}
	var o object
	if err := got.Decode(&o); err != nil {
		return "", err
	}
	if o.Object != "account" || o.ID == "" {
		return "", refuse("account", provider.Unparsable, "not an account with an id")
	}
	if p.o.Connected != "" && o.ID != p.o.Connected {
		return "", refuse("account", provider.OtherAccount, "asked for the connected account %q, got %q", p.o.Connected, o.ID)
	}
	return o.ID, nil
}
