package shop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"desfecho/internal/payment"
)

// event is what the shop understands of a webhook.
type event struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Object object `json:"object"`
}

// ServeHTTP takes webhooks at /webhooks/PROVIDER and cobranças at /cobrancas.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	provider, isHook := strings.CutPrefix(r.URL.Path, "/webhooks/")
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case isHook:
		w.WriteHeader(s.hook(r, provider))
	case r.URL.Path == "/cobrancas":
		s.cobrar(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *Shop) hook(r *http.Request, provider string) (status int) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err != nil {
		return http.StatusBadRequest
	}
	id, fresh, err := s.storeEvent(r.Context(), provider, body)
	switch {
	case errors.Is(err, errNoEvent):
		return http.StatusBadRequest
	case err != nil:
		return http.StatusInternalServerError
	case !fresh:
		return http.StatusOK // told before; whoever stored it processes it, or the sweeper does
	}
	if s.Step(r.Context(), AfterEvent) != nil {
		return http.StatusInternalServerError
	}
	if err := s.process(r.Context(), id); err != nil {
		return http.StatusAccepted // it is stored: the sweeper takes it up
	}
	return http.StatusOK
}

var errNoEvent = errors.New("not an event")

// storeEvent inserts the event before anything is done about it; the unique
// key on provider and id decides who is first.
func (s *Shop) storeEvent(ctx context.Context, provider string, body []byte) (id int64, fresh bool, err error) {
	var e event
	if json.Unmarshal(body, &e) != nil || e.ID == "" {
		return 0, false, errNoEvent
	}
	err = s.DB.QueryRowContext(ctx, `INSERT INTO webhook_events (provider, external_id, type, payload, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (provider, external_id) DO NOTHING RETURNING id`,
		provider, e.ID, e.Type, string(body), s.now()).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("store event %s: %w", e.ID, err)
	}
	return id, true, nil
}

// process brings about what an event says, once. Where it fails the event
// stays pending, with what happened.
func (s *Shop) process(ctx context.Context, id int64) error {
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var provider, payload, status string
		err := tx.QueryRowContext(ctx, `SELECT provider, CAST(payload AS text), status FROM webhook_events WHERE id = $1`+s.locked(), id).
			Scan(&provider, &payload, &status)
		if err != nil || status != "pending" {
			return err
		}
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			return err
		}
		if err := s.apply(ctx, tx, id, provider, &e); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhook_events SET status = 'processed', attempts = attempts + 1, processed_at = $1, updated_at = $1
WHERE id = $2`, s.now(), id)
		return err
	})
	if err == nil {
		return nil
	}
	_, noted := s.DB.ExecContext(context.WithoutCancel(ctx), `UPDATE webhook_events SET attempts = attempts + 1, last_error = $1, updated_at = $2
WHERE id = $3 AND status = 'pending'`, err.Error(), s.now(), id)
	return errors.Join(fmt.Errorf("process event %d: %w", id, err), noted)
}

// apply is the state machine: the event names an object, the object's state
// may settle its attempt and move its charge, and only such a move books
// anything. Events that come late or twice find nothing left to move.
func (s *Shop) apply(ctx context.Context, tx *sql.Tx, id int64, provider string, e *event) error {
	attempt, status, err := s.attemptOf(ctx, tx, provider, &e.Object)
	if err != nil || attempt == 0 { // nobody's: a static QR code, a refund by hand
		return err
	}
	c, err := s.lock(ctx, tx, attempt)
	if err != nil {
		return err
	}
	if s.Twin == CreditPerEvent && e.Object.paid() {
		if err := s.book(ctx, tx, c, id); err != nil {
			return err
		}
	}
	switch {
	case e.Object.paid():
		out := outcome{status: payment.Succeeded, object: e.Object}
		moved, err := s.settle(ctx, tx, attempt, c, out, id)
		if err != nil || moved || status != payment.Succeeded.String() {
			return err // moved now, or final and failed: for a person
		}
		return s.chargePaid(ctx, tx, c, id)
	case e.Object.dead():
		out := outcome{status: payment.Failed, class: payment.ErrorCardRefused}
		if _, err := s.settle(ctx, tx, attempt, c, out, id); err != nil {
			return err
		}
		return s.moveCharge(ctx, tx, c.ID, "open", "waiting")
	default:
		return nil
	}
}

// attemptOf finds the attempt that an object belongs to: by the key that went
// out with it, else by the stored id; 0 where there is none. A refund told of
// by its sale changes nothing about the sale's attempt.
func (s *Shop) attemptOf(ctx context.Context, tx *sql.Tx, provider string, o *object) (id int64, status string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id, status FROM charge_attempts
WHERE provider = $1 AND (CAST(idempotency_key AS text) = $2 OR provider_charge_id = $3) ORDER BY id LIMIT 1`,
		provider, o.Metadata["idempotency_key"], o.ID).Scan(&id, &status)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil
	}
	return id, status, err
}
