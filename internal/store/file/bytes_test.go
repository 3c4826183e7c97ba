package file

import (
	"strings"
	"testing"
)

// TestIdentifiersKeepTheirBytes: RULES §3.3 compares byte for byte, so a blank
// more is another identifier, and nothing but blanks is none.
func TestIdentifiersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	for _, written := range []string{" k-1", "k-1 ", "k-1\n", "\u00A0k-1", "k-1\u0085", "\tk-1"} {
		text := header + "\n1,\" c\",\"" + written + "\",acme,pending,\"" + written + "\",1,BRL,2025-03-10T10:00:00Z\n" +
			"2,c,k-1,acme,pending,\" \u00A0\",1,BRL,2025-03-10T10:00:00Z\n"
		a, err := ReadAttemptsFrom(t.Context(), strings.NewReader(text), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if one := a.Attempts[0]; one.Charge != " c" || one.Key != written || one.ProviderID != written || one.References[0].Value != written {
			t.Errorf("%q became %+v", written, one)
		}
		if two := a.Attempts[1]; two.ProviderID != "" {
			t.Errorf("blanks became the provider id %q", two.ProviderID)
		}
	}
}
