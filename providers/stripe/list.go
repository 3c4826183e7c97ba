package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// mostPages is how many pages of one list a look-up reads: 20,000 objects
// around one attempt. A list that is longer gives no answer.
const mostPages = 200

// row is an object of a list, and what came.
type row struct {
	object
	text json.RawMessage
}

// UnmarshalJSON keeps the text.
func (r *row) UnmarshalJSON(text []byte) error {
	r.text = slices.Clone(text)
	return httpx.Decode(text, &r.object)
}

// whole reads a list to its end. Where it was asked for by a sale, every object
// must name that sale.
func (p *Provider) whole(ctx context.Context, kind string, query url.Values) ([]row, payment.Instant, error) {
	charge, intent := query.Get("charge"), query.Get("payment_intent")
	all, date, err := pages(ctx, p, kind, collections[kind], query, func(o *row) string { return o.ID })
	if err != nil {
		return nil, 0, err
	}
	for i := range all {
		o := &all[i]
		switch {
		case o.Object != kind || o.ID == "":
			return nil, 0, refuse(kind, provider.Unparsable, "a list of %ss holds %s %q", kind, o.Object, o.ID)
		case charge != "" && o.Charge.ID != charge, intent != "" && o.PaymentIntent.ID != intent:
			return nil, 0, refuse(kind, provider.OtherReference, "%s %q is of another sale", kind, o.ID)
		}
		if err := p.own(kind, &o.object); err != nil {
			return nil, 0, err
		}
	}
	return all, date, nil
}

// pages reads a list to its end, page by page.
func pages[T any](ctx context.Context, p *Provider, endpoint, path string, query url.Values, id func(*T) string) (all []T, date payment.Instant, err error) {
	seen := map[string]bool{}
	for range mostPages {
		l, at, err := page[T](ctx, p, endpoint, path, query)
		if err != nil {
			return nil, 0, err
		}
		all, date = append(all, l.Data...), cmp.Or(date, at)
		if !*l.HasMore {
			return all, date, nil
		}
		last := id(&l.Data[len(l.Data)-1])
		if last == "" || seen[last] {
			return nil, 0, refuse(endpoint, provider.Loop, "a page ends with %q again", last)
		}
		seen[last] = true
		query.Set("starting_after", last)
	}
	return nil, 0, refuse(endpoint, provider.Partial, "more than %d pages around one attempt", mostPages)
}

// around is when an attempt's object must have been created: from a little
// before its row to a little after it was last sent, or, after a 5xx, for as
// long as Stripe may still roll it forward.
func (p *Provider) around(a *payment.Attempt) payment.Interval {
	after := p.o.After
	if a.LastError == payment.Error5xx {
		after = max(after, 3*day)
	}
	return payment.Interval{
		From: a.CreatedAt.Add(-p.o.Before),
		To:   max(a.LastSent, a.CreatedAt).Add(after),
	}
}
