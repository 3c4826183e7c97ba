package check

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/check.md")

func rowsOf(audits []Audit) string {
	text := ""
	for _, a := range audits {
		text += fmt.Sprintf("| `%s` | %s | %s |\n", a.Name, a.Question, a.Do)
	}
	return text + "\n"
}

// TestEveryAuditAndQuestionIsDocumented as the program words them, in its
// order, and nothing else stands in the tables.
func TestEveryAuditAndQuestionIsDocumented(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "check.md")
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(read)
	const head = "| audit | asks | do |\n|---|---|---|\n"
	questions := ""
	for i, q := range Questions() {
		questions += fmt.Sprintf("%d. %s\n", i+1, q)
	}
	want := text
	for i, audits := range [][]Audit{tableAudits(), attemptAudits(), sideAudits(), serverAudits(), AskedAudits()} {
		parts := strings.Split(want, head)
		if len(parts) != 6 {
			t.Fatalf("%d tables of audits, want 5", len(parts)-1)
		}
		_, after, _ := strings.Cut(parts[i+1], "\n\n")
		parts[i+1] = rowsOf(audits) + after
		want = strings.Join(parts, head)
	}
	before, rest, _ := strings.Cut(want, "found in the rows and the catalogue, or with `cannot be seen from the database`:\n\n")
	_, after, _ := strings.Cut(rest, "\n\n")
	want = before + "found in the rows and the catalogue, or with `cannot be seen from the database`:\n\n" + questions + "\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Error("docs/check.md is not what the program says; run: go test ./internal/check -run Documented -update")
	}
}

func TestAuditsAreNamedOnceAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range append(Audits(), AskedAudits()...) {
		if seen[a.Name] || a.Question == "" || a.Do == "" || !strings.HasSuffix(a.Question, "?") || strings.ContainsAny(a.Question+a.Do, "|\n") {
			t.Errorf("%+v", a)
		}
		seen[a.Name] = true
	}
}
