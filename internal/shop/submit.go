package shop

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"desfecho/internal/payment"
)

// Charge is one movement of money that the shop wants: a row of charges.
type Charge struct {
	ID        int64
	Payment   int64 // 0: none, as for a transfer
	Parent    int64 // the sale that a refund gives back
	Provider  string
	Operation payment.Operation // Charge, Refund or Transfer
	Method    string            // card, pix, boleto
	Token     string            // the card, or where a transfer goes
	Amount    int64             // cents
	Currency  string
}

// Order opens a payment that a customer owes, and returns its id.
func (s *Shop) Order(ctx context.Context, reference string, cents int64, currency string) (id int64, err error) {
	err = s.DB.QueryRowContext(ctx, `INSERT INTO payments (reference, amount_cents, currency, created_at, updated_at)
VALUES ($1, $2, $3, $4, $4) RETURNING id`, reference, cents, currency, s.now()).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("order %s: %w", reference, err)
	}
	return id, nil
}

// AddCharge writes down a charge; nothing is sent. It returns the charge's id.
func (s *Shop) AddCharge(ctx context.Context, c Charge) (id int64, err error) {
	err = s.DB.QueryRowContext(ctx, `INSERT INTO charges
(payment_id, parent_id, provider, operation, method, token, amount_cents, currency, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
		orNull(c.Payment), orNull(c.Parent), c.Provider, c.Operation.String(), c.Method, c.Token, c.Amount, c.Currency, s.now()).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("add charge: %w", err)
	}
	return id, nil
}

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// ChangeToken gives a charge another card: the customer tries again.
func (s *Shop) ChangeToken(ctx context.Context, charge int64, token string) error {
	_, err := s.DB.ExecContext(ctx, `UPDATE charges SET token = $1, updated_at = $2 WHERE id = $3`, token, s.now(), charge)
	if err != nil {
		return fmt.Errorf("change the token of charge %d: %w", charge, err)
	}
	return nil
}

// call is an attempt that is written down and not yet sent.
type call struct {
	attempt int64
	key     string
	charge  Charge
	path    string
	body    []byte
}

// Submit tries to make a charge happen, in three phases: the attempt is
// committed with its key and the hash of what will be sent; one HTTP try is
// made with no transaction open; what is known then is recorded. It returns
// the attempt's id and status. ErrOpen, ErrSettled and ErrNoCharge say that
// nothing was written or sent; any other error leaves the attempt open.
func (s *Shop) Submit(ctx context.Context, charge int64) (attempt int64, status payment.Status, err error) {
	c, err := s.open(ctx, charge)
	if err != nil {
		return 0, payment.StatusNone, fmt.Errorf("submit charge %d: %w", charge, err)
	}
	if err := s.Step(ctx, AfterInsert); err != nil {
		return c.attempt, payment.Pending, err
	}
	out, err := s.try(ctx, c)
	if err != nil {
		return c.attempt, payment.Pending, fmt.Errorf("submit charge %d: %w", charge, err)
	}
	if err := s.Step(ctx, AfterReply); err != nil {
		return c.attempt, payment.Pending, err
	}
	out.status = s.Twin.believes(out.status)
	moved, err := s.record(ctx, c.attempt, out)
	if err == nil && !moved { // an event was faster
		out.status, err = s.status(ctx, c.attempt)
	}
	if err != nil {
		return c.attempt, payment.Pending, fmt.Errorf("record attempt %d: %w", c.attempt, err)
	}
	return c.attempt, out.status, nil
}

// open is the first phase. The partial unique index, not the look before it,
// is what forbids two open attempts.
func (s *Shop) open(ctx context.Context, charge int64) (call, error) {
	if s.Twin == CheckThenAct {
		return s.openUnguarded(ctx, charge)
	}
	if err := s.Step(ctx, BeforeInsert); err != nil {
		return call{}, err
	}
	var c call
	err := s.inTx(ctx, func(tx *sql.Tx) (err error) {
		if c, err = s.prepare(ctx, tx, charge, s.locked()); err != nil {
			return err
		}
		return s.insert(ctx, tx, &c)
	})
	return c, err
}

// openUnguarded looks, then acts; somebody else can do both in between.
func (s *Shop) openUnguarded(ctx context.Context, charge int64) (call, error) {
	c, err := s.prepare(ctx, s.DB, charge, "")
	if err != nil {
		return c, err
	}
	var open int
	err = s.DB.QueryRowContext(ctx, `SELECT count(*) FROM charge_attempts WHERE charge_id = $1 AND status IN ('pending','unknown')`, charge).Scan(&open)
	if err != nil {
		return c, err
	}
	if open > 0 {
		return c, ErrOpen
	}
	if err := s.Step(ctx, BeforeInsert); err != nil {
		return c, err
	}
	return c, s.inTx(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, &c) })
}

// queryer is a transaction or the database itself.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// prepare reads the charge and makes what will be sent. The key is random and
// made before anything is sent.
func (s *Shop) prepare(ctx context.Context, q queryer, charge int64, lock string) (call, error) {
	c, status, err := s.charge(ctx, q, charge, lock)
	if err != nil {
		return call{}, err
	}
	if status != "open" {
		return call{}, ErrSettled
	}
	k := call{charge: c, key: s.Twin.key(charge, s.NewKey)}
	k.path, k.body, err = s.payload(ctx, q, &k)
	return k, err
}

func (s *Shop) charge(ctx context.Context, q queryer, id int64, lock string) (c Charge, status string, err error) {
	var operation string
	err = q.QueryRowContext(ctx, `SELECT id, coalesce(payment_id, 0), coalesce(parent_id, 0), provider, operation, method, token,
amount_cents, currency, status FROM charges WHERE id = $1`+lock, id).
		Scan(&c.ID, &c.Payment, &c.Parent, &c.Provider, &operation, &c.Method, &c.Token, &c.Amount, &c.Currency, &status)
	if errors.Is(err, sql.ErrNoRows) {
		return c, "", ErrNoCharge
	}
	if err == nil {
		c.Operation, err = payment.ParseOperation(operation)
	}
	return c, status, err
}

// payload is what will be sent: the same bytes for the same attempt.
func (s *Shop) payload(ctx context.Context, q queryer, c *call) (path string, body []byte, err error) {
	sent := map[string]any{
		"amount": c.charge.Amount, "currency": c.charge.Currency, "method": c.charge.Method,
		"metadata": map[string]string{"charge_id": strconv.FormatInt(c.charge.ID, 10), "idempotency_key": c.key},
	}
	switch c.charge.Operation {
	case payment.Refund:
		var sale string
		err = q.QueryRowContext(ctx, `SELECT provider_charge_id FROM charge_attempts
WHERE charge_id = $1 AND status = 'succeeded' AND provider_charge_id IS NOT NULL ORDER BY id LIMIT 1`, c.charge.Parent).Scan(&sale)
		if err != nil {
			return "", nil, fmt.Errorf("find the sale of refund %d: %w", c.charge.ID, err)
		}
		path, sent["payment"] = "refunds", sale
	case payment.Transfer:
		path, sent["to"] = "transfers", c.charge.Token
	case payment.Charge, payment.Authorize, payment.Capture, payment.BillPayment:
		path, sent["card"] = "payments", c.charge.Token
	}
	body, err = json.Marshal(sent)
	return path, body, err
}

func (c *call) hash() string {
	sum := sha256.Sum256(append([]byte(c.path+"\n"), c.body...))
	return hex.EncodeToString(sum[:])
}

// insert writes the attempt as pending, and holds back what goes out.
func (s *Shop) insert(ctx context.Context, tx *sql.Tx, c *call) error {
	conflict := ""
	if s.Twin == KeyFromOrder {
		conflict = ` ON CONFLICT (idempotency_key) DO UPDATE SET status = 'pending', payload_hash = excluded.payload_hash, updated_at = excluded.updated_at`
	}
	err := tx.QueryRowContext(ctx, `INSERT INTO charge_attempts
(charge_id, idempotency_key, provider, status, payload_hash, created_at, updated_at) VALUES ($1, $2, $3, 'pending', $4, $5, $5)`+
		conflict+` RETURNING id`, c.charge.ID, c.key, c.charge.Provider, c.hash(), s.now()).Scan(&c.attempt)
	if unique(err) {
		return ErrOpen
	}
	if err != nil || c.charge.Operation != payment.Transfer {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO reserves (attempt_id, amount_cents, status, created_at, updated_at)
VALUES ($1, $2, 'held', $3, $3) ON CONFLICT (attempt_id) DO UPDATE SET status = 'held', updated_at = excluded.updated_at`,
		c.attempt, c.charge.Amount, s.now())
	return err
}

// unique tells whether a unique index refused the row: SQLSTATE 23505, or
// SQLite's own words. Both drivers are told by their text, so that this
// package imports neither.
func unique(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "SQLSTATE 23505") || strings.Contains(err.Error(), "UNIQUE constraint failed"))
}

// try is the second phase: one HTTP try (the twin that makes more gives each a
// key of its own). No transaction is open.
func (s *Shop) try(ctx context.Context, c call) (outcome, error) {
	e, err := s.endpoint(c.charge.Provider)
	if err != nil {
		return outcome{}, err
	}
	var out outcome
	for i, key := range s.Twin.keys(c.key, s.NewKey) {
		out = s.send(ctx, e, c.path, key, c.body)
		out.calls = i + 1
		if out.status != payment.Unknown {
			break
		}
	}
	return out, nil
}
