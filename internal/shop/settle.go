package shop

import (
	"context"
	"database/sql"
	"fmt"

	"desfecho/internal/payment"
)

// settle gives an attempt an outcome, and, if it is the first to do so, lets
// the effects follow that belong to this transition. The payment is locked
// before the attempt, here and everywhere. moved is false where the attempt
// was settled before: then nothing is written. event is the stored event that
// told of it, 0 for none.
func (s *Shop) settle(ctx context.Context, tx *sql.Tx, attempt int64, c Charge, out outcome, event int64) (moved bool, err error) {
	var resolved any
	if out.status.Final() {
		resolved = s.now()
	}
	var unit any
	if out.status == payment.Succeeded {
		unit = out.object.ID
	}
	done, err := tx.ExecContext(ctx, `UPDATE charge_attempts SET status = $1, provider_charge_id = $2, last_error = $3, resolved_at = $4,
http_attempts = http_attempts + $5, updated_at = $6 WHERE id = $7 AND status IN ('pending','unknown')`,
		out.status.String(), unit, out.lastError(), resolved, out.calls, s.now(), attempt)
	if err != nil {
		return false, fmt.Errorf("settle attempt %d: %w", attempt, err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := s.follow(ctx, tx, attempt, c, out, event); err != nil {
		return false, fmt.Errorf("settle attempt %d: %w", attempt, err)
	}
	return true, nil
}

// lock locks the payment, then the charge of an attempt: this order, here and
// everywhere.
func (s *Shop) lock(ctx context.Context, tx *sql.Tx, attempt int64) (Charge, error) {
	var charge, paid int64
	err := tx.QueryRowContext(ctx, `SELECT c.id, coalesce(c.payment_id, 0) FROM charge_attempts a JOIN charges c ON c.id = a.charge_id
WHERE a.id = $1`, attempt).Scan(&charge, &paid)
	if err != nil {
		return Charge{}, fmt.Errorf("find the charge of attempt %d: %w", attempt, err)
	}
	if paid != 0 && s.locked() != "" {
		if err := tx.QueryRowContext(ctx, `SELECT id FROM payments WHERE id = $1`+s.locked(), paid).Scan(&paid); err != nil {
			return Charge{}, fmt.Errorf("lock payment %d: %w", paid, err)
		}
	}
	c, _, err := s.charge(ctx, tx, charge, s.locked())
	return c, err
}

// record gives an attempt an outcome in a transaction of its own.
func (s *Shop) record(ctx context.Context, attempt int64, out outcome) (moved bool, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		c, err := s.lock(ctx, tx, attempt)
		if err != nil {
			return err
		}
		moved, err = s.settle(ctx, tx, attempt, c, out, 0)
		return err
	})
	return moved, err
}

// status is what stands in the attempt's row now.
func (s *Shop) status(ctx context.Context, attempt int64) (payment.Status, error) {
	var word string
	if err := s.DB.QueryRowContext(ctx, `SELECT status FROM charge_attempts WHERE id = $1`, attempt).Scan(&word); err != nil {
		return payment.StatusNone, fmt.Errorf("read attempt %d: %w", attempt, err)
	}
	return payment.ParseStatus(word)
}

// follow is what a transition of the attempt brings about.
func (s *Shop) follow(ctx context.Context, tx *sql.Tx, attempt int64, c Charge, out outcome, event int64) error {
	if c.Operation == payment.Transfer {
		_, err := tx.ExecContext(ctx, `UPDATE reserves SET status = $1, updated_at = $2 WHERE attempt_id = $3`,
			s.Twin.reserve(out.status).String(), s.now(), attempt)
		if err != nil {
			return err
		}
	}
	if out.status != payment.Succeeded {
		return nil
	}
	if !out.object.paid() { // accepted: a Pix or boleto that waits for its payer
		return s.moveCharge(ctx, tx, c.ID, "waiting", "open")
	}
	return s.chargePaid(ctx, tx, c, event)
}

// chargePaid is the transition of a charge to paid. Only the one that makes it
// books anything.
func (s *Shop) chargePaid(ctx context.Context, tx *sql.Tx, c Charge, event int64) error {
	done, err := tx.ExecContext(ctx, `UPDATE charges SET status = 'paid', updated_at = $1 WHERE id = $2 AND status <> 'paid'`, s.now(), c.ID)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if err := s.book(ctx, tx, c, event); err != nil {
		return err
	}
	switch c.Operation {
	case payment.Charge:
		return s.movePayment(ctx, tx, c.Payment, "paid", "awaiting")
	case payment.Refund:
		return s.refunded(ctx, tx, c)
	case payment.Authorize, payment.Capture, payment.Transfer, payment.BillPayment:
	}
	return nil
}

// refunded moves the payment on once all of it was given back.
func (s *Shop) refunded(ctx context.Context, tx *sql.Tx, c Charge) error {
	_, err := tx.ExecContext(ctx, `UPDATE payments SET state = 'refunded', updated_at = $1 WHERE id = $2 AND state IN ('awaiting','paid')
AND amount_cents <= (SELECT coalesce(sum(amount_cents), 0) FROM charges WHERE payment_id = $2 AND operation = 'refund' AND status = 'paid')`,
		s.now(), c.Payment)
	return err
}

// book writes the ledger entry of a charge, once: its key is the charge's.
func (s *Shop) book(ctx context.Context, tx *sql.Tx, c Charge, event int64) error {
	kind := "credit"
	if c.Operation.Direction() == payment.Out {
		kind = "debit"
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO ledger_entries (entry_key, payment_id, charge_id, kind, amount_cents, currency, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (entry_key) DO NOTHING`,
		s.Twin.creditKey(c.ID, event), orNull(c.Payment), c.ID, kind, c.Amount, c.Currency, s.now())
	return err
}

func (s *Shop) moveCharge(ctx context.Context, tx *sql.Tx, charge int64, to, from string) error {
	_, err := tx.ExecContext(ctx, `UPDATE charges SET status = $1, updated_at = $2 WHERE id = $3 AND status = $4`, to, s.now(), charge, from)
	return err
}

func (s *Shop) movePayment(ctx context.Context, tx *sql.Tx, id int64, to, from string) error {
	_, err := tx.ExecContext(ctx, `UPDATE payments SET state = $1, updated_at = $2 WHERE id = $3 AND state = $4`, to, s.now(), id, from)
	return err
}
