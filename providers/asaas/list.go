package asaas

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// pageRows is how many rows are asked for: the most that the API gives.
const pageRows = 100

// answer is one page of a list, checked to be the page that was asked for.
type answer[T any] struct {
	rows     []T
	endpoint string
	next     int // offset of the page that follows, 0: none
	total    int64
	date     payment.Instant
	body     []byte
}

func (a *answer[T]) refuse(reason provider.Reason, format string, arguments ...any) error {
	return refuse(a.endpoint, reason, format, arguments...)
}

func refuse(endpoint string, reason provider.Reason, format string, arguments ...any) error {
	return &provider.Error{Reason: reason, Stage: provider.StageBody, Endpoint: endpoint, Err: fmt.Errorf(format, arguments...)}
}

// ask asks for one page of a list, from an offset on.
func ask[T any](ctx context.Context, p *Provider, q httpx.Ask, offset int) (*answer[T], error) {
	if offset > 0 {
		q.Query.Set("offset", strconv.Itoa(offset))
	}
	got, err := p.client.Get(ctx, q)
	if err != nil {
		return nil, err
	}
	var l list[T]
	if err := got.Decode(&l); err != nil {
		return nil, err
	}
	a, err := l.answer(offset)
	if err != nil {
		return nil, refuse(q.Endpoint, provider.Unparsable, "%w", err)
	}
	a.endpoint, a.date, a.body = q.Endpoint, got.Date, got.Body
	return a, nil
}

// answer takes the rows out of an envelope that says whose they are. What looks
// like an empty list without saying so is none.
func (l *list[T]) answer(offset int) (*answer[T], error) {
	switch {
	case len(l.Errors) > 0:
		return nil, faultOf(l.Errors)
	case l.Data == nil || l.HasMore == nil || l.TotalCount == nil || l.Offset == nil:
		return nil, errors.New("no list: data, hasMore, totalCount or offset is missing")
	case *l.Offset != int64(offset):
		return nil, fmt.Errorf("the page of offset %d, asked for %d", *l.Offset, offset)
	case *l.TotalCount < 0:
		return nil, fmt.Errorf("%d rows in all", *l.TotalCount)
	case *l.HasMore && len(*l.Data) == 0:
		return nil, errors.New("an empty page that says more follow")
	}
	a := &answer[T]{rows: *l.Data, total: *l.TotalCount}
	if *l.HasMore {
		a.next = offset + len(a.rows)
	}
	return a, nil
}

// faultOf is what an error body says. The text is the provider's.
func faultOf(all []fault) error {
	return fmt.Errorf("the provider says %q (%s)", all[0].Code, strconv.Quote(mask.Text(all[0].Description)))
}

// mostPages bounds what a look-up reads: one that is longer asks too much.
const mostPages = 50

// all reads a list to its end, and holds what it read against what the list
// says it has: rows that moved between pages are found by it.
func all[T any](ctx context.Context, p *Provider, q httpx.Ask, id func(*T) string) (*answer[T], error) {
	whole, seen := &answer[T]{endpoint: q.Endpoint}, map[string]bool{}
	for range mostPages {
		page, err := ask[T](ctx, p, q, whole.next)
		if err != nil {
			return nil, err
		}
		for i := range page.rows {
			name := id(&page.rows[i])
			if seen[name] {
				return nil, page.refuse(provider.Shifted, "%q came twice: rows moved while they were read", name)
			}
			seen[name] = true
		}
		if whole.next > 0 && page.total != whole.total {
			return nil, page.refuse(provider.Shifted, "%d rows in all, before it were %d", page.total, whole.total)
		}
		whole.rows, whole.body = append(whole.rows, page.rows...), append(whole.body, page.body...)
		whole.next, whole.total, whole.date = page.next, page.total, page.date
		if page.next == 0 {
			if int64(len(whole.rows)) != whole.total {
				return nil, page.refuse(provider.Untied, "%d rows read, the list says %d", len(whole.rows), whole.total)
			}
			return whole, nil
		}
	}
	return nil, whole.refuse(provider.Partial, "more than %d pages", mostPages)
}
