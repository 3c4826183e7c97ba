package pix

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

var update = flag.Bool("update", false, "write the tables of docs/providers/pix.md")

const page = "../../docs/providers/pix.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities, and every word of the API stands on it.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	var all []provider.Place
	for _, there := range []string{PlaceTxID, PlaceExtra + "NAME", PlaceReturn, PlaceReturned} {
		all = append(all, provider.Place{Name: there, There: there})
	}
	p, err := New(Options{Name: "pix", References: all}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	asks := map[string]string{
		byTxID: "`/cob/{txid}`, then `/cobv/{txid}`; `/pix?txid=` for a printed code", byEndToEnd: "`/pix/{endToEndId}`",
		byReturn: "`/pix/{endToEndId}/devolucao/{id}`", byWindow: "`/cob` and `/cobv` of an hour before to a day after the attempt, compared here",
	}
	var looks, statements [][]string
	for _, l := range c.Lookups {
		by := "id"
		if l.Key.Name != "" {
			by = "`" + l.Key.Name + "`"
		}
		ask := asks[l.Endpoint]
		if l.Key.Kind == payment.KeyUnit && l.Endpoint == byTxID {
			ask = asks[byEndToEnd] + ", or as by `txid`"
		}
		looks = append(looks, []string{l.Operations[0].String(), by, ask})
	}
	for _, s := range c.Statements {
		sort, of := "ledger", "the Pix"
		if s.Sort == payment.ObjectList {
			sort, of = "object list", "creation"
		}
		statements = append(statements, []string{"`" + s.Name + "`", sort, of, s.PublishLag.String(), fmt.Sprintf("%d days", s.Reread/(24*time.Hour))})
	}
	providertest.Page(t, page, *update, map[string]string{
		"statements": providertest.Table([]string{"statement", "sort", "by the time of", "shown after", "read again each time"}, statements...),
		"lookups":    providertest.Table([]string{"operation", "by", "asks"}, looks...), "marks": providertest.Marks(c.Marks),
		"never": providertest.Sentences(c.NeverKnown), "doubtful": providertest.Sentences(c.Doubtful),
	})
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	wantNamed(t, string(text))
}

func wantNamed(t *testing.T, text string) {
	t.Helper()
	words := []string{paidWord, "pix_static"}
	for word := range chargeStates {
		words = append(words, word)
	}
	for word := range returnStates {
		words = append(words, word)
	}
	for word := range natures {
		words = append(words, word)
	}
	for _, word := range append(words, Scopes()...) {
		if word != "" && !strings.Contains(text, "`"+word+"`") {
			t.Errorf("%s does not name %s", page, word)
		}
	}
	for name := range participants {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s does not name the ready-made %s", page, name)
		}
	}
}
