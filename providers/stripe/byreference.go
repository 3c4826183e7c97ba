package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// kindsOf are the objects in which an operation's references stand. Captures
// have none: what they capture was created before them.
func kindsOf(operation payment.Operation) []string {
	switch operation {
	case payment.Charge, payment.Authorize:
		return []string{kindIntent, kindCharge}
	case payment.Refund:
		return []string{kindRefund}
	case payment.Transfer:
		return []string{kindTransfer, kindPayout}
	case payment.Capture, payment.BillPayment:
	}
	return nil
}

// byReference lists what was created around the attempt and compares. What is
// listed is what is stored, so an empty comparison is a no. A search adds what
// was created at another time; what it does not find says nothing.
func (p *Provider) byReference(ctx context.Context, q provider.Question, place provider.Place) (provider.Answer, error) {
	kinds := kindsOf(q.Attempt.Operation)
	if kinds == nil {
		return provider.Answer{}, refuse(byWindow, provider.OtherReference, "a %s is not found by reference", q.Attempt.Operation)
	}
	wanted := payment.Reference{Name: place.Name, Scope: place.Scope, Value: q.Key.Value}
	var f found
	for _, kind := range kinds {
		if err := p.window(ctx, &f, kind, p.around(q.Attempt), wanted); err != nil {
			return provider.Answer{}, err
		}
	}
	if key, metadata := strings.CutPrefix(place.There, placeMetadata); metadata {
		for _, kind := range kinds {
			if err := p.search(ctx, &f, kind, key, wanted); err != nil {
				return provider.Answer{}, err
			}
		}
	}
	return p.answer(byWindow, &f)
}

// window adds what was created in the interval and carries the reference.
func (p *Provider) window(ctx context.Context, f *found, kind string, in payment.Interval, wanted payment.Reference) error {
	query := between(in)
	for _, of := range parts() {
		if of.kind == kind && of.expand != nil {
			query["expand[]"] = of.expand
		}
	}
	all, date, err := p.whole(ctx, kind, query)
	if err != nil {
		return err
	}
	f.date = date
	for i := range all {
		o := &all[i]
		if err := p.listed(kind, &o.object, in); err != nil {
			return err
		}
		if !slices.Contains(p.references(&o.object, ""), wanted) {
			continue
		}
		if kind == kindCharge { // its intent tells
			if _, err := p.take(ctx, f, kind, o.ID, ""); err != nil {
				return err
			}
			continue
		}
		if kind == kindRefund && isRest(&o.object) {
			continue
		}
		units, err := p.unitsOf(ctx, &o.object)
		if err != nil {
			return err
		}
		f.add(&found{raw: []json.RawMessage{o.text}}, units...)
	}
	return nil
}

// search adds intents and charges that a search finds. It lags, and it takes
// upper for lower case, so every hit is asked for and compared. Accounts that
// may not search lose nothing.
func (p *Provider) search(ctx context.Context, f *found, kind, key string, wanted payment.Reference) error {
	if kind != kindIntent && kind != kindCharge || strings.ContainsFunc(key+wanted.Value, unicode.IsControl) {
		return nil
	}
	query := url.Values{"query": {"metadata[" + quoted(key) + "]:" + quoted(wanted.Value)}}
	for range mostPages {
		hits, _, err := page[row](ctx, p, kind+" search", collections[kind]+"/search", query)
		if err != nil {
			return unlessRefused(err)
		}
		for i := range hits.Data {
			o := &hits.Data[i]
			known := slices.ContainsFunc(f.units, func(u payment.Unit) bool { return u.ID == o.ID || slices.Contains(u.Aliases, o.ID) })
			if o.Object != kind || known {
				continue
			}
			if err := p.hit(ctx, f, kind, o.ID, wanted); err != nil {
				return err
			}
		}
		if !*hits.HasMore || hits.NextPage == "" {
			return nil
		}
		query.Set("page", hits.NextPage)
	}
	return refuse(kind+" search", provider.Partial, "more than %d pages", mostPages)
}

// hit asks for what a search found, and adds it if it carries the reference.
func (p *Provider) hit(ctx context.Context, f *found, kind, id string, wanted payment.Reference) error {
	var now found
	if there, err := p.take(ctx, &now, kind, id, ""); err != nil || !there {
		return err
	}
	if slices.ContainsFunc(now.units, func(u payment.Unit) bool { return slices.Contains(u.References, wanted) }) {
		f.add(&now, now.units...)
	}
	return nil
}

// unlessRefused lets a search that Stripe refuses pass: some accounts have
// none.
func unlessRefused(err error) error {
	var refused *provider.Error
	if errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusForbidden || refused.Status == http.StatusNotFound) {
		return nil
	}
	return err
}

// quoted is a text of Stripe's search language.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`).Replace(text) + "'"
}
