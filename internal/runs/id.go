package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"desfecho/internal/store"
)

// ID names a run by its moment, what it follows and what it concluded: the same
// state gives the same id, in however many pages it was stored, and a run that
// was saved is found by it.
func ID(r *store.Run) (string, error) {
	result, err := store.MarshalResult(r.Result)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q", r.Providers, result)
	for _, provider := range slices.Sorted(maps.Keys(r.Loaded.Follows)) {
		_, _ = fmt.Fprintf(h, " %q %q", provider, r.Loaded.Follows[provider])
	}
	return r.At.Time().Format("20060102T150405Z") + "-" + hex.EncodeToString(h.Sum(nil)[:4]), nil
}
