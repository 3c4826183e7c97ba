package pix

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// The names of the statements.
const (
	Charges  = "cob"        // immediate charges, by creation
	Dues     = "cobv"       // charges with a due date, by creation
	Received = "pix"        // Pix that came in, by their time
	Returns  = "devolucoes" // what was given back, by the time of its Pix
)

// lists are how each statement is asked for.
var lists = map[string]struct {
	path   string
	filter url.Values
}{
	Charges: {path: pathCob}, Dues: {path: pathCobV}, Received: {path: pathPix},
	Returns: {pathPix, url.Values{"devolucaoPresente": {"true"}}},
}

// Page reads one page of a slice. A cursor is the number of the page.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	second := payment.Instant(time.Second / time.Microsecond)
	list, known := lists[r.Statement]
	if !known || r.Slice.Empty() || r.Slice.From%second != 0 || r.Slice.To%second != 0 || r.Slice.To.Sub(r.Slice.From) > p.o.MaxWindow {
		return provider.Page{}, refuse(r.Statement, provider.HTTP4xx, "no statement %q of %s: whole seconds, and %s at most", r.Statement, r.Slice, p.o.MaxWindow)
	}
	number := 0
	if r.Cursor != "" {
		var err error
		if number, err = strconv.Atoi(r.Cursor); err != nil || number <= 0 {
			return provider.Page{}, refuse(r.Statement, provider.Expired, "no page: %q", r.Cursor)
		}
	}
	got, err := p.ask(ctx, question{r.Statement, list.path, r.Slice, list.filter}, number)
	if err != nil {
		return provider.Page{}, err
	}
	page := provider.Page{Total: payment.Known(got.total), Date: got.date}
	if got.next > 0 {
		page.Next = strconv.Itoa(got.next)
	}
	if err := p.fill(ctx, &page, got, r.Statement); err != nil {
		return provider.Page{}, err
	}
	source := payment.FromLedger
	if list.path != pathPix {
		source = payment.FromList
	}
	for i := range page.Units {
		page.Units[i].Statement, page.Units[i].Source = r.Statement, source
	}
	for i := range page.Lines {
		page.Lines[i].Statement, page.Lines[i].Row = r.Statement, int32(i+1)
	}
	return page, nil
}

// fill reads the rows of a page.
func (p *Provider) fill(ctx context.Context, page *provider.Page, got *answer, statement string) error {
	for i := range got.charges {
		units, err := p.whole(ctx, &got.charges[i], statement, got.date)
		if err != nil {
			return err
		}
		page.Rows, page.Units = append(page.Rows, got.charges[i].TxID), append(page.Units, units...)
	}
	for i := range got.received {
		r := &got.received[i]
		units, err := p.received(r)
		if err != nil {
			return refuse(statement, provider.Unparsable, "%w", err)
		}
		if statement == Received {
			units = units[:1] // what was given back later is the other statement's
		}
		page.Rows, page.Units = append(page.Rows, r.EndToEnd), append(page.Units, units...)
		lines, err := p.lines(r, statement)
		if err != nil {
			return refuse(statement, provider.Unparsable, "pix %q: %w", r.EndToEnd, err)
		}
		page.Lines = append(page.Lines, lines...)
	}
	return nil
}

// lines are those of a Pix in one of the two statements that list it.
func (p *Provider) lines(r *received, statement string) (lines []payment.Line, err error) {
	if statement == Received {
		l, err := p.income(r)
		return []payment.Line{l}, err
	}
	for i := range r.Returns {
		l, done, err := p.outgo(r.EndToEnd, &r.Returns[i])
		if err != nil {
			return nil, err
		}
		if done {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// whole reads a charge. One that is paid and does not say by what is asked for
// once more, by itself.
func (p *Provider) whole(ctx context.Context, c *charge, statement string, date payment.Instant) ([]payment.Unit, error) {
	if c.Status == paidWord && len(c.Received) == 0 && chargeForm.MatchString(c.TxID) {
		alone, _, err := p.chargeAt(ctx, statement, lists[statement].path, c.TxID)
		if err != nil {
			return nil, err
		}
		if alone != nil {
			c = alone
		}
	}
	units, err := p.charge(c, date)
	if err != nil {
		return nil, refuse(statement, provider.Unparsable, "%w", err)
	}
	return units, nil
}
