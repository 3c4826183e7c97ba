package shop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"desfecho/internal/fakepsp"
	"desfecho/internal/shop"
)

func TestACobrancaIsMadeOncePerKey(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.Right)
	body := `{"pedido_id":7,"valor_centavos":9900,"cartao":"tok_ok"}`
	first := post(t, b.Shop, "/cobrancas", "k1", body)
	again := post(t, b.Shop, "/cobrancas", "k1", body)
	if first.Code != 201 || again.Code != 201 || first.Body.String() != again.Body.String() || again.Header().Get("Idempotent-Replayed") == "" {
		t.Errorf("first %d %s, again %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if got := post(t, b.Shop, "/cobrancas", "k1", strings.Replace(body, "9900", "9901", 1)).Code; got != 422 {
		t.Errorf("the key with another amount: %d", got)
	}
	declined := strings.Replace(body, "tok_ok", "tok_declined", 1)
	for range 2 {
		if got := post(t, b.Shop, "/cobrancas", "k2", declined).Code; got != 402 {
			t.Errorf("declined: %d", got)
		}
	}
	b.meets(fakepsp.DropAfter)
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 202 {
		t.Errorf("without an answer: %d", got)
	}
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 409 {
		t.Errorf("while nothing is known: %d", got)
	}
	b.Clock.Advance(15 * time.Minute)
	if n, err := b.Shop.ResolveCobrancas(t.Context()); n != 1 || err != nil {
		t.Errorf("%d settled, %v", n, err)
	}
	if got := post(t, b.Shop, "/cobrancas", "k3", body).Code; got != 201 {
		t.Errorf("after it was looked up: %d", got)
	}
	if n := len(b.Providers[shop.Caixa].Objects()); n != 3 {
		t.Errorf("%d objects", n)
	}
	during := 0
	b.step = func(s shop.Step) error {
		if s == shop.AfterInsert && during == 0 {
			during = post(t, b.Shop, "/cobrancas", "k4", body).Code
		}
		return nil
	}
	if got := post(t, b.Shop, "/cobrancas", "k4", body).Code; got != 201 || during != 409 {
		t.Errorf("%d, and %d meanwhile", got, during)
	}
}

func TestACobrancaThatWasLookedUpMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	b := open(t, memory(t), shop.SQLite, shop.TimeoutAsFailed)
	b.meets(fakepsp.DropAfter)
	b.step = func(s shop.Step) error {
		if s != shop.AfterReply {
			return nil
		}
		b.Clock.Advance(time.Hour)
		_, err := b.Shop.ResolveCobrancas(t.Context())
		return err
	}
	got := post(t, b.Shop, "/cobrancas", "k", `{"pedido_id":7,"valor_centavos":9900,"cartao":"tok_ok"}`)
	if stored := b.says(`SELECT status FROM cobranca`); got.Code != 201 || stored != "paga" {
		t.Errorf("answered %d, stored %s", got.Code, stored)
	}
}

func TestACobrancasTwinDoesItsHarm(t *testing.T) {
	t.Parallel()
	body := `{"pedido_id":7,"valor_centavos":9900,"cartao":"tok_ok"}`
	for twin, harm := range map[shop.Twin]func(*bench) string{
		shop.KeyPerCall: func(b *bench) string {
			b.meets(fakepsp.DropAfter)
			post(t, b.Shop, "/cobrancas", "k", body)
			return fmt.Sprint(len(b.Providers[shop.Caixa].Objects()), " objects")
		},
		shop.TimeoutAsFailed: func(b *bench) string {
			b.meets(fakepsp.SlowAfter)
			return fmt.Sprint(post(t, b.Shop, "/cobrancas", "k", body).Code, b.says(` SELECT ' ' || status FROM cobranca`))
		},
		shop.CheckThenAct: func(b *bench) string {
			b.step = func(s shop.Step) error {
				if s == shop.BeforeInsert {
					b.step = nil
					post(t, b.Shop, "/cobrancas", "k", body)
				}
				return nil
			}
			post(t, b.Shop, "/cobrancas", "k", body)
			return b.says(`SELECT count(*) || ' rows' FROM cobranca`)
		},
		shop.KeyFromOrder: func(b *bench) string {
			post(t, b.Shop, "/cobrancas", "k", body)
			return fmt.Sprint(post(t, b.Shop, "/cobrancas", "another", strings.Replace(body, "9900", "100", 1)).Code)
		},
	} {
		want := map[shop.Twin]string{
			shop.KeyPerCall: "2 objects", shop.TimeoutAsFailed: "402 recusada", shop.CheckThenAct: "2 rows", shop.KeyFromOrder: "422",
		}[twin]
		if got := harm(open(t, memory(t), shop.SQLite, twin)); got != want {
			t.Errorf("%s: %s, want %s", twin, got, want)
		}
	}
}
