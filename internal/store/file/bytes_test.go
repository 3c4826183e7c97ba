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

// TestARowThatStatesTwoAmountsIsRefused: none of the two is the right one.
func TestARowThatStatesTwoAmountsIsRefused(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(header, "amount_cents", "amount_cents,amount") + "\n" +
		"1,c,k,acme,pending,,12990,129.90,BRL,2025-03-10T10:00:00Z\n2,c2,k2,acme,pending,,12990,,BRL,2025-03-10T10:00:00Z\n"
	if _, err := ReadAttemptsFrom(t.Context(), strings.NewReader(text), "x", Options{}); err != nil {
		t.Errorf("alike: %v", err)
	}
	_, err := ReadAttemptsFrom(t.Context(), strings.NewReader(strings.Replace(text, "129.90", "12.99", 1)), "x", Options{})
	if err == nil || !strings.Contains(err.Error(), `x:2:8: amount "12.99": another amount than the 12990 minor units`) {
		t.Errorf("not alike: %v", err)
	}
}
