package shop_test

import (
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/payment"
	"desfecho/internal/shop"
)

func TestAnEventIsTakenOnceAndSweptWhenItsProcessDied(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	b.meets(fakepsp.DropAfter)
	_, _, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	b.step = func(s shop.Step) error {
		if s == shop.AfterEvent {
			return errCrash
		}
		return nil
	}
	b.must(b.Deliver(t.Context()))
	b.step = nil
	b.must(b.DeliverAll(t.Context())) // they come again: told before
	if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'pending'`); got != "2" {
		t.Fatalf("%s events are pending", got)
	}
	if got := b.says(`SELECT status FROM charge_attempts`); got != "unknown" {
		t.Errorf("the attempt is %s", got)
	}
	for range 2 {
		_, err = b.Shop.Sweep(t.Context(), time.Minute)
		b.must(err)
		if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'processed'`); got != "2" {
			t.Errorf("%s events are processed", got)
		}
		if got := b.says(`SELECT status FROM charge_attempts`); got != "succeeded" {
			t.Errorf("the attempt is %s", got)
		}
		if got := b.says(`SELECT count(*) FROM ledger_entries`); got != "1" {
			t.Errorf("%s credits", got)
		}
	}
}

func TestAFailedAttemptStaysFailedWhateverAnEventSays(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.TimeoutAsFailed)
	b.meets(fakepsp.SlowAfter)
	_, status, err := b.Shop.Submit(t.Context(), b.sale("tok_ok"))
	b.must(err)
	b.must(b.DeliverAll(t.Context()))
	if got := b.says(`SELECT status FROM charge_attempts`); status != payment.Failed || got != "failed" {
		t.Errorf("%s, then %s", status, got)
	}
	if got := b.says(`SELECT status || (SELECT count(*) FROM ledger_entries) FROM charges`); got != "open0" {
		t.Errorf("charge and entries: %s", got)
	}
	if got := b.says(`SELECT count(*) FROM webhook_events WHERE status = 'processed'`); got != "2" {
		t.Errorf("%s events are processed", got)
	}
}

func TestNonsenseAtTheDoorIsRefused(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	for _, row := range []struct {
		path, key, body string
		want            int
	}{
		{"/webhooks/loja", "", `{`, 400},
		{"/webhooks/loja", "", `{}`, 400},
		{"/nowhere", "", `{}`, 404},
		{"/cobrancas", "", `{}`, 400},
		{"/cobrancas", "k", `{"pedido_id":0}`, 400},
		{"/webhooks/loja", "", `{"id":"e","object":{"id":"pay_none","state":"paid"}}`, 200},
		{"/webhooks/loja", "", `{"id":"e","object":{"id":"pay_none","state":"paid"}}`, 200},
	} {
		if got := post(t, b.Shop, row.path, row.key, row.body).Code; got != row.want {
			t.Errorf("%s %s: %d, want %d", row.path, row.body, got, row.want)
		}
	}
}

func TestAnEventFasterThanTheAnswerIsBelieved(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	b.meets(fakepsp.DropAfter)
	b.step = func(s shop.Step) error {
		if s == shop.AfterReply {
			return b.Deliver(t.Context())
		}
		return nil
	}
	if _, got, err := b.Shop.Submit(t.Context(), b.sale("tok_ok")); err != nil || got != payment.Succeeded {
		t.Errorf("%s, %v", got, err)
	}
}
