package stripe

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// The names of the statements.
const (
	Objects = "objects" // what was created, by time of creation
	Balance = "balance" // balance transactions, and which of them a payout holds
)

// Page reads one page. A slice has several parts, one after the other: the
// kinds of objects of Objects, the rows and then the payouts of Balance. Parts
// with nothing in them are passed.
func (p *Provider) Page(ctx context.Context, r provider.Request) (provider.Page, error) {
	read := p.objects
	switch r.Statement {
	case Objects:
	case Balance:
		read = p.balance
	default:
		return provider.Page{}, refuse(r.Statement, provider.Unparsable, "Stripe has no statement of this name")
	}
	at, err := url.ParseQuery(r.Cursor)
	if err != nil {
		return provider.Page{}, refuse(r.Statement, provider.Expired, "the cursor is none of this adapter's")
	}
	next := &cursor{part: at.Get("part"), payout: at.Get("payout"), after: at.Get("after")}
	var date payment.Instant // of the first answer: what came since may be missing
	for {
		page, after, err := read(ctx, r.Slice, *next)
		if err != nil {
			return provider.Page{}, err
		}
		date = cmp.Or(date, page.Date)
		page.Date = date
		switch {
		case after == nil:
			return page, nil
		case len(page.Rows) > 0:
			page.Next = after.String()
			return page, nil
		}
		next = after
	}
}

// cursor is where a page begins: the part of the slice, the payout whose rows
// are read, and the last object of the page before. The zero cursor is the
// slice's beginning.
type cursor struct{ part, payout, after string }

func (c cursor) String() string {
	v := url.Values{"part": {c.part}}
	if c.payout != "" {
		v.Set("payout", c.payout)
	}
	if c.after != "" {
		v.Set("after", c.after)
	}
	return v.Encode()
}

// query is what to ask for: from where the page before ended.
func (c cursor) query(q url.Values, expand ...string) url.Values {
	if c.after != "" {
		q.Set("starting_after", c.after)
	}
	if len(expand) > 0 {
		q["expand[]"] = expand
	}
	return q
}

// part is a list that a slice of Objects is read from.
type part struct {
	kind   string
	expand []string
	units  func(*Provider, context.Context, *object) ([]payment.Unit, error)
}

// parts are the kinds of objects that attempts can be about, and disputes,
// which tie their rows to sales. Charges come after intents: one that was made
// without an intent is there alone, and one of an older intent is newer than it.
func parts() []part {
	plain := func(of func(*Provider, *object) []payment.Unit) func(*Provider, context.Context, *object) ([]payment.Unit, error) {
		return func(p *Provider, _ context.Context, o *object) ([]payment.Unit, error) { return of(p, o), nil }
	}
	return []part{
		{kindIntent, []string{"data.latest_charge"}, (*Provider).sale},
		{kindCharge, nil, (*Provider).sale},
		{kindRefund, []string{"data.balance_transaction"}, plain(func(p *Provider, o *object) []payment.Unit { return only(p.refundUnit(o)) })},
		{kindDispute, nil, plain(func(p *Provider, o *object) []payment.Unit { return only(p.disputeUnit(o)) })},
		{kindTransfer, nil, plain(func(p *Provider, o *object) []payment.Unit { return []payment.Unit{p.transferUnit(o)} })},
		{kindPayout, nil, plain(func(p *Provider, o *object) []payment.Unit { return own(p.payoutUnit(o)) })},
	}
}

func only(u payment.Unit, ok bool) []payment.Unit {
	if !ok {
		return nil
	}
	return []payment.Unit{u}
}

// objects reads one page of one kind of objects.
func (p *Provider) objects(ctx context.Context, slice payment.Interval, c cursor) (provider.Page, *cursor, error) {
	all, i := parts(), 0
	if c.part != "" {
		i = slices.IndexFunc(all, func(of part) bool { return of.kind == c.part })
	}
	if i < 0 {
		return provider.Page{}, nil, refuse(Objects, provider.Expired, "the cursor is none of this adapter's")
	}
	of := all[i]
	list, date, err := page[object](ctx, p, collections[of.kind][len("/v1/"):], collections[of.kind], c.query(between(slice), of.expand...))
	if err != nil {
		return provider.Page{}, nil, err
	}
	out := provider.Page{Date: date}
	for j := range list.Data {
		o := &list.Data[j]
		if err := p.listed(of.kind, o, slice); err != nil {
			return provider.Page{}, nil, err
		}
		units, err := of.units(p, ctx, o)
		if err != nil {
			return provider.Page{}, nil, err
		}
		for _, u := range units {
			u.Source, u.Statement = payment.FromList, Objects
			out.Units = append(out.Units, u)
		}
		out.Rows = append(out.Rows, of.kind+" "+o.ID)
	}
	switch {
	case *list.HasMore:
		return out, &cursor{part: of.kind, after: list.Data[len(list.Data)-1].ID}, nil
	case i+1 < len(all):
		return out, &cursor{part: all[i+1].kind}, nil
	}
	return out, nil, nil
}

// listed refuses a row that is not of the list that was asked for.
func (p *Provider) listed(kind string, o *object, slice payment.Interval) error {
	if o.Object != kind || o.ID == "" {
		return refuse(kind, provider.Unparsable, "a list of %ss holds %s %q", kind, o.Object, o.ID)
	}
	if at := instant(o.Created); at < slice.From || at >= slice.To {
		return refuse(kind, provider.OtherReference, "%s %q was created at %s, which was not asked for", kind, o.ID, at)
	}
	return p.own(kind, o)
}

// sale is the unit of an intent or charge, with what its disputes took.
func (p *Provider) sale(ctx context.Context, o *object) ([]payment.Unit, error) {
	c := o
	if o.Object == kindIntent {
		c = o.LatestCharge.full(kindCharge)
	}
	var disputes []row
	if c != nil && c.Disputed {
		var err error
		if disputes, _, err = p.whole(ctx, kindDispute, url.Values{"charge": {c.ID}}); err != nil {
			return nil, err
		}
	}
	if o.Object == kindIntent {
		return []payment.Unit{p.intentUnit(o, disputes)}, nil
	}
	return []payment.Unit{p.chargeUnit(o, disputes)}, nil
}
