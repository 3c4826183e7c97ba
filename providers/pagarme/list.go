package pagarme

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// pageRows is how many rows are asked for.
const pageRows = 100

// list is the envelope of every list. What its total counts no document says,
// so it is not read.
type list[T any] struct {
	Data   *[]T    `json:"data"`
	Paging *paging `json:"paging"`
}

type paging struct {
	Next string `json:"next"`
}

// answer is one page, checked to be one.
type answer[T any] struct {
	rows     []T
	endpoint string
	next     int // page that follows, 0: none
	date     payment.Instant
	body     []byte
}

func refuse(endpoint string, reason provider.Reason, format string, arguments ...any) error {
	return &provider.Error{Reason: reason, Stage: provider.StageBody, Endpoint: endpoint, Err: fmt.Errorf(format, arguments...)}
}

// ask asks for one page of a list; pages count from 1.
func ask[T any](ctx context.Context, p *Provider, q httpx.Ask, page int) (*answer[T], error) {
	q.Query = maps.Clone(q.Query)
	q.Query.Set("page", strconv.Itoa(page))
	if q.Query.Get("size") == "" {
		q.Query.Set("size", strconv.Itoa(pageRows))
	}
	got, err := p.client.Get(ctx, q)
	if err != nil {
		return nil, err
	}
	var l list[T]
	if err := got.Decode(&l); err != nil {
		return nil, err
	}
	a, err := l.answer(page)
	if err != nil {
		return nil, refuse(q.Endpoint, provider.Unparsable, "%w", err)
	}
	a.endpoint, a.date, a.body = q.Endpoint, got.Date, got.Body
	return a, nil
}

// answer takes the rows out of an envelope. Where it goes on is told by an
// address, of which the number of the page alone is taken.
func (l *list[T]) answer(page int) (*answer[T], error) {
	if l.Data == nil || l.Paging == nil {
		return nil, errors.New("no list: data or paging is missing")
	}
	a := &answer[T]{rows: *l.Data}
	if l.Paging.Next == "" {
		return a, nil
	}
	next, err := url.Parse(l.Paging.Next)
	if err != nil {
		return nil, errors.New("paging.next is no address")
	}
	switch number := next.Query().Get("page"); {
	case number != strconv.Itoa(page+1):
		return nil, fmt.Errorf("after the page %d it goes on with the page %q", page, number)
	case len(a.rows) == 0:
		return nil, errors.New("an empty page that says more follow")
	}
	a.next = page + 1
	return a, nil
}

// mostPages bounds what a look-up reads: one that is longer asks too much.
const mostPages = 50

// all reads a list to its end. A row that comes twice says that rows moved.
func all[T any](ctx context.Context, p *Provider, q httpx.Ask, id func(*T) string) (*answer[T], error) {
	whole, seen := &answer[T]{endpoint: q.Endpoint}, map[string]bool{}
	for next := 1; next > 0; {
		if next > mostPages {
			return nil, refuse(q.Endpoint, provider.Partial, "more than %d pages", mostPages)
		}
		page, err := ask[T](ctx, p, q, next)
		if err != nil {
			return nil, err
		}
		for i := range page.rows {
			name := id(&page.rows[i])
			if seen[name] {
				return nil, refuse(q.Endpoint, provider.Shifted, "%q came twice: rows moved while they were read", name)
			}
			seen[name] = true
		}
		whole.rows, whole.body = append(whole.rows, page.rows...), append(whole.body, page.body...)
		whole.date, next = page.date, page.next
	}
	return whole, nil
}

// during asks for the rows of a time. Whether its last instant belongs to it no
// document says, so that a row there may come with the next time too.
func during(field string, within payment.Interval) url.Values {
	return url.Values{
		field + "_since": {within.From.Time().Format(time.RFC3339)}, field + "_until": {within.To.Time().Format(time.RFC3339)},
	}
}

// of says whether a row's time is of what was asked for. A filter that the
// provider did not understand is silently left out by it.
func of(within payment.Interval, text string) error {
	at, err := momentOf(text)
	if err == nil && (at < within.From || at > within.To) {
		err = fmt.Errorf("it is of %s, asked for %s", at, within)
	}
	return err
}
