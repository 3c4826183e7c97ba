// Package stripe reads one account of Stripe into the words of RULES §1: what
// was created, by time of creation; what moved its balance; and what became of
// one attempt, by id, idempotency key or reference.
//
// It sends GET and nothing else, and compares every answer with the mode and
// the kind of object it asked for. It keeps no name, e-mail, address or card of
// anybody: such fields are never read, but for the raw answer of a look-up,
// which its caller masks. It concludes nothing and stores nothing.
//
// What it knows of the API stands in docs/providers/stripe.md, with what no
// document settles; the latter is in Capabilities too.
package stripe

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// Version is the version of Stripe's API that is asked for, whatever the
// account's own default is. The fields that are read have kept their meaning
// since 2022-11-15.
const Version = "2026-07-29.dahlia"

// Options say whose account is read, and how.
type Options struct {
	Name    string // as in the merchant's table
	Account string
	Mode    payment.Mode
	// Connected is the connected account (acct_…) that is read with the key of
	// its platform; empty: the key's own account.
	Connected string
	// Zone is where the days of statements are days; nil: UTC.
	Zone *time.Location
	// References have their place in metadata.KEY, idempotency_key,
	// transfer_group or description.
	References []provider.Place
	// Exponents are the decimals in which Stripe counts a currency, where
	// neither it nor ISO 4217 says.
	Exponents map[money.Currency]int
	// Before is how long before its attempt's row an object may have been
	// created, 0: 5 min; After how long after the attempt was last sent, 0:
	// 15 min. After a 5xx it is three days: Stripe may finish it later.
	Before, After time.Duration
	// Reread is how far back statements are read again, 0: 7 days. Methods
	// whose payments stay pending for longer need more.
	Reread time.Duration
}

// Provider is one account of Stripe. It implements provider.Provider.
type Provider struct {
	account
	client *httpx.Client
	o      Options
}

// New makes the adapter; it sends nothing. The client's base URL and headers
// are those of Connection.
func New(o Options, client *httpx.Client) (*Provider, error) {
	if err := checkPlaces(o.References); err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	o.Before, o.After = cmp.Or(o.Before, 5*time.Minute), cmp.Or(o.After, 15*time.Minute)
	o.Reread = cmp.Or(o.Reread, 7*day)
	a := account{name: o.Name, id: o.Account, mode: o.Mode, zone: o.Zone, places: o.References, exponents: ownExponents()}
	maps.Copy(a.exponents, o.Exponents)
	return &Provider{account: a, client: client, o: o}, nil
}

// Connection says where the API is, and the header that carries the key. It
// refuses a key of the other mode, and what is no key for reading. Its errors
// never hold the key.
func Connection(mode payment.Mode, key secret.Secret) (baseURL string, headers map[string]secret.Secret, err error) {
	kind, rest, _ := strings.Cut(key.Reveal(), "_")
	of, _, _ := strings.Cut(rest, "_")
	switch {
	case kind == "pk":
		return "", nil, fmt.Errorf("stripe: the key is a publishable one (pk_…), which may not read: want a restricted key (rk_…)")
	case kind == "whsec":
		return "", nil, fmt.Errorf("stripe: the key is a webhook's signing secret (whsec_…): want a restricted key (rk_…)")
	case of == "live" && mode == payment.Test, of == "test" && mode == payment.Live:
		return "", nil, fmt.Errorf("stripe: the key is one of %s mode, the account is configured as %s", of, mode)
	case key == "":
		return "", nil, fmt.Errorf("stripe: the key is empty")
	}
	return "https://api.stripe.com", map[string]secret.Secret{"Authorization": "Bearer " + key}, nil
}
