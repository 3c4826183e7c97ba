package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// LookUp asks by the id of an object, by the idempotency key through the events
// of the request, or by a reference: what was created around the attempt is
// listed and compared here, and what a search finds is added.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	if q.Key.Value == "" {
		return provider.Answer{}, refuse("look-up", provider.OtherReference, "an empty key names nothing")
	}
	switch q.Key.Kind {
	case payment.KeyUnit:
		return p.byID(ctx, q)
	case payment.KeyIdempotency:
		return p.byKey(ctx, q)
	case payment.KeyReference:
		i := slices.IndexFunc(p.places, func(place provider.Place) bool { return place.Name == q.Key.Name })
		if i < 0 {
			return provider.Answer{}, refuse("look-up", provider.OtherReference, "no place is known for the reference %q", q.Key.Name)
		}
		if p.places[i].There == placeKey {
			return p.byKey(ctx, q)
		}
		return p.byReference(ctx, q, p.places[i])
	}
	return provider.Answer{}, refuse("look-up", provider.OtherReference, "no such kind of key")
}

// found is what one question has brought so far.
type found struct {
	units []payment.Unit
	raw   []json.RawMessage
	date  payment.Instant
}

// add takes units that are not there yet, and the answer they were in.
func (f *found) add(more *found, units ...payment.Unit) {
	for _, u := range units {
		if !slices.ContainsFunc(f.units, func(k payment.Unit) bool { return k.ID == u.ID }) {
			f.units = append(f.units, u)
		}
	}
	if more != nil {
		f.raw = append(f.raw, more.raw...)
		f.date = cmp.Or(f.date, more.date)
	}
}

// answer says what was found. The facts for digests are the units alone, in
// the order of their ids.
func (p *Provider) answer(endpoint string, f *found) (provider.Answer, error) {
	a := provider.Answer{Outcome: payment.NotFound, Account: p.id, Mode: p.mode, Endpoint: endpoint, Date: f.date}
	for _, u := range f.units {
		u.Source = payment.FromLookup
		a.Outcome, a.Units = payment.Found, append(a.Units, u)
	}
	sorted := slices.SortedFunc(slices.Values(a.Units), func(x, y payment.Unit) int { return cmp.Compare(x.ID, y.ID) })
	var err error
	if a.Canonical, err = json.Marshal(sorted); err == nil {
		a.Raw, err = json.Marshal(append([]json.RawMessage{}, f.raw...))
	}
	if err != nil {
		return provider.Answer{}, refuse(endpoint, provider.Unparsable, "%w", err)
	}
	return a, nil
}

// kindOfID reads the kind of object off an id. Ids of other forms are not asked
// for: a no would say nothing.
func kindOfID(id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	switch prefix {
	case "pi":
		return kindIntent
	case "ch", "py":
		return kindCharge
	case "re", "pyr":
		return kindRefund
	case "tr":
		return kindTransfer
	case "po":
		return kindPayout
	}
	return ""
}

// byID asks for the object and what belongs to it.
func (p *Provider) byID(ctx context.Context, q provider.Question) (provider.Answer, error) {
	kind := kindOfID(q.Key.Value)
	if kind == "" {
		return provider.Answer{}, refuse("look-up", provider.OtherReference, "%q is no id of an intent, charge, refund, transfer or payout", q.Key.Value)
	}
	var f found
	if _, err := p.take(ctx, &f, kind, q.Key.Value, ""); err != nil {
		return provider.Answer{}, err
	}
	return p.answer(kind, &f)
}

// take asks for one object, adds its units, and tells whether there is one. key
// is the idempotency key that is known to be its own, or "".
func (p *Provider) take(ctx context.Context, f *found, kind, id, key string) (bool, error) {
	o, got, err := p.one(ctx, kind, id, expanded[kind]...)
	if err != nil {
		return false, err
	}
	f.add(got)
	if o == nil {
		return false, nil
	}
	units, err := p.unitsOf(ctx, o)
	if err != nil {
		return false, err
	}
	if key != "" {
		units[0].Key = key
		units[0].References = p.references(o, key)
	}
	f.add(nil, units...)
	return true, nil
}

// expanded is what is told with one object of a kind.
var expanded = map[string][]string{
	kindIntent: {"latest_charge"},
	kindCharge: {"payment_intent.latest_charge"},
	kindRefund: {"balance_transaction"},
}

// unitsOf are the units of one object that was asked for: its own first, then
// what was given back of it.
func (p *Provider) unitsOf(ctx context.Context, o *object) ([]payment.Unit, error) {
	switch o.Object {
	case kindIntent:
		return p.saleAndReturns(ctx, o)
	case kindCharge:
		return p.chargeAndIntent(ctx, o)
	case kindRefund:
		u, ok := p.refundUnit(o)
		if !ok {
			return nil, refuse(kindRefund, provider.OtherReference, "%q is the rest of a partial capture, no refund", o.ID)
		}
		return []payment.Unit{u}, nil
	case kindTransfer:
		return []payment.Unit{p.transferUnit(o)}, nil
	default:
		return []payment.Unit{p.payoutUnit(o)}, nil
	}
}

// chargeAndIntent tells a charge by its intent, where it has one. A try that
// failed at once stands for itself, and its intent beside it.
func (p *Provider) chargeAndIntent(ctx context.Context, o *object) ([]payment.Unit, error) {
	intent := o.PaymentIntent.full(kindIntent)
	if intent == nil && o.PaymentIntent.ID != "" {
		return nil, refuse(kindCharge, provider.Unparsable, "the intent of %q was not expanded", o.ID)
	}
	if intent == nil {
		return p.saleAndReturns(ctx, o)
	}
	units, err := p.saleAndReturns(ctx, intent)
	if err != nil {
		return nil, err
	}
	if o.Status == "failed" && !moved(o) {
		return append([]payment.Unit{p.chargeUnit(o, nil)}, units...), nil
	}
	sale := &units[0]
	if !slices.Contains(sale.Aliases, o.ID) {
		sale.Aliases = append(sale.Aliases, o.ID)
	}
	for _, r := range p.references(o, "") { // a charge keeps what its intent carried when it was made
		if !slices.Contains(sale.References, r) {
			sale.References = append(sale.References, r)
		}
	}
	return units, nil
}

// saleAndReturns is the unit of an intent or charge with the refunds and
// disputes that took something of it.
func (p *Provider) saleAndReturns(ctx context.Context, o *object) ([]payment.Unit, error) {
	units, err := p.sale(ctx, o)
	if err != nil {
		return nil, err
	}
	c, parent := o, url.Values{"charge": {o.ID}}
	if o.Object == kindIntent {
		c, parent = o.LatestCharge.full(kindCharge), url.Values{"payment_intent": {o.ID}}
	}
	if c == nil || !units[0].State.Money() || !positive(c.AmountRefunded) {
		return units, nil
	}
	parent["expand[]"] = []string{"data.balance_transaction"}
	refunds, _, err := p.whole(ctx, kindRefund, parent)
	for i := range refunds {
		units = append(units, only(p.refundUnit(&refunds[i].object))...)
	}
	return units, err
}
