package stripe

import (
	"slices"
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const day = 24 * time.Hour

// The endpoints of look-ups, as Capabilities and answers name them; by id they
// are called after the kind of object.
const (
	byWindow = "window" // objects created around the attempt, compared here, and a search
	byEvents = "events" // /v1/events of the request that carried the idempotency key
)

// Rate is the limit of one endpoint: 25 requests a second. Stripe allows an
// account 100 in all, and 25 in test mode.
var Rate = provider.Rate{Requests: 25, Per: time.Second}

// Capabilities says what Stripe can tell. The durations are the adapter's own
// where Doubtful says so.
func (p *Provider) Capabilities() provider.Capabilities {
	return provider.Capabilities{
		Type: "stripe", Statements: p.statements(), Lookups: p.lookups(),
		BooksAfter: 4 * time.Hour, Keys: keys(), Means: means(),
		LineIDsUnique: true, HasObjectList: true,
		Marks: marks(), NeverKnown: neverKnown(), Doubtful: doubtful(), Rate: Rate,
	}
}

func (p *Provider) statements() []provider.Statement {
	const lag = 10 * time.Minute
	return []provider.Statement{
		{
			Name: Objects, Sort: payment.ObjectList, PublishLag: lag, Reread: p.o.Reread, Slice: provider.Slice{Aim: day},
			Members: payment.NoMembers, Parallel: 4, PageRows: pageRows,
		},
		{
			Name: Balance, Sort: payment.Ledger, PublishLag: lag, Reread: p.o.Reread, Slice: provider.Slice{Aim: day},
			Members: payment.AllMembers, Parallel: 4, PageRows: pageRows,
		},
	}
}

func (p *Provider) lookups() []provider.Lookup {
	const soon, event = 15 * time.Minute, day
	sale := []payment.Operation{payment.Charge, payment.Authorize, payment.Capture}
	keyed := slices.Concat(sale, []payment.Operation{payment.Refund, payment.Transfer})
	all := []provider.Lookup{
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: sale, Endpoint: kindIntent, VisibleAfter: soon},
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: sale, Endpoint: kindCharge, VisibleAfter: soon},
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: []payment.Operation{payment.Refund}, Endpoint: kindRefund, VisibleAfter: soon},
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: []payment.Operation{payment.Transfer}, Endpoint: kindTransfer, VisibleAfter: soon},
		{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: []payment.Operation{payment.Transfer}, Endpoint: kindPayout, VisibleAfter: soon},
		{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Operations: keyed, Endpoint: byEvents, VisibleAfter: event, HeldFor: eventsHeld},
	}
	for _, place := range p.places {
		key := payment.LookupKey{Kind: payment.KeyReference, Name: place.Name}
		if place.There == placeKey {
			all = append(all, provider.Lookup{Key: key, Operations: keyed, Endpoint: byEvents, VisibleAfter: event, HeldFor: eventsHeld})
			continue
		}
		all = append(all, provider.Lookup{
			Key: key, Operations: []payment.Operation{payment.Charge, payment.Authorize, payment.Refund, payment.Transfer},
			Endpoint: byWindow, VisibleAfter: soon,
		})
	}
	return all
}

// keys: a key and its answer are kept for at least a day, whatever was asked.
// After that the same key acts again.
func keys() []provider.KeyPromise {
	var all []provider.KeyPromise
	for _, operation := range []payment.Operation{payment.Charge, payment.Authorize, payment.Capture, payment.Refund, payment.Transfer} {
		all = append(all, provider.KeyPromise{Operation: operation, Retention: day, Documented: true})
	}
	return all
}

func means() map[payment.Operation][]evidence.Means {
	created, authorized, captured := evidence.MeansCreated, evidence.MeansAuthorized, evidence.MeansCaptured
	return map[payment.Operation][]evidence.Means{
		payment.Charge:    {created, authorized, captured},
		payment.Authorize: {created, authorized},
		payment.Capture:   {captured},
		payment.Refund:    {created, captured},
		payment.Transfer:  {created, captured},
	}
}

func marks() []provider.Mark {
	const gate = "absent by every key the attempt carries, twice, 15 min after it was last sent (3 days after a 5xx; a day by idempotency key), and objects of those hours read to the end"
	const agreed = gate + ", and a second person agrees"
	return []provider.Mark{
		{Operation: payment.Charge, Status: payment.Succeeded, By: "a payment intent or charge by id, idempotency key or reference: succeeded and captured; what else fulfils succeeded_means"},
		{Operation: payment.Charge, Status: payment.Failed, By: "the payment intent is canceled, or the charge, made without an intent, failed"},
		{Operation: payment.Charge, Status: payment.Failed, By: gate},
		{Operation: payment.Authorize, Status: payment.Succeeded, By: "a payment intent by id, idempotency key or reference: requires_capture, or captured"},
		{Operation: payment.Authorize, Status: payment.Failed, By: "the payment intent is canceled"},
		{Operation: payment.Authorize, Status: payment.Failed, By: gate},
		{Operation: payment.Capture, Status: payment.Succeeded, By: "the payment intent by id, or by the key of the capture: succeeded, of the attempt's amount"},
		{Operation: payment.Capture, Status: payment.Failed, By: "the payment intent is canceled"},
		{Operation: payment.Refund, Status: payment.Succeeded, By: "the refund by id, idempotency key or reference: succeeded and booked"},
		{Operation: payment.Refund, Status: payment.Failed, By: "the refund is failed or canceled"},
		{Operation: payment.Refund, Status: payment.Failed, By: agreed},
		{Operation: payment.Transfer, Status: payment.Succeeded, By: "the transfer by id, idempotency key or reference; a payout likewise: paid"},
		{Operation: payment.Transfer, Status: payment.Failed, By: "the payout is failed or canceled"},
		{Operation: payment.Transfer, Status: payment.Failed, By: agreed},
	}
}

func neverKnown() []string {
	return []string{
		"Whether a payment intent that requires_payment_method has failed: it may be paid with another card until it is canceled. Cancel it at Stripe, and failed is offered.",
		"What became of an idempotency key more than 30 days ago: events are gone then, and the answer is that the period is no longer held.",
		"What was done with a key whose request came from a browser, or what a bank did later: such events carry no key.",
		"The reference of a refund, dispute or payout that carries none of its own: metadata is copied from a payment intent to its charge, once, and to nothing else.",
		"Which rows a manual or instant payout holds: they are unverifiable.",
		"Which charge an attempt without id, key and reference made: amount and time name nothing.",
		"By a reference, what a capture did: what it captured was created before it. Its id or its idempotency key tells.",
		"A bill payment: Stripe has none.",
	}
}

func doubtful() []string {
	return []string{
		"How soon look-ups and lists show a new object: lists are said to lag behind nothing; 15 minutes are waited for (visible_after), three days after a 5xx.",
		"How soon an event can be listed: no document says. A day is waited for.",
		"That an object is created within 5 minutes before its attempt's row and 15 minutes after the attempt was last sent (stripe.created_before, stripe.created_after). An older payment intent is found by a search alone, or by its charge.",
		"That events carry the key of the request that caused them directly, for refunds and transfers too: people of Stripe said so, no document does.",
		"That ids begin with pi_, ch_, py_, re_, pyr_, tr_ or po_. An id of another form is not asked for: there is no answer, never an absence.",
		"Whether /v1/refunds lists the rest of a partial capture: where it does, its balance transaction tells it from a refund.",
		"Whether a refund without a balance transaction moved anything: it is taken for one that is still in progress.",
		"Whether balance transactions change in anything but their status: one that does is reported as conflicting_lines.",
		"How long a delayed method stays pending: what is older than 7 days is not listed again (stripe.reread), and is asked for one by one.",
		"When a charge that is captured asynchronously is booked: seconds were seen, 4 hours are waited for (books_after).",
		"In which unit Stripe counts IQD, LYD, UYI, CLF and UYW: amounts in them are not read until stripe.decimals says. ISK and UGX are hundredths, MGA whole ariary.",
		"The category of payment_reversal, and what the types of 2026 without a description mean: they are mapped by their names.",
		"Which permission opens /v1/account to a restricted key, and which /v1/refunds: documents and the refusals that were seen name different ones.",
		"That a page whose first object is gone is refused as resource_missing with the parameter starting_after.",
	}
}
