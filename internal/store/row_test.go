package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"desfecho/internal/payment"
)

// jsonOf is the list as encoding/json writes it.
func jsonOf(references []payment.Reference) string {
	var out [][3]string
	for _, r := range references {
		out = append(out, [3]string{r.Name, r.Scope.String(), r.Value})
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// References that need no general reader or writer read and are written as it
// does it.
func TestPlainReferencesReadAsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z"\\\\<>&é\x7f\t\x{2028},\]\[ ]{0,9}`)
		want := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) payment.Reference {
			return payment.Reference{Name: text.Draw(t, "name"), Scope: payment.Scope(rapid.IntRange(0, 1).Draw(t, "scope")), Value: text.Draw(t, "value")}
		}), 1, 4).Draw(t, "references")
		written, err := writeReferences(want)
		if err != nil {
			t.Fatal(err)
		}
		if asJSON := jsonOf(want); written != asJSON {
			t.Fatalf("written as %s, JSON is %s", written, asJSON)
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
