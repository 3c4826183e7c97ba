// Package loopback reads the provider of demonstrations and tests
// (internal/fakepsp) through the port that all providers are read through: so
// that pull, probe and run can be shown and tested whole, on one machine.
//
// It speaks to this machine only, and sends GET and nothing else. No real
// provider is of this type.
package loopback

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// Options make a Provider.
type Options struct {
	Name       string // of the provider, in the merchant's table
	Account    string // "", or the provider's own id of it
	Mode       payment.Mode
	Zone       *time.Location
	References []provider.Place // There is metadata.KEY
	// By are the keys that it can be asked by: unit, key or a reference's name;
	// nil: all of them. It stands in for providers that know fewer.
	By []string
}

// Provider is one account of the loopback provider.
type Provider struct {
	o      Options
	client *httpx.Client
	reader fakepsp.Reader
}

// metadata is what the place of a reference begins with.
const metadata = "metadata."

// New makes the adapter; it sends nothing.
func New(o Options, client *httpx.Client) (*Provider, error) {
	p := &Provider{o: o, client: client, reader: fakepsp.Reader{Name: o.Name, Zone: o.Zone}}
	for _, place := range o.References {
		key, ok := strings.CutPrefix(place.There, metadata)
		if !ok || key == "" {
			return nil, fmt.Errorf("loopback: reference %s: no place %q: want metadata.KEY", place.Name, place.There)
		}
		p.reader.Places = append(p.reader.Places, fakepsp.Place{Name: place.Name, Metadata: key, Scope: place.Scope})
	}
	return p, nil
}

// parallel is how many slices are read at once: this machine is no stranger.
const parallel = 32

// Capabilities says what the provider can tell.
func (p *Provider) Capabilities() provider.Capabilities {
	lookups := []provider.Lookup{
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Endpoint: "object", VisibleAfter: time.Minute},
		{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Endpoint: "objects by key", VisibleAfter: time.Minute, HeldFor: 24 * time.Hour},
	}
	for _, place := range p.o.References {
		lookups = append(lookups, provider.Lookup{
			Key: payment.LookupKey{Kind: payment.KeyReference, Name: place.Name}, Endpoint: "objects by reference", VisibleAfter: time.Minute,
		})
	}
	if p.o.By != nil {
		lookups = slices.DeleteFunc(lookups, func(l provider.Lookup) bool { return !slices.Contains(p.o.By, word(l.Key)) })
	}
	statement := provider.Statement{PublishLag: time.Minute, Reread: 24 * time.Hour, Parallel: parallel, PageRows: 100, Slice: provider.Slice{Aim: 24 * time.Hour}}
	list, ledger := statement, statement
	list.Name, list.Sort = fakepsp.ObjectList, payment.ObjectList
	ledger.Name, ledger.Sort, ledger.Chained = fakepsp.LedgerList, payment.Ledger, true
	all := []evidence.Means{evidence.MeansCreated, evidence.MeansAuthorized, evidence.MeansCaptured}
	return provider.Capabilities{
		Type: "loopback", LineIDsUnique: true, HasObjectList: true, Lookups: lookups, Statements: []provider.Statement{list, ledger},
		Keys:  []provider.KeyPromise{{Operation: payment.Charge, Retention: 24 * time.Hour, Documented: true}},
		Means: map[payment.Operation][]evidence.Means{payment.Charge: all, payment.Refund: {evidence.MeansCaptured}, payment.Transfer: {evidence.MeansCaptured}},
		Marks: []provider.Mark{
			{Operation: payment.Charge, Status: payment.Succeeded, By: "a paid object, by id, key or reference"},
			{Operation: payment.Charge, Status: payment.Failed, By: "a final declined object, or absence: two look-ups and the object list"},
		},
		Expected: []string{fakepsp.MethodStatic},
	}
}

// Identity is the account that the token opens.
func (p *Provider) Identity(ctx context.Context) (provider.Identity, error) {
	var owner struct {
		Account string `json:"account"`
		Mode    string `json:"mode"`
	}
	got, err := p.get(ctx, "account", "/account", nil, &owner)
	if err != nil {
		return provider.Identity{}, err
	}
	mode, err := payment.ParseMode(owner.Mode)
	if err != nil || owner.Account == "" {
		return provider.Identity{}, unparsable("account", got.Status, fmt.Errorf("no account or mode in it"))
	}
	if p.o.Account != "" && owner.Account != p.o.Account {
		return provider.Identity{}, &provider.Error{Reason: provider.OtherAccount, Endpoint: "account", Err: fmt.Errorf("the token opens account %q", owner.Account)}
	}
	return provider.Identity{Account: owner.Account, Mode: mode}, nil
}

// page is what the lists answer.
type page[T any] struct {
	Data    *[]T      `json:"data"`
	Next    string    `json:"next"`
	Through time.Time `json:"through"`
}

// Page reads one page of the object list or the ledger.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	if r.Statement == fakepsp.LedgerList {
		return p.ledger(ctx, r)
	}
	got, out, err := list[fakepsp.Object](ctx, p, r)
	if err != nil {
		return out, err
	}
	for i := range got {
		u, err := p.unit(&got[i], r.Statement)
		if err != nil {
			return provider.Page{}, err
		}
		u.Source, u.Statement = payment.FromList, r.Statement
		out.Rows, out.Units = append(out.Rows, u.ID), append(out.Units, u)
	}
	return out, nil
}

func (p *Provider) ledger(ctx context.Context, r provider.Request) (provider.Page, error) {
	got, out, err := list[fakepsp.Entry](ctx, p, r)
	if err != nil {
		return out, err
	}
	out.Rows, out.Lines = make([]string, 0, len(got)), make([]payment.Line, 0, len(got))
	for i := range got {
		l, err := p.reader.Line(&got[i])
		if err == nil && (l.ID == "" || l.Raw == "" || l.At.IsZero()) {
			err = fmt.Errorf("entry %q lacks an id, type or time", l.ID)
		}
		if err != nil {
			return provider.Page{}, unparsable(r.Statement, http.StatusOK, err)
		}
		l.Account, l.Mode, l.Statement = p.o.Account, p.o.Mode, r.Statement
		out.Rows, out.Lines = append(out.Rows, l.ID), append(out.Lines, l)
	}
	if n := len(got); n > 0 {
		out.Opening, out.Closing = payment.Known(got[0].Balance-got[0].Amount), payment.Known(got[n-1].Balance)
	}
	return out, nil
}

// list asks for one page of either.
func list[T any](ctx context.Context, p *Provider, r provider.Request) ([]T, provider.Page, error) {
	query := url.Values{
		"from": {r.Slice.From.Time().Format(time.RFC3339Nano)}, "to": {r.Slice.To.Time().Format(time.RFC3339Nano)},
	}
	if r.Cursor != "" {
		query.Set("cursor", r.Cursor)
	}
	var out page[T]
	got, err := p.get(ctx, r.Statement, "/"+r.Statement, query, &out)
	if err != nil {
		return nil, provider.Page{}, err
	}
	if out.Data == nil || out.Through.IsZero() {
		return nil, provider.Page{}, unparsable(r.Statement, got.Status, fmt.Errorf("no data or watermark in it"))
	}
	return *out.Data, provider.Page{Next: out.Next, Through: payment.InstantOf(out.Through)}, nil
}

func (p *Provider) unit(o *fakepsp.Object, endpoint string) (payment.Unit, error) {
	if o.ID == "" || o.Account == "" || o.State == "" || o.CreatedAt.IsZero() {
		return payment.Unit{}, unparsable(endpoint, http.StatusOK, fmt.Errorf("object %q lacks an id, account, state or time", o.ID))
	}
	if p.o.Account != "" && o.Account != p.o.Account {
		return payment.Unit{}, &provider.Error{Reason: provider.OtherAccount, Endpoint: endpoint, Err: fmt.Errorf("object %q is of account %q", o.ID, o.Account)}
	}
	u, err := p.reader.Unit(o)
	if err != nil {
		return u, unparsable(endpoint, http.StatusOK, err)
	}
	u.Account, u.Mode = p.o.Account, p.o.Mode
	return u, nil
}

// word is a key as configurations write it.
func word(key payment.LookupKey) string {
	switch key.Kind {
	case payment.KeyUnit:
		return "unit"
	case payment.KeyIdempotency:
		return "key"
	case payment.KeyReference:
	}
	return key.Name
}

func (p *Provider) get(ctx context.Context, endpoint, path string, query url.Values, into any, takes ...int) (*httpx.Response, error) {
	got, err := p.client.Get(ctx, httpx.Ask{Endpoint: endpoint, Path: path, Query: query, Takes: takes})
	if err != nil || got.Status != http.StatusOK {
		return got, err
	}
	return got, got.Decode(into)
}

func unparsable(endpoint string, status int, err error) error {
	return &provider.Error{Reason: provider.Unparsable, Stage: provider.StageBody, Endpoint: endpoint, Status: status, Err: err}
}
