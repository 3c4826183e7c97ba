package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// identity is a divergence's stable id: provider, account, mode and subject,
// never the class, so that reclassification keeps its history (RULES §4).
func identity(d *Divergence) string {
	parts := append([]string{d.Provider, d.Account, d.Mode.String(), d.Subject.Kind.String()}, d.Subject.IDs...)
	switch d.Subject.Kind {
	case SubjectAttempts: // per unit, per reference, per key (RULES §4)
		parts = append(parts, d.Unit, d.Reference, d.Key)
	case SubjectCharge: // attempts of one charge are of one direction
		parts = append(parts, d.Direction.String())
	case SubjectStatement: // one per hole
		parts = append(parts, d.Interval.From.String())
	case SubjectAttempt, SubjectUnit, SubjectLine, SubjectPayout:
	}
	h := sha256.New()
	for _, p := range parts {
		// lengths keep ("a", "bc") and ("ab", "c") apart
		h.Write([]byte{byte(len(p) >> 8), byte(len(p))})
		h.Write([]byte(p))
	}
	return "d" + strings.ToLower(hex.EncodeToString(h.Sum(nil)[:8]))
}
