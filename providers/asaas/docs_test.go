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
)

var update = flag.Bool("update", false, "write the tables of docs/providers/asaas.md")

const page = "../../docs/providers/asaas.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities, each under its mark, and nothing else stands there.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "asaas", References: []provider.Place{
		{Name: PlaceReference, There: PlaceReference}, {Name: PlaceRefunded, There: PlaceRefunded},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	read, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(read)
	for mark, told := range map[string]string{
		"statements": statementTable(c.Statements), "lookups": lookupTable(c.Lookups), "marks": markTable(c.Marks),
		"never": sentences(c.NeverKnown), "doubtful": sentences(c.Doubtful),
	} {
		before, after, found := strings.Cut(want, "<!-- "+mark+" -->\n")
		_, rest, ends := strings.Cut(after, "<!-- end -->\n")
		if !found || !ends {
			t.Fatalf("%s has no mark %q with its end", page, mark)
		}
		want = before + "<!-- " + mark + " -->\n" + told + "<!-- end -->\n" + rest
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(read) != want {
		t.Errorf("%s is not what the adapter says; run: go test ./providers/asaas -run ThePage -update", page)
	}
}

func statementTable(all []provider.Statement) string {
	text := "| statement | sort | of a day by | shown after | read again each time |\n|---|---|---|---|---|\n"
	by := map[string]string{Payments: "creation", Transfers: "creation", Ledger: "booking"}
	for _, s := range all {
		sort := "object list"
		if s.Sort == payment.Ledger {
			sort = "ledger"
		}
		text += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", s.Name, sort, by[s.Name], length(s.PublishLag), length(s.Reread))
	}
	return text
}

func lookupTable(all []provider.Lookup) string {
	text := "| by | of | asks | must show after |\n|---|---|---|---|\n"
	asks := map[string]string{
		byPayment:   "`/payments/{id}`, and `/payments?installment=` where it is a parcel",
		byReference: "`/payments?externalReference=`", byWindow: "`/transfers` of the days around the attempt, compared here",
		byTransfer: "`/transfers/{id}`, then `/pix/transactions/{id}`", byBill: "`/bill/{id}`, then `/pix/transactions/{id}`",
	}
	for _, l := range all {
		by := "id"
		if l.Key.Kind == payment.KeyReference {
			by = "`" + l.Key.Name + "`"
		}
		var of []string
		for _, o := range l.Operations {
			of = append(of, o.String())
		}
		text += fmt.Sprintf("| %s | %s | %s | %s |\n", by, strings.Join(of, ", "), asks[l.Endpoint], length(l.VisibleAfter))
	}
	return text
}

func markTable(all []provider.Mark) string {
	text := "| operation | may be marked | when |\n|---|---|---|\n"
	for _, m := range all {
		text += fmt.Sprintf("| %s | `%s` | %s |\n", m.Operation, m.Status, m.By)
	}
	return text
}

func sentences(all []string) string {
	text := ""
	for _, s := range all {
		text += "- " + s + "\n"
	}
	return text
}

func length(d time.Duration) string {
	if d < day {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// TestThePageNamesEveryStatus of a payment that is mapped.
func TestThePageNamesEveryStatus(t *testing.T) {
	t.Parallel()
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
