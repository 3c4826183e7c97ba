package likeness

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/fakepsp"
)

// stripe tells a provider as Stripe does: payments as intents with a charge
// each, lists newest first, fees inside of the row that they are for.
type stripe struct {
	*fakepsp.Provider
	Options
}

// Stripe serves the provider as api.stripe.com would, in live mode, to who
// carries the key. The ids of its payments must begin with pi_, those of
// refunds, transfers, payouts and ledger rows with re_, tr_, po_ and txn_.
func Stripe(p *fakepsp.Provider, o Options) http.Handler {
	s := stripe{p, o}
	return speak(p, func(h http.Header) bool { return h.Get("Authorization") == "Bearer "+o.Key },
		thing{"error": thing{"type": "invalid_request_error", "message": "Invalid API Key provided"}}, s.answer)
}

func (s stripe) answer(path string, q url.Values) said {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
	switch {
	case path == "/v1/account":
		return said{http.StatusOK, thing{"id": s.Account(), "object": "account"}}
	case path == "/v1/balance":
		return said{http.StatusOK, thing{"object": "balance", "livemode": true}}
	case rest == "search":
		return said{http.StatusOK, s.search(name, q)}
	case rest == "":
		view := fakepsp.InList
		switch name {
		case "balance_transactions":
			view = fakepsp.InLedger
		case "events":
			view = fakepsp.ByKey
		}
		return s.list(s.all(name, view), q)
	}
	o := find(s.all(name, fakepsp.ByID), rest)
	if o == nil {
		return missing(http.StatusNotFound, "id")
	}
	return said{http.StatusOK, s.expanded(o, q["expand[]"], "")}
}

func missing(status int, parameter string) said {
	return said{status, thing{"error": thing{
		"type": "invalid_request_error", "code": "resource_missing", "param": parameter, "message": "No such object",
	}}}
}

// all are the objects of a collection that a view shows, in order of creation.
func (s stripe) all(collection string, v fakepsp.View) (all []thing) {
	if collection == "balance_transactions" || collection == "payouts" {
		return s.ledger(collection, v)
	}
	for _, o := range s.Shown(v) {
		all = append(all, s.of(collection, &o)...)
	}
	return all
}

// of are the objects of a collection that stand for one of the provider's.
func (s stripe) of(collection string, o *fakepsp.Object) []thing {
	switch {
	case collection == "events":
		return events(o)
	case o.Kind == fakepsp.KindPayment && collection == "payment_intents":
		return []thing{intent(o)}
	case o.Kind == fakepsp.KindPayment && collection == "charges" && tried(o):
		return []thing{s.charge(o)}
	case o.Kind == fakepsp.KindPayment && collection == "disputes" && o.State == fakepsp.ChargedBack:
		return []thing{s.dispute(o)}
	case o.Kind == fakepsp.KindRefund && collection == "refunds":
		if o.Key == "" { // made by hand, in the dashboard
			o.Metadata = nil
		}
		return []thing{with(with(s.back(o, "refund", o.Parent), "balance_transaction", s.row(o.ID)), "status", "succeeded")}
	case o.Kind == fakepsp.KindTransfer && collection == "transfers" && o.PaidAt != nil: // a refused request leaves none
		return []thing{with(plain(o, "transfer"), "reversed", o.State == fakepsp.Returned)}
	}
	return nil
}

// plain is what all kinds of objects say.
func plain(o *fakepsp.Object, kind string) thing {
	return thing{
		"id": o.ID, "object": kind, "livemode": true, "created": o.CreatedAt.Unix(), "amount": o.Amount,
		"currency": strings.ToLower(o.Currency), "metadata": o.Metadata,
	}
}

// tried tells whether a payment was charged, with or without success.
func tried(o *fakepsp.Object) bool {
	return o.PaidAt != nil || o.State == fakepsp.Declined || o.State == fakepsp.Authorized
}

// chargeOf is the id of a payment's charge.
func chargeOf(payment string) string { return "ch_" + strings.TrimPrefix(payment, "pi_") }

var intentWords = map[string]string{
	fakepsp.Waiting: "requires_action", fakepsp.Processing: "processing", fakepsp.Authorized: "requires_capture",
	fakepsp.Declined: "requires_payment_method", fakepsp.Canceled: "canceled", fakepsp.Expired: "canceled",
}

func intent(o *fakepsp.Object) thing {
	t := plain(o, "payment_intent")
	t["status"], t["amount_received"], t["payment_method_types"] = cmp.Or(intentWords[o.State], "succeeded"), o.Captured, []string{o.Method}
	if tried(o) {
		t["latest_charge"] = chargeOf(o.ID)
	}
	if o.State == fakepsp.Declined {
		t["last_payment_error"] = thing{"code": "card_declined", "decline_code": "generic_decline"}
	}
	return t
}

func (s stripe) charge(o *fakepsp.Object) thing {
	t := plain(o, "charge")
	t["id"], t["payment_intent"], t["balance_transaction"] = chargeOf(o.ID), o.ID, s.row(o.ID)
	t["status"], t["captured"], t["amount_captured"] = "succeeded", o.PaidAt != nil, o.Captured
	t["amount_refunded"], t["refunded"], t["disputed"] = o.Refunded, o.Captured > 0 && o.Refunded == o.Captured, o.State == fakepsp.ChargedBack
	t["payment_method_details"] = thing{"type": o.Method}
	if o.State == fakepsp.Declined {
		t["status"], t["failure_code"] = "failed", "card_declined"
	}
	return t
}

// back is something that takes money of a payment back.
func (s stripe) back(o *fakepsp.Object, kind, payment string) thing {
	t := plain(o, kind)
	t["payment_intent"], t["charge"] = payment, chargeOf(payment)
	return t
}

func (s stripe) dispute(o *fakepsp.Object) thing {
	t := s.back(o, "dispute", o.ID)
	t["id"], t["metadata"], t["status"] = "du_"+strings.TrimPrefix(o.ID, "pi_"), nil, "needs_response"
	for _, e := range s.Entries() {
		if e.Type == "chargeback" && e.Object == o.ID {
			t["created"], t["balance_transactions"] = e.At.Unix(), []string{e.ID}
		}
	}
	return t
}

// row is the id of the row that booked an object first, nil where none has.
func (s stripe) row(object string) any {
	for _, e := range s.Entries() {
		if e.Object == object {
			return e.ID
		}
	}
	return nil
}

// events are what the request that made an object left behind.
func events(o *fakepsp.Object) (all []thing) {
	kind, words := "payment_intent", []string{"payment_intent.created", "payment_intent.succeeded"}
	switch {
	case o.Kind == fakepsp.KindRefund:
		kind, words = "refund", []string{"refund.created"}
	case o.Kind == fakepsp.KindTransfer && o.PaidAt != nil:
		kind, words = "transfer", []string{"transfer.created"}
	case o.Kind == fakepsp.KindTransfer:
		return nil
	case o.State == fakepsp.Declined:
		words[1] = "payment_intent.payment_failed"
	case !tried(o):
		words = words[:1]
	}
	for _, word := range words {
		all = append(all, thing{
			"id": "evt_" + o.ID + "_" + word, "object": "event", "created": o.CreatedAt.Unix(), "livemode": true, "type": word,
			"request": thing{"id": "req_" + o.ID, "idempotency_key": o.Key}, "data": thing{"object": thing{"id": o.ID, "object": kind}},
		})
	}
	return all
}

// list answers with a page, newest first.
func (s stripe) list(all []thing, q url.Values) said {
	all = slices.DeleteFunc(all, func(o thing) bool { return !within(o, q) })
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b thing) int { return cmp.Compare(b["created"].(int64), a["created"].(int64)) })
	if after := q.Get("starting_after"); after != "" {
		i := slices.IndexFunc(all, func(o thing) bool { return o["id"] == after })
		if i < 0 {
			return missing(http.StatusBadRequest, "starting_after")
		}
		all = all[i+1:]
	}
	limit := s.limit(q)
	data := []thing{}
	for _, o := range all[:min(limit, len(all))] {
		data = append(data, s.expanded(o, q["expand[]"], "data."))
	}
	return said{http.StatusOK, thing{"object": "list", "has_more": len(all) > limit, "data": data}}
}

// within applies the filters.
func within(o thing, q url.Values) bool {
	for name, values := range q {
		seconds, _ := strconv.ParseInt(values[0], 10, 64)
		switch name {
		case "created[gte]":
			if o["created"].(int64) < seconds {
				return false
			}
		case "created[lt]":
			if o["created"].(int64) >= seconds {
				return false
			}
		case "charge", "payment_intent", "payout":
			if o[name] != values[0] {
				return false
			}
		case "types[]":
			if !slices.Contains(values, o["type"].(string)) {
				return false
			}
		}
	}
	return true
}

var searched = regexp.MustCompile(`^metadata\['([a-z_]+)'\]:'([^'\\]*)'$`)

// search finds by metadata, upper or lower case, what its index has by now.
func (s stripe) search(collection string, q url.Values) thing {
	data := []thing{}
	m := searched.FindStringSubmatch(q.Get("query"))
	for _, o := range s.all(collection, fakepsp.ByReference) {
		if metadata, _ := o["metadata"].(map[string]string); m != nil && strings.EqualFold(metadata[m[1]], m[2]) {
			data = append(data, o)
		}
	}
	return thing{"object": "search_result", "has_more": false, "next_page": nil, "data": data}
}

// expanded puts objects in the place of their ids, along the paths.
func (s stripe) expanded(o thing, paths []string, prefix string) thing {
	for _, path := range paths {
		field, deeper, _ := strings.Cut(strings.TrimPrefix(path, prefix), ".")
		id, ok := o[field].(string)
		if !ok {
			continue
		}
		for _, collection := range []string{"payment_intents", "charges", "refunds", "disputes", "transfers", "payouts", "balance_transactions"} {
			if full := find(s.all(collection, fakepsp.ByID), id); full != nil {
				if deeper != "" {
					full = s.expanded(full, []string{deeper}, "")
				}
				o = with(o, field, full)
			}
		}
	}
	return o
}
