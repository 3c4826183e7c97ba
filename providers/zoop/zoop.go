// Package zoop reads the transactions of one marketplace of Zoop, API v1, or of
// one of its sellers, into the words of RULES §1: the list by time of creation,
// and look-ups by id and by reference.
//
// It sends GET and nothing else. It keeps no name, document or card of anybody:
// such fields are never read, and texts that people wrote are masked. It reads
// no ledger, for Zoop documents none. It concludes nothing and stores nothing.
package zoop

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// Options say whose transactions are read.
type Options struct {
	Name string // as in the merchant's table
	// Account is the id of the marketplace, or MARKETPLACE/SELLER.
	Account string
	Mode    payment.Mode
	// References have their place in reference_id or metadata.KEY.
	References []provider.Place
	// Centavos: amounts without a point are centavos, as some resellers send
	// them. Without it they are refused.
	Centavos bool
}

// Provider is one marketplace, or one seller of it. It implements
// provider.Provider.
type Provider struct {
	o      Options
	seller string // "": all of the marketplace
	client *httpx.Client
}

// The places at the provider where a merchant's reference can stand.
const (
	placeReference = "reference_id"
	placeMetadata  = "metadata."
)

// New makes the adapter; it sends nothing. The client's base URL and headers
// are those of Connection.
func New(o Options, client *httpx.Client) (*Provider, error) {
	_, seller, err := split(o.Account)
	if err != nil {
		return nil, err
	}
	for _, p := range o.References {
		if key, metadata := strings.CutPrefix(p.There, placeMetadata); p.There != placeReference && (!metadata || key == "") {
			return nil, fmt.Errorf("zoop: reference %s: no place %q: want %s or metadata.KEY", p.Name, p.There, placeReference)
		}
	}
	return &Provider{o, seller, client}, nil
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// split takes an account apart. One that is not configured yet is none.
func split(account string) (marketplace, seller string, err error) {
	marketplace, seller, sold := strings.Cut(account, "/")
	if account != "" && (!idForm.MatchString(marketplace) || sold && !idForm.MatchString(seller)) {
		return "", "", fmt.Errorf("zoop: account %q: want the id of the marketplace, or MARKETPLACE/SELLER", account)
	}
	return marketplace, seller, nil
}

// The keys of the two environments, which live at one address, begin so.
const (
	livePrefix = "zpk_prod_"
	testPrefix = "zpk_test_"
)

// Connection says where the API of an account is, and the header that carries
// the key. The key alone decides the mode, so that one of the other is refused.
// Its errors never hold the key.
func Connection(account string, mode payment.Mode, key secret.Secret) (baseURL string, headers map[string]secret.Secret, err error) {
	marketplace, _, err := split(account)
	if err == nil && marketplace == "" {
		err = errors.New("zoop: the account is the id of the marketplace, and none is configured")
	}
	if err != nil {
		return "", nil, err
	}
	want := livePrefix
	if mode == payment.Test {
		want = testPrefix
	}
	if !strings.HasPrefix(key.Reveal(), want) {
		return "", nil, fmt.Errorf("zoop: the account is configured as %s, whose keys begin with %s: this one does not", mode, want)
	}
	credential := "Basic " + base64.StdEncoding.EncodeToString([]byte(key.Reveal()+":"))
	return "https://api.zoop.ws/v1/marketplaces/" + marketplace, map[string]secret.Secret{"Authorization": secret.Secret(credential)}, nil
}

// Identity asks for one transaction: the address holds the marketplace, so that
// a key of another one is refused. Which account a key is of it does not tell.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	if _, err := p.ask(ctx, endpointList, url.Values{"limit": {"1"}}, 0); err != nil {
		return provider.Identity{}, err
	}
	return provider.Identity{Account: p.o.Account, Mode: p.o.Mode}, nil
}
