package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Acquire takes the lease of an account where it is free or its time is over.
func (s *Store) Acquire(ctx context.Context, provider, account, owner string, ttl time.Duration) (store.Lease, error) {
	lease, err := s.acquire(ctx, provider, account, owner, ttl)
	if !errors.Is(err, store.ErrUnconfirmed) {
		return lease, err
	}
	// The second waits for the first. Where it is kept out by that, the first
	// is ours, and can be renewed.
	again, second := s.acquire(ctx, provider, account, owner, ttl)
	if errors.Is(second, store.ErrLeased) {
		again, second = lease, s.write(ctx, "take the lease", func(tx *transaction) error { return renew(ctx, tx, lease) })
	}
	if second != nil {
		return again, fmt.Errorf("%w; asked again: %w", err, second)
	}
	return again, nil
}

func (s *Store) acquire(ctx context.Context, provider, account, owner string, ttl time.Duration) (store.Lease, error) {
	lease := store.Lease{Provider: provider, Account: account, Owner: owner, TTL: ttl}
	err := s.write(ctx, "take the lease", func(tx *transaction) error {
		err := tx.QueryRow(ctx, `INSERT INTO desfecho.leases AS l (provider, account, owner, token, acquired_at, expires_at)
			VALUES ($1::text, $2::text, $3::text, 1, clock_timestamp(), clock_timestamp() + $4::bigint * interval '1 microsecond')
			ON CONFLICT (provider, account) DO UPDATE
			SET owner = excluded.owner, token = l.token + 1, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at
			WHERE l.expires_at <= clock_timestamp() RETURNING token`,
			provider, account, owner, ttl.Microseconds()).Scan(&lease.Token)
		if errors.Is(err, pgx.ErrNoRows) {
			return holder(ctx, tx, provider, account)
		}
		return err
	})
	return lease, err
}

func holder(ctx context.Context, tx *transaction, provider, account string) error {
	held := &store.LeasedError{Provider: provider, Account: account}
	var since, expires instant
	err := tx.QueryRow(ctx, "SELECT owner, acquired_at, expires_at FROM desfecho.leases WHERE provider = $1::text AND account = $2::text",
		provider, account).Scan(&held.Owner, &since, &expires)
	if err != nil {
		return err
	}
	held.Since, held.Expires = payment.Instant(since), payment.Instant(expires)
	return held
}

// Release ends the lease now; it cannot be renewed any more.
func (s *Store) Release(ctx context.Context, lease store.Lease) error {
	return s.writeAgain(ctx, "give the lease back", func(tx *transaction) error {
		return held(ctx, tx, lease, "acquired_at")
	})
}

// renew checks that the lease is still held, sets its end and keeps its row
// locked until the transaction ends.
func renew(ctx context.Context, tx *transaction, l store.Lease) error {
	return held(ctx, tx, l, "clock_timestamp() + "+strconv.FormatInt(l.TTL.Microseconds(), 10)+" * interval '1 microsecond'")
}

func held(ctx context.Context, tx *transaction, l store.Lease, end string) error {
	tag, err := tx.Exec(ctx, `UPDATE desfecho.leases SET expires_at = `+end+`
		WHERE provider = $1::text AND account = $2::text AND owner = $3::text AND token = $4::bigint AND expires_at > acquired_at`,
		l.Provider, l.Account, l.Owner, l.Token)
	if err == nil && tag.RowsAffected() == 0 {
		return store.ErrLeaseLost
	}
	return err
}
