package pix

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// The endpoints of look-ups, as Capabilities and answers name them.
const (
	byTxID     = "txid"       // /cob/{txid}, then /cobv/{txid}; /pix?txid= for a printed code
	byEndToEnd = "endToEndId" // /pix/{e2eid}
	byReturn   = "return"     // /pix/{e2eid}/devolucao/{id}
	byWindow   = "window"     // the charges created around the attempt, compared here
)

// LookUp asks by an id or a reference. An id of a form that Pix does not give
// is not asked for: a no would say nothing.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	operation, value := q.Attempt.Operation, q.Key.Value
	switch there := p.place(q.Key); {
	case operation == payment.Charge && q.Key.Kind == payment.KeyUnit && endToEndForm.MatchString(value):
		return p.byEndToEnd(ctx, value, operation)
	case operation == payment.Charge && (q.Key.Kind == payment.KeyUnit || there == PlaceTxID) && chargeForm.MatchString(value):
		return p.byTxID(ctx, value)
	case operation == payment.Charge && there == PlaceTxID && printedForm.MatchString(value):
		return p.printed(ctx, q)
	case operation == payment.Charge && strings.HasPrefix(there, PlaceExtra) && value != "":
		return p.byWindow(ctx, q)
	case operation == payment.Refund && q.Key.Kind == payment.KeyUnit:
		if endToEnd, id, ok := strings.Cut(value, "/"); ok {
			return p.byReturn(ctx, endToEnd, id)
		}
	case operation == payment.Refund && there == PlaceReturn:
		return p.byReturn(ctx, p.sale(q.Attempt), value)
	case operation == payment.Refund && there == PlaceReturned && endToEndForm.MatchString(value):
		return p.byEndToEnd(ctx, value, operation)
	}
	return provider.Answer{}, refuse(byTxID, provider.OtherReference, "a %s is not found by this key", operation)
}

// place is where the reference that is asked by stands, "" for other keys.
func (p *Provider) place(key payment.LookupKey) string {
	i := slices.IndexFunc(p.o.References, func(place provider.Place) bool { return place.Name == key.Name })
	if key.Kind != payment.KeyReference || i < 0 {
		return ""
	}
	return p.o.References[i].There
}

// sale is the endToEndId of the Pix that a refund gives back.
func (p *Provider) sale(a *payment.Attempt) string {
	for _, r := range a.References {
		if p.place(payment.LookupKey{Kind: payment.KeyReference, Name: r.Name}) == PlaceReturned {
			return r.Value
		}
	}
	return ""
}

// byTxID asks for a charge, immediate or with a due date: a txid is of one of
// them.
func (p *Provider) byTxID(ctx context.Context, txid string) (provider.Answer, error) {
	no := provider.Answer{}
	for _, list := range []struct{ scope, path string }{{scopeCob, pathCob}, {scopeCobV, pathCobV}} {
		if !p.may(list.scope) {
			continue
		}
		c, got, err := p.chargeAt(ctx, byTxID, list.path, txid)
		if err != nil {
			return provider.Answer{}, err
		}
		if c == nil {
			no = p.answered(byTxID, nil, got.Date, append(no.Raw, got.Body...))
			continue
		}
		units, err := p.charge(c, got.Date)
		if err != nil {
			return provider.Answer{}, refuse(byTxID, provider.Unparsable, "%w", err)
		}
		return p.answered(byTxID, units, got.Date, got.Body), nil
	}
	if no.Endpoint == "" {
		return no, refuse(byTxID, provider.OtherReference, "no scope that shows charges is configured")
	}
	return no, nil
}

// chargeAt asks for one charge. nil is the participant's no.
func (p *Provider) chargeAt(ctx context.Context, endpoint, path, txid string) (*charge, *httpx.Response, error) {
	return object(ctx, p, endpoint, path+"/"+txid, txid, func(c *charge) string { return c.TxID })
}

// object asks for one object by id. nil is the participant's no. An answer that
// is about another object is none.
func object[T any](ctx context.Context, p *Provider, endpoint, path, wanted string, id func(*T) string) (*T, *httpx.Response, error) {
	got, err := p.get(ctx, httpx.Ask{Endpoint: endpoint, Path: path, Takes: []int{http.StatusNotFound, http.StatusGone}})
	if err != nil {
		return nil, nil, err
	}
	if got.Status == http.StatusGone {
		return nil, nil, refuse(endpoint, provider.PeriodNotHeld, "it was removed for good")
	}
	if got.Status == http.StatusNotFound {
		var says problem
		if err := got.Decode(&says); err != nil {
			return nil, nil, err
		}
		if !says.absent() {
			return nil, nil, refuse(endpoint, provider.Unparsable, "not found, and a body that is not the participant's: is base_url right?")
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

// byEndToEnd asks for a Pix that came in; for a refund, for what was given back
// of it.
func (p *Provider) byEndToEnd(ctx context.Context, id string, operation payment.Operation) (provider.Answer, error) {
	r, got, err := object(ctx, p, byEndToEnd, pathPix+"/"+id, id, func(r *received) string { return r.EndToEnd })
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	switch {
	case r != nil:
		if units, err = p.received(r); err != nil {
			return provider.Answer{}, refuse(byEndToEnd, provider.Unparsable, "%w", err)
		}
	case operation == payment.Refund:
		return provider.Answer{}, refuse(byEndToEnd, provider.OtherReference, "not even the Pix that the refund gives back was found")
	}
	if operation == payment.Refund {
		units = units[1:]
	}
	return p.answered(byEndToEnd, units, got.Date, got.Body), nil
}

// byReturn asks for one return of a Pix.
func (p *Provider) byReturn(ctx context.Context, endToEnd, id string) (provider.Answer, error) {
	if !endToEndForm.MatchString(endToEnd) || !returnForm.MatchString(id) {
		return provider.Answer{}, refuse(byReturn, provider.OtherReference, "the Pix that it gives back is not known, or the id has no such form")
	}
	r, got, err := object(ctx, p, byReturn, pathPix+"/"+endToEnd+"/devolucao/"+id, id, func(r *returned) string { return r.ID })
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	if r != nil {
		u, err := p.returned(endToEnd, r)
		if err != nil {
			return provider.Answer{}, refuse(byReturn, provider.Unparsable, "%w", err)
		}
		units = append(units, u)
	}
	return p.answered(byReturn, units, got.Date, got.Body), nil
}

// before is how long before its row was written an attempt's object may be.
const before = time.Hour

// after is how long a participant may take to make a charge.
const after = day

// printed asks for the Pix of a printed code's txid since the attempt was made.
func (p *Provider) printed(ctx context.Context, q provider.Question) (provider.Answer, error) {
	got, err := p.around(ctx, q, question{endpoint: byTxID, path: pathPix, filter: url.Values{"txid": {q.Key.Value}}}, p.o.Now())
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	for i := range got.received {
		r := &got.received[i]
		if r.TxID != q.Key.Value {
			return provider.Answer{}, refuse(byTxID, provider.OtherReference, "the answer is about the txid %q", r.TxID)
		}
		found, err := p.received(r)
		if err != nil {
			return provider.Answer{}, refuse(byTxID, provider.Unparsable, "%w", err)
		}
		units = append(units, found...)
	}
	return p.answered(byTxID, units, got.date, got.body), nil
}

// byWindow reads the charges created around an attempt and compares.
func (p *Provider) byWindow(ctx context.Context, q provider.Question) (provider.Answer, error) {
	found := &answer{}
	var units []payment.Unit
	end := max(q.Attempt.CreatedAt, q.Attempt.LastSent).Add(after).Time()
	for _, list := range []struct{ scope, name string }{{scopeCob, Charges}, {scopeCobV, Dues}} {
		if !p.may(list.scope) {
			continue
		}
		got, err := p.around(ctx, q, question{endpoint: byWindow, path: lists[list.name].path}, end)
		if err != nil {
			return provider.Answer{}, err
		}
		for i := range got.charges {
			all, err := p.whole(ctx, &got.charges[i], list.name, got.date)
			if err != nil {
				return provider.Answer{}, err
			}
			if slices.ContainsFunc(all[0].References, func(r payment.Reference) bool { return r.Name == q.Key.Name && r.Value == q.Key.Value }) {
				units = append(units, all...)
			}
		}
		found.date, found.body = got.date, append(found.body, got.body...)
	}
	if found.body == nil {
		return provider.Answer{}, refuse(byWindow, provider.OtherReference, "no scope that shows charges is configured")
	}
	return p.answered(byWindow, units, found.date, found.body), nil
}

// around reads a list from before an attempt was made until a time that is not
// ahead of now.
func (p *Provider) around(ctx context.Context, q provider.Question, ask question, end time.Time) (*answer, error) {
	if q.Attempt.CreatedAt.IsZero() {
		return nil, refuse(ask.endpoint, provider.OtherReference, "the attempt has no creation to look around")
	}
	if now := p.o.Now(); end.After(now) {
		end = now
	}
	ask.within = payment.Interval{
		From: payment.InstantOf(q.Attempt.CreatedAt.Add(-before).Time().Truncate(time.Second)), To: payment.InstantOf(end.Truncate(time.Second)),
	}
	if ask.within.Empty() {
		return nil, refuse(ask.endpoint, provider.OtherReference, "the attempt was made after now")
	}
	return p.all(ctx, ask)
}

func (p *Provider) answered(endpoint string, units []payment.Unit, date payment.Instant, body []byte) provider.Answer {
	for i := range units {
		units[i].Source = payment.FromLookup
	}
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
