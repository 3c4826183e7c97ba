package asaas

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// The endpoints of look-ups, as Capabilities and answers name them.
const (
	byPayment   = "payment"   // /payments/{id}, or the parcels of an instalment sale
	byReference = "reference" // /payments?externalReference=
	byTransfer  = "transfer"  // /transfers/{id}, or the Pix transaction of that id
	byWindow    = "window"    // /transfers of the days around the attempt, compared here
	byBill      = "bill"      // /bill/{id}
)

// LookUp asks by an id or a reference. An id of a form that Asaas does not give
// is not asked for: a no would say nothing.
func (p *Provider) LookUp(ctx context.Context, q provider.Question) (provider.Answer, error) {
	operation := q.Attempt.Operation
	switch {
	case q.Key.Kind == payment.KeyUnit && operation == payment.Transfer:
		return p.transferByID(ctx, q.Key.Value)
	case q.Key.Kind == payment.KeyUnit && operation == payment.BillPayment:
		return p.billByID(ctx, q.Key.Value)
	case q.Key.Kind == payment.KeyUnit:
		return p.paymentByID(ctx, q.Key.Value, operation)
	case q.Key.Kind == payment.KeyReference:
		return p.byPlace(ctx, q)
	}
	return provider.Answer{}, refuse(byPayment, provider.OtherReference, "Asaas knows no idempotency key")
}

// byPlace asks by a reference, wherever it stands.
func (p *Provider) byPlace(ctx context.Context, q provider.Question) (provider.Answer, error) {
	i := slices.IndexFunc(p.places, func(place provider.Place) bool { return place.Name == q.Key.Name })
	operation := q.Attempt.Operation
	switch {
	case i < 0 || q.Key.Value == "":
		return provider.Answer{}, refuse(byReference, provider.OtherReference, "no place is known for the reference %q", q.Key.Name)
	case p.places[i].There == PlaceRefunded && operation == payment.Refund:
		return p.paymentByID(ctx, q.Key.Value, operation)
	case p.places[i].There == PlaceRefunded || operation == payment.BillPayment:
		return provider.Answer{}, refuse(byReference, provider.OtherReference, "a %s is not found by %q", operation, q.Key.Name)
	case operation == payment.Transfer:
		return p.transferByReference(ctx, q)
	}
	got, err := all(ctx, p, httpx.Ask{
		Endpoint: byReference, Path: "/payments", Query: url.Values{"externalReference": {q.Key.Value}, "limit": {strconv.Itoa(pageRows)}},
	}, paymentID)
	if err != nil {
		return provider.Answer{}, err
	}
	carry := slices.DeleteFunc(slices.Clone(got.rows), func(o paymentObject) bool { return o.ExternalReference != q.Key.Value })
	if len(carry) == 0 && len(got.rows) > 0 {
		return provider.Answer{}, got.refuse(provider.OtherReference, "%d payments, none of which carries the reference", len(got.rows))
	}
	got.rows = carry
	return p.told(got, operation)
}

// told answers with the sales that were found, or with what was given back of
// them.
func (p *Provider) told(got *answer[paymentObject], operation payment.Operation) (provider.Answer, error) {
	units, err := p.sales(got.rows, got.endpoint)
	if err != nil {
		return provider.Answer{}, err
	}
	if operation != payment.Refund {
		return p.answered(got.endpoint, units, got.date, got.body), nil
	}
	if len(got.rows) == 0 {
		return provider.Answer{}, got.refuse(provider.OtherReference, "not even the payment that the refund gives back was found")
	}
	units = slices.DeleteFunc(units, func(u payment.Unit) bool { return u.Parent == "" })
	if len(units) == 0 {
		if err := noRefund(got); err != nil {
			return provider.Answer{}, err
		}
	}
	return p.answered(got.endpoint, units, got.date, got.body), nil
}

// noRefund says whether payments without refunds are a complete no.
func noRefund(got *answer[paymentObject]) error {
	for i := range got.rows {
		o := &got.rows[i]
		switch {
		case strings.HasPrefix(o.Status, "REFUND"):
			return got.refuse(provider.Partial, "payment %q is %s and lists no refund", o.ID, o.Status)
		case o.Installment != "":
			return got.refuse(provider.Partial, "payment %q is a parcel: a refund of the whole may stand elsewhere", o.ID)
		}
	}
	return nil
}

// The forms of the provider's ids.
var (
	paymentForm = regexp.MustCompile(`^pay_[A-Za-z0-9]+$`)
	uuidForm    = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	// endToEndForm is the id of a Pix: who sent it, the minute, eleven letters.
	endToEndForm = regexp.MustCompile(`^E[0-9]{20}[A-Za-z0-9]{11}$`)
)

// paymentByID asks for one payment, and for its siblings where it is a parcel;
// or for all parcels of an instalment sale.
func (p *Provider) paymentByID(ctx context.Context, id string, operation payment.Operation) (provider.Answer, error) {
	if operation == payment.Refund {
		id = strings.TrimSuffix(id, refundsOf)
	}
	var group string
	got := &answer[paymentObject]{endpoint: byPayment}
	switch {
	case uuidForm.MatchString(id):
		group = id
	case paymentForm.MatchString(id):
		o, one, err := object(ctx, p, byPayment, "/payments/"+id, paymentID, id)
		if err != nil {
			return provider.Answer{}, err
		}
		got.date, got.body = one.Date, one.Body
		if o != nil {
			got.rows, group = []paymentObject{*o}, o.Installment
		}
	default:
		return provider.Answer{}, got.refuse(provider.OtherReference, "%q has the form of no payment's id", id)
	}
	if group != "" {
		whole, err := p.parcels(ctx, group)
		if err != nil {
			return provider.Answer{}, err
		}
		if len(got.rows) > 0 && !slices.ContainsFunc(whole.rows, func(o paymentObject) bool { return o.ID == id }) {
			return provider.Answer{}, got.refuse(provider.OtherReference, "%q is not among the parcels of its own sale", id)
		}
		got.rows, got.date, got.body = whole.rows, whole.date, append(got.body, whole.body...)
	}
	return p.told(got, operation)
}

// object asks for one object by id. nil is the provider's no. An answer that is
// about another object is none.
func object[T any](ctx context.Context, p *Provider, endpoint, path string, id func(*T) string, wanted string) (*T, *httpx.Response, error) {
	got, err := p.client.Get(ctx, httpx.Ask{Endpoint: endpoint, Path: path, Takes: []int{http.StatusNotFound}})
	if err != nil {
		return nil, nil, err
	}
	if got.Status == http.StatusNotFound {
		return nil, got, noObject(endpoint, got)
	}
	var says struct {
		Errors []fault `json:"errors"`
	}
	var o T
	if err := errors.Join(got.Decode(&says), got.Decode(&o)); err != nil {
		return nil, nil, refuse(endpoint, provider.Unparsable, "%w", err)
	}
	switch {
	case len(says.Errors) > 0:
		return nil, nil, refuse(endpoint, provider.Unparsable, "%w", faultOf(says.Errors))
	case id(&o) == "":
		return nil, nil, refuse(endpoint, provider.Unparsable, "%w", errNoID)
	case id(&o) != wanted:
		return nil, nil, refuse(endpoint, provider.OtherReference, "the answer is about %q", id(&o))
	}
	return &o, got, nil
}

// noObject checks that a 404 is the provider's own: without a body, or with its
// errors. One that holds anything else comes from somebody in between.
func noObject(endpoint string, got *httpx.Response) error {
	if len(bytes.TrimSpace(got.Body)) == 0 {
		return nil
	}
	var says struct {
		Errors []fault `json:"errors"`
	}
	if err := got.Decode(&says); err != nil {
		return err
	}
	if len(says.Errors) == 0 {
		return refuse(endpoint, provider.Unparsable, "not found, and a body that is not the provider's")
	}
	return nil
}

// answered makes the answer out of what was found.
func (p *Provider) answered(endpoint string, units []payment.Unit, date payment.Instant, body []byte) provider.Answer {
	tell(units, "", payment.FromLookup)
	slices.SortStableFunc(units, func(a, b payment.Unit) int { return cmp.Compare(a.ID, b.ID) })
	a := provider.Answer{
		Outcome: payment.NotFound, Units: units, Account: p.account, Mode: p.mode, Endpoint: endpoint, Date: date, Raw: body,
	}
	if len(units) > 0 {
		a.Outcome = payment.Found
	}
	a.Canonical, _ = json.Marshal(units) // plain values: it cannot fail
	return a
}
