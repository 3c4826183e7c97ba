package asaas

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/httpx"
)

// A sale in instalments is as many payments as it has parcels. None of them
// says how many there are, so a group is only told of as a whole: the sum of
// some parcels would look like a wrong amount.

// cutGroups lists the groups of a page that may go on beyond it: those of its
// first and last row, where there are pages on that side, and those whose
// numbers show that a parcel is elsewhere.
func cutGroups(rows []paymentObject, before, after bool) []string {
	var cut []string
	add := func(group string) {
		if group != "" && !slices.Contains(cut, group) {
			cut = append(cut, group)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if before {
		add(rows[0].Installment)
	}
	if after {
		add(rows[len(rows)-1].Installment)
	}
	numbers := map[string]map[int64]bool{}
	for i := range rows {
		if group := rows[i].Installment; group != "" {
			if numbers[group] == nil {
				numbers[group] = map[int64]bool{}
			}
			numbers[group][rows[i].InstallmentNumber] = true
		}
	}
	for i := range rows {
		there := numbers[rows[i].Installment]
		for n := range there {
			if n < 1 || n > int64(len(there)) {
				add(rows[i].Installment)
			}
		}
	}
	return cut
}

// wholeGroups puts the parcels of the named groups in the place of those rows
// that are theirs.
func (p *Provider) wholeGroups(ctx context.Context, rows []paymentObject, groups []string) ([]paymentObject, error) {
	whole := slices.DeleteFunc(slices.Clone(rows), func(o paymentObject) bool { return slices.Contains(groups, o.Installment) })
	for _, group := range groups {
		got, err := p.parcels(ctx, group)
		if err != nil {
			return nil, err
		}
		if len(got.rows) == 0 { // it was there a moment ago
			return nil, got.refuse(provider.Shifted, "the parcels of %q are gone", group)
		}
		whole = append(whole, got.rows...)
	}
	return whole, nil
}

// parcels asks for every payment of an instalment sale.
func (p *Provider) parcels(ctx context.Context, group string) (*answer[paymentObject], error) {
	got, err := all(ctx, p, httpx.Ask{
		Endpoint: Payments, Path: "/payments", Query: url.Values{"installment": {group}, "limit": {strconv.Itoa(pageRows)}},
	}, paymentID)
	if err != nil {
		return nil, err
	}
	for i := range got.rows {
		if got.rows[i].Installment != group {
			return nil, got.refuse(provider.OtherReference, "payment %q is of %q, asked for %q", got.rows[i].ID, got.rows[i].Installment, group)
		}
	}
	return got, nil
}

func paymentID(o *paymentObject) string { return o.ID }

// sales reads payments whose groups are whole, so that every parcel can say of
// how many it is one.
func (p *Provider) sales(objects []paymentObject, endpoint string) ([]payment.Unit, error) {
	parcels := map[string]int{}
	for i := range objects {
		parcels[objects[i].Installment]++
	}
	var units []payment.Unit
	for i := range objects {
		told, err := p.payment(&objects[i])
		if err != nil {
			return nil, refuse(endpoint, provider.Unparsable, "%w", err)
		}
		if told[0].Group != "" {
			told[0].Of = parcels[told[0].Group]
		}
		units = append(units, told...)
	}
	return units, nil
}
