package stripe

import (
	"fmt"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
)

// The places at Stripe where a merchant's reference can stand, beside
// metadata.KEY.
const (
	placeMetadata    = "metadata."
	placeKey         = "idempotency_key"
	placeGroup       = "transfer_group"
	placeDescription = "description"
)

// checkPlaces refuses a configured place that no object of Stripe's has.
func checkPlaces(places []provider.Place) error {
	for _, p := range places {
		key, metadata := strings.CutPrefix(p.There, placeMetadata)
		switch {
		case p.Name == "":
			return fmt.Errorf("reference at %q has no name", p.There)
		case metadata && key != "", p.There == placeKey, p.There == placeGroup, p.There == placeDescription:
		default:
			return fmt.Errorf("reference %q: Stripe has no place %q: want metadata.KEY, %s, %s or %s",
				p.Name, p.There, placeKey, placeGroup, placeDescription)
		}
	}
	return nil
}

// references are the merchant's identifiers that the object carries, byte for
// byte. key is the idempotency key where it is known.
func (a *account) references(o *object, key string) []payment.Reference {
	var found []payment.Reference
	for _, p := range a.places {
		if value := valueAt(o, p.There, key); value != "" {
			found = append(found, payment.Reference{Name: p.Name, Scope: p.Scope, Value: value})
		}
	}
	return found
}

func valueAt(o *object, there, key string) string {
	switch there {
	case placeKey:
		return key
	case placeGroup:
		return o.TransferGroup
	case placeDescription:
		return o.Description
	default:
		return o.Metadata[strings.TrimPrefix(there, placeMetadata)]
	}
}
