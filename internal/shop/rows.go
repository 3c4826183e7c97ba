package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// The names of the references that go out with every attempt; both stand in
// the object's metadata under the same names.
const (
	RefCharge = "charge_id"       // scope charge
	RefKey    = "idempotency_key" // scope attempt
	RefPedido = "pedido_id"       // of cobranças, scope charge
)

// Attempts reads the shop's attempts, oldest first, as a description of its
// tables would: the amount joined from charges, times in the shop's zone.
func (s *Shop) Attempts(ctx context.Context) ([]payment.Attempt, error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT CAST(a.id AS text), CAST(a.charge_id AS text), CAST(a.idempotency_key AS text), a.provider, a.status,
coalesce(a.provider_charge_id, ''), a.payload_hash, coalesce(CAST(a.last_error AS text), ''), coalesce(CAST(a.resolved_at AS text), ''),
CAST(a.created_at AS text), CAST(a.updated_at AS text), c.operation, c.amount_cents, c.currency, coalesce(r.status, '')
FROM charge_attempts a JOIN charges c ON c.id = a.charge_id LEFT JOIN reserves r ON r.attempt_id = a.id ORDER BY a.id`)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var all []payment.Attempt
	for rows.Next() {
		var a payment.Attempt
		var text attemptText
		err := rows.Scan(&a.ID, &a.Charge, &a.Key, &a.Provider, &text.status, &a.ProviderID, &a.PayloadHash, &text.lastError,
			&text.resolved, &text.created, &text.updated, &text.operation, &a.Amount.Minor, &text.currency, &text.reserve)
		if err != nil {
			return nil, fmt.Errorf("read attempts: %w", err)
		}
		if err := s.fill(&a, &text); err != nil {
			return nil, fmt.Errorf("read attempt %s: %w", a.ID, err)
		}
		all = append(all, a)
	}
	return all, rows.Err()
}

// attemptText is what a row holds as text.
type attemptText struct {
	status, lastError, resolved, created, updated, operation, currency, reserve string
}

func (s *Shop) fill(a *payment.Attempt, t *attemptText) (err error) {
	if a.Status, err = payment.ParseStatus(t.status); err != nil {
		return err
	}
	if a.Operation, err = payment.ParseOperation(t.operation); err != nil {
		return err
	}
	if a.Reserve, err = payment.ParseReserve(t.reserve); err != nil {
		return err
	}
	if a.Amount.Currency, err = money.ParseCurrency(t.currency); err != nil {
		return err
	}
	if a.LastError, err = callError(t.lastError); err != nil {
		return err
	}
	for _, at := range []struct {
		text string
		into *payment.Instant
	}{{t.created, &a.CreatedAt}, {t.updated, &a.LastSent}, {t.resolved, &a.ResolvedAt}} {
		if at.text == "" {
			continue
		}
		moment, err := s.instant(at.text)
		if err != nil {
			return err
		}
		*at.into = payment.InstantOf(moment)
	}
	a.References = []payment.Reference{
		{Name: RefCharge, Scope: payment.ScopeCharge, Value: a.Charge}, {Name: RefKey, Scope: payment.ScopeAttempt, Value: a.Key},
	}
	return nil
}

func callError(text string) (payment.CallError, error) {
	if text == "" {
		return payment.ErrorNone, nil
	}
	var e struct {
		Class string `json:"class"`
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return payment.ErrorNone, fmt.Errorf("last_error: %w", err)
	}
	return payment.ParseCallError(e.Class)
}

// Cobrancas reads the cobrancas as attempts: one per row, the pedido for the
// charge. pendente is pending: the table has no word for unknown.
func (s *Shop) Cobrancas(ctx context.Context) ([]payment.Attempt, error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT id, idempotency_key, pedido_id, valor_centavos, status, CAST(criada_em AS text) FROM cobranca ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("read cobrancas: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	status := map[string]payment.Status{"pendente": payment.Pending, "paga": payment.Succeeded, "recusada": payment.Failed}
	var all []payment.Attempt
	for rows.Next() {
		var id, pedido int64
		var word, created string
		a := payment.Attempt{Provider: s.Cobranca, Amount: money.Amount{Currency: money.MustCurrency("BRL")}}
		if err := rows.Scan(&id, &a.Key, &pedido, &a.Amount.Minor, &word, &created); err != nil {
			return nil, fmt.Errorf("read cobrancas: %w", err)
		}
		at, err := zoned(created)
		if err != nil {
			return nil, fmt.Errorf("read cobranca %d: %w", id, err)
		}
		a.ID, a.Charge = "cobranca-"+strconv.FormatInt(id, 10), "pedido-"+strconv.FormatInt(pedido, 10)
		a.Status, a.CreatedAt, a.LastSent = status[word], at, at
		a.References = []payment.Reference{{Name: RefPedido, Scope: payment.ScopeCharge, Value: strconv.FormatInt(pedido, 10)}}
		all = append(all, a)
	}
	return all, rows.Err()
}

// zoned reads a column with zone as either database writes it.
func zoned(text string) (payment.Instant, error) {
	for _, layout := range []string{"2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999-07"} {
		if t, err := time.Parse(layout, text); err == nil {
			return payment.InstantOf(t), nil
		}
	}
	return 0, fmt.Errorf("criada_em %q is no moment", text)
}
