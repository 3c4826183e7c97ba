package pull

import (
	"context"
	"encoding/json"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Bound is the provider's own id of the account whose statements are stored, ""
// where none was bound yet.
func Bound(ctx context.Context, view store.View, provider, account string, mode payment.Mode) (id string, err error) {
	text, err := view.Cursor(ctx, provider, account, store.Cursor{Statement: identityCursor, Mode: mode})
	if err != nil || text == "" {
		return "", err
	}
	var b bound
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return "", fmt.Errorf("read the account's identity: %w", err)
	}
	return b.Account, nil
}
