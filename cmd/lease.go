package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"desfecho/internal/runs"
	"desfecho/internal/store"
)

// owner names this process to those who find its lease.
func (d *deps) owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without name"
	}
	return fmt.Sprintf("%s, process %d", host, os.Getpid())
}

// release gives a lease back, also after an interrupt. One that was lost is
// not ours to give back, and no failure: nothing is written any more.
func (d *deps) release(ctx context.Context, s store.Leases, lease store.Lease) error {
	err := afterwards(ctx, func(ctx context.Context) error { return s.Release(ctx, lease) })
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	return err
}

// acquireAll takes the leases of all accounts, or none.
func (d *deps) acquireAll(ctx context.Context, s store.Leases, accounts []runs.Account) ([]store.Lease, error) {
	var leases []store.Lease
	for _, a := range accounts {
		lease, err := s.Acquire(ctx, a.Provider, a.Account, d.owner(), leaseTime)
		if err != nil {
			return nil, errors.Join(err, d.releaseAll(ctx, s, leases))
		}
		leases = append(leases, lease)
	}
	return leases, nil
}

func (d *deps) releaseAll(ctx context.Context, s store.Leases, leases []store.Lease) error {
	var errs []error
	for _, lease := range leases {
		errs = append(errs, d.release(ctx, s, lease))
	}
	return errors.Join(errs...)
}

// afterwards writes what is to be noted once the work is done or was
// interrupted.
func afterwards(ctx context.Context, note func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return note(ctx)
}

// after joins the error of what is noted after the work to that of the work.
// Work that was done stays done, and the message says so.
func after(work, noted error, done string) error {
	_, judged := errors.AsType[verdictError](work)
	switch {
	case noted == nil:
		return work
	case work == nil || judged:
		return &stoppedError{noted, done}
	}
	return errors.Join(work, noted)
}
