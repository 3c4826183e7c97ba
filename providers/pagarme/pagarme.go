// Package pagarme reads one account of Pagar.me, core API v5, into the words of
// RULES §1: charges by time of creation, by id, order and code; receivables as
// plans and, on their day, as money; and what else moved the balance.
//
// It sends GET and nothing else. It keeps no name, document, card or bank
// account of anybody: such fields are never read, and texts that people wrote
// are masked. It concludes nothing and stores nothing.
package pagarme

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// zone is where the days of settlement are days.
const zone = "America/Sao_Paulo"

// Options say whose account is read.
type Options struct {
	Name    string // as in the merchant's table
	Account string // the merchant's own name of it: the API tells none
	Mode    payment.Mode
	// References have their place in PlaceCode, PlaceOrder, PlaceRefunded or
	// metadata.KEY.
	References []provider.Place
	// SignsAsWritten takes the signs of the API's amounts as they come. Without
	// it a row's type says whether its money came or went.
	SignsAsWritten bool
}

// Provider is one account of Pagar.me. It implements provider.Provider.
type Provider struct {
	o      Options
	zone   *time.Location
	client *httpx.Client
}

// The places at the provider where a merchant's reference can stand.
const (
	// PlaceCode is the code of an order, or of a charge.
	PlaceCode = "code"
	// PlaceOrder is the id of the order that a charge belongs to.
	PlaceOrder = "order.id"
	// PlaceRefunded is the id of the charge that a refund gives back. It stands
	// on refunds alone.
	PlaceRefunded = "charge"
	placeMetadata = "metadata."
)

// New makes the adapter; it sends nothing. The client's base URL and headers
// are those of Connection.
func New(o Options, client *httpx.Client) (*Provider, error) {
	days, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("pagarme: %w", err)
	}
	for _, p := range o.References {
		key, metadata := strings.CutPrefix(p.There, placeMetadata)
		if p.There != PlaceCode && p.There != PlaceOrder && p.There != PlaceRefunded && (!metadata || key == "") {
			return nil, fmt.Errorf("pagarme: reference %s: no place %q: want %s, %s, %s or metadata.KEY", p.Name, p.There, PlaceCode, PlaceOrder, PlaceRefunded)
		}
	}
	return &Provider{o, days, client}, nil
}

// The keys of the two environments, which live at one address, begin so. Keys
// that begin otherwise are public ones, or of the API before this one.
const (
	livePrefix = "sk_"
	testPrefix = "sk_test_"
)

// Connection says where the API is, and the header that carries the key. The
// key alone decides the mode, so that one of the other is refused. Its errors
// never hold the key.
func Connection(mode payment.Mode, key secret.Secret) (baseURL string, headers map[string]secret.Secret, err error) {
	switch text := key.Reveal(); {
	case !strings.HasPrefix(text, livePrefix):
		return "", nil, errors.New("pagarme: the key is no secret key of API v5, which begins with sk_")
	case strings.HasPrefix(text, testPrefix) != (mode == payment.Test):
		return "", nil, fmt.Errorf("pagarme: the account is configured as %s; the key is one of the other mode (%s…)", mode, testPrefix)
	}
	credential := "Basic " + base64.StdEncoding.EncodeToString([]byte(key.Reveal()+":"))
	return "https://api.pagar.me/core/v5", map[string]secret.Secret{"Authorization": secret.Secret(credential)}, nil
}

// Identity asks for one charge. Which account a key is of the API does not tell.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	if _, err := ask[charge](ctx, p, httpx.Ask{Endpoint: Charges, Path: "/charges", Query: url.Values{"size": {"1"}}}, 1); err != nil {
		return provider.Identity{}, err
	}
	return provider.Identity{Account: p.o.Account, Mode: p.o.Mode}, nil
}
