package shop

import (
	"context"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

// Books is what both sides show at one moment, in the words of RULES §1: all
// that a reconciliation may know.
type Books struct {
	Now        payment.Instant
	Attempts   []payment.Attempt
	Statements []payment.Statement
	Units      []payment.Unit
	Lines      []payment.Line
	Lookups    []payment.Lookup
}

// Books reads the shop's rows and what the providers show of them.
func (st *Stage) Books(ctx context.Context) (*Books, error) {
	attempts, err := st.Shop.Attempts(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := st.Shop.Cobrancas(ctx)
	if err != nil {
		return nil, err
	}
	return st.Shown(ctx, append(attempts, rows...))
}

// Shown reads the providers' lists and ledgers from the hour before the stage's
// beginning, in which the horizon of the first attempt begins, to the end, and
// asks about every open attempt by every key it has.
func (st *Stage) Shown(ctx context.Context, attempts []payment.Attempt) (*Books, error) {
	now, from := st.Clock.Now(), st.started.Add(-time.Hour)
	b := &Books{Now: payment.InstantOf(now), Attempts: attempts}
	for _, r := range st.Readers {
		if err := b.read(ctx, r, from, now); err != nil {
			return nil, err
		}
		b.ask(ctx, r, now)
	}
	return b, nil
}

func (b *Books) read(ctx context.Context, r *fakepsp.Reader, from, now time.Time) error {
	list, units, err := r.Objects(ctx, from, now)
	if err != nil {
		return err
	}
	ledger, lines, err := r.Ledger(ctx, from, now)
	if err != nil {
		return err
	}
	for i := range units {
		units[i].FirstSeen = b.Now
	}
	b.Statements = append(b.Statements, list, ledger)
	b.Units, b.Lines = append(b.Units, units...), append(b.Lines, lines...)
	return nil
}

func (b *Books) ask(ctx context.Context, r *fakepsp.Reader, now time.Time) {
	for i := range b.Attempts {
		a := &b.Attempts[i]
		if a.Provider != r.Name || !a.Status.Open() {
			continue
		}
		b.Lookups = append(b.Lookups, r.LookUp(ctx, a, payment.LookupKey{Kind: payment.KeyIdempotency, Value: a.Key}, now))
		for _, ref := range a.References {
			b.Lookups = append(b.Lookups, r.LookUp(ctx, a, payment.LookupKey{Kind: payment.KeyReference, Name: ref.Name, Value: ref.Value}, now))
		}
	}
}
