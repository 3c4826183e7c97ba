package pagarme

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// The endpoints of look-ups, as Capabilities and answers name them.
const (
	byCharge = "charge" // /charges/{id}
	byOrder  = "order"  // /orders/{id}
	byCode   = "code"   // /orders?code=, then /charges?code=
	byWindow = "window" // /charges created around the attempt, compared here
)

// The forms of the provider's ids.
var (
	chargeForm = regexp.MustCompile(`^ch_[A-Za-z0-9]{1,64}$`)
	orderForm  = regexp.MustCompile(`^or_[A-Za-z0-9]{1,64}$`)
)

var sales = []payment.Operation{payment.Charge, payment.Authorize, payment.Capture}

// LookUp asks by an id or a reference. An id of a form that Pagar.me does not
// give is not asked for: a no would say nothing.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	value, sale := q.Key.Value, slices.Contains(sales, q.Attempt.Operation)
	switch there := p.place(q.Key); {
	case sale && q.Key.Kind == payment.KeyUnit && chargeForm.MatchString(value):
		return p.byCharge(ctx, value, false)
	case sale && (q.Key.Kind == payment.KeyUnit || there == PlaceOrder) && orderForm.MatchString(value):
		return p.byOrder(ctx, value)
	case sale && there == PlaceCode && value != "":
		return p.byCode(ctx, value)
	case sale && strings.HasPrefix(there, placeMetadata) && value != "":
		return p.byWindow(ctx, q)
	case q.Attempt.Operation == payment.Refund && (q.Key.Kind == payment.KeyUnit || there == PlaceRefunded):
		if id := strings.TrimSuffix(value, refundsOf); chargeForm.MatchString(id) {
			return p.byCharge(ctx, id, true)
		}
	}
	return provider.Answer{}, refuse(byCharge, provider.OtherReference, "a %s is not found by this key", q.Attempt.Operation)
}

// place is where the reference that is asked by stands, "" for other keys.
func (p *Provider) place(key payment.LookupKey) string {
	i := slices.IndexFunc(p.o.References, func(place provider.Place) bool { return place.Name == key.Name })
	if key.Kind != payment.KeyReference || i < 0 {
		return ""
	}
	return p.o.References[i].There
}

// absentForm is the provider's own no. Its gateway says 404 otherwise.
var absentForm = regexp.MustCompile(`(?i)^(charge|order) not found\.?$`)

// object asks for one object by id. nil is the provider's no. An answer that is
// about another object is none.
func object[T any](ctx context.Context, p *Provider, endpoint, path, wanted string, id func(*T) string) (*T, *httpx.Response, error) {
	got, err := p.client.Get(ctx, httpx.Ask{Endpoint: endpoint, Path: path, Takes: []int{http.StatusNotFound}})
	if err != nil {
		return nil, nil, err
	}
	if got.Status == http.StatusNotFound {
		var says struct {
			Message string `json:"message"`
		}
		if err := got.Decode(&says); err != nil {
			return nil, nil, err
		}
		if !absentForm.MatchString(says.Message) {
			return nil, nil, refuse(endpoint, provider.Unparsable, "not found, and a message that is not the provider's own")
		}
		return nil, got, nil
	}
	var o T
	if err := got.Decode(&o); err != nil {
		return nil, nil, err
	}
	switch id(&o) {
	case wanted:
		return &o, got, nil
	case "":
		return nil, nil, refuse(endpoint, provider.Unparsable, "no id in the answer")
	}
	return nil, nil, refuse(endpoint, provider.OtherReference, "the answer is about %q", id(&o))
}

func chargeID(c *charge) string { return c.ID }

func orderID(o *order) string { return o.ID }

// byCharge asks for a charge; returned: for what was given back of it.
func (p *Provider) byCharge(ctx context.Context, id string, returned bool) (provider.Answer, error) {
	c, got, err := object(ctx, p, byCharge, "/charges/"+id, id, chargeID)
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	switch {
	case c != nil:
		if units, err = p.charge(c); err != nil {
			return provider.Answer{}, refuse(byCharge, provider.Unparsable, "%w", err)
		}
	case returned:
		return provider.Answer{}, refuse(byCharge, provider.OtherReference, "not even the charge that the refund gives back was found")
	}
	if returned {
		units = units[1:]
	}
	return p.answered(byCharge, units, got.Date, got.Body), nil
}

func (p *Provider) byOrder(ctx context.Context, id string) (provider.Answer, error) {
	o, got, err := object(ctx, p, byOrder, "/orders/"+id, id, orderID)
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	if o != nil {
		if units, err = p.order(o); err != nil {
			return provider.Answer{}, refuse(byOrder, provider.Unparsable, "%w", err)
		}
		if len(units) == 0 { // it was made, and what became of it is not told
			return provider.Answer{}, refuse(byOrder, provider.Partial, "the order %q lists no charge", id)
		}
	}
	return p.answered(byOrder, units, got.Date, got.Body), nil
}

// order reads the charges of an order.
func (p *Provider) order(o *order) (units []payment.Unit, err error) {
	for i := range o.Charges {
		o.Charges[i].Order = o
		found, err := p.charge(&o.Charges[i])
		if err != nil {
			return nil, err
		}
		units = append(units, found...)
	}
	return units, nil
}

// byCode asks for orders of a code, then for charges: either may carry it.
func (p *Provider) byCode(ctx context.Context, code string) (provider.Answer, error) {
	query := url.Values{"code": {code}}
	orders, err := all(ctx, p, httpx.Ask{Endpoint: byCode, Path: "/orders", Query: query}, orderID)
	if err != nil {
		return provider.Answer{}, err
	}
	charges, err := all(ctx, p, httpx.Ask{Endpoint: byCode, Path: "/charges", Query: query}, chargeID)
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	for i := range orders.rows {
		o := &orders.rows[i]
		if o.Code != code {
			return provider.Answer{}, refuse(byCode, provider.OtherReference, "the answer is about an order of the code %q", o.Code)
		}
		found, err := p.order(o)
		if err != nil {
			return provider.Answer{}, refuse(byCode, provider.Unparsable, "%w", err)
		}
		if len(found) == 0 {
			return provider.Answer{}, refuse(byCode, provider.Partial, "the order %q lists no charge", o.ID)
		}
		units = append(units, found...)
	}
	for i := range charges.rows {
		c := &charges.rows[i]
		if c.Code != code {
			return provider.Answer{}, refuse(byCode, provider.OtherReference, "the answer is about a charge of the code %q", c.Code)
		}
		if slices.ContainsFunc(units, func(u payment.Unit) bool { return u.ID == c.ID }) {
			continue
		}
		found, err := p.charge(c)
		if err != nil {
			return provider.Answer{}, refuse(byCode, provider.Unparsable, "%w", err)
		}
		units = append(units, found...)
	}
	return p.answered(byCode, units, charges.date, append(orders.body, charges.body...)), nil
}

// The charge of an attempt is looked for from before its row was written until
// after the longest that the provider may take to make it.
const (
	before = time.Hour
	after  = 72 * time.Hour
)

func (p *Provider) byWindow(ctx context.Context, q provider.Question) (provider.Answer, error) {
	if q.Attempt.CreatedAt.IsZero() {
		return provider.Answer{}, refuse(byWindow, provider.OtherReference, "the attempt has no creation to look around")
	}
	last := max(q.Attempt.CreatedAt, q.Attempt.LastSent)
	window := payment.Interval{
		From: payment.InstantOf(q.Attempt.CreatedAt.Add(-before).Time().Truncate(time.Second)),
		To:   payment.InstantOf(last.Add(after).Time().Truncate(time.Second)),
	}
	got, err := all(ctx, p, httpx.Ask{Endpoint: byWindow, Path: "/charges", Query: during("created", window)}, chargeID)
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	for i := range got.rows {
		found, err := p.charge(&got.rows[i])
		if err == nil {
			err = of(window, got.rows[i].CreatedAt)
		}
		if err != nil {
			return provider.Answer{}, refuse(byWindow, provider.Unparsable, "%w", err)
		}
		if slices.ContainsFunc(found[0].References, func(r payment.Reference) bool { return r.Name == q.Key.Name && r.Value == q.Key.Value }) {
			units = append(units, found...)
		}
	}
	return p.answered(byWindow, units, got.date, got.body), nil
}

func (p *Provider) answered(endpoint string, units []payment.Unit, date payment.Instant, body []byte) provider.Answer {
	tell(units, "", payment.FromLookup)
	slices.SortStableFunc(units, func(a, b payment.Unit) int { return strings.Compare(a.ID, b.ID) })
	a := provider.Answer{
		Outcome: payment.NotFound, Units: units, Account: p.o.Account, Mode: p.o.Mode, Endpoint: endpoint, Date: date, Raw: body,
	}
	if len(units) > 0 {
		a.Outcome = payment.Found
	}
	a.Canonical, _ = json.Marshal(units) // plain values: it cannot fail
	return a
}
