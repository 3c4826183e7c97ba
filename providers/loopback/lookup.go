package loopback

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// LookUp asks by unit id, idempotency key or reference.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	if q.Key.Kind == payment.KeyUnit {
		return p.byID(ctx, q.Key)
	}
	endpoint, query := "objects by key", url.Values{"key": {q.Key.Value}}
	if q.Key.Kind == payment.KeyReference {
		i := slices.IndexFunc(p.o.References, func(place provider.Place) bool { return place.Name == q.Key.Name })
		if i < 0 {
			return provider.Answer{}, &provider.Error{Reason: provider.HTTP4xx, Endpoint: "objects by reference", Err: fmt.Errorf("no place is known for reference %q", q.Key.Name)}
		}
		endpoint, query = "objects by reference", url.Values{p.o.References[i].There: {q.Key.Value}}
	}
	var out page[fakepsp.Object]
	got, err := p.get(ctx, endpoint, "/objects", query, &out, http.StatusGone)
	if err != nil {
		return provider.Answer{}, err
	}
	if got.Status != http.StatusOK {
		return provider.Answer{}, p.no(endpoint, got)
	}
	if out.Data == nil {
		return provider.Answer{}, unparsable(endpoint, got.Status, fmt.Errorf("no data in it"))
	}
	return p.answer(*out.Data, q.Key, endpoint, got)
}

func (p *Provider) byID(ctx context.Context, key payment.LookupKey) (provider.Answer, error) {
	const endpoint = "object"
	var object fakepsp.Object
	got, err := p.get(ctx, endpoint, "/objects/"+url.PathEscape(key.Value), nil, &object, http.StatusNotFound, http.StatusGone)
	if err != nil {
		return provider.Answer{}, err
	}
	if got.Status == http.StatusOK {
		return p.answer([]fakepsp.Object{object}, key, endpoint, got)
	}
	if err := p.no(endpoint, got); err != nil {
		return provider.Answer{}, err
	}
	return p.answer(nil, key, endpoint, got)
}

// no reads an answer that shows no object. Nil is the provider's own
// well-formed no; that it holds the period no longer is none.
func (p *Provider) no(endpoint string, got *httpx.Response) error {
	var no struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if err := got.Decode(&no); err != nil {
		return err
	}
	switch {
	case got.Status == http.StatusNotFound && no.Error.Code == "no_such_object":
		return nil
	case got.Status == http.StatusGone && no.Error.Code == "period_not_held":
		return &provider.Error{Reason: provider.PeriodNotHeld, Endpoint: endpoint, Status: got.Status}
	}
	return unparsable(endpoint, got.Status, fmt.Errorf("code %q does not say that there is no such object", no.Error.Code))
}

// answer takes the objects if every one of them carries the key that was asked
// for.
func (p *Provider) answer(objects []fakepsp.Object, key payment.LookupKey, endpoint string, got *httpx.Response) (provider.Answer, error) {
	a := provider.Answer{
		Outcome: payment.NotFound, Account: p.o.Account, Mode: p.o.Mode, Endpoint: endpoint, Date: got.Date, Raw: got.Body,
	}
	for i := range objects {
		u, err := p.unit(&objects[i], endpoint)
		if err != nil {
			return provider.Answer{}, err
		}
		if !carries(&u, key) {
			return provider.Answer{}, &provider.Error{Reason: provider.OtherReference, Endpoint: endpoint, Err: fmt.Errorf("object %q does not carry the key asked for", u.ID)}
		}
		u.Source = payment.FromLookup
		a.Outcome, a.Units = payment.Found, append(a.Units, u)
	}
	slices.SortFunc(a.Units, func(x, y payment.Unit) int { return strings.Compare(x.ID, y.ID) })
	var err error
	if a.Canonical, err = json.Marshal(a.Units); err != nil {
		return provider.Answer{}, unparsable(endpoint, got.Status, err)
	}
	return a, nil
}

func carries(u *payment.Unit, key payment.LookupKey) bool {
	switch key.Kind {
	case payment.KeyUnit:
		return u.ID == key.Value
	case payment.KeyIdempotency:
		return u.Key == key.Value
	case payment.KeyReference:
		return slices.ContainsFunc(u.References, func(r payment.Reference) bool { return r.Name == key.Name && r.Value == key.Value })
	}
	return false
}
