package pull

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/runs"
	"desfecho/internal/store"
)

// identityCursor is the name under which the bound account is kept.
const identityCursor = "identity"

// beginCursor is the name under which it is kept from when on the account is
// wanted: what could not be read there at first is no less missing later.
const beginCursor = "begin"

// known is what the database holds of the account before the pull.
type known struct {
	identity string
	begin    payment.Instant // 0: nothing was pulled before this was kept
	readings runs.Readings
	coverage []payment.Statement
	slots    map[string]progress // how far each slice was, by name of its slot
}

// known reads it from one snapshot, which is closed before anybody is asked.
func (p *puller) known(ctx context.Context) (k *known, err error) {
	view, err := p.o.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	p.now = view.Now()
	k = &known{slots: map[string]progress{}}
	cursor := func(name string) (string, error) {
		return view.Cursor(ctx, p.o.Lease.Provider, p.o.Lease.Account, store.Cursor{Statement: name, Mode: p.o.Mode})
	}
	if k.identity, err = cursor(identityCursor); err != nil {
		return nil, err
	}
	begin, err := cursor(beginCursor)
	if err != nil {
		return nil, err
	}
	if begin != "" {
		if err := k.begin.UnmarshalText([]byte(begin)); err != nil {
			return nil, fmt.Errorf("read from when on the account is wanted: %w", err)
		}
	}
	readings, err := cursor(runs.ReadingsCursor)
	if err != nil {
		return nil, err
	}
	if k.readings, err = runs.ParseReadings(readings); err != nil {
		return nil, err
	}
	slots, err := cursor(progressCursor)
	if err != nil {
		return nil, err
	}
	if slots != "" {
		if err := json.Unmarshal([]byte(slots), &k.slots); err != nil {
			return nil, fmt.Errorf("read where reading stopped: %w", err)
		}
	}
	k.coverage, err = view.Coverage(ctx, []string{p.o.Lease.Provider})
	return k, err
}

// bound is an identity as it is kept.
type bound struct {
	Account string `json:"account"`
	Mode    string `json:"mode"`
}

// bind asks whose account it is and keeps it on first use; another one later is
// refused, for its statements would prove attempts absent that were never its.
func (p *puller) bind(ctx context.Context, k *known) error {
	now, err := p.o.Provider.Identity(ctx)
	if err != nil {
		return err
	}
	if now.Mode != p.o.Mode {
		return &provider.Error{Reason: provider.WrongMode, Endpoint: "account", Err: fmt.Errorf("the credential is of mode %s, %s is configured", now.Mode, p.o.Mode)}
	}
	text, err := json.Marshal(bound{now.Account, now.Mode.String()})
	if err != nil {
		return fmt.Errorf("keep the account's identity: %w", err)
	}
	switch k.identity {
	case string(text):
		return nil
	case "":
		_, err := p.o.Store.StorePage(ctx, p.o.Lease, store.Page{
			Source: identityCursor, Cursor: &store.Cursor{Statement: identityCursor, Mode: p.o.Mode, Value: string(text)},
		})
		return err
	}
	var before bound
	if err := json.Unmarshal([]byte(k.identity), &before); err != nil {
		return fmt.Errorf("read the account's identity: %w", err)
	}
	mode, err := payment.ParseMode(before.Mode)
	if err != nil {
		return fmt.Errorf("read the account's identity: %w", err)
	}
	return &BoundError{Bound: provider.Identity{Account: before.Account, Mode: mode}, Now: now}
}

// keepBegin keeps from when on the account is wanted, where that is earlier than
// what was kept.
func (p *puller) keepBegin(ctx context.Context, k *known) error {
	begin := cmp.Or(p.o.Window.From, p.relook())
	switch {
	case !k.begin.IsZero() && k.begin <= begin:
		return nil
	case k.begin.IsZero() && len(k.coverage) > 0 && p.o.Window.From.IsZero(): // of a version that kept none
		return nil
	}
	k.begin = begin
	text, err := begin.MarshalText()
	if err != nil {
		return fmt.Errorf("keep from when on the account is wanted: %w", err)
	}
	_, err = p.o.Store.StorePage(ctx, p.o.Lease, store.Page{
		Source: beginCursor, Cursor: &store.Cursor{Statement: beginCursor, Mode: p.o.Mode, Value: string(text)},
	})
	return err
}

// keepReading stores what the adapter knows of its statements, for the rules
// that judge them later.
func (p *puller) keepReading(ctx context.Context, k *known) error {
	before, err := k.readings.Cursor(p.o.Mode)
	if err != nil {
		return err
	}
	var unlisted []string
	for _, o := range p.able.Unlisted {
		unlisted = append(unlisted, o.String())
	}
	k.readings[p.able.Type] = runs.Reading{
		LineIDsUnique: p.able.LineIDsUnique, Expected: p.able.Expected,
		BooksAfter: p.able.BooksAfter, BooksAfterBy: p.able.BooksAfterBy, Variation: p.able.Variation, Unlisted: unlisted,
	}
	now, err := k.readings.Cursor(p.o.Mode)
	if err != nil || now.Value == before.Value {
		return err
	}
	_, err = p.o.Store.StorePage(ctx, p.o.Lease, store.Page{Source: "what the adapter knows", Cursor: now})
	return err
}
