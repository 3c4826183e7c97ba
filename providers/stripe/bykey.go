package stripe

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// eventsHeld is how long Stripe lists events.
const eventsHeld = 30 * day

// event is what an API request left behind. The object in it is of the past
// and of any API version, so only its ids are read, and it is asked for.
type event struct {
	ID       string  `json:"id"`
	Object   string  `json:"object"`
	Account  string  `json:"account"`
	Created  int64   `json:"created"`
	Livemode *bool   `json:"livemode"`
	Request  request `json:"request"`
	Data     struct {
		Object subject `json:"object"`
	} `json:"data"`
}

type subject struct {
	ID            string `json:"id"`
	Object        string `json:"object"`
	PaymentIntent node   `json:"payment_intent"`
}

// request is which API request caused an event directly; old events have its id
// alone.
type request struct {
	Key string `json:"idempotency_key"`
}

// UnmarshalJSON reads a request, or an old event's id.
func (r *request) UnmarshalJSON(text []byte) error {
	*r = request{}
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	type plain request
	return json.Unmarshal(text, (*plain)(r))
}

// eventTypes are the events that a request of the operation can cause.
func eventTypes(operation payment.Operation) []string {
	switch operation {
	case payment.Charge, payment.Authorize, payment.Capture:
		return []string{
			"payment_intent.created", "payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
			"payment_intent.processing", "payment_intent.requires_action", "payment_intent.amount_capturable_updated",
			"payment_intent.partially_funded", "charge.succeeded", "charge.failed", "charge.pending", "charge.captured",
			"charge.updated", "charge.expired",
		}
	case payment.Refund:
		return []string{"refund.created", "refund.updated", "refund.failed", "charge.refunded", "charge.refund.updated"}
	case payment.Transfer:
		return []string{
			"transfer.created", "transfer.updated", "transfer.reversed",
			"payout.created", "payout.updated", "payout.paid", "payout.failed", "payout.canceled",
		}
	case payment.BillPayment:
	}
	return nil
}

// byKey looks for the events of the request that carried the key.
func (p *Provider) byKey(ctx context.Context, q provider.Question) (provider.Answer, error) {
	types := eventTypes(q.Attempt.Operation)
	if types == nil {
		return provider.Answer{}, refuse(byEvents, provider.OtherReference, "a %s leaves no event", q.Attempt.Operation)
	}
	in := p.around(q.Attempt)
	query := between(in)
	query["types[]"] = types
	events, date, err := pages(ctx, p, byEvents, "/v1/events", query, func(e *event) string { return e.ID })
	if err != nil {
		return provider.Answer{}, err
	}
	f := found{date: date}
	var named []subject
	for i := range events {
		e := &events[i]
		if err := p.caused(e, in); err != nil {
			return provider.Answer{}, err
		}
		if e.Request.Key == q.Key.Value && !slices.ContainsFunc(named, func(s subject) bool { return s.ID == e.Data.Object.ID }) {
			named = append(named, e.Data.Object)
		}
	}
	if err := p.follow(ctx, &f, q, named); err != nil {
		return provider.Answer{}, err
	}
	switch {
	case len(f.units) > 0:
	case len(named) > 0:
		return provider.Answer{}, refuse(byEvents, provider.OtherReference, "events carry the key, and none names the %s", q.Attempt.Operation)
	case date == 0:
		return provider.Answer{}, refuse(byEvents, provider.Unparsable, "Stripe did not tell its date: it is not known which events it still holds")
	case in.From < date.Add(-eventsHeld+time.Hour):
		return provider.Answer{}, &provider.Error{Reason: provider.PeriodNotHeld, Endpoint: byEvents, Status: http.StatusOK}
	}
	return p.answer(byEvents, &f)
}

// caused refuses an event that is not of the list that was asked for.
func (p *Provider) caused(e *event, in payment.Interval) error {
	at := instant(e.Created)
	switch {
	case e.Object != "event" || e.ID == "":
		return refuse(byEvents, provider.Unparsable, "a list of events holds %s %q", e.Object, e.ID)
	case at < in.From || at >= in.To:
		return refuse(byEvents, provider.OtherReference, "event %q is of %s, which was not asked for", e.ID, at)
	case e.Livemode == nil || *e.Livemode != (p.mode == payment.Live):
		return refuse(byEvents, provider.WrongMode, "event %q is not of %s mode", e.ID, p.mode)
	case p.o.Connected != "" && e.Account != "" && e.Account != p.o.Connected:
		return refuse(byEvents, provider.OtherAccount, "event %q is of account %q", e.ID, e.Account)
	}
	return nil
}

// follow asks for the objects that the events name: a sale by its intent, a
// refund or transfer by itself.
func (p *Provider) follow(ctx context.Context, f *found, q provider.Question, named []subject) error {
	sale := slices.Contains(kindsOf(q.Attempt.Operation), kindIntent) || q.Attempt.Operation == payment.Capture
	for _, s := range named {
		kind, id := s.Object, s.ID
		switch {
		case sale && kind == kindCharge && s.PaymentIntent.ID != "":
			kind, id = kindIntent, s.PaymentIntent.ID
		case sale && (kind == kindIntent || kind == kindCharge):
		case !sale && slices.Contains(kindsOf(q.Attempt.Operation), kind):
		default:
			continue
		}
		if slices.ContainsFunc(f.units, func(u payment.Unit) bool { return u.ID == id }) {
			continue
		}
		there, err := p.take(ctx, f, kind, id, q.Key.Value)
		if err != nil {
			return err
		}
		if !there {
			return refuse(byEvents, provider.OtherReference, "an event names %s %q, which is not there", kind, id)
		}
	}
	return nil
}
