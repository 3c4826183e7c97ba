package shop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"desfecho/internal/payment"
)

// pedido is the body of POST /cobrancas.
type pedido struct {
	ID       int64  `json:"pedido_id"`
	Centavos int64  `json:"valor_centavos"`
	Cartao   string `json:"cartao"`
}

// cobranca is one row of its table. Its words are pendente, paga and recusada;
// it has none for unknown.
type cobranca struct {
	id     int64
	key    string
	pedido pedido
	status string
	http   int
	body   string
}

// cobrar answers POST /cobrancas with an Idempotency-Key: the row is inserted
// first, and only who inserted it calls the provider. 201 or 402 with the
// answer, replayed for the same request; 202 where the outcome is not known;
// 409 while it is; 422 where the key came with another request.
func (s *Shop) cobrar(w http.ResponseWriter, r *http.Request) {
	var p pedido
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	key := r.Header.Get("Idempotency-Key")
	if err != nil || json.Unmarshal(body, &p) != nil || key == "" || p.ID <= 0 || p.Centavos <= 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if s.Twin == KeyFromOrder {
		key = fmt.Sprintf("pedido-%d", p.ID)
	}
	c, fresh, err := s.claim(r.Context(), key, p)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
	case !fresh:
		replay(w, c, p)
	default:
		c.pedido = p
		if err := s.cobrarAgora(r.Context(), &c); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		reply(w, c)
	}
}

// claim inserts the row, or reads the one that holds the key.
func (s *Shop) claim(ctx context.Context, key string, p pedido) (c cobranca, fresh bool, err error) {
	const insert = `INSERT INTO cobranca (idempotency_key, pedido_id, valor_centavos, status, criada_em) VALUES ($1, $2, $3, 'pendente', $4)`
	c = cobranca{key: key, pedido: p, status: "pendente"}
	args := []any{key, p.ID, p.Centavos, s.Clock.Now().UTC().Format("2006-01-02 15:04:05.000000Z07:00")}
	if s.Twin == CheckThenAct {
		held, err := s.cobrancaOf(ctx, key)
		if err == nil || !errors.Is(err, sql.ErrNoRows) {
			return held, false, err
		}
		if err := s.Step(ctx, BeforeInsert); err != nil {
			return c, false, err
		}
		err = s.DB.QueryRowContext(ctx, insert+` RETURNING id`, args...).Scan(&c.id)
		return c, true, err
	}
	if err := s.Step(ctx, BeforeInsert); err != nil {
		return c, false, err
	}
	err = s.DB.QueryRowContext(ctx, insert+` ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`, args...).Scan(&c.id)
	if errors.Is(err, sql.ErrNoRows) {
		c, err = s.cobrancaOf(ctx, key)
		return c, false, err
	}
	return c, true, err
}

func (s *Shop) cobrancaOf(ctx context.Context, key string) (c cobranca, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT id, idempotency_key, pedido_id, valor_centavos, status, coalesce(resposta_http, 0),
coalesce(CAST(resposta_corpo AS text), '') FROM cobranca WHERE idempotency_key = $1 ORDER BY id LIMIT 1`, key).
		Scan(&c.id, &c.key, &c.pedido.ID, &c.pedido.Centavos, &c.status, &c.http, &c.body)
	return c, err
}

// cobrarAgora makes the one try and records what is known: a final outcome
// with its answer, else nothing, so that the row stays pendente.
func (s *Shop) cobrarAgora(ctx context.Context, c *cobranca) error {
	if err := s.Step(ctx, AfterInsert); err != nil {
		return err
	}
	e, err := s.endpoint(s.Cobranca)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{
		"amount": c.pedido.Centavos, "currency": "BRL", "method": "card", "card": c.pedido.Cartao,
		"metadata": map[string]string{"pedido_id": strconv.FormatInt(c.pedido.ID, 10)},
	})
	if err != nil {
		return err
	}
	var out outcome
	for _, key := range s.Twin.keys(c.key, s.NewKey) {
		if out = s.send(ctx, e, "payments", key, body); out.status != payment.Unknown {
			break
		}
	}
	if err := s.Step(ctx, AfterReply); err != nil {
		return err
	}
	return s.recordCobranca(ctx, c, s.Twin.believes(out.status), out.object.ID)
}

// recordCobranca writes a final outcome, if the row is still pendente; c is
// what stands there afterwards.
func (s *Shop) recordCobranca(ctx context.Context, c *cobranca, status payment.Status, unit string) error {
	switch status {
	case payment.Succeeded:
		c.status, c.http = "paga", http.StatusCreated
	case payment.Failed:
		c.status, c.http = "recusada", http.StatusPaymentRequired
	case payment.StatusNone, payment.Pending, payment.Unknown:
		c.http = 0
		return nil
	}
	answer, err := json.Marshal(map[string]any{"cobranca": c.id, "status": c.status, "objeto": unit})
	if err != nil {
		return err
	}
	c.body = string(answer)
	done, err := s.DB.ExecContext(ctx, `UPDATE cobranca SET status = $1, resposta_http = $2, resposta_corpo = $3
WHERE id = $4 AND status = 'pendente'`, c.status, c.http, c.body, c.id)
	if err != nil {
		return fmt.Errorf("record cobranca %d: %w", c.id, err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	*c, err = s.cobrancaOf(ctx, c.key) // it was looked up meanwhile
	return err
}

func reply(w http.ResponseWriter, c cobranca) {
	w.Header().Set("Content-Type", "application/json")
	if c.http == 0 {
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status":"pendente"}`)
		return
	}
	w.WriteHeader(c.http)
	_, _ = io.WriteString(w, c.body)
}

func replay(w http.ResponseWriter, c cobranca, p pedido) {
	switch {
	case c.pedido.ID != p.ID || c.pedido.Centavos != p.Centavos:
		w.WriteHeader(http.StatusUnprocessableEntity)
	case c.http == 0:
		w.WriteHeader(http.StatusConflict)
	default:
		w.Header().Set("Idempotent-Replayed", "true")
		reply(w, c)
	}
}

// ResolveCobrancas looks up the cobranças that are pendente for longer than
// OrphanAfter and settles those whose answer is clear; it returns how many.
func (s *Shop) ResolveCobrancas(ctx context.Context) (settled int, err error) {
	open, err := s.cobrancasPendentes(ctx)
	if err != nil {
		return 0, err
	}
	e, err := s.endpoint(s.Cobranca)
	if err != nil {
		return 0, err
	}
	for i := range open {
		objects, err := s.lookUp(ctx, e, open[i].key)
		if err != nil {
			continue // no whole answer proves nothing: ask again next time
		}
		out := conclude(objects)
		if err := s.recordCobranca(ctx, &open[i], out.status, out.object.ID); err != nil {
			return settled, err
		}
		if out.status.Final() {
			settled++
		}
	}
	return settled, nil
}

func (s *Shop) cobrancasPendentes(ctx context.Context) (open []cobranca, err error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT id, idempotency_key FROM cobranca WHERE status = 'pendente' AND criada_em <= $1 ORDER BY id`,
		s.Clock.Now().Add(-s.OrphanAfter).UTC().Format("2006-01-02 15:04:05.000000Z07:00"))
	if err != nil {
		return nil, fmt.Errorf("list pendente cobrancas: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var c cobranca
		if err := rows.Scan(&c.id, &c.key); err != nil {
			return nil, fmt.Errorf("list pendente cobrancas: %w", err)
		}
		open = append(open, c)
	}
	return open, rows.Err()
}
