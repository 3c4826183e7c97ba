package pix

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// pageRows is how many rows are asked for: the most that the book allows.
const pageRows = 1000

// The lists that the API has.
const (
	pathCob  = "/cob"
	pathCobV = "/cobv"
	pathPix  = "/pix"
)

// question asks for the rows of a list that are of a time.
type question struct {
	endpoint string
	path     string
	within   payment.Interval
	filter   url.Values
}

// answer is one page, checked to be the page that was asked for.
type answer struct {
	charges  []charge
	received []received
	next     int // page that follows, 0: none
	total    int64
	date     payment.Instant
	body     []byte
}

// ask asks for one page of a list; pages count from 0. Both ends are sent as
// they are: whether the last instant belongs to it is told nowhere, so that a
// row there may come with the next slice too.
func (p *Provider) ask(ctx context.Context, q question, page int) (*answer, error) {
	query := url.Values{
		"inicio": {q.within.From.Time().Format(time.RFC3339)}, "fim": {q.within.To.Time().Format(time.RFC3339)},
		"paginacao.paginaAtual": {strconv.Itoa(page)}, "paginacao.itensPorPagina": {strconv.Itoa(pageRows)},
	}
	for name, value := range q.filter {
		query[name] = value
	}
	got, err := p.get(ctx, httpx.Ask{Endpoint: q.endpoint, Path: q.path, Query: query})
	if err != nil {
		return nil, err
	}
	var l list
	if err := got.Decode(&l); err != nil {
		return nil, err
	}
	a, err := l.answer(q.path, page)
	if err == nil {
		err = a.of(q.within)
	}
	if err != nil {
		return nil, refuse(q.endpoint, provider.Unparsable, "%w", err)
	}
	a.date, a.body = got.Date, got.Body
	return a, nil
}

// answer takes the rows out of an envelope that says which page it is.
func (l *list) answer(path string, page int) (*answer, error) {
	a := &answer{charges: l.Charges, received: l.Received}
	rows := len(a.charges)
	if path == pathPix {
		a.charges, rows = nil, len(a.received)
	} else {
		a.received = nil
	}
	switch paging := &l.Parameters.Paging; {
	case paging.Current == nil || paging.Pages == nil || paging.Total == nil:
		return nil, errors.New("no list: parametros.paginacao is missing or not whole")
	case *paging.Current != int64(page):
		return nil, fmt.Errorf("the page %d, asked for %d", *paging.Current, page)
	case *paging.Total < 0 || int64(rows) > *paging.Total:
		return nil, fmt.Errorf("%d rows here, %d in all", rows, *paging.Total)
	case rows == 0 && (*paging.Total > 0 || *paging.Pages > int64(page)+1):
		return nil, fmt.Errorf("a page without rows, of %d rows in all", *paging.Total)
	case *paging.Pages > int64(page)+1:
		a.next = page + 1
	}
	a.total = *l.Parameters.Paging.Total
	return a, nil
}

// of says whether the rows are of the time that was asked for. A filter that
// the participant did not understand is silently left out by it.
func (a *answer) of(within payment.Interval) error {
	check := func(text, id string) error {
		at, err := momentOf(text)
		if err == nil && (at < within.From || at > within.To) {
			err = fmt.Errorf("of %s, asked for %s", at, within)
		}
		if err != nil {
			return fmt.Errorf("row %q: %w", id, err)
		}
		return nil
	}
	for i := range a.charges {
		if err := check(a.charges[i].Calendar.Created, a.charges[i].TxID); err != nil {
			return err
		}
	}
	for i := range a.received {
		if err := check(a.received[i].At, a.received[i].EndToEnd); err != nil {
			return err
		}
	}
	return nil
}

// mostPages bounds what a look-up reads: one that is longer asks too much.
const mostPages = 50

// all reads lists of a time to their end, in windows as long as the participant
// lets them be, and holds what it read against what each list says it has.
func (p *Provider) all(ctx context.Context, q question) (*answer, error) {
	whole, asked := &answer{}, 0
	for from := q.within.From; from < q.within.To; from = from.Add(p.o.MaxWindow) {
		window := question{q.endpoint, q.path, payment.Interval{From: from, To: min(from.Add(p.o.MaxWindow), q.within.To)}, q.filter}
		rows, next := int64(0), 0
		for first := true; first || next > 0; first = false {
			if asked++; asked > mostPages {
				return nil, refuse(q.endpoint, provider.Partial, "more than %d pages", mostPages)
			}
			page, err := p.ask(ctx, window, next)
			if err != nil {
				return nil, err
			}
			rows += int64(len(page.charges) + len(page.received))
			whole.charges, whole.received = append(whole.charges, page.charges...), append(whole.received, page.received...)
			whole.date, whole.body, next = page.date, append(whole.body, page.body...), page.next
			if next == 0 && rows != page.total {
				return nil, refuse(q.endpoint, provider.Untied, "%d rows read, the list says %d", rows, page.total)
			}
		}
	}
	whole.once()
	return whole, nil
}

// once leaves out what came twice: a row at the edge of two windows.
func (a *answer) once() {
	seen := map[string]bool{}
	again := func(id string) bool {
		was := seen[id]
		seen[id] = true
		return was
	}
	a.charges = slices.DeleteFunc(a.charges, func(c charge) bool { return again(c.TxID) })
	a.received = slices.DeleteFunc(a.received, func(r received) bool { return again(r.EndToEnd) })
}
