package asaas

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

var update = flag.Bool("update", false, "write the tables of docs/providers/asaas.md")

const page = "../../docs/providers/asaas.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities, and every status stands on it.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "asaas", References: []provider.Place{
		{Name: PlaceReference, There: PlaceReference}, {Name: PlaceRefunded, There: PlaceRefunded},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	providertest.Page(t, page, *update, map[string]string{
		"statements": statementTable(c.Statements), "lookups": lookupTable(c.Lookups), "marks": providertest.Marks(c.Marks),
		"never": providertest.Sentences(c.NeverKnown), "doubtful": providertest.Sentences(c.Doubtful),
	})
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for status := range paymentStates {
		if !strings.Contains(string(text), "`"+status+"`") {
			t.Errorf("%s does not name %s", page, status)
		}
	}
}

func statementTable(all []provider.Statement) string {
	by := map[string]string{Payments: "creation", Transfers: "creation", Ledger: "booking"}
	var rows [][]string
	for _, s := range all {
		sort := "object list"
		if s.Sort == payment.Ledger {
			sort = "ledger"
		}
		rows = append(rows, []string{"`" + s.Name + "`", sort, by[s.Name], length(s.PublishLag), length(s.Reread)})
	}
	return providertest.Table([]string{"statement", "sort", "of a day by", "shown after", "read again each time"}, rows...)
}

func lookupTable(all []provider.Lookup) string {
	asks := map[string]string{
		byPayment:   "`/payments/{id}`, and `/payments?installment=` where it is a parcel",
		byReference: "`/payments?externalReference=`", byWindow: "`/transfers` of the days around the attempt, compared here",
		byTransfer: "`/transfers/{id}`, then `/pix/transactions/{id}`", byBill: "`/bill/{id}`, then `/pix/transactions/{id}`",
	}
	var rows [][]string
	for _, l := range all {
		by := "id"
		if l.Key.Kind == payment.KeyReference {
			by = "`" + l.Key.Name + "`"
		}
		var of []string
		for _, o := range l.Operations {
			of = append(of, o.String())
		}
		rows = append(rows, []string{by, strings.Join(of, ", "), asks[l.Endpoint], length(l.VisibleAfter)})
	}
	return providertest.Table([]string{"by", "of", "asks", "must show after"}, rows...)
}

func length(d time.Duration) string {
	if d < day {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}
