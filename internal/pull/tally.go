package pull

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// tally is what one pass over a slice has added up so far.
type tally struct {
	Pages int `json:"pages,omitempty"`
	Rows  int `json:"rows,omitempty"` // without those that came again
	Lines int `json:"lines,omitempty"`
	// Digest is of the ids of all rows, in order.
	Digest  string          `json:"digest,omitempty"`
	Total   *int64          `json:"total,omitempty"` // as last stated
	Moved   bool            `json:"moved,omitempty"` // the total, while pages were read
	Again   int             `json:"again,omitempty"` // rows that came again
	Through payment.Instant `json:"through"`         // the earliest watermark of all pages
	// Edge is the balance at which the next page must join on; Untied, what did
	// not add up.
	Edge   *int64 `json:"edge,omitempty"`
	Untied string `json:"untied,omitempty"`
}

// add takes a page up. again is how many of its rows came before. Without a
// watermark of the provider's own a page tells no more than one of the moment
// at which the pull began, so that all statements of an account end together.
func (t *tally) add(s *provider.Statement, page *provider.Page, again int, began payment.Instant) error {
	through := page.Through
	if through == 0 && page.Date != 0 {
		through = min(page.Date, began).Add(-s.PublishLag)
	}
	if through == 0 {
		return errors.New("the answer tells no time, so that it is not known up to when it is whole")
	}
	if t.Through == 0 || through < t.Through {
		t.Through = through
	}
	t.Pages++
	t.Lines += len(page.Lines)
	t.Again += again
	t.Rows += len(page.Rows) - again
	t.Digest = chain(t.Digest, page.Rows)
	if page.Total.Known {
		if t.Total != nil && *t.Total != page.Total.Minor {
			t.Moved = true
		}
		t.Total = &page.Total.Minor
	}
	if s.Chained && t.Untied == "" {
		t.Untied = t.tie(s, page)
	}
	return nil
}

// tie compares a page's balances with its lines and with the page before.
func (t *tally) tie(s *provider.Statement, page *provider.Page) string {
	if len(page.Lines) == 0 {
		return ""
	}
	if !page.Opening.Known || !page.Closing.Known {
		return fmt.Sprintf("page %d states no balance", t.Pages)
	}
	sum, currency := page.Opening.Minor, page.Lines[0].Currency
	for i := range page.Lines {
		l := &page.Lines[i]
		if l.Still {
			continue
		}
		var ok bool
		if sum, ok = money.Sum(sum, l.Net); !ok || l.Currency != currency {
			return fmt.Sprintf("the balances of page %d are of two currencies, or too large", t.Pages)
		}
	}
	if sum != page.Closing.Minor {
		return fmt.Sprintf("page %d: opening balance and lines give %d, the closing balance is %d", t.Pages, sum, page.Closing.Minor)
	}
	near, far := page.Opening.Minor, page.Closing.Minor
	if s.NewestFirst {
		near, far = far, near
	}
	before := t.Edge
	t.Edge = &far
	if before != nil && *before != near {
		return fmt.Sprintf("page %d begins at the balance %d, the page before it ends at %d", t.Pages, near, *before)
	}
	return ""
}

// agrees tells whether this pass gave the same rows as the one before it.
func (p *progress) agrees() bool { return p.Pass > 0 && !p.Moved && p.Digest == p.Before }

// doubt says why the end of the slice is not proven, "" where it is.
func (t *tally) doubt() string {
	switch {
	case t.Untied != "":
		return t.Untied
	case t.Total != nil && *t.Total != int64(t.Rows):
		return fmt.Sprintf("%d rows came, %d were announced", t.Rows, *t.Total)
	case t.Total == nil && t.Again > 0:
		return fmt.Sprintf("%d rows came twice, and no total tells whether others were left out", t.Again)
	default:
		return ""
	}
}

func chain(before string, rows []string) string {
	hash := sha256.New()
	hash.Write([]byte(before))
	for _, id := range rows {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(id), id) // a hash takes all
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

const (
	maxPages = 200_000
	maxIdle  = 20 // pages in a row without a row that is new
)

// pages remembers what a pass has met, to see that it comes to no end.
type pages struct {
	cursors map[string]struct{}
	digests map[string]struct{}
	last    map[string]struct{} // the rows of the page before
	idle    int
}

// add tells how many of the page's rows came before: all of them where the page
// did, else those that the page before ended with. An error says that the pages
// lead in a circle.
func (p *pages) add(page *provider.Page) (again int, err error) {
	if p.cursors == nil {
		p.cursors, p.digests = map[string]struct{}{}, map[string]struct{}{}
	}
	if _, met := p.cursors[page.Next]; met {
		return 0, errors.New("a cursor came twice")
	}
	if page.Next != "" {
		p.cursors[page.Next] = struct{}{}
	}
	rows := make(map[string]struct{}, len(page.Rows))
	for _, id := range page.Rows {
		_, here := rows[id]
		if _, before := p.last[id]; before || here {
			again++
		}
		rows[id] = struct{}{}
	}
	digest := chain("", page.Rows)
	if _, met := p.digests[digest]; met {
		again = len(page.Rows)
	}
	p.digests[digest], p.last = struct{}{}, rows
	if p.idle++; again < len(page.Rows) {
		p.idle = 0
	}
	switch {
	case p.idle > maxIdle && page.Next != "":
		return again, fmt.Errorf("%d pages brought nothing new", maxIdle)
	case len(p.cursors) > maxPages:
		return again, fmt.Errorf("more than %d pages", maxPages)
	}
	return again, nil
}
