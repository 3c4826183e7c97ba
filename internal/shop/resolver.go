package shop

import (
	"context"
	"fmt"
	"time"

	"desfecho/internal/payment"
)

// Resolve is the job that looks up what has no outcome: pending attempts whose
// process must be dead become unknown, unknown ones are asked about by their
// key. What the provider does not know stays unknown: absence is for a person
// to conclude. It returns how many attempts it settled.
func (s *Shop) Resolve(ctx context.Context) (settled int, err error) {
	if err := s.adoptOrphans(ctx); err != nil {
		return 0, err
	}
	open, err := s.unknowns(ctx)
	if err != nil {
		return 0, err
	}
	for _, a := range open {
		done, err := s.ask(ctx, a)
		if err != nil {
			return settled, fmt.Errorf("resolve attempt %d: %w", a.id, err)
		}
		if done {
			settled++
		}
	}
	return settled, nil
}

type openAttempt struct {
	id       int64
	key      string
	provider string
}

// adoptOrphans makes pending attempts unknown whose caller never came back.
func (s *Shop) adoptOrphans(ctx context.Context) error {
	_, err := s.DB.ExecContext(ctx, `UPDATE charge_attempts SET status = 'unknown', updated_at = $1 WHERE status = 'pending' AND updated_at <= $2`,
		s.now(), s.wall(s.Clock.Now().Add(-s.OrphanAfter)))
	if err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	return nil
}

func (s *Shop) unknowns(ctx context.Context) (open []openAttempt, err error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT id, CAST(idempotency_key AS text), provider FROM charge_attempts WHERE status = 'unknown' ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list unknown attempts: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var a openAttempt
		if err := rows.Scan(&a.id, &a.key, &a.provider); err != nil {
			return nil, fmt.Errorf("list unknown attempts: %w", err)
		}
		open = append(open, a)
	}
	return open, rows.Err()
}

// ask looks one attempt up, with no transaction open, and settles it if the
// answer is clear.
func (s *Shop) ask(ctx context.Context, a openAttempt) (settled bool, err error) {
	e, err := s.endpoint(a.provider)
	if err != nil {
		return false, err
	}
	objects, err := s.lookUp(ctx, e, a.key)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		return false, nil
	}
	out := conclude(objects)
	if out.status == payment.Unknown {
		return false, nil
	}
	return s.record(ctx, a.id, out)
}

// conclude is what the objects of a key say together: success dominates, what
// may still happen keeps it open, and nothing at all proves nothing.
func conclude(objects []object) outcome {
	out := outcome{status: payment.Unknown}
	dead := 0
	for _, o := range objects {
		switch {
		case o.paid() || o.State == "waiting":
			if out.status != payment.Succeeded {
				out.status, out.object = payment.Succeeded, o
			}
		case o.dead():
			dead++
		}
	}
	if out.status == payment.Unknown && dead > 0 && dead == len(objects) {
		return outcome{status: payment.Failed, class: payment.ErrorCardRefused}
	}
	return out
}

// Sweep processes stored events that were left pending for longer than age,
// and returns how many it processed.
func (s *Shop) Sweep(ctx context.Context, age time.Duration) (processed int, err error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT id FROM webhook_events WHERE status = 'pending' AND created_at <= $1 ORDER BY id`,
		s.wall(s.Clock.Now().Add(-age)))
	if err != nil {
		return 0, fmt.Errorf("sweep events: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var stale []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return 0, fmt.Errorf("sweep events: %w", err)
		}
		stale = append(stale, id)
	}
	if err := rows.Err(); err != nil {
		return 0, fmt.Errorf("sweep events: %w", err)
	}
	for _, id := range stale {
		if err := s.process(ctx, id); err != nil {
			return processed, fmt.Errorf("sweep event %d: %w", id, err)
		}
		processed++
	}
	return processed, nil
}
