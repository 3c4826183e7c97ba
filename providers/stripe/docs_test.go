package stripe

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

const docsPage = "../../docs/providers/stripe.md"

// TestThePageSaysWhatTheAdapterSays: the tables and lists of the page are those
// of Capabilities and of the mappings, each under its mark.
func TestThePageSaysWhatTheAdapterSays(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Name: "stripe", References: []provider.Place{
		{Name: "`metadata.KEY`, `transfer_group`, `description`", There: "metadata.KEY"}, {Name: "`idempotency_key`", There: placeKey},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Capabilities()
	read, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	want := string(read)
	for mark, told := range map[string]string{
		"statements": statementTable(c.Statements), "lookups": lookupTable(c.Lookups), "marks": markTable(c.Marks),
		"kinds": kindTable(), "never": sentences(c.NeverKnown), "doubtful": sentences(c.Doubtful),
	} {
		before, after, found := strings.Cut(want, "<!-- "+mark+" -->\n")
		_, rest, ends := strings.Cut(after, "<!-- end -->\n")
		if !found || !ends {
			t.Fatalf("%s has no mark %q with its end", docsPage, mark)
		}
		want = before + "<!-- " + mark + " -->\n" + told + "<!-- end -->\n" + rest
	}
	golden(t, docsPage, want)
}

func statementTable(all []provider.Statement) string {
	text := "| statement | sort | by | shown after | read again each time |\n|---|---|---|---|---|\n"
	for _, s := range all {
		sort, by := "object list", "time of creation"
		if s.Sort == payment.Ledger {
			sort, by = "ledger", "time of booking"
		}
		text += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", s.Name, sort, by, length(s.PublishLag), length(s.Reread))
	}
	return text
}

func lookupTable(all []provider.Lookup) string {
	text := "| by | of | asks | must show after | held for |\n|---|---|---|---|---|\n"
	for _, l := range all {
		by, asks, held := l.Key.Name, "`"+collections[l.Endpoint]+"/{id}`", "not known to end"
		switch l.Key.Kind {
		case payment.KeyUnit:
			by = "id"
		case payment.KeyIdempotency:
			by = "idempotency key"
		case payment.KeyReference:
		}
		switch l.Endpoint {
		case byEvents:
			asks, held = "`/v1/events` of the request, then the object that they name", fmt.Sprintf("%d days", l.HeldFor/day)
		case byWindow:
			asks = "the lists of objects around the attempt, compared here, and a search"
		}
		var of []string
		for _, o := range l.Operations {
			of = append(of, o.String())
		}
		text += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", by, strings.Join(of, ", "), asks, length(l.VisibleAfter), held)
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

// kindTable lists the mapped words by what they become, those of one name in
// both lists once.
func kindTable() string {
	words := map[payment.Kind]map[string]bool{}
	for _, table := range []map[string]payment.Kind{byCategory, byType} {
		for word, kind := range table {
			if words[kind] == nil {
				words[kind] = map[string]bool{}
			}
			words[kind]["`"+word+"`"] = true
		}
	}
	text := "| kind | categories and types |\n|---|---|\n"
	for _, kind := range slices.Sorted(maps.Keys(words)) {
		text += fmt.Sprintf("| `%s` | %s |\n", kind, strings.Join(slices.Sorted(maps.Keys(words[kind])), ", "))
	}
	return text + "| `other` | every other word: counted, summed and named |\n"
}

func sentences(all []string) string {
	text := ""
	for _, s := range all {
		text += "- " + s + "\n"
	}
	return text
}

func length(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// TestThePageNamesEveryStatus that Stripe publishes.
func TestThePageNamesEveryStatus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range published(t).Enums {
		if !strings.HasSuffix(name, ".status") {
			continue
		}
		for _, status := range values {
			if !strings.Contains(string(text), "`"+status+"`") {
				t.Errorf("%s does not name the %s %s", docsPage, name, status)
			}
		}
	}
}
