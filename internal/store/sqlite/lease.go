package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// clock is the database's time in microseconds.
const clock = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"

// Acquire takes the lease of an account where it is free or its time is over.
func (s *Store) Acquire(ctx context.Context, provider, account, owner string, ttl time.Duration) (store.Lease, error) {
	lease := store.Lease{Provider: provider, Account: account, Owner: owner, TTL: ttl}
	err := s.write(ctx, "take the lease", func(tx *transaction) error {
		err := tx.one(ctx, []any{&lease.Token}, `INSERT INTO desfecho_leases AS l (provider, account, owner, token, acquired_at, expires_at)
			VALUES (?, ?, ?, 1, `+clock+`, `+clock+` + ?)
			ON CONFLICT (provider, account) DO UPDATE
			SET owner = excluded.owner, token = l.token + 1, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at
			WHERE l.expires_at <= `+clock+` RETURNING token`, provider, account, owner, ttl.Microseconds())
		if errors.Is(err, sql.ErrNoRows) {
			return holder(ctx, tx, provider, account)
		}
		return err
	})
	return lease, err
}

func holder(ctx context.Context, tx *transaction, provider, account string) error {
	held := &store.LeasedError{Provider: provider, Account: account}
	var since, expires instant
	if err := tx.one(ctx, []any{&held.Owner, &since, &expires},
		"SELECT owner, acquired_at, expires_at FROM desfecho_leases WHERE provider = ? AND account = ?", provider, account); err != nil {
		return err
	}
	held.Since, held.Expires = payment.Instant(since), payment.Instant(expires)
	return held
}

// Release ends the lease now; it cannot be renewed any more.
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	return s.write(ctx, "give the lease back", func(tx *transaction) error {
		return ended(tx.exec(ctx, `UPDATE desfecho_leases SET expires_at = 0
			WHERE provider = ? AND account = ? AND owner = ? AND token = ? AND expires_at > 0`,
			lease.Provider, lease.Account, lease.Owner, lease.Token))
	})
}

// renew checks that the lease is still held and sets its end.
func renew(ctx context.Context, tx *transaction, l store.Lease) error {
	return ended(tx.exec(ctx, `UPDATE desfecho_leases SET expires_at = `+clock+` + ?
		WHERE provider = ? AND account = ? AND owner = ? AND token = ? AND expires_at > 0`,
		l.TTL.Microseconds(), l.Provider, l.Account, l.Owner, l.Token))
}

func ended(rows int64, err error) error {
	if err == nil && rows == 0 {
		return store.ErrLeaseLost
	}
	return err
}
