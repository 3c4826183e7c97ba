package pagarme

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const day = 24 * time.Hour

// Capabilities says what Pagar.me can tell. The durations are the adapter's own
// where Doubtful says so.
func (p *Provider) Capabilities() provider.Capabilities {
	created, authorized, captured := evidence.MeansCreated, evidence.MeansAuthorized, evidence.MeansCaptured
	var keys []provider.KeyPromise
	for _, o := range append([]payment.Operation{payment.Refund}, sales...) {
		keys = append(keys, provider.KeyPromise{Operation: o, Retention: day, Documented: true})
	}
	return provider.Capabilities{
		Type: "pagarme", Zone: zone, Statements: statements(), Lookups: p.lookups(), Keys: keys,
		BooksAfter:   5 * day,
		BooksAfterBy: map[string]time.Duration{"pix": 3 * day, "boleto": 5 * day, "debit_card": 5 * day, "card": 36 * day},
		Means: map[payment.Operation][]evidence.Means{
			payment.Charge: {created, authorized, captured}, payment.Authorize: {created, authorized}, payment.Capture: {captured},
			payment.Refund: {created, captured},
		},
		LineIDsUnique: true, HasObjectList: true,
		Unlisted: []payment.Operation{payment.Refund, payment.Transfer, payment.BillPayment},
		// Interest and fine of a boleto that is paid late.
		Variation: map[string]int64{"boleto": 2000},
		Marks:     marks(), NeverKnown: neverKnown(), Doubtful: doubtful(),
		Rate: provider.Rate{Requests: 200, Per: time.Minute}, // as published for charges and orders, the least of those asked
	}
}

func statements() []provider.Statement {
	created, settled := provider.Slice{Aim: day}, provider.Slice{Days: true, Aim: day}
	list := func(name string, sort payment.Sort, lag, reread time.Duration, slice provider.Slice) provider.Statement {
		return provider.Statement{
			Name: name, Sort: sort, PublishLag: lag, Reread: reread, Slice: slice, Members: payment.NoMembers, Shifts: true, Parallel: 4, PageRows: pageRows,
		}
	}
	return []provider.Statement{
		list(Charges, payment.ObjectList, 10*time.Minute, 7*day, created),
		list(Plans, payment.Ledger, day, 3*day, created),
		list(Payables, payment.Ledger, day, 7*day, settled),
		list(Operations, payment.Ledger, day, 3*day, created),
	}
}

func (p *Provider) lookups() []provider.Lookup {
	refund := []payment.Operation{payment.Refund}
	look := func(kind payment.KeyKind, name, endpoint string, operations []payment.Operation) provider.Lookup {
		return provider.Lookup{Key: payment.LookupKey{Kind: kind, Name: name}, Operations: operations, Endpoint: endpoint, VisibleAfter: day}
	}
	all := []provider.Lookup{look(payment.KeyUnit, "", byCharge, sales), look(payment.KeyUnit, "", byCharge, refund)}
	for _, place := range p.o.References {
		switch place.There {
		case PlaceCode:
			all = append(all, look(payment.KeyReference, place.Name, byCode, sales))
		case PlaceOrder:
			all = append(all, look(payment.KeyReference, place.Name, byOrder, sales))
		case PlaceRefunded:
			all = append(all, look(payment.KeyReference, place.Name, byCharge, refund))
		default:
			all = append(all, look(payment.KeyReference, place.Name, byWindow, sales))
		}
	}
	return all
}

func marks() []provider.Mark {
	const (
		absent = "absent by id and code, twice, after a day; charges of that time read to the end"
		ended  = "the charge is failed, or canceled before it was captured, and the acquirer is not in doubt"
	)
	return []provider.Mark{
		{Operation: payment.Charge, Status: payment.Succeeded, By: "a charge by id, order or code: paid, overpaid or underpaid of the same principal; pending too where succeeded means created"},
		{Operation: payment.Charge, Status: payment.Failed, By: ended},
		{Operation: payment.Charge, Status: payment.Failed, By: absent},
		{Operation: payment.Authorize, Status: payment.Succeeded, By: "a charge by id, order or code whose transaction is authorized, or that is paid"},
		{Operation: payment.Authorize, Status: payment.Failed, By: ended},
		{Operation: payment.Authorize, Status: payment.Failed, By: absent},
		{Operation: payment.Capture, Status: payment.Succeeded, By: "the charge, by id, order or code: paid"},
		{Operation: payment.Refund, Status: payment.Succeeded, By: "the only refund attempt of its charge, and canceled_amount is its amount"},
		{Operation: payment.Refund, Status: payment.Failed, By: "the charge says that nothing was canceled, twice, after a day, and a second person agrees"},
	}
}

func neverKnown() []string {
	return []string{
		"Which idempotency key made a charge: the API tells no key. Send one value as both Idempotency-Key and code.",
		"Which refund attempt made which refund: refunds have no id. All that was given back of one charge is one unit, CHARGE/refunds.",
		"Whose account a key is of: the API names none, so that a key of another account is not noticed by its answer.",
		"Transfers by your own reference: they carry none. What left for a bank account is a payout of the balance.",
		"Which sales a payout holds.",
		"Settlement of a gateway account: its receivables are the acquirer's (Stone, Cielo, Rede) and stand in the acquirer's files.",
		"Receivables that were ceded or pledged: their money goes to somebody else, and the balance tells of external_settlement at most.",
	}
}

func doubtful() []string {
	return []string{
		"The sign of an amount: a row's type decides, whatever sign is written (signs: by_type); signs: as_written takes what comes. An income below zero is other.",
		"That fee, anticipation_fee and fraud_coverage_fee stand apart and are all kept back: net = amount - fees.",
		"That a receivable's money moves on its payment_date, once it is paid or prepaid.",
		"That all parcels of a charge are made at one time, and listed one after another.",
		"That an operation of the type refund gives back the fee of a boleto, as the documents of v5 say, and no sale.",
		"How a transfer's fee is booked: the amount and the fee are both taken from the balance.",
		"Whether payables without a recipient are those of all recipients: where a sale is split, its lines are shares and no amounts are compared.",
		"What paid_amount says after a refund in part: it is taken for what was captured.",
		"That a failed charge stays so: the merchant can retry it, and it is paid then.",
		"A transaction that is with_error or error_on_voiding: its charge is held for open, whatever its status says.",
		"The most rows of a page: 100 are asked for. What paging.total counts: it is not read.",
		"Whether the last instant of a time belongs to it: both ends are asked for, and what comes twice is stored once.",
		"Which 404 is the provider's own: one that says that the charge or order was not found.",
		"How soon a look-up shows a new charge: a day is waited for (visible_after).",
		"When money is booked: 36 days for a card's first parcel, 5 for a boleto, 3 for Pix (books_after).",
		"The words of a transfer's status, and of a receivable's beyond waiting_funds, prepaid and paid: such a row moved no money yet.",
	}
}
