package cmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// TestAControlHasTheKeysThatItsAttemptSent: a list does not tell every key, and
// an object is asked about as what its attempt made it for.
func TestAControlHasTheKeysThatItsAttemptSent(t *testing.T) {
	t.Parallel()
	ref := func(name, value string) []payment.Reference { return []payment.Reference{{Name: name, Value: value}} }
	units := []payment.Unit{
		{ID: "pi_1", Aliases: []string{"ch_1"}},
		{ID: "pi_2", References: ref("try", "2")},
		{ID: "tr_3"},
		{ID: "pi_4", Key: "told"},
		{ID: "pi_5", Aliases: []string{"ch_5"}},
		{ID: "pi_6"},
		{ID: "pi_7"},
	}
	owners := map[string]payment.Attempt{
		"ch_1": {Key: "k1", References: ref("try", "1")}, "tr_3": {Key: "k3", Operation: payment.Transfer, References: ref("try", "3")},
		"pi_5": {Key: "k5"}, "pi_6": {Key: "k6"}, "pi_7": {Key: "k7"},
	}
	sale, transfer := []payment.Operation{payment.Charge}, []payment.Operation{payment.Transfer}
	for name, c := range map[string]struct {
		way       provider.Lookup
		own, bare string
	}{
		"by key":               {provider.Lookup{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Operations: sale}, "pi_1 k1, pi_5 k5, pi_6 k6, ", "pi_4 told, "},
		"by key, of transfers": {provider.Lookup{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Operations: transfer}, "tr_3 k3, ", "pi_4 told, "},
		"by reference":         {provider.Lookup{Key: payment.LookupKey{Kind: payment.KeyReference, Name: "try"}}, "pi_1 k1, tr_3 k3, ", "pi_2 , "},
		"by another reference": {provider.Lookup{Key: payment.LookupKey{Kind: payment.KeyReference, Name: "sale"}}, "", ""},
	} {
		own, bare := controls(c.way, units, owners)
		var got [2]string
		for _, k := range own {
			got[0] += k.ID + " " + k.Key + ", "
		}
		for _, k := range bare {
			got[1] += k.ID + " " + k.Key + ", "
		}
		if diff := cmp.Diff([2]string{c.own, c.bare}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
