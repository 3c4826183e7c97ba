package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pages gives each page of a JSON text as "line rows path=value", and the
// elements of its rows.
func pages(t *testing.T, text, records string) (seen []string, elements []int) {
	t.Helper()
	table, err := Open(strings.NewReader(text), Options{Name: "f.json", Records: records, Page: func(p Page) {
		said := fmt.Sprint(p.Around.Line, " ", p.Rows)
		for i, path := range p.Around.paths {
			said += " " + path + "=" + p.Around.Cell(i)
		}
		seen = append(seen, said)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return seen, elements
		}
		if err != nil {
			t.Fatal(err)
		}
		elements = append(elements, row.Element)
	}
}

// TestAPageTellsWhatStandsAroundItsRows, before and behind them and in objects
// beside them: whether the list goes on is said there.
func TestAPageTellsWhatStandsAroundItsRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, records string
		pages               []string
		elements            []int
	}{
		{
			"found out", `{"hasMore":true,"data":[{"a":1},{"a":2}],"totalCount":3}` + "\n" + `{"totalCount":3,"data":[{"a":3}],"hasMore":false}`, "",
			[]string{"1 2 hasMore=true totalCount=3", "2 1 totalCount=3 hasMore=false"},
			[]int{1, 2, 1},
		},
		{
			"named", `{"meta":{"n":1},"result":{"page":1,"items":[{"a":1}],"more":true},"end":null,"x":[9]}`, "result.items",
			[]string{"1 1 meta.n=1 result.page=1 result.more=true"},
			[]int{1},
		},
		{"no rows", `{"data":[],"more":false}`, "", []string{"1 0 more=false"}, nil},
		{"an array", "[{\"a\":1}]\n[]", "", []string{"1 1", "2 0"}, []int{1}},
		{"documents are no pages", "{\"a\":1}\n{\"a\":2}", "", nil, []int{0, 0}},
	} {
		seen, elements := pages(t, c.text, c.records)
		if diff := cmp.Diff(c.pages, seen); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.elements, elements); diff != "" {
			t.Errorf("%s: elements (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestWhatStandsBesideTheRowsHasNoBound, for nobody asked for it: it neither
// refuses the file nor fills the memory.
func TestWhatStandsBesideTheRowsHasNoBound(t *testing.T) {
	t.Parallel()
	var beside strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&beside, `"k%d":%d,`, i, i)
	}
	text := `{"data":[{"a":1}],"list":[` + strings.Repeat("1,", 20_000) + `1],"beside":{` + beside.String() + `"z":0},"long":"` + strings.Repeat("x", 900_000) + `"}`
	seen, _ := pages(t, text, "data")
	if len(seen) != 1 || len(seen[0]) > 1_000_000 || strings.Contains(seen[0], "list") || strings.Count(seen[0], "=") > maxBeside {
		t.Errorf("%d pages, %d bytes, %d values", len(seen), len(seen[0]), strings.Count(seen[0], "="))
	}
}
