package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	merchant "desfecho/internal/shop"
)

// customers are who comes to a market, and what they leave behind.
type customers struct {
	zone   *time.Location
	outage bool                          // no webhook comes for days, and no job of the shop's runs
	calm   atomic.Bool                   // submissions go well
	next   atomic.Pointer[fakepsp.Fault] // of the next submission, however calm it is
	at     atomic.Pointer[func(merchant.Step) error]

	sales   []sale
	waiting int     // objects at Banco that were looked at by payers
	so      listing // what was true at some moment
	// What was done on purpose, by attempt or unit: it must be found.
	byHand, disputed, strangers []string
}

type sale struct {
	id     int64
	charge merchant.Charge
	paid   bool
}

func (m *market) step(_ context.Context, s merchant.Step) error {
	if at := m.at.Load(); at != nil {
		return (*at)(s)
	}
	return nil
}

func (m *market) oneIn(n int) bool { return m.dice.IntN(n) == 0 }

func (m *market) pass(d time.Duration) {
	m.stage.Clock.Advance(d)
	m.must(m.stage.Deliver(m.t.Context()))
}

// prelude is an hour in which all goes well, so that there is something of
// every kind of which everybody knows.
func (m *market) prelude() {
	m.calm.Store(true)
	defer m.calm.Store(false)
	for _, c := range []merchant.Charge{
		{Provider: merchant.Loja, Method: fakepsp.MethodCard, Token: "tok_ok"},
		{Provider: merchant.Loja, Operation: payment.Transfer, Method: "ted", Token: "conta-1"},
		{Provider: merchant.Banco, Operation: payment.Transfer, Method: "ted", Token: "conta-1"},
		{Provider: merchant.Banco, Method: fakepsp.MethodPix},
	} {
		m.sell(c)
		m.pass(15 * time.Minute)
	}
}

// customer is one of those who come.
func (m *market) customer() {
	card := "tok_ok"
	if m.oneIn(4) {
		card = "tok_declined"
	}
	to := "conta-1"
	if m.oneIn(4) {
		to = "blocked"
	}
	switch m.dice.IntN(9) {
	case 0:
		m.sell(merchant.Charge{Provider: merchant.Banco, Method: fakepsp.MethodPix})
	case 1:
		m.sell(merchant.Charge{Provider: merchant.Banco, Method: fakepsp.MethodBoleto})
	case 2:
		m.refund()
	case 3:
		m.sell(merchant.Charge{Provider: merchant.Loja, Operation: payment.Transfer, Method: "ted", Token: to})
	case 4:
		m.sell(merchant.Charge{Provider: merchant.Banco, Operation: payment.Transfer, Method: "ted", Token: to})
	default:
		m.sell(merchant.Charge{Provider: merchant.Loja, Method: fakepsp.MethodCard, Token: card})
	}
}

// sell tries up to three times, with another card where one was refused.
func (m *market) sell(c merchant.Charge) *sale {
	ctx := m.t.Context()
	c.Currency = "BRL"
	if c.Amount == 0 {
		c.Amount = int64(500 + m.dice.IntN(100_000))
	}
	if c.Operation == payment.Charge {
		order, err := m.stage.Shop.Order(ctx, fmt.Sprintf("pedido %d", len(m.sales)), c.Amount, c.Currency)
		m.must(err)
		c.Payment = order
	}
	id, err := m.stage.Shop.AddCharge(ctx, c)
	m.must(err)
	m.sales = append(m.sales, sale{id: id, charge: c})
	at := len(m.sales) - 1
	for range 3 {
		status := m.submit(id)
		if m.sales[at].paid = status == payment.Succeeded; m.sales[at].paid || m.oneIn(3) {
			break
		}
		m.pass(time.Duration(1+m.dice.IntN(20)) * time.Minute)
		if status == payment.Failed && c.Token == "tok_declined" {
			m.must(m.stage.Shop.ChangeToken(ctx, id, "tok_ok"))
		}
	}
	return &m.sales[at]
}

// submit presses the button, now and then twice, and now and then the process
// dies on the way.
func (m *market) submit(charge int64) payment.Status {
	ctx := m.t.Context()
	var twice, dead atomic.Bool
	twice.Store(m.oneIn(6) && !m.calm.Load())
	dies := merchant.Step(m.dice.IntN(30))
	at := func(s merchant.Step) error {
		if s == merchant.BeforeInsert && twice.CompareAndSwap(true, false) {
			_, _, err := m.stage.Shop.Submit(ctx, charge)
			m.expected(err)
		}
		if s == dies && s != merchant.BeforeInsert && !m.calm.Load() && dead.CompareAndSwap(false, true) {
			return errDies
		}
		return nil
	}
	m.at.Store(&at)
	_, status, err := m.stage.Shop.Submit(ctx, charge)
	m.at.Store(nil)
	m.expected(err)
	return status
}

func (m *market) expected(err error) {
	m.t.Helper()
	if !errors.Is(err, merchant.ErrOpen) && !errors.Is(err, merchant.ErrSettled) && !errors.Is(err, errDies) {
		m.must(err)
	}
}

// refund gives a paid card sale back, in whole or in part.
func (m *market) refund() {
	for i := range m.sales {
		s := &m.sales[i]
		if !s.paid || s.charge.Operation != payment.Charge || s.charge.Provider != merchant.Loja {
			continue
		}
		s.paid = false // once
		cents := s.charge.Amount
		if m.oneIn(2) {
			cents /= 2
		}
		m.sell(merchant.Charge{Provider: merchant.Loja, Parent: s.id, Operation: payment.Refund, Method: fakepsp.MethodCard, Amount: cents})
		return
	}
}

// payers pay what waits at Banco, or let it expire, or do neither.
func (m *market) payers() {
	bank := m.stage.Providers[merchant.Banco]
	objects := bank.Objects()
	for _, o := range objects[m.waiting:] {
		switch m.dice.IntN(4) {
		case 0:
		case 1:
			if o.State == fakepsp.Waiting {
				m.must(bank.Expire(o.ID))
			}
		default:
			if o.State == fakepsp.Waiting {
				m.must(bank.Pay(o.ID))
			}
		}
	}
	m.waiting = len(objects)
}

// jobs are the shop's own: what they settle nobody need be told of.
func (m *market) jobs() {
	ctx := m.t.Context()
	_, err := m.stage.Shop.Resolve(ctx)
	m.must(err)
	_, err = m.stage.Shop.Sweep(ctx, 10*time.Minute)
	m.must(err)
}

// mischief is what somebody does on purpose: a sale that is booked and was
// never sent, money given back in the dashboard, a card holder who disputes,
// sales that the shop never heard of.
func (m *market) mischief() {
	m.calm.Store(true)
	defer m.calm.Store(false)
	for _, provider := range []string{merchant.Loja, merchant.Banco} {
		at := m.stage.Providers[provider]
		m.invent(provider)
		attempt, unit := m.sold(provider)
		m.must(at.RefundByHand(unit, m.object(provider, unit).Captured))
		m.byHand = append(m.byHand, attempt)
		attempt, unit = m.sold(provider)
		m.must(at.ChargeBack(unit))
		m.disputed = append(m.disputed, attempt)
	}
	m.strangers = append(m.strangers, m.stage.Providers[merchant.Banco].ReceiveStatic(4321, "BRL"), m.elsewhere())
	m.waiting = len(m.stage.Providers[merchant.Banco].Objects())
}

// sold is a sale that went well and is paid.
func (m *market) sold(provider string) (attempt, unit string) {
	m.t.Helper()
	method := map[string]string{merchant.Loja: fakepsp.MethodCard, merchant.Banco: fakepsp.MethodPix}[provider]
	s := m.sell(merchant.Charge{Provider: provider, Method: method, Token: "tok_ok"})
	s.paid = false // nobody gives it back once more
	m.must(m.stage.Shop.DB.QueryRowContext(m.t.Context(), `SELECT CAST(id AS text), provider_charge_id FROM charge_attempts
WHERE charge_id = $1 AND status = 'succeeded'`, s.id).Scan(&attempt, &unit))
	if provider == merchant.Banco {
		m.must(m.stage.Providers[provider].Pay(unit))
	}
	return attempt, unit
}

// invent books a sale that was never sent.
func (m *market) invent(provider string) {
	m.t.Helper()
	ctx := m.t.Context()
	charge, err := m.stage.Shop.AddCharge(ctx, merchant.Charge{Provider: provider, Method: fakepsp.MethodPix, Amount: 7700, Currency: "BRL"})
	m.must(err)
	_, err = m.stage.Shop.DB.ExecContext(ctx, `INSERT INTO charge_attempts
(charge_id, idempotency_key, provider, status, provider_charge_id, payload_hash, resolved_at, created_at, updated_at)
VALUES ($1, $2, $3, 'succeeded', $4, $5, $6, $6, $6)`,
		charge, fmt.Sprintf("00000000-0000-4000-9000-%012x", m.dice.Uint64()>>16), provider, ghost[provider], strings.Repeat("0", 64),
		m.stage.Clock.Now().UTC().Format("2006-01-02 15:04:05.000000"))
	m.must(err)
}

// elsewhere is a card sale of another program with the same key.
func (m *market) elsewhere() (unit string) {
	m.t.Helper()
	return m.post(merchant.Loja, "payments", `{"amount":9900,"currency":"BRL","method":"card","card":"tok_ok"}`)
}

// post sends a request past the shop and gives the id of its object.
func (m *market) post(provider, path, body string) (unit string) {
	m.t.Helper()
	ask, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.stage.URL(provider)+"/v1/"+path, strings.NewReader(body))
	m.must(err)
	ask.Header.Set("Authorization", "Bearer token_"+provider)
	got, err := http.DefaultClient.Do(ask)
	m.must(err)
	defer got.Body.Close()
	var made struct{ ID string }
	m.must(json.NewDecoder(got.Body).Decode(&made))
	return made.ID
}

// ghost are ids of objects that never were.
var ghost = map[string]string{merchant.Loja: "pi_999999", merchant.Banco: "pay_999999"}

func (m *market) object(provider, id string) fakepsp.Object {
	m.t.Helper()
	for _, o := range m.stage.Providers[provider].Objects() {
		if o.ID == id {
			return o
		}
	}
	m.fail("%s holds no %s", provider, id)
	return fakepsp.Object{}
}
