package asaas

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// The names of the statements.
const (
	Payments  = "payments"  // cobranças by day of creation
	Transfers = "transfers" // transfers by day of creation
	Ledger    = "ledger"    // financialTransactions
)

const (
	day = 24 * time.Hour
	// visibleAfter is until a look-up must show what was created. No document
	// says; RULES §8 has a day where documents are silent.
	visibleAfter = day
)

// Capabilities says what Asaas can tell. The durations are the adapter's own
// where Doubtful says so.
func (p *Provider) Capabilities() provider.Capabilities {
	return provider.Capabilities{
		Type: "asaas", Zone: zone, Statements: statements(), Lookups: p.lookups(),
		BooksAfter:    5 * day,
		BooksAfterBy:  map[string]time.Duration{"pix": 0, methodStatic: 0, "boleto": 5 * day, "card": 36 * day, methodCash: evidence.Never},
		Means:         means(),
		LineIDsUnique: true, HasObjectList: true, Unlisted: []payment.Operation{payment.Refund, payment.BillPayment},
		// Interest and fine of what is paid late: 2 % and 1 % a month are usual.
		Variation:  map[string]int64{"boleto": 2000, "pix": 2000},
		Marks:      marks(),
		NeverKnown: neverKnown(), Doubtful: doubtful(),
		Rate: provider.Rate{Requests: 25_000, Per: 12 * time.Hour, Concurrent: 50}, // as published, for the account
	}
}

func statements() []provider.Statement {
	days := provider.Slice{Days: true, Aim: day}
	return []provider.Statement{
		{
			Name: Payments, Sort: payment.ObjectList, PublishLag: 10 * time.Minute, Reread: 7 * day, Slice: days,
			Members: payment.NoMembers, Shifts: true, NewestFirst: true, Parallel: 4, PageRows: pageRows,
		},
		{
			Name: Transfers, Sort: payment.ObjectList, PublishLag: 10 * time.Minute, Reread: 3 * day, Slice: days,
			Members: payment.NoMembers, Shifts: true, Parallel: 4, PageRows: pageRows,
		},
		{
			Name: Ledger, Sort: payment.Ledger, PublishLag: day, Reread: 3 * day, Slice: days,
			Members: payment.NoMembers, Chained: true, Parallel: 4, PageRows: pageRows,
		},
	}
}

func (p *Provider) lookups() []provider.Lookup {
	sale := []payment.Operation{payment.Charge, payment.Authorize, payment.Capture}
	// A refund has no id to be asked by: what is stored as one is its payment's.
	unit := payment.LookupKey{Kind: payment.KeyUnit}
	all := []provider.Lookup{
		{Key: unit, Operations: sale, Endpoint: byPayment, VisibleAfter: visibleAfter},
		{Key: unit, Operations: []payment.Operation{payment.Transfer}, Endpoint: byTransfer, VisibleAfter: visibleAfter},
		{Key: unit, Operations: []payment.Operation{payment.BillPayment}, Endpoint: byBill, VisibleAfter: visibleAfter},
	}
	for _, place := range p.places {
		key := payment.LookupKey{Kind: payment.KeyReference, Name: place.Name}
		if place.There == PlaceRefunded {
			all = append(all, provider.Lookup{Key: key, Operations: []payment.Operation{payment.Refund}, Endpoint: byPayment, VisibleAfter: visibleAfter})
			continue
		}
		all = append(all,
			provider.Lookup{Key: key, Operations: append(sale, payment.Refund), Endpoint: byReference, VisibleAfter: visibleAfter},
			provider.Lookup{Key: key, Operations: []payment.Operation{payment.Transfer}, Endpoint: byWindow, VisibleAfter: visibleAfter})
	}
	return all
}

func means() map[payment.Operation][]evidence.Means {
	created, captured := evidence.MeansCreated, evidence.MeansCaptured
	return map[payment.Operation][]evidence.Means{
		payment.Charge:      {created, evidence.MeansAuthorized, captured},
		payment.Authorize:   {created, evidence.MeansAuthorized},
		payment.Capture:     {captured},
		payment.Refund:      {created, captured},
		payment.Transfer:    {created, captured},
		payment.BillPayment: {created, captured},
	}
}

func marks() []provider.Mark {
	const (
		gate   = "absent by id and reference, twice, after a day; payments of those days read to the end"
		gone   = "the payment was removed before anybody paid"
		failed = "the provider says FAILED, REFUSED or CANCELLED"
	)
	return []provider.Mark{
		{Operation: payment.Charge, Status: payment.Succeeded, By: "a payment by id or reference: CONFIRMED or RECEIVED; PENDING too where succeeded means created"},
		{Operation: payment.Charge, Status: payment.Failed, By: gone},
		{Operation: payment.Charge, Status: payment.Failed, By: gate},
		{Operation: payment.Authorize, Status: payment.Succeeded, By: "a payment by id or reference: AUTHORIZED or later"},
		{Operation: payment.Authorize, Status: payment.Failed, By: gate},
		{Operation: payment.Capture, Status: payment.Succeeded, By: "the authorized payment, by id or reference: CONFIRMED or RECEIVED"},
		{Operation: payment.Refund, Status: payment.Succeeded, By: "the only refund attempt of its payment, and what was given back is its amount"},
		{Operation: payment.Refund, Status: payment.Failed, By: "the payment lists no refund, twice, after a day, and a second person agrees; not for instalments"},
		{Operation: payment.Transfer, Status: payment.Succeeded, By: "the transfer by id, or by reference within its days: DONE"},
		{Operation: payment.Transfer, Status: payment.Failed, By: failed},
		{Operation: payment.Transfer, Status: payment.Failed, By: "absent by id and reference, twice, after a day; transfers of those days read to the end, and a second person agrees"},
		{Operation: payment.BillPayment, Status: payment.Succeeded, By: "the bill or the Pix by id: PAID or DONE"},
		{Operation: payment.BillPayment, Status: payment.Failed, By: failed},
	}
}

func neverKnown() []string {
	return []string{
		"Whether a request was sent twice: Asaas has no idempotency, and a request that is sent again makes a second charge.",
		"Why a card was refused: a refused card leaves no payment, so a refusal and a request that never arrived look alike.",
		"The hour at which a payment was created: Asaas tells the day. Where attempts of one charge share a reference, which of them made a payment is not known.",
		"Which refund attempt made which refund: refunds have no id and carry no reference. All that was given back of one payment is one unit, PAYMENT/refunds.",
		"A bill that was paid, or a QR code, by reference or by day: they are found by id alone.",
		"Which sales a transfer to the bank holds.",
		"What an anticipated sale brought: its money comes as a credit of the anticipation, and the sale is booked on the day when the payer pays.",
	}
}

func doubtful() []string {
	return []string{
		"How soon a look-up shows a new payment: no document says. A day is waited for (visible_after).",
		"Whether lists show removed payments. A removed payment that they do not show is absent.",
		"That a removed payment stays so: the merchant can restore it, and the payer can pay it then.",
		"That payments come newest first, and ledger rows of one day in the order in which they were booked: where not, the balance does not tie and coverage is assumed.",
		"How late a row can be added to a day of the ledger: a day is waited for (publish_lag).",
		"Whether a refund of a whole instalment sale stands on each of its parcels: where none does, there is no answer.",
		"How a discount is stated: where the value is lower than what was asked for, the amounts differ.",
		"What CARD_SALE_RECEIVED, CARD_SALE_REVERSAL, REVERSAL, CREDIT and PIX_TRANSACTION_CREDIT mean exactly; they are read by their names.",
		"That money which a split takes is the row INTERNAL_TRANSFER_DEBIT with a splitId: it is counted as an adjustment of the sale.",
		"Whether the ledger books a transfer with its fee or without: the fee is taken for a row of its own.",
		"Which permission of a key opens /wallets/, by which the account is known.",
		"Which 404 is Asaas's own: one without a body, or with its error body, is taken for a no; a known payment is asked for first.",
		"When a card's money is booked: 32 days and the next working day for each parcel were measured in the test environment (books_after).",
	}
}
