package pagarme

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

var update = flag.Bool("update", false, "write the tables of docs/providers/pagarme.md")

const page = "../../docs/providers/pagarme.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities, and every word of the API stands on it.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	var all []provider.Place
	for _, there := range []string{PlaceCode, PlaceOrder, "metadata.KEY", PlaceRefunded} {
		all = append(all, provider.Place{Name: there, There: there})
	}
	p, err := New(Options{Name: "pagarme", References: all}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	asks := map[string]string{
		byCharge: "`/charges/{id}`", byOrder: "`/orders/{id}`, all its charges", byCode: "`/orders?code=`, then `/charges?code=`",
		byWindow: "`/charges` of an hour before to three days after the attempt, compared here",
	}
	times := map[string]string{Charges: "creation", Plans: "creation", Payables: "`payment_date`", Operations: "creation"}
	var looks, statements [][]string
	for _, l := range c.Lookups {
		by, of := "id", "sale"
		if l.Key.Name != "" {
			by = "`" + l.Key.Name + "`"
		}
		if l.Operations[0] == payment.Refund {
			of = "refund"
		}
		looks = append(looks, []string{of, by, asks[l.Endpoint]})
	}
	for _, s := range c.Statements {
		sort := "ledger"
		if s.Sort == payment.ObjectList {
			sort = "object list"
		}
		statements = append(statements, []string{"`" + s.Name + "`", sort, times[s.Name], s.PublishLag.String(), fmt.Sprintf("%d days", s.Reread/(24*time.Hour))})
	}
	providertest.Page(t, page, *update, map[string]string{
		"statements": providertest.Table([]string{"statement", "sort", "by", "shown after", "read again each time"}, statements...),
		"lookups":    providertest.Table([]string{"of a", "by", "asks"}, looks...), "marks": providertest.Marks(c.Marks),
		"never": providertest.Sentences(c.NeverKnown), "doubtful": providertest.Sentences(c.Doubtful),
	})
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{typePayable, statusPaid, statusPrepaid, statusWaiting}
	for word := range states {
		words = append(words, word)
	}
	for word := range receivableTypes {
		words = append(words, word)
	}
	for word := range operationTypes {
		words = append(words, word)
	}
	for _, word := range words {
		if !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("%s does not name %s", page, word)
		}
	}
}
