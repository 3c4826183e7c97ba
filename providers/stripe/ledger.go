package stripe

import (
	"context"
	"net/url"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// The parts of a slice of Balance. Which rows a payout holds is told only by
// asking for them payout by payout, once Stripe has settled it; they come once
// more then, whatever their day, with the payout's id.
const (
	partRows    = "rows"
	partPayouts = "payouts"
)

// balance reads one page of the ledger, or of a payout's rows.
func (p *Provider) balance(ctx context.Context, slice payment.Interval, c cursor) (provider.Page, *cursor, error) {
	switch {
	case c.part == "" || c.part == partRows:
		out, last, err := p.rows(ctx, c.query(between(slice)), &slice, "")
		if err != nil || last != "" {
			return out, &cursor{part: partRows, after: last}, err
		}
		return out, &cursor{part: partPayouts}, nil
	case c.part == partPayouts && c.payout == "":
		return p.nextPayout(ctx, slice, c)
	case c.part == partPayouts:
		out, last, err := p.rows(ctx, c.query(url.Values{"payout": {c.payout}}), nil, c.payout)
		if err != nil || last != "" {
			return out, &cursor{part: partPayouts, payout: c.payout, after: last}, err
		}
		return out, &cursor{part: partPayouts, after: c.payout}, nil
	}
	return provider.Page{}, nil, refuse(Balance, provider.Expired, "the cursor is none of this adapter's")
}

// rows reads one page of balance transactions: of a slice, or of a payout. last
// is where the next page goes on, "" at the end.
func (p *Provider) rows(ctx context.Context, query url.Values, slice *payment.Interval, payout string) (out provider.Page, last string, err error) {
	query["expand[]"] = []string{"data.source"}
	list, date, err := page[entry](ctx, p, "balance_transactions", "/v1/balance_transactions", query)
	if err != nil {
		return out, "", err
	}
	out.Date = date
	for i := range list.Data {
		row := &list.Data[i]
		if err := p.entered(row, slice); err != nil {
			return out, "", err
		}
		line, units, err := p.booked(row)
		if err != nil {
			return out, "", &provider.Error{Reason: provider.Unparsable, Endpoint: "balance_transactions", Err: err}
		}
		if line.Payout == "" {
			line.Payout = payout
		}
		out.Lines = append(out.Lines, line)
		for _, u := range units {
			u.Source, u.Statement = payment.FromLedger, Balance
			out.Units = append(out.Units, u)
		}
		out.Rows = append(out.Rows, rowName(payout, row.ID))
	}
	if *list.HasMore {
		last = list.Data[len(list.Data)-1].ID
	}
	return out, last, nil
}

// rowName tells a row of the ledger from the same row told again by its payout.
func rowName(payout, id string) string {
	if payout == "" {
		return id
	}
	return payout + " " + id
}

// entered refuses a row that is not of the list that was asked for.
func (p *Provider) entered(row *entry, slice *payment.Interval) error {
	if slice == nil {
		slice = &payment.Interval{To: 1 << 62}
	}
	if err := p.listed(kindTransaction, &row.object, *slice); err != nil {
		return err
	}
	if row.Source.Full == nil {
		return nil
	}
	return p.own(kindTransaction, row.Source.Full)
}

// nextPayout looks for the next payout of the slice whose rows Stripe tells:
// an automatic one that it has settled. The others stay unverifiable.
func (p *Provider) nextPayout(ctx context.Context, slice payment.Interval, c cursor) (provider.Page, *cursor, error) {
	list, date, err := page[object](ctx, p, "payouts", collections[kindPayout], c.query(between(slice)))
	if err != nil {
		return provider.Page{}, nil, err
	}
	out := provider.Page{Date: date}
	for i := range list.Data {
		o := &list.Data[i]
		if err := p.listed(kindPayout, o, slice); err != nil {
			return provider.Page{}, nil, err
		}
		out.Rows = append(out.Rows, o.ID)
		if o.Automatic && o.Reconciliation == "completed" {
			return out, &cursor{part: partPayouts, payout: o.ID}, nil
		}
	}
	if *list.HasMore {
		return out, &cursor{part: partPayouts, after: list.Data[len(list.Data)-1].ID}, nil
	}
	return out, nil, nil
}
