package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// pageRows is the most that Stripe lists at once.
const pageRows = 100

// get asks for one object or list. A 404 is an answer where missing is true;
// every other status but 200 is an error.
func (p *Provider) get(ctx context.Context, endpoint, path string, query url.Values, missing bool) (*httpx.Response, error) {
	header := map[string]string{"Stripe-Version": Version}
	if p.o.Connected != "" {
		header["Stripe-Account"] = p.o.Connected
	}
	got, err := p.client.Get(ctx, httpx.Ask{
		Endpoint: endpoint, Path: path, Query: query, Header: header,
		Takes: []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound},
	})
	if err != nil {
		return nil, forbidden(err)
	}
	if got.Status == http.StatusOK {
		return got, nil
	}
	var told envelope
	if err := got.Decode(&told); err != nil {
		return nil, forbidden(err)
	}
	return got, told.refusal(endpoint, got.Status, missing)
}

// forbidden calls a 403 what it is whatever came with it: a firewall's page is
// not Stripe's own refusal, and as little an answer.
func forbidden(err error) error {
	var asked *provider.Error
	if errors.As(err, &asked) && asked.Status == http.StatusForbidden {
		asked.Reason = provider.Credentials
	}
	return err
}

// envelope is Stripe's error.
type envelope struct {
	Error *stripeError `json:"error"`
}

type stripeError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Param   string `json:"param"`
	Message string `json:"message"`
}

var (
	otherMode  = regexp.MustCompile(`a similar object exists in (live|test) mode`)
	permission = regexp.MustCompile(`'(?:rak_)?([a-z_]+)'\) permissions on this key|the '(?:rak_)?([a-z_]+)' permission`)
	onAccount  = regexp.MustCompile(`on account '(acct_[A-Za-z0-9]+)'`)
)

// lacking is that the key may not read something: which permission would let
// it, and whose key it is, where Stripe says so.
type lacking struct{ permission, account string }

func lackingOf(message string) *lacking {
	var l lacking
	if m := permission.FindStringSubmatch(message); m != nil {
		l.permission = m[1] + m[2]
	}
	if m := onAccount.FindStringSubmatch(message); m != nil {
		l.account = m[1]
	}
	return &l
}

func (l *lacking) Error() string {
	if l.permission == "" {
		return "the key may not read this"
	}
	return "the key lacks the permission " + l.permission
}

// refusal says what an answer that is not 200 means. It is nil for a no that
// was asked for: an object that is missing in this account and mode. Stripe's
// message is not repeated: it may hold part of the key.
func (e *envelope) refusal(endpoint string, status int, missing bool) error {
	refuse := func(reason provider.Reason, format string, args ...any) error {
		return &provider.Error{Reason: reason, Stage: provider.StageBody, Endpoint: endpoint, Status: status, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case (e.Error == nil || e.Error.Type == "") && status == http.StatusForbidden:
		return refuse(provider.Credentials, "refused, and not in Stripe's form")
	case e.Error == nil || e.Error.Type == "":
		return refuse(provider.Unparsable, "the error is not in Stripe's form")
	case status == http.StatusForbidden:
		return refuse(provider.Credentials, "%w", lackingOf(e.Error.Message))
	case e.Error.Code == "resource_missing" && (e.Error.Param == "starting_after" || e.Error.Param == "page"):
		return refuse(provider.Expired, "the object where the page begins is gone")
	case e.Error.Code == "resource_missing" && otherMode.MatchString(e.Error.Message):
		return refuse(provider.WrongMode, "the object exists in the other mode")
	case e.Error.Code == "resource_missing" && status == http.StatusNotFound && missing:
		return nil
	}
	return refuse(provider.HTTP4xx, "error %q, code %q, parameter %q", e.Error.Type, e.Error.Code, e.Error.Param)
}

// one asks for one object of a kind by its id. It is nil where Stripe has none.
func (p *Provider) one(ctx context.Context, kind, id string, expand ...string) (*object, *found, error) {
	got, err := p.get(ctx, kind, collections[kind]+"/"+url.PathEscape(id), url.Values{"expand[]": expand}, true)
	if err != nil {
		return nil, nil, err
	}
	if got.Status == http.StatusNotFound {
		return nil, &found{date: got.Date, raw: []json.RawMessage{got.Body}}, nil
	}
	var o object
	if err := got.Decode(&o); err != nil {
		return nil, nil, err
	}
	if o.ID == "" || o.Object == "" {
		return nil, nil, refuse(kind, provider.Unparsable, "an object without id or kind")
	}
	if o.ID != id || o.Object != kind {
		return nil, nil, refuse(kind, provider.OtherReference, "asked for %s %q, got %s %q", kind, id, o.Object, o.ID)
	}
	if err := p.own(kind, &o); err != nil {
		return nil, nil, err
	}
	return &o, &found{date: got.Date, raw: []json.RawMessage{got.Body}}, nil
}

// page asks for one page of a list or search.
func page[T any](ctx context.Context, p *Provider, endpoint, path string, query url.Values) (list[T], payment.Instant, error) {
	query.Set("limit", strconv.Itoa(pageRows))
	got, err := p.get(ctx, endpoint, path, query, false)
	if err != nil {
		return list[T]{}, 0, err
	}
	var l list[T]
	if err := got.Decode(&l); err != nil {
		return l, 0, err
	}
	switch {
	case l.Object != "list" && l.Object != "search_result" || l.HasMore == nil:
		return l, 0, refuse(endpoint, provider.Unparsable, "not a list that says whether it has more")
	case *l.HasMore && len(l.Data) == 0:
		return l, 0, refuse(endpoint, provider.Loop, "an empty page that says it has more")
	}
	return l, got.Date, nil
}

// own refuses what is of the other mode.
func (p *Provider) own(endpoint string, o *object) error {
	for _, of := range []*object{o, o.LatestCharge.Full, o.PaymentIntent.Full, o.Charge.Full} {
		if of != nil && of.Livemode != nil && *of.Livemode != (p.mode == payment.Live) {
			return refuse(endpoint, provider.WrongMode, "%s %q is not of %s mode", of.Object, of.ID, p.mode)
		}
	}
	return nil
}

// collections are where objects of a kind are listed.
var collections = map[string]string{
	kindIntent:   "/v1/payment_intents",
	kindCharge:   "/v1/charges",
	kindRefund:   "/v1/refunds",
	kindDispute:  "/v1/disputes",
	kindTransfer: "/v1/transfers",
	kindPayout:   "/v1/payouts",
}

// between is the query for what was created in the interval. Stripe's instants
// are whole seconds: one is in [from, to) where it is at or after both rounded
// up.
func between(w payment.Interval) url.Values {
	up := func(i payment.Instant) string { return strconv.FormatInt((int64(i)+999_999)/1_000_000, 10) }
	return url.Values{"created[gte]": {up(w.From)}, "created[lt]": {up(w.To)}}
}

func refuse(endpoint string, reason provider.Reason, format string, args ...any) error {
	return &provider.Error{Reason: reason, Endpoint: endpoint, Err: fmt.Errorf(format, args...)}
}
