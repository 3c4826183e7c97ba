package pull

import (
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// TestPagesJoinAtTheirBalances, in the order in which they come.
func TestPagesJoinAtTheirBalances(t *testing.T) {
	t.Parallel()
	page := func(opening, closing int64, nets ...int64) *provider.Page {
		p := &provider.Page{Date: end, Opening: payment.Known(opening), Closing: payment.Known(closing)}
		for _, net := range nets {
			p.Lines = append(p.Lines, payment.Line{Net: net, Currency: brl})
		}
		return p
	}
	still := page(60, 60, 0)
	still.Lines[0] = payment.Line{Net: 99, Currency: brl, Still: true}
	for name, c := range map[string]struct {
		newest bool
		pages  []*provider.Page
		ties   bool
	}{
		"oldest first":              {false, []*provider.Page{page(0, 30, 10, 20), page(30, 60, 30)}, true},
		"newest first":              {true, []*provider.Page{page(30, 60, 30), page(0, 30, 20, 10)}, true},
		"a gap":                     {false, []*provider.Page{page(0, 30, 10, 20), page(31, 61, 30)}, false},
		"a gap, newest first":       {true, []*provider.Page{page(31, 61, 30), page(0, 30, 20, 10)}, false},
		"the wrong way round":       {true, []*provider.Page{page(0, 30, 10, 20), page(30, 60, 30)}, false},
		"an empty page between":     {false, []*provider.Page{page(0, 30, 30), {Date: end}, page(30, 60, 30)}, true},
		"a row that moves no money": {false, []*provider.Page{page(0, 60, 60), still}, true},
	} {
		var sum tally
		for _, p := range c.pages {
			if err := sum.add(&provider.Statement{Chained: true, NewestFirst: c.newest}, p, 0, p.Date); err != nil {
				t.Fatal(err)
			}
		}
		if (sum.doubt() == "") != c.ties {
			t.Errorf("%s: %q", name, sum.doubt())
		}
	}
}
