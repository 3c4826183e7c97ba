package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

// TestASiblingThatIsSettledJustNowIsWaitedFor: an application that keeps to no
// lock order settles another attempt of the charge while desfecho settles this
// one. What it does is waited for, and nothing is written on what it was.
func TestASiblingThatIsSettledJustNowIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, by := range []string{store.ByStatements, store.ByFunction} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			besideASibling(t, by)
		})
	}
}

func besideASibling(t *testing.T, by string) {
	ctx := t.Context()
	d, login := raceDatabase(t, by)
	d.Exec(t, `INSERT INTO payments VALUES (1, 'open');
		INSERT INTO attempts (id, payment_id, status, amount_cents) VALUES (9, 1, 'unknown', 100), (10, 1, 'unknown', 100)`)
	terms := usualTerms()
	tool := opened(t, Options{URL: pgtest.Server(t).URL(login, nameOf(t, d.url)), Attempts: raceDescription(by), Terms: &terms})
	application, err := pgx.Connect(ctx, d.url)
	if err != nil {
		t.Fatal(err)
	}
	defer application.Close(context.WithoutCancel(ctx))
	seen, err := tool.See(ctx, "10")
	if err != nil {
		t.Fatal(err)
	}
	shown(t, tool, seen, "pi_10")
	settle := func(op string, seen *store.Seen) *store.MovedError {
		w := store.Settlement{
			Intent: store.Intent{OpID: op, Attempt: "10", Mark: "succeeded", Operator: "ana"},
			Seen:   seen, Status: payment.Succeeded, Transition: "succeeded", Unit: "pi_10", Evidence: "shown",
		}
		if err := tool.Intend(ctx, w.Intent); err != nil {
			t.Fatal(err)
		}
		_, err := tool.Settle(ctx, w)
		moved, _ := errors.AsType[*store.MovedError](err)
		if err != nil && moved == nil {
			t.Errorf("%s: %v", op, err)
		}
		return moved
	}
	tx, err := application.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "UPDATE attempts SET status = 'succeeded', provider_charge_id = 'pi_9' WHERE id = 9"); err != nil {
		t.Fatal(err)
	}
	if moved := settle("while", seen); moved == nil || moved.Cause != store.CauseLocked || (moved.By == "") != (by == store.ByFunction) { // that login sees no other one
		t.Errorf("while the sibling is being settled: %v", moved)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if moved := settle("after", seen); moved == nil || moved.Cause != store.CauseSibling || moved.By != "9" || moved.Detail != "is succeeded now" {
		t.Errorf("after the sibling was settled: %v", moved)
	}
	if seen, err = tool.See(ctx, "10"); err != nil {
		t.Fatal(err)
	}
	if moved := settle("again", seen); moved != nil {
		t.Errorf("with the sibling as it stands now: %v", moved)
	}
}
