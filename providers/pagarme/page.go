package pagarme

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// The names of the statements.
const (
	Charges    = "charges"    // by creation
	Plans      = "plans"      // receivables by creation: when which parcel is due
	Payables   = "payables"   // receivables by the day of their money
	Operations = "operations" // the balance, without receivables
)

// Page reads one page of a slice. A cursor is the number of the page.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	second := payment.Instant(time.Second / time.Microsecond)
	if r.Slice.Empty() || r.Slice.From%second != 0 || r.Slice.To%second != 0 {
		return provider.Page{}, refuse(r.Statement, provider.HTTP4xx, "whole seconds are wanted, not %s", r.Slice)
	}
	number := 1
	if r.Cursor != "" {
		var err error
		if number, err = strconv.Atoi(r.Cursor); err != nil || number <= 1 {
			return provider.Page{}, refuse(r.Statement, provider.Expired, "no page: %q", r.Cursor)
		}
	}
	switch r.Statement {
	case Charges:
		return p.chargePage(ctx, r.Slice, number)
	case Plans:
		return p.planPage(ctx, r.Slice, number)
	case Payables:
		return p.payablePage(ctx, r.Slice, number)
	case Operations:
		return p.operationPage(ctx, r.Slice, number)
	}
	return provider.Page{}, refuse(r.Statement, provider.HTTP4xx, "no statement of that name")
}

// pageOf is what every page says.
func pageOf[T any](got *answer[T]) provider.Page {
	page := provider.Page{Date: got.date}
	if got.next > 0 {
		page.Next = strconv.Itoa(got.next)
	}
	return page
}

func (p *Provider) chargePage(ctx context.Context, slice payment.Interval, number int) (provider.Page, error) {
	got, err := ask[charge](ctx, p, httpx.Ask{Endpoint: Charges, Path: "/charges", Query: during("created", slice)}, number)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		units, err := p.charge(&got.rows[i])
		if err == nil {
			err = of(slice, got.rows[i].CreatedAt)
		}
		if err != nil {
			return provider.Page{}, refuse(Charges, provider.Unparsable, "%w", err)
		}
		page.Rows, page.Units = append(page.Rows, got.rows[i].ID), append(page.Units, units...)
	}
	tell(page.Units, Charges, payment.FromList)
	return page, nil
}

// planPage reads the parcels that were made in a time. Those of one charge are
// made at once, and told of as a whole only: a later part would replace an
// earlier one.
func (p *Provider) planPage(ctx context.Context, slice payment.Interval, number int) (provider.Page, error) {
	query := during("created", slice)
	query.Set("type", "credit")
	got, err := ask[receivable](ctx, p, httpx.Ask{Endpoint: Plans, Path: "/payables", Query: query}, number)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	var charges []string
	parcels := map[string][]receivable{}
	for i := range got.rows {
		r := &got.rows[i]
		err := of(slice, r.CreatedAt)
		if err != nil || r.ID == "" || r.Charge == "" || r.Type != "credit" {
			return provider.Page{}, refuse(Plans, provider.Unparsable, "receivable %q of type %q and charge %q: %v", r.id(), r.Type, r.Charge, err)
		}
		if parcels[r.Charge] == nil {
			charges = append(charges, r.Charge)
		}
		page.Rows, parcels[r.Charge] = append(page.Rows, r.id()), append(parcels[r.Charge], *r)
	}
	for i, id := range charges {
		rows := parcels[id]
		if i == 0 && number > 1 || i == len(charges)-1 && got.next > 0 {
			if rows, err = p.parcels(ctx, id); err != nil {
				return provider.Page{}, err
			}
		}
		u, err := p.plan(id, rows)
		if err != nil {
			return provider.Page{}, refuse(Plans, provider.Unparsable, "charge %q: %w", id, err)
		}
		page.Units = append(page.Units, u)
	}
	tell(page.Units, Plans, payment.FromLedger)
	return page, nil
}

// parcels asks for all parcels of a charge: a page may end within them.
func (p *Provider) parcels(ctx context.Context, charge string) ([]receivable, error) {
	if !chargeForm.MatchString(charge) {
		return nil, refuse(Plans, provider.Unparsable, "%q has the form of no charge's id", charge)
	}
	got, err := all(ctx, p, httpx.Ask{Endpoint: Plans, Path: "/payables", Query: url.Values{"charge_id": {charge}, "type": {"credit"}}}, (*receivable).id)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(got.rows, func(r receivable) bool { return r.Charge != charge || r.Type != "credit" }) || len(got.rows) == 0 {
		return nil, refuse(Plans, provider.OtherReference, "the answer is not about the parcels of %q", charge)
	}
	return got.rows, nil
}

func (p *Provider) payablePage(ctx context.Context, slice payment.Interval, number int) (provider.Page, error) {
	got, err := ask[receivable](ctx, p, httpx.Ask{Endpoint: Payables, Path: "/payables", Query: during("payment_date", payment.Interval{
		From: slice.From, To: slice.To.Add(-time.Second), // the next day's stand at its very beginning
	})}, number)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		l, ok, err := p.settled(&got.rows[i])
		if err == nil {
			err = of(slice, got.rows[i].PaidOn)
		}
		if err != nil {
			return provider.Page{}, refuse(Payables, provider.Unparsable, "%w", err)
		}
		page.Rows = append(page.Rows, got.rows[i].id())
		if ok {
			l.Statement, l.Row = Payables, int32(i+1)
			page.Lines = append(page.Lines, l)
		}
	}
	return page, nil
}

func (p *Provider) operationPage(ctx context.Context, slice payment.Interval, number int) (provider.Page, error) {
	got, err := ask[operation](ctx, p, httpx.Ask{Endpoint: Operations, Path: "/balance/operations", Query: during("created", slice)}, number)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		l, ok, err := p.moved(&got.rows[i])
		if err == nil {
			err = of(slice, got.rows[i].CreatedAt)
		}
		if err != nil {
			return provider.Page{}, refuse(Operations, provider.Unparsable, "%w", err)
		}
		page.Rows = append(page.Rows, got.rows[i].ID.String())
		if ok {
			l.Statement, l.Row = Operations, int32(i+1)
			page.Lines = append(page.Lines, l)
		}
	}
	return page, nil
}

// tell says of each unit who told of it.
func tell(units []payment.Unit, statement string, source payment.Source) {
	for i := range units {
		units[i].Statement, units[i].Source = statement, source
	}
}
