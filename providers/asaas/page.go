package asaas

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// Page reads one page of a slice. A cursor is the offset of the page.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	days, err := p.days(r.Slice)
	if err != nil {
		return provider.Page{}, refuse(r.Statement, provider.HTTP4xx, "%w", err)
	}
	offset := 0
	if r.Cursor != "" {
		if offset, err = strconv.Atoi(r.Cursor); err != nil || offset <= 0 {
			return provider.Page{}, refuse(r.Statement, provider.Expired, "no offset: %q", r.Cursor)
		}
	}
	switch r.Statement {
	case Payments:
		return p.paymentPage(ctx, days, offset)
	case Transfers:
		return p.transferPage(ctx, days, offset)
	case Ledger:
		return p.ledgerPage(ctx, days, offset)
	}
	return provider.Page{}, refuse(r.Statement, provider.HTTP4xx, "no statement of that name")
}

// span is a run of whole days, both ends in it.
type span struct{ first, last payment.Day }

// days turns a slice into the days that the API is asked for.
func (p *Provider) days(slice payment.Interval) (span, error) {
	s := span{payment.DayOf(slice.From, p.zone), payment.DayOf(slice.To-1, p.zone)}
	if slice.Empty() || s.first.Start(p.zone) != slice.From || (s.last+1).Start(p.zone) != slice.To {
		return s, fmt.Errorf("the slice %s is no run of whole days in %s", slice, zone)
	}
	return s, nil
}

// holds says whether a row is of the days that were asked for. A filter that
// the provider did not understand is silently left out by it.
func (s span) holds(text string) error {
	day, err := dayOf(text)
	if err == nil && (day < s.first || day > s.last) {
		err = fmt.Errorf("a row of %s, asked for %s to %s", day, s.first, s.last)
	}
	return err
}

// created asks a list by days of creation.
func (s span) created() url.Values {
	return url.Values{
		"dateCreated[ge]": {s.first.String()}, "dateCreated[le]": {s.last.String()}, "limit": {strconv.Itoa(pageRows)},
	}
}

func (p *Provider) paymentPage(ctx context.Context, days span, offset int) (provider.Page, error) {
	got, err := ask[paymentObject](ctx, p, httpx.Ask{Endpoint: Payments, Path: "/payments", Query: days.created()}, offset)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		page.Rows = append(page.Rows, got.rows[i].ID)
		if err := days.holds(got.rows[i].DateCreated); err != nil {
			return provider.Page{}, got.refuse(provider.Unparsable, "payment %q: %w", got.rows[i].ID, err)
		}
	}
	objects, err := p.wholeGroups(ctx, got.rows, cutGroups(got.rows, offset > 0, got.next > 0))
	if err != nil {
		return provider.Page{}, err
	}
	if page.Units, err = p.sales(objects, Payments); err != nil {
		return provider.Page{}, err
	}
	tell(page.Units, Payments, payment.FromList)
	return page, nil
}

func (p *Provider) transferPage(ctx context.Context, days span, offset int) (provider.Page, error) {
	got, err := ask[transferObject](ctx, p, httpx.Ask{Endpoint: Transfers, Path: "/transfers", Query: days.created()}, offset)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		t := &got.rows[i]
		page.Rows = append(page.Rows, t.ID)
		if err := days.holds(t.DateCreated); err != nil {
			return provider.Page{}, got.refuse(provider.Unparsable, "transfer %q: %w", t.ID, err)
		}
		u, err := p.transfer(t)
		if err != nil {
			return provider.Page{}, got.refuse(provider.Unparsable, "%w", err)
		}
		page.Units = append(page.Units, u)
	}
	tell(page.Units, Transfers, payment.FromList)
	return page, nil
}

func (p *Provider) ledgerPage(ctx context.Context, days span, offset int) (provider.Page, error) {
	query := url.Values{
		"startDate": {days.first.String()}, "finishDate": {days.last.String()}, "order": {"asc"}, "limit": {strconv.Itoa(pageRows)},
	}
	got, err := ask[entry](ctx, p, httpx.Ask{Endpoint: Ledger, Path: "/financialTransactions", Query: query}, offset)
	if err != nil {
		return provider.Page{}, err
	}
	page := pageOf(got)
	for i := range got.rows {
		l, err := p.line(&got.rows[i])
		if err == nil {
			err = days.holds(got.rows[i].Date)
		}
		if err != nil {
			return provider.Page{}, got.refuse(provider.Unparsable, "%w", err)
		}
		l.Statement, l.Row = Ledger, int32(offset+i+1)
		page.Rows, page.Lines = append(page.Rows, l.ID), append(page.Lines, l)
	}
	page.Opening, page.Closing = chain(got.rows, page.Lines)
	return page, nil
}

// pageOf is what every page says.
func pageOf[T any](got *answer[T]) provider.Page {
	page := provider.Page{Total: payment.Known(got.total), Date: got.date}
	if got.next > 0 {
		page.Next = strconv.Itoa(got.next)
	}
	return page
}

// tell says of each unit who told of it.
func tell(units []payment.Unit, statement string, source payment.Source) {
	for i := range units {
		units[i].Statement, units[i].Source = statement, source
	}
}
