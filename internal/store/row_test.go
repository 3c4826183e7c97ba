package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

// References that need no general reader read as it reads them.
func TestPlainReferencesReadAsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z"\\\\<é,\]\[ ]{0,9}`)
		want := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) payment.Reference {
			return payment.Reference{Name: text.Draw(t, "name"), Scope: payment.Scope(rapid.IntRange(0, 1).Draw(t, "scope")), Value: text.Draw(t, "value")}
		}), 1, 4).Draw(t, "references")
		written, err := writeReferences(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readReferences(written)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s reads as %v, %v", written, got, err)
		}
		if plain, ok := plainReferences(written); ok && !slices.Equal(plain, want) || !ok && !strings.Contains(written, `\`) {
			t.Fatalf("%s reads plainly as %v, %t", written, plain, ok)
		}
	})
	for _, text := range []string{`[]`, `[["a","attempt"]]`, `[["a","attempt","b","c"]]`, `[["a","no scope","b"]]`, ` [["a","attempt","b"]]`} {
		if got, ok := plainReferences(text); ok {
			t.Errorf("%s reads as %v", text, got)
		}
	}
}
