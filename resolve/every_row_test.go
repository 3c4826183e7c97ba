//go:build !race

package resolve_test

import (
	"slices"
	"testing"

	"desfecho/resolve"
)

// TestEveryRowOfTheVerdictTableIsWhatTheRulesSay is the table whole: Decide and
// the oracle agree on every row.
func TestEveryRowOfTheVerdictTableIsWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	n, wrong := 0, 0
	for r := range rows {
		n++
		v := resolve.Decide(r.caseOf())
		if got, want := wordsOf(&v), r.oracle(); !slices.Equal(got, want) {
			if wrong++; wrong <= 10 {
				t.Errorf("%+v\nallows %v, want %v\nsucceeded: %s\nfailed: %s", r, got, want, v.Marks[resolve.Succeeded].Sentence, v.Marks[resolve.Failed].Sentence)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d rows differ", wrong, n)
	}
	if n < 50_000 {
		t.Errorf("only %d rows", n)
	}
}
