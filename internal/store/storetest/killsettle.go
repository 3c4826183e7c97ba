package storetest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// settlingChild settles one attempt and kills its process before the statement
// of the number that the parent asked for; 0 kills nothing and prints how many
// statements there were.
func settlingChild(open Opener, address string) error {
	ctx, id := context.Background(), os.Getenv(killAttempt) //nolint:forbidigo // how a test reaches its child
	statements := 0
	s, err := open(ctx, address, settleDescription(), deadly(&statements))
	if err != nil {
		return err
	}
	seen, err := s.See(ctx, id)
	if err != nil {
		return err
	}
	w := killedSettlement(id, seen)
	if err := s.Intend(ctx, w.Intent); err != nil {
		return err
	}
	if _, err := s.Settle(ctx, w); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, statements) //nolint:errcheck,forbidigo // the parent sees that nothing came
	return s.Close()
}

func killedSettlement(id string, seen *store.Seen) store.Settlement {
	return store.Settlement{
		Intent: store.Intent{OpID: "op-" + id, Attempt: id, Mark: "succeeded", Digest: "d", Operator: "ana"}, Seen: seen,
		Status: payment.Succeeded, Transition: "succeeded", Unit: "pi_" + id, Program: "test",
	}
}

// KillSettling kills a process at each statement of a settlement, rounds times.
// Row, follow-ups and audit entry are there together or not at all; what became
// of the intent is found out by the next run; and then the attempt is settled,
// once.
func KillSettling(t *testing.T, d Database, address string, rounds int) {
	b := setUp(t, func(testing.TB) Database { return d }, settleDescription(), settleTables)
	next := 100
	fresh := func() string {
		next++
		id := fmt.Sprint(next)
		d.Exec(t, d.Dialect("INSERT INTO charges (id, amount_cents, currency) VALUES ("+id+", 100, 'BRL'); "+
			"INSERT INTO charge_attempts (id, charge_id, status, created_at) VALUES ("+id+", "+id+", 'unknown', '2025-03-10 09:00:00'), "+
			"(1000000 + "+id+", "+id+", 'failed', '2025-03-10 08:00:00')")) // and a sibling, whose row is locked
		return id
	}
	total := 0
	if _, err := fmt.Sscan(b.run(address, 0, killAttempt+"="+fresh()), &total); err != nil || total < 12 {
		t.Fatalf("an undisturbed child ran %d statements: %v", total, err)
	}
	b.Logf("%d statements", total)
	for range rounds {
		for place := 1; place <= total; place++ {
			id := fresh()
			b.run(address, place, killAttempt+"="+id)
			b.settledWholeOrNot(id, place)
			if t.Failed() {
				return
			}
		}
	}
	b.entries()
}

// settledWholeOrNot finds out what became of a killed settlement and completes
// it.
func (b *bench) settledWholeOrNot(id string, place int) {
	b.Helper()
	before := b.see(id).Attempt.Status
	open, err := b.Unsettled(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, intent := range open {
		e, err := b.Claim(b.Context(), intent, "test")
		if err != nil || e.Kind != audit.Abandoned || intent.Attempt != id {
			b.Errorf("killed at %d: intent %v is claimed as %v, %v", place, intent, e.Kind, err)
		}
	}
	var mine []audit.Entry
	if err := b.Audit(b.Context(), id, func(e *audit.Entry) error {
		mine = append(mine, *e)
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	landed := len(mine) == 1 && mine[0].Kind == audit.Settled
	if (before == payment.Succeeded) != landed || len(mine) > 1 {
		b.Errorf("killed at %d: the attempt is %s beside the entries %v", place, before, mine)
	}
	if landed {
		return
	}
	again := killedSettlement(id, b.see(id))
	again.OpID += "-again"
	if _, err := b.Settle(b.Context(), again); err != nil {
		b.Errorf("killed at %d: settling it again: %v", place, err)
	}
}
