package settle

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"desfecho/internal/audit"
	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/probe"
	"desfecho/internal/provider"
	"desfecho/internal/store"
	"desfecho/internal/store/postgres"
	"desfecho/resolve"
)

// answering is a provider that holds the objects of some keys.
type answering struct {
	provider.Provider
	units map[string]payment.Unit
}

func (p *answering) Capabilities() provider.Capabilities {
	return provider.Capabilities{Lookups: []provider.Lookup{{Key: payment.LookupKey{Kind: payment.KeyIdempotency}, Endpoint: "payments"}}}
}

func (p *answering) LookUp(_ context.Context, q provider.Question) (provider.Answer, error) {
	u, ok := p.units[q.Key.Value]
	if !ok {
		return provider.Answer{Outcome: payment.NotFound, Account: "acct_1", Canonical: []byte("[]")}, nil
	}
	return provider.Answer{Outcome: payment.Found, Account: "acct_1", Units: []payment.Unit{u}, Canonical: []byte(u.ID)}, nil
}

func unitOf(id, key string, created payment.Instant) payment.Unit {
	return payment.Unit{
		ID: id, Provider: "stripe", Account: "acct_1", Key: key, State: payment.StateCaptured, Final: true, Asked: payment.Known(100),
		Captured: payment.Known(100), Currency: money.MustCurrency("BRL"), CreatedAt: created,
	}
}

func guardedPolicy() evidence.Policy {
	p := evidence.NewPolicy("stripe")
	p.SucceededMeans = map[payment.Operation]evidence.Means{payment.Charge: evidence.MeansCaptured}
	p.LookupBy = []payment.LookupKey{{Kind: payment.KeyIdempotency}}
	p.BooksAfter = 30 * 24 * time.Hour // its ledger tells too late to be waited for
	return p
}

// TestWhatTheDeskOffersTheFunctionWrites: the desk's verdict rests on what the
// function finds in the tables itself, for a login that may only call it.
func TestWhatTheDeskOffersTheFunctionWrites(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := guardedStore(t)
	seen, err := s.See(ctx, "1")
	if err != nil {
		t.Fatal(err)
	}
	made := seen.Attempt.CreatedAt
	p := &answering{units: map[string]payment.Unit{"k1": unitOf("pi_1", "k1", made), "control": unitOf("pi_0", "control", made)}}
	ago := time.Duration(0)
	ids := 0
	desk := &Desk{
		Store: s, Policies: []evidence.Policy{guardedPolicy()}, Declared: []resolve.Transition{resolve.ToSucceeded, resolve.ToFailed}, Program: "test",
		NewID: func() string { ids++; return fmt.Sprint("op-", ids) },
		Askers: []*probe.Asker{{
			Provider: p, Name: "stripe", Account: "acct_1",
			Now: func() payment.Instant {
				now, err := s.See(ctx, "1")
				if err != nil {
					t.Error(err)
					return 0
				}
				return now.At.Add(-ago)
			},
			Known: func(context.Context, provider.Lookup, payment.Interval) ([]probe.Control, error) {
				return []probe.Control{{Unit: p.units["control"]}}, nil
			},
		}},
	}
	if desk.Login, err = s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	settle := func(id string, mark resolve.Mark, after string) {
		t.Helper()
		picture, err := desk.Look(ctx, id, "")
		if err != nil {
			t.Fatal(err)
		}
		if offer := picture.Verdict.Offers(mark); !offer.Allowed {
			t.Fatalf("attempt %s is not offered %s: %s %+v", id, mark, offer.Sentence, picture.Verdict.Gate)
		}
		outcome, err := desk.Settle(ctx, picture, Confirmation{Mark: mark, Operator: "ana", Reason: "at night"})
		if err != nil || outcome.Entry.After != after || outcome.Entry.Kind != audit.Settled {
			t.Errorf("attempt %s: %v, %+v", id, err, outcome.Entry)
		}
	}
	settle("1", resolve.Succeeded, "paid pi_1")
	ago = 20 * time.Minute
	if _, err := desk.Look(ctx, "2", ""); err != nil {
		t.Fatal(err)
	}
	ago = 0
	settle("2", resolve.Failed, "failed ")
}

// guardedStore is a database in which only the function writes, opened by
// somebody who resolves.
func guardedStore(t *testing.T) *postgres.Store {
	t.Helper()
	address := pgtest.Database(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	server := pgtest.Server(t)
	server.SQL(t, name, `CREATE TABLE tries (id bigint PRIMARY KEY, key text, status text NOT NULL, object text, cents bigint, made timestamptz);
		INSERT INTO tries SELECT n, 'k' || n, 'unknown', NULL, 100, now() - interval '2 days' FROM generate_series(1, 2) n`)
	described := &store.Description{
		Read: "tries", WriteBy: store.ByFunction, Provider: "stripe", Account: "acct_1", Currency: "BRL",
		Columns:     store.Columns{ID: "id", Charge: "id", Key: "key", Status: "status", ProviderChargeID: "object", Amount: "cents", Unit: "minor", CreatedAt: "made"},
		Status:      store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"paid"}, Failed: []string{"failed"}},
		Transitions: []store.Transition{{To: "succeeded"}, {To: "failed"}},
	}
	terms := &postgres.Terms{Policies: []evidence.Policy{guardedPolicy()}, ApprovalTTL: time.Hour}
	open := func(address string) *postgres.Store {
		s, err := postgres.Open(t.Context(), postgres.Options{URL: address, Attempts: described, Terms: terms})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() }) // nothing is left to write
		return s
	}
	if _, err := open(address).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	sql, err := postgres.Roles(described, terms)
	if err != nil {
		t.Fatal(err)
	}
	server.SQL(t, name, sql+"CREATE ROLE somebody LOGIN IN ROLE desfecho_resolve")
	return open(server.URL("somebody", name))
}
