package shop

import (
	"fmt"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
)

// The scenes in which nothing goes wrong.

func (t *teller) card() error {
	charge, err := t.sale(Loja, fakepsp.MethodCard, "tok_ok", t.price())
	if err != nil {
		return err
	}
	_, err = t.ends(t.Shop, charge, payment.Succeeded)
	return err
}

// secondCard: the first card is refused, the customer takes another one.
func (t *teller) secondCard() error {
	charge, err := t.sale(Loja, fakepsp.MethodCard, "tok_declined", t.price())
	if err != nil {
		return err
	}
	if _, err := t.ends(t.Shop, charge, payment.Failed); err != nil {
		return err
	}
	if err := t.Shop.ChangeToken(t.ctx, charge, "tok_ok"); err != nil {
		return err
	}
	_, err = t.ends(t.Shop, charge, payment.Succeeded)
	return err
}

func (t *teller) pix() error    { return t.paidLater(fakepsp.MethodPix) }
func (t *teller) boleto() error { return t.paidLater(fakepsp.MethodBoleto) }

// paidLater: the provider accepts, the payer pays.
func (t *teller) paidLater(method string) error {
	object, _, err := t.accepted(method)
	if err != nil {
		return err
	}
	return t.Providers[Banco].Pay(object)
}

// accepted opens a Pix or boleto and returns the provider's object and the
// attempt.
func (t *teller) accepted(method string) (object string, attempt int64, err error) {
	charge, err := t.sale(Banco, method, "", t.price())
	if err != nil {
		return "", 0, err
	}
	if attempt, err = t.ends(t.Shop, charge, payment.Succeeded); err != nil {
		return "", 0, err
	}
	all := t.Providers[Banco].Objects()
	return all[len(all)-1].ID, attempt, nil
}

// payout sends a supplier his money.
func (t *teller) payout() error {
	charge, err := t.Shop.AddCharge(t.ctx, Charge{
		Provider: Loja, Operation: payment.Transfer, Method: "ted", Token: "fornecedor", Amount: t.price(), Currency: "BRL",
	})
	if err != nil {
		return err
	}
	_, err = t.ends(t.Shop, charge, payment.Succeeded)
	return err
}

// refund sells something and takes it back.
func (t *teller) refund() error {
	cents := t.price()
	charge, err := t.sale(Loja, fakepsp.MethodCard, "tok_ok", cents)
	if err != nil {
		return err
	}
	if _, err := t.ends(t.Shop, charge, payment.Succeeded); err != nil {
		return err
	}
	back, err := t.Shop.AddCharge(t.ctx, Charge{
		Parent: charge, Provider: Loja, Operation: payment.Refund, Method: fakepsp.MethodCard, Amount: cents, Currency: "BRL",
	})
	if err != nil {
		return err
	}
	_, err = t.ends(t.Shop, back, payment.Succeeded)
	return err
}

func (t *teller) unpaidBoleto() error {
	_, attempt, err := t.accepted(fakepsp.MethodBoleto)
	t.Unpaid = fmt.Sprint(attempt)
	return err
}

func (t *teller) staticQR() error {
	t.Providers[Banco].ReceiveStatic(3500, "BRL")
	t.Expected++
	return nil
}

// The accidents.

// timeoutThatWasCaptured: no answer came, and no webhook; the money was taken.
func (t *teller) timeoutThatWasCaptured() error {
	attempt, err := t.accident(Right, 12990, payment.Unknown, fakepsp.SlowAfter)
	t.find("unknown_charged", "P1", "attempt", attempt.id, "the answer was too slow; the card was charged")
	return err
}

// timeoutThatHealed: the same in the evening before; in the morning the shop's
// own resolver asks and books the sale.
func (t *teller) timeoutThatHealed() error {
	_, err := t.accident(Right, 5990, payment.Unknown, fakepsp.SlowAfter)
	return err
}

// resolve runs the shop's resolver, once.
func (t *teller) resolve() error {
	settled, err := t.Shop.Resolve(t.ctx)
	if err == nil && settled != 1 {
		err = fmt.Errorf("the resolver settled %d attempts, want 1", settled)
	}
	return err
}

// neverArrived: the connection broke before the provider had read anything.
func (t *teller) neverArrived() error {
	attempt, err := t.accident(Right, 8000, payment.Unknown, fakepsp.DropBefore)
	t.find("unknown_not_found", "P2", "attempt", attempt.id, "the connection broke; the request never arrived")
	return err
}

// timeoutTakenForNo: an old checkout takes no answer for a no.
func (t *teller) timeoutTakenForNo() error {
	attempt, err := t.accident(TimeoutAsFailed, 104_500, payment.Failed, fakepsp.SlowAfter)
	t.find("failed_but_charged", "P1", "attempt", attempt.id, "a timeout was recorded as failed; the card was charged")
	return err
}

// retryThatDoubled: the first call was carried out, its answer lost; the retry
// had a key of its own.
func (t *teller) retryThatDoubled() error {
	attempt, err := t.accident(KeyPerCall, 18990, payment.Succeeded, fakepsp.DropAfter)
	t.find("duplicate_charge", "P1", "charge", attempt.charge, "a retry with a new key charged the card again")
	return err
}

// refundByHand: somebody gave a sale back in the provider's dashboard.
func (t *teller) refundByHand() error {
	attempt, err := t.accident(Right, 24900, payment.Succeeded)
	if err != nil {
		return err
	}
	t.find("refund_unrecorded", "P2", "attempt", attempt.id, "refunded by hand at the provider; nobody booked it")
	all := t.Providers[Loja].Objects()
	return t.Providers[Loja].RefundByHand(all[len(all)-1].ID, 24900)
}

type accident struct{ id, charge int64 }

// accident is a card sale that meets faults, of which no webhook tells.
func (t *teller) accident(twin Twin, cents int64, want payment.Status, faults ...fakepsp.Fault) (accident, error) {
	charge, err := t.sale(Loja, fakepsp.MethodCard, "tok_ok", cents)
	if err != nil {
		return accident{}, err
	}
	t.mishap.plan(true, faults...)
	id, err := t.ends(t.Shop.As(twin), charge, want)
	return accident{id, charge}, err
}
