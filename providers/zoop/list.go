package zoop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// Transactions is the name of the only statement.
const Transactions = "transactions"

// The endpoints, as errors, answers and Capabilities name them.
const (
	endpointList      = Transactions
	endpointByID      = "transaction"
	endpointReference = "reference"
	endpointWindow    = "window"
)

// pageRows is how many rows are asked for: the most that the API gives.
const pageRows = 100

// list is the envelope of a list. Its numbers may be texts.
type list struct {
	Items   *[]transaction `json:"items"`
	HasMore *bool          `json:"has_more"`
	Offset  json.Number    `json:"offset"`
	Total   json.Number    `json:"total"`
	Error   *fault         `json:"error"`
}

// fault is an error of the provider's, which may come with status 200.
type fault struct {
	Code     json.Number `json:"status_code"`
	Category string      `json:"category"`
	Message  string      `json:"message"`
}

func (f *fault) err() error {
	return fmt.Errorf("the provider says %q (%q)", f.Category, mask.Text(f.Message))
}

// answer is one page, checked to be the page that was asked for.
type answer struct {
	rows  []transaction
	next  int // offset of the page that follows, 0: none
	total payment.Stated
	date  payment.Instant
	body  []byte
}

func refuse(endpoint string, reason provider.Reason, format string, arguments ...any) error {
	return &provider.Error{Reason: reason, Stage: provider.StageBody, Endpoint: endpoint, Err: fmt.Errorf(format, arguments...)}
}

// ask asks for one page of the transactions, from an offset on.
func (p *Provider) ask(ctx context.Context, endpoint string, query url.Values, offset int) (*answer, error) {
	path := "/transactions"
	if p.seller != "" {
		path = "/sellers/" + p.seller + path
	}
	if offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	got, err := p.client.Get(ctx, httpx.Ask{Endpoint: endpoint, Path: path, Query: query})
	if err != nil {
		return nil, err
	}
	var l list
	if err := decode(got, &l); err != nil {
		return nil, err
	}
	a, err := l.answer(offset)
	if err != nil {
		return nil, refuse(endpoint, provider.Unparsable, "%w", err)
	}
	for i := range a.rows {
		if p.seller != "" && a.rows[i].Seller != p.seller {
			return nil, refuse(endpoint, provider.OtherAccount, "transaction %q is of the seller %q", a.rows[i].ID, a.rows[i].Seller)
		}
	}
	a.date, a.body = got.Date, got.Body
	return a, nil
}

// decode reads a body. Zoop has sent texts with \', which is no JSON: they are
// read as the apostrophe they mean.
func decode(got *httpx.Response, into any) error {
	err := got.Decode(into)
	if err != nil && bytes.Contains(got.Body, []byte(`\'`)) {
		mended := *got
		mended.Body = bytes.ReplaceAll(got.Body, []byte(`\'`), []byte(`'`))
		return mended.Decode(into)
	}
	return err
}

// answer takes the rows out of an envelope that says whose they are.
func (l *list) answer(offset int) (*answer, error) {
	switch {
	case l.Error != nil:
		return nil, l.Error.err()
	case l.Items == nil || l.HasMore == nil:
		return nil, errors.New("no list: items or has_more is missing")
	case l.Offset.String() != strconv.Itoa(offset):
		return nil, fmt.Errorf("the page of offset %q, asked for %d", l.Offset, offset)
	case *l.HasMore && len(*l.Items) == 0:
		return nil, errors.New("an empty page that says more follow")
	}
	a := &answer{rows: *l.Items}
	if *l.HasMore {
		a.next = offset + len(a.rows)
	}
	if l.Total != "" {
		total, err := l.Total.Int64()
		if err != nil || total < 0 {
			return nil, fmt.Errorf("%q rows in all", l.Total)
		}
		a.total = payment.Known(total)
	}
	return a, nil
}

// created asks for the transactions of an interval, oldest first.
func created(slice payment.Interval) url.Values {
	return url.Values{
		"date_range[gte]": {strconv.FormatInt(slice.From.Time().Unix(), 10)}, "date_range[lt]": {strconv.FormatInt(slice.To.Time().Unix(), 10)},
		"limit": {strconv.Itoa(pageRows)}, "sort": {"time-ascending"},
	}
}

// Page reads one page of a slice. A cursor is the offset of the page.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	second := payment.Instant(time.Second / time.Microsecond)
	if r.Statement != Transactions || r.Slice.Empty() || r.Slice.From%second != 0 || r.Slice.To%second != 0 {
		return provider.Page{}, refuse(endpointList, provider.HTTP4xx, "no statement %q of %s, whole seconds are wanted", r.Statement, r.Slice)
	}
	offset := 0
	if r.Cursor != "" {
		var err error
		if offset, err = strconv.Atoi(r.Cursor); err != nil || offset <= 0 {
			return provider.Page{}, refuse(endpointList, provider.Expired, "no offset: %q", r.Cursor)
		}
	}
	got, err := p.ask(ctx, endpointList, created(r.Slice), offset)
	if err != nil {
		return provider.Page{}, err
	}
	page := provider.Page{Total: got.total, Date: got.date}
	if got.next > 0 {
		page.Next = strconv.Itoa(got.next)
	}
	if page.Units, err = p.units(endpointList, got.rows, r.Slice); err != nil {
		return provider.Page{}, err
	}
	for i := range page.Units {
		page.Rows = append(page.Rows, page.Units[i].ID)
		page.Units[i].Statement, page.Units[i].Source = Transactions, payment.FromList
	}
	return page, nil
}

// units reads rows that were created in the interval that was asked for. A
// filter that the provider did not understand is silently left out by it.
func (p *Provider) units(endpoint string, rows []transaction, within payment.Interval) ([]payment.Unit, error) {
	var units []payment.Unit
	for i := range rows {
		u, err := p.unit(&rows[i])
		if err == nil && !within.Contains(u.CreatedAt) {
			err = fmt.Errorf("transaction %q is of %s, asked for %s", u.ID, u.CreatedAt, within)
		}
		if err != nil {
			return nil, refuse(endpoint, provider.Unparsable, "%w", err)
		}
		units = append(units, u)
	}
	return units, nil
}
