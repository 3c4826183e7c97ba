package zoop

import (
	"flag"
	"os"
	"strings"
	"testing"

	"desfecho/internal/provider"
	"desfecho/providers/providertest"
)

var update = flag.Bool("update", false, "write the tables of docs/providers/zoop.md")

const page = "../../docs/providers/zoop.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities, and every status stands on it.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "zoop", References: []provider.Place{{Name: "reference_id", There: "reference_id"}, {Name: "metadata", There: "metadata.KEY"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	asks := map[string]string{
		endpointByID: "`/transactions/{id}`", endpointReference: "`/transactions?reference_id=`",
		endpointWindow: "`/transactions` of an hour before to three days after the attempt, compared here",
	}
	var rows [][]string
	for _, l := range c.Lookups {
		by := "id"
		if l.Key.Name != "" {
			by = "`" + l.Key.Name + "`"
		}
		rows = append(rows, []string{by, asks[l.Endpoint]})
	}
	providertest.Page(t, page, *update, map[string]string{
		"lookups": providertest.Table([]string{"by", "asks"}, rows...), "marks": providertest.Marks(c.Marks),
		"never": providertest.Sentences(c.NeverKnown), "doubtful": providertest.Sentences(c.Doubtful),
	})
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for status := range states {
		if !strings.Contains(string(text), "`"+status+"`") {
			t.Errorf("%s does not name %s", page, status)
		}
	}
}
