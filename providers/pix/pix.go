// Package pix reads one receiver's account at a participant of Pix through
// Banco Central's API Pix 2.9 into the words of RULES §1: immediate charges and
// charges with a due date (cob, cobv), the Pix that were received, and what was
// given back of them, by time and by txid, endToEndId and id of the return.
//
// It sends GET and nothing else, but for the request of an access token. It
// keeps no name, document, key or message of anybody: such fields are never
// read. It sees no fee, no balance and no Pix that was sent, for the API has
// none. It concludes nothing and stores nothing.
package pix

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// zone is where the days of Pix are days.
const zone = "America/Sao_Paulo"

// Options say whose account is read, and how the participant lets it be read.
type Options struct {
	Name    string // as in the merchant's table
	Account string // the merchant's own name of it: the API tells none
	Mode    payment.Mode
	// References have their place in PlaceTxID, PlaceReturn, PlaceReturned or
	// PlaceExtra and the name of an additional field.
	References []provider.Place
	// Scopes that are asked for, none: those of Scopes. What a scope opens is
	// read, and nothing else.
	Scopes []string
	// Token is where an access token is asked for.
	Token Token
	// Headers are sent with every question, such as the account's number where
	// a participant wants one. They are no secret.
	Headers map[string]string
	// MaxWindow is the longest time that may be asked for at once, 0: a day.
	MaxWindow time.Duration
	// Now is the clock by which tokens grow old.
	Now func() time.Time
}

// Token is how an access token is asked for.
type Token struct {
	URL string
	// Credential is ID:SECRET of the client.
	Credential secret.Secret
	// InBody sends it as fields of the form, and not as Authorization: Basic.
	InBody bool
}

// Scopes are the least that all is read with.
func Scopes() []string { return []string{scopeCob, scopeCobV, scopePix} }

const (
	scopeCob  = "cob.read"
	scopeCobV = "cobv.read"
	scopePix  = "pix.read"
)

// Provider is one account at one participant. It implements provider.Provider.
type Provider struct {
	o      Options
	zone   *time.Location
	client *httpx.Client
	tokens tokens
}

// The places at the provider where a merchant's reference can stand.
const (
	// PlaceTxID is the txid of a charge, or of a printed code.
	PlaceTxID = "txid"
	// PlaceReturn is the id of a return, which the merchant chooses.
	PlaceReturn = "devolucao"
	// PlaceReturned is the endToEndId of the Pix that a refund gives back.
	PlaceReturned = "endToEndId"
	// PlaceExtra and a name is an additional field of a charge.
	PlaceExtra = "infoAdicionais."
)

// New makes the adapter; it sends nothing. The client's base URL is the
// participant's, its certificate the one that was registered there.
func New(o Options, client *httpx.Client) (*Provider, error) {
	days, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("pix: %w", err)
	}
	for _, p := range o.References {
		extra, named := strings.CutPrefix(p.There, PlaceExtra)
		if !slices.Contains([]string{PlaceTxID, PlaceReturn, PlaceReturned}, p.There) && (!named || extra == "") {
			return nil, fmt.Errorf("pix: reference %s: no place %q: want %s, %s, %s or %sNAME",
				p.Name, p.There, PlaceTxID, PlaceReturn, PlaceReturned, PlaceExtra)
		}
	}
	if len(o.Scopes) == 0 {
		o.Scopes = Scopes()
	}
	for _, s := range o.Scopes {
		if !slices.Contains(Scopes(), s) {
			return nil, fmt.Errorf("pix: scope %q: want some of %s, which only read", s, strings.Join(Scopes(), ", "))
		}
	}
	if !slices.Contains(o.Scopes, scopePix) {
		return nil, fmt.Errorf("pix: scope %s is missing: without it no money is seen", scopePix)
	}
	if o.MaxWindow == 0 {
		o.MaxWindow = day
	}
	if o.MaxWindow < time.Minute || o.MaxWindow%time.Second != 0 {
		return nil, fmt.Errorf("pix: max_window %s: want a minute or more, in whole seconds", o.MaxWindow)
	}
	return &Provider{o: o, zone: days, client: client}, nil
}

func (p *Provider) may(scope string) bool { return slices.Contains(p.o.Scopes, scope) }

// Identity asks for the Pix of the last hour. The API names no account: that the
// credential opens the one that is configured cannot be seen.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	to := payment.InstantOf(p.o.Now().Truncate(time.Second))
	if _, err := p.ask(ctx, question{Received, pathPix, payment.Interval{From: to.Add(-time.Hour), To: to}, url.Values{}}, 0); err != nil {
		return provider.Identity{}, err
	}
	return provider.Identity{Account: p.o.Account, Mode: p.o.Mode}, nil
}

// The forms of the ids. Those of a Pix are of 32 letters by the book, and of
// others in its own examples.
var (
	endToEndForm = regexp.MustCompile(`^E[0-9]{20}[A-Za-z0-9]{5,15}$`)
	chargeForm   = regexp.MustCompile(`^[A-Za-z0-9]{26,35}$`)
	printedForm  = regexp.MustCompile(`^[A-Za-z0-9]{1,25}$`)
	returnForm   = regexp.MustCompile(`^[A-Za-z0-9]{1,35}$`)
)
