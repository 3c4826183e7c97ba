package providertest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/provider"
)

// Page holds a page of docs against what its adapter says: each block stands
// between <!-- NAME --> and <!-- end -->, and nothing else does. With update it
// writes the blocks instead.
func Page(t *testing.T, path string, update bool, blocks map[string]string) {
	t.Helper()
	read, err := os.ReadFile(path) //nolint:gosec // the test names its own page
	if err != nil {
		t.Fatal(err)
	}
	want := string(read)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		before, after, found := strings.Cut(want, "<!-- "+name+" -->\n")
		_, rest, ends := strings.Cut(after, "<!-- end -->\n")
		if !found || !ends {
			t.Fatalf("%s has no block %q with its end", path, name)
		}
		want = before + "<!-- " + name + " -->\n" + blocks[name] + "<!-- end -->\n" + rest
	}
	if update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil { //nolint:gosec // likewise
			t.Fatal(err)
		}
		return
	}
	if string(read) != want {
		t.Errorf("%s is not what the adapter says; run the test with -update", path)
	}
}

// Table writes rows as a table of Markdown.
func Table(head []string, rows ...[]string) string {
	text := "| " + strings.Join(head, " | ") + " |\n" + strings.Repeat("|---", len(head)) + "|\n"
	for _, row := range rows {
		text += "| " + strings.Join(row, " | ") + " |\n"
	}
	return text
}

// Marks is the table of the verdicts that can be offered.
func Marks(all []provider.Mark) string {
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{m.Operation.String(), fmt.Sprintf("`%s`", m.Status), m.By})
	}
	return Table([]string{"operation", "may be marked", "when"}, rows...)
}

// Sentences is a list of them.
func Sentences(all []string) string {
	text := ""
	for _, s := range all {
		text += "- " + s + "\n"
	}
	return text
}
