package zoop

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// LookUp asks by id, by reference_id, or, for a reference in the metadata, by
// the transactions created around the attempt, compared here.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	i := slices.IndexFunc(p.o.References, func(place provider.Place) bool { return place.Name == q.Key.Name })
	switch {
	case !slices.Contains(sales, q.Attempt.Operation), q.Key.Value == "":
	case q.Key.Kind == payment.KeyUnit:
		return p.byID(ctx, q.Key.Value)
	case q.Key.Kind == payment.KeyReference && i >= 0 && p.o.References[i].There == placeReference:
		return p.byReference(ctx, q.Key)
	case q.Key.Kind == payment.KeyReference && i >= 0:
		return p.byWindow(ctx, q)
	}
	return provider.Answer{}, refuse(endpointByID, provider.OtherReference, "a %s is not found by this key", q.Attempt.Operation)
}

// byID asks for one transaction. An id of a form that Zoop does not give is not
// asked for: a no would say nothing.
func (p *Provider) byID(ctx context.Context, id string) (provider.Answer, error) {
	if !idForm.MatchString(id) {
		return provider.Answer{}, refuse(endpointByID, provider.OtherReference, "%q has the form of no transaction's id", id)
	}
	got, err := p.client.Get(ctx, httpx.Ask{Endpoint: endpointByID, Path: "/transactions/" + id, Takes: []int{http.StatusNotFound}})
	if err != nil {
		return provider.Answer{}, err
	}
	var t transaction
	if err := decode(got, &t); err != nil {
		return provider.Answer{}, err
	}
	switch {
	case got.Status == http.StatusNotFound && t.Error != nil && t.Error.Code == "404" && t.ID == "":
		return p.answered(endpointByID, nil, got.Date, got.Body), nil
	case got.Status == http.StatusNotFound:
		return provider.Answer{}, refuse(endpointByID, provider.Unparsable, "not found, and a body that is not the provider's")
	case t.Error != nil:
		return provider.Answer{}, refuse(endpointByID, provider.Unparsable, "%w", t.Error.err())
	}
	u, err := p.unit(&t)
	switch {
	case err != nil:
		return provider.Answer{}, refuse(endpointByID, provider.Unparsable, "%w", err)
	case u.ID != id:
		return provider.Answer{}, refuse(endpointByID, provider.OtherReference, "the answer is about %q", u.ID)
	case p.seller != "" && t.Seller != p.seller:
		return provider.Answer{}, refuse(endpointByID, provider.OtherAccount, "the transaction is of the seller %q", t.Seller)
	}
	return p.answered(endpointByID, []payment.Unit{u}, got.Date, got.Body), nil
}

func (p *Provider) byReference(ctx context.Context, key payment.LookupKey) (provider.Answer, error) {
	ever := payment.Interval{From: math.MinInt64, To: math.MaxInt64}
	query := url.Values{"reference_id": {key.Value}, "limit": {strconv.Itoa(pageRows)}}
	return p.compared(ctx, endpointReference, key, query, ever, true)
}

// The transaction of an attempt is looked for from before its row was written
// until after the longest that the provider may take to finish it.
const (
	before = time.Hour
	after  = 72 * time.Hour
)

func (p *Provider) byWindow(ctx context.Context, q provider.Question) (provider.Answer, error) {
	if q.Attempt.CreatedAt.IsZero() {
		return provider.Answer{}, refuse(endpointWindow, provider.OtherReference, "the attempt has no creation to look around")
	}
	last := max(q.Attempt.CreatedAt, q.Attempt.LastSent)
	window := payment.Interval{
		From: payment.InstantOf(q.Attempt.CreatedAt.Add(-before).Time().Truncate(time.Second)),
		To:   payment.InstantOf(last.Add(after).Time().Truncate(time.Second)),
	}
	return p.compared(ctx, endpointWindow, q.Key, created(window), window, false)
}

// mostPages bounds what a look-up reads: one that is longer asks too much.
const mostPages = 50

// compared reads a list to its end and finds what carries the reference.
// filtered: the provider was asked for the reference, so that an answer without
// it is about something else.
func (p *Provider) compared(ctx context.Context, endpoint string, key payment.LookupKey, query url.Values, within payment.Interval, filtered bool) (provider.Answer, error) {
	var all []payment.Unit
	var body []byte
	seen := map[string]bool{}
	for next, page := 0, 0; page == 0 || next > 0; page++ {
		if page == mostPages {
			return provider.Answer{}, refuse(endpoint, provider.Partial, "more than %d pages", mostPages)
		}
		got, err := p.ask(ctx, endpoint, query, next)
		if err != nil {
			return provider.Answer{}, err
		}
		units, err := p.units(endpoint, got.rows, within)
		if err != nil {
			return provider.Answer{}, err
		}
		for i := range units {
			if seen[units[i].ID] {
				return provider.Answer{}, refuse(endpoint, provider.Shifted, "%q came twice: rows moved while they were read", units[i].ID)
			}
			seen[units[i].ID] = true
		}
		all, body, next = append(all, units...), append(body, got.body...), got.next
		if next > 0 {
			continue
		}
		if got.total.Known && got.total.Minor != int64(len(all)) {
			return provider.Answer{}, refuse(endpoint, provider.Untied, "%d rows read, the list says %d", len(all), got.total.Minor)
		}
		found := slices.DeleteFunc(slices.Clone(all), func(u payment.Unit) bool {
			return !slices.ContainsFunc(u.References, func(r payment.Reference) bool { return r.Name == key.Name && r.Value == key.Value })
		})
		if filtered && len(found) == 0 && len(all) > 0 {
			return provider.Answer{}, refuse(endpoint, provider.OtherReference, "%d transactions, none of which carries the reference", len(all))
		}
		return p.answered(endpoint, found, got.date, body), nil
	}
	return provider.Answer{}, refuse(endpoint, provider.Partial, "no page came")
}

func (p *Provider) answered(endpoint string, units []payment.Unit, date payment.Instant, body []byte) provider.Answer {
	for i := range units {
		units[i].Source = payment.FromLookup
	}
	slices.SortFunc(units, func(a, b payment.Unit) int { return strings.Compare(a.ID, b.ID) })
	a := provider.Answer{
		Outcome: payment.NotFound, Units: units, Account: p.o.Account, Mode: p.o.Mode, Endpoint: endpoint, Date: date, Raw: body,
	}
	if len(units) > 0 {
		a.Outcome = payment.Found
	}
	a.Canonical, _ = json.Marshal(units) // plain values: it cannot fail
	return a
}
