package asaas

import (
	"context"
	"net/url"
	"strconv"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// transferByID asks for a transfer, or for the Pix transaction of that id.
func (p *Provider) transferByID(ctx context.Context, id string) (provider.Answer, error) {
	if endToEndForm.MatchString(id) {
		return p.pixByEndToEnd(ctx, byTransfer, id)
	}
	if !uuidForm.MatchString(id) {
		return provider.Answer{}, refuse(byTransfer, provider.OtherReference, "%q has the form of no transfer's id", id)
	}
	t, got, err := object(ctx, p, byTransfer, "/transfers/"+id, transferID, id)
	switch {
	case err != nil:
		return provider.Answer{}, err
	case t == nil:
		return p.pixByID(ctx, byTransfer, id)
	}
	u, err := p.transfer(t)
	if err != nil {
		return provider.Answer{}, refuse(byTransfer, provider.Unparsable, "%w", err)
	}
	return p.answered(byTransfer, []payment.Unit{u}, got.Date, got.Body), nil
}

func transferID(t *transferObject) string { return t.ID }

func pixID(x *pixObject) string { return x.ID }

func (p *Provider) pixByEndToEnd(ctx context.Context, endpoint, id string) (provider.Answer, error) {
	got, err := all(ctx, p, httpx.Ask{
		Endpoint: endpoint, Path: "/pix/transactions", Query: url.Values{"endToEndIdentifier": {id}, "limit": {strconv.Itoa(pageRows)}},
	}, pixID)
	if err != nil {
		return provider.Answer{}, err
	}
	for i := range got.rows {
		if got.rows[i].EndToEnd != id {
			return provider.Answer{}, got.refuse(provider.OtherReference, "the answer is about %q", got.rows[i].EndToEnd)
		}
	}
	return p.pixAnswer(endpoint, got.rows, got.date, got.body)
}

// pixAnswer answers with the Pix that were sent. One that came in carries the
// same id at an account that sent it to itself; a return has one of its own.
func (p *Provider) pixAnswer(endpoint string, rows []pixObject, date payment.Instant, body []byte) (provider.Answer, error) {
	var units []payment.Unit
	for i := range rows {
		if rows[i].Type != "DEBIT" {
			continue
		}
		u, err := p.pix(&rows[i])
		if err != nil {
			return provider.Answer{}, refuse(endpoint, provider.Unparsable, "%w", err)
		}
		units = append(units, u)
	}
	if len(units) == 0 && len(rows) > 0 {
		return provider.Answer{}, refuse(endpoint, provider.OtherReference, "a Pix that was not sent from here")
	}
	return p.answered(endpoint, units, date, body), nil
}

// transferByReference lists the transfers of the days in which the attempt's
// must have been created, and compares: the API cannot be asked by reference.
func (p *Provider) transferByReference(ctx context.Context, q provider.Question) (provider.Answer, error) {
	if q.Attempt.CreatedAt.IsZero() {
		return provider.Answer{}, refuse(byWindow, provider.OtherReference, "the attempt has no creation to look around")
	}
	last := max(q.Attempt.CreatedAt, q.Attempt.LastSent)
	days := span{payment.DayOf(q.Attempt.CreatedAt, p.zone) - 1, payment.DayOf(last, p.zone) + 1}
	got, err := all(ctx, p, httpx.Ask{Endpoint: byWindow, Path: "/transfers", Query: days.created()}, transferID)
	if err != nil {
		return provider.Answer{}, err
	}
	var units []payment.Unit
	for i := range got.rows {
		t := &got.rows[i]
		u, err := p.transfer(t)
		if err == nil {
			err = days.holds(t.DateCreated)
		}
		if err != nil {
			return provider.Answer{}, got.refuse(provider.Unparsable, "%w", err)
		}
		if t.ExternalReference == q.Key.Value {
			units = append(units, u)
		}
	}
	return p.answered(byWindow, units, got.date, got.body), nil
}

// billByID asks for the payment of a bill, or of a QR code.
func (p *Provider) billByID(ctx context.Context, id string) (provider.Answer, error) {
	if endToEndForm.MatchString(id) {
		return p.pixByEndToEnd(ctx, byBill, id)
	}
	if !uuidForm.MatchString(id) {
		return provider.Answer{}, refuse(byBill, provider.OtherReference, "%q has the form of no bill's id", id)
	}
	b, got, err := object(ctx, p, byBill, "/bill/"+id, func(b *billObject) string { return b.ID }, id)
	switch {
	case err != nil:
		return provider.Answer{}, err
	case b == nil:
		return p.pixByID(ctx, byBill, id)
	}
	u, err := p.bill(b)
	if err != nil {
		return provider.Answer{}, refuse(byBill, provider.Unparsable, "%w", err)
	}
	return p.answered(byBill, []payment.Unit{u}, got.Date, got.Body), nil
}

// pixByID asks for a Pix transaction: a QR code that was paid is one, and
// neither a transfer nor a bill.
func (p *Provider) pixByID(ctx context.Context, endpoint, id string) (provider.Answer, error) {
	x, got, err := object(ctx, p, endpoint, "/pix/transactions/"+id, pixID, id)
	switch {
	case err != nil:
		return provider.Answer{}, err
	case x == nil:
		return p.answered(endpoint, nil, got.Date, got.Body), nil
	}
	return p.pixAnswer(endpoint, []pixObject{*x}, got.Date, got.Body)
}
