package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// turns: a page whose lease is lost while it waits for its turn stores nothing,
// nor does one whose turn never comes; the cursor is the one of its turn.
func turns(t *testing.T, fresh func(testing.TB) Database) {
	b := setUp(t, fresh, nil)
	page := store.Page{Lines: store.NewNumbers(true).Lines([]payment.Line{line("1", 100)}), Units: []payment.Unit{{ID: "ch_1", Provider: provider, ObservedAt: 1}}}
	held := b.lease
	page.Turn = func(ctx context.Context) (*store.Cursor, error) { // lost while the page is written
		err := b.Release(ctx, held)
		b.lease = b.acquire(account)
		return &store.Cursor{Statement: "ledger", Value: "old"}, err
	}
	_, err := b.StorePage(t.Context(), held, page)
	wants(t, err, store.ErrLeaseLost)
	page.Turn = func(context.Context) (*store.Cursor, error) { return nil, errors.New("not its turn") }
	if _, err := b.StorePage(t.Context(), b.lease, page); err == nil || !strings.Contains(err.Error(), "not its turn") {
		t.Errorf("a page whose turn never came: %v", err)
	}
	if got := b.lines(); len(got) != 0 {
		t.Errorf("pages that did not end stored %v", got)
	}
	page.Turn = func(context.Context) (*store.Cursor, error) {
		return &store.Cursor{Statement: "ledger", Value: "new"}, nil
	}
	if _, err := b.StorePage(t.Context(), b.lease, page); err != nil {
		t.Fatal(err)
	}
	v, err := b.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close() //nolint:errcheck // only read
	if value, err := v.Cursor(t.Context(), provider, account, store.Cursor{Statement: "ledger"}); err != nil || value != "new" {
		t.Errorf("the cursor is %q, %v", value, err)
	}
}
