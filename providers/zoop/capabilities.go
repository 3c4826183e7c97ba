package zoop

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const day = 24 * time.Hour

// sales are the operations whose outcome is a transaction.
var sales = []payment.Operation{payment.Charge, payment.Authorize, payment.Capture}

// Capabilities says what Zoop can tell. The durations and the limit are the
// adapter's own, for Zoop documents neither.
func (p *Provider) Capabilities() provider.Capabilities {
	created, authorized, captured := evidence.MeansCreated, evidence.MeansAuthorized, evidence.MeansCaptured
	return provider.Capabilities{
		Type: "zoop", Lookups: p.lookups(),
		Statements: []provider.Statement{{
			Name: Transactions, Sort: payment.ObjectList, PublishLag: 10 * time.Minute, Reread: 7 * day, Slice: provider.Slice{Aim: day},
			Members: payment.NoMembers, Shifts: true, Parallel: 4, PageRows: pageRows,
		}},
		Means: map[payment.Operation][]evidence.Means{
			payment.Charge: {created, authorized, captured}, payment.Authorize: {created, authorized}, payment.Capture: {captured},
		},
		LineIDsUnique: true, HasObjectList: true,
		Unlisted: []payment.Operation{payment.Refund, payment.Transfer, payment.BillPayment},
		Marks:    marks(), NeverKnown: neverKnown(), Doubtful: doubtful(),
		Rate: provider.Rate{Requests: 600, Per: time.Minute, Concurrent: 10},
	}
}

func (p *Provider) lookups() []provider.Lookup {
	all := []provider.Lookup{{Key: payment.LookupKey{Kind: payment.KeyUnit}, Operations: sales, Endpoint: endpointByID, VisibleAfter: day}}
	for _, place := range p.o.References {
		endpoint := endpointWindow
		if place.There == placeReference {
			endpoint = endpointReference
		}
		all = append(all, provider.Lookup{
			Key: payment.LookupKey{Kind: payment.KeyReference, Name: place.Name}, Operations: sales, Endpoint: endpoint, VisibleAfter: day,
		})
	}
	return all
}

func marks() []provider.Mark {
	const absent = "absent by id and reference, twice, after a day; transactions of that time read to the end"
	return []provider.Mark{
		{Operation: payment.Charge, Status: payment.Succeeded, By: "a transaction by id or reference: succeeded; pending too where succeeded means created"},
		{Operation: payment.Charge, Status: payment.Failed, By: "the transaction is failed, reversed or canceled"},
		{Operation: payment.Charge, Status: payment.Failed, By: absent},
		{Operation: payment.Authorize, Status: payment.Succeeded, By: "a transaction by id or reference: pre_authorized or later"},
		{Operation: payment.Authorize, Status: payment.Failed, By: "the transaction is failed, reversed or canceled"},
		{Operation: payment.Authorize, Status: payment.Failed, By: absent},
		{Operation: payment.Capture, Status: payment.Succeeded, By: "the transaction, by id or reference: succeeded"},
	}
}

func neverKnown() []string {
	return []string{
		"Whether a request was sent twice: Zoop documents no idempotency.",
		"What moved the balance: Zoop documents no ledger, so that no money is compared with what was booked.",
		"What a refund attempt did: refunds are no objects, and stand in the history of the sale alone.",
		"Transfers to the bank and bills that were paid.",
		"Whose account a key is of: the address holds the marketplace, and a key of another one is refused.",
	}
}

func doubtful() []string {
	return []string{
		"The address: api.zoop.ws is used by all that was seen, payments.zoop.ws is what the specification names.",
		"How soon a look-up shows a new transaction: a day is waited for (visible_after).",
		"The limit on requests: none is published; 600 a minute is taken for one (rate_share).",
		"Whether reference_id is unique, and always in the answer: a transaction that is found and does not show it is no answer.",
		"What amount says after a refund in part: the original amount is taken for what was captured.",
		"Amounts without a point, which some resellers send in centavos: refused, unless zoop.whole says that they are.",
		"Whether a canceled transaction had been captured: by captured and the history.",
		"Receivables: those of one transaction can be asked for; no document says how to list them by day, or where the list of a seller ends. One request for each sale, for as long as a parcel is due, is more than the share allows; they are not read, and no coverage is claimed of them.",
	}
}
