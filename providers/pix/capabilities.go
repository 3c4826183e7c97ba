package pix

import (
	"time"

	"desfecho/internal/evidence"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const day = 24 * time.Hour

// returnable is how long after a Pix it is still asked what was given back: 90
// days in which it may be, and a week for what was begun.
const returnable = 97 * day

// Capabilities says what a participant of Pix can tell. The durations and the
// limit are the adapter's own, for the book documents neither.
func (p *Provider) Capabilities() provider.Capabilities {
	created, captured := evidence.MeansCreated, evidence.MeansCaptured
	return provider.Capabilities{
		Type: "pix", Zone: zone, Statements: p.statements(), Lookups: p.lookups(),
		Means:         map[payment.Operation][]evidence.Means{payment.Charge: {created, captured}, payment.Refund: {created, captured}},
		LineIDsUnique: true, HasObjectList: p.may(scopeCob) || p.may(scopeCobV),
		Unlisted: []payment.Operation{payment.Authorize, payment.Capture, payment.Refund, payment.Transfer, payment.BillPayment},
		// Interest and fine of a charge that is paid after its due date.
		Variation: map[string]int64{"pix": 2000},
		Marks:     marks(), NeverKnown: neverKnown(), Doubtful: doubtful(),
		Rate: provider.Rate{Requests: 600, Per: time.Minute, Concurrent: 10},
	}
}

func (p *Provider) statements() (all []provider.Statement) {
	slice := provider.Slice{Max: p.o.MaxWindow, Aim: p.o.MaxWindow}
	add := func(scope, name string, sort payment.Sort, reread time.Duration) {
		if p.may(scope) {
			all = append(all, provider.Statement{
				Name: name, Sort: sort, PublishLag: 10 * time.Minute, Reread: reread, Slice: slice, Members: payment.NoMembers,
				Shifts: true, Parallel: 4, PageRows: pageRows,
			})
		}
	}
	add(scopeCob, Charges, payment.ObjectList, 7*day)
	add(scopeCobV, Dues, payment.ObjectList, 7*day)
	add(scopePix, Received, payment.Ledger, day)
	add(scopePix, Returns, payment.Ledger, returnable)
	return all
}

func (p *Provider) lookups() []provider.Lookup {
	look := func(kind payment.KeyKind, name string, o payment.Operation, endpoint string) provider.Lookup {
		return provider.Lookup{
			Key: payment.LookupKey{Kind: kind, Name: name}, Operations: []payment.Operation{o}, Endpoint: endpoint, VisibleAfter: day,
		}
	}
	all := []provider.Lookup{
		look(payment.KeyUnit, "", payment.Charge, byTxID), look(payment.KeyUnit, "", payment.Refund, byReturn),
	}
	for _, place := range p.o.References {
		switch place.There {
		case PlaceTxID:
			all = append(all, look(payment.KeyReference, place.Name, payment.Charge, byTxID))
		case PlaceReturn:
			all = append(all, look(payment.KeyReference, place.Name, payment.Refund, byReturn))
		case PlaceReturned:
			all = append(all, look(payment.KeyReference, place.Name, payment.Refund, byEndToEnd))
		default:
			all = append(all, look(payment.KeyReference, place.Name, payment.Charge, byWindow))
		}
	}
	return all
}

func marks() []provider.Mark {
	return []provider.Mark{
		{Operation: payment.Charge, Status: payment.Succeeded, By: "the charge by txid, or the Pix by endToEndId: CONCLUIDA, or any Pix; ATIVA too where succeeded means created"},
		{Operation: payment.Charge, Status: payment.Failed, By: "the charge was removed, or ended a day ago (with a due date: a week ago) and no Pix has paid it"},
		{Operation: payment.Charge, Status: payment.Failed, By: "absent by txid, twice, after a day; charges of that time read to the end"},
		{Operation: payment.Refund, Status: payment.Succeeded, By: "the return by its id and its Pix: DEVOLVIDO; EM_PROCESSAMENTO too where succeeded means created"},
		{Operation: payment.Refund, Status: payment.Failed, By: "the return by its id and its Pix: NAO_REALIZADO"},
		{Operation: payment.Refund, Status: payment.Failed, By: "absent among the returns of its Pix, twice, after a day, and a second person agrees"},
	}
}

func neverKnown() []string {
	return []string{
		"Fees, the balance, payouts and Pix that were sent: the API has none of them. The bank's own statement has.",
		"Whose account a credential is of: the API names none, so that one of another receiver is not noticed by its answer.",
		"The txid of a charge that was made without one (POST /cob) and whose answer was lost: it is found by an additional field, or not at all.",
		"A Pix to the account number, or to a key without code, where the participant leaves such out of its list.",
		"Which attempt a printed code was scanned for, where several share its txid.",
		"By look-up, a Pix of a printed code that came later than fifty times max_window after its attempt.",
		"Pix Automático (cobr, rec): it is not read.",
	}
}

func doubtful() []string {
	return []string{
		"How soon a look-up shows a new charge: a day is waited for (visible_after).",
		"The limit on requests: none is published; 600 a minute is taken for one (rate_share).",
		"The longest time that may be asked for at once, and how far back: participants have limits of their own; a day is asked for (max_window).",
		"That an expired charge cannot be paid: its word stays ATIVA. It is held for open a day beyond its end, one with a due date a week.",
		"Whether the last instant of a time belongs to it: both ends are asked for, and what comes twice is stored once.",
		"That devolucaoPresente is understood: where it is not, all Pix of the time come, and only what was given back of them is taken.",
		"Returns later than 97 days after their Pix, as the mechanism against fraud may make: they are not seen by a pull, by a look-up they are.",
		"That what MED_OPERACIONAL takes is lost like a dispute: it may be the participant's own correction.",
		"Which 404 is the participant's own: one whose type ends in NaoEncontrado or NaoEncontrada. Another is no answer.",
		"That a Pix without txid, or with one of fewer than 26 letters, is of a printed code.",
	}
}
