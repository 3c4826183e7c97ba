package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

// raceRounds is how often nine writers race for one attempt.
var raceRounds = flag.Int("race-rounds", 60, "rounds of nine racing writers")

const raceTables = `CREATE TABLE payments (id bigint PRIMARY KEY, state text NOT NULL);
CREATE TABLE attempts (id bigint PRIMARY KEY, payment_id bigint NOT NULL, status text NOT NULL, provider_charge_id text UNIQUE,
  amount_cents bigint NOT NULL, settled_by text, resolved_at timestamptz, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz);
CREATE TABLE credits (payment_id bigint PRIMARY KEY, amount_cents bigint NOT NULL);
GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;`

func raceDescription(by string) *store.Description {
	return &store.Description{
		Read: "attempts", WriteBy: by, Provider: "stripe", Currency: "BRL",
		Columns: store.Columns{
			ID: "id", Charge: "payment_id", Status: "status", ProviderChargeID: "provider_charge_id", Amount: "amount_cents", Unit: "minor",
			CreatedAt: "created_at", UpdatedAt: "updated_at", ResolvedAt: "resolved_at",
		},
		Status:     store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
		LockBefore: []string{"SELECT 1 FROM payments WHERE id = $charge FOR UPDATE NOWAIT"},
		Transitions: []store.Transition{
			{To: "failed", AlsoSet: []store.SetAlso{{Column: "settled_by", Value: "$operator"}}},
			{To: "succeeded", AlsoSet: []store.SetAlso{{Column: "settled_by", Value: "$operator"}}, FollowUp: []store.FollowUp{
				{SQL: "UPDATE payments SET state = 'paid' WHERE id = $charge AND state <> 'paid'", Rows: "0..1", Zero: "already paid"},
				{SQL: "INSERT INTO credits VALUES ($charge, $amount)"},
			}},
		},
	}
}

// raceDatabase makes the tables and a login that settles: the owner, or one
// that may not write the attempts.
func raceDatabase(t *testing.T, by string) (d database, login string) {
	t.Helper()
	d = database{url: pgtest.Database(t)}
	d.Exec(t, raceTables)
	owner := opened(t, Options{URL: d.url})
	if _, err := owner.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if by == store.ByStatements {
		return d, roleOf(t, d.url)
	}
	d.Exec(t, "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC")
	return d, resolverOf(t, d, raceDescription(by), usualTerms())
}

// shown stores the look-up that a mark of success rests on.
func shown(t *testing.T, s *Store, seen *store.Seen, unit string) {
	t.Helper()
	answer := payment.Lookup{
		Attempt: seen.Attempt.ID, Provider: "stripe", Key: payment.LookupKey{Value: unit}, At: seen.At, Outcome: payment.Found, Canonical: "shown",
		Units: []payment.Unit{{ID: unit, State: payment.StateCaptured, Final: true}},
	}
	if _, err := s.StoreLookups(t.Context(), []payment.Lookup{answer}); err != nil {
		t.Fatal(err)
	}
}

// TestOfNineWritersOneWins: operators, and the application's webhook job in its
// own lock order (the payment before the attempt), settle one attempt at once.
// One of them does, the audit has an entry exactly where it was an operator,
// money is credited once, and the application is never a deadlock's victim.
func TestOfNineWritersOneWins(t *testing.T) {
	t.Parallel()
	for _, by := range []string{store.ByStatements, store.ByFunction} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			ofNine(t, by)
		})
	}
}

func ofNine(t *testing.T, by string) {
	d, login := raceDatabase(t, by)
	address := d.url
	terms := usualTerms()
	tool := opened(t, Options{URL: pgtest.Server(t).URL(login, nameOf(t, address)), Attempts: raceDescription(by), Terms: &terms})
	var err error
	var application [4]*pgx.Conn
	for i := range application {
		if application[i], err = pgx.Connect(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		defer application[i].Close(context.WithoutCancel(t.Context()))
	}
	entries := 0
	for round := range *raceRounds {
		entries += race(t, tool, application[:], round)
		if t.Failed() {
			return
		}
	}
	v := audit.NewVerifier(audit.Head{})
	if err := tool.Audit(t.Context(), "", v.Add); err != nil {
		t.Fatal(err)
	}
	head, err := v.End()
	if err != nil || head.Count != int64(entries) {
		t.Errorf("the audit ends at %v (%v), operators won %d rounds", head, err, entries)
	}
}

// openPayment is what a round is about: a payment with one unknown attempt.
func openPayment(t *testing.T, conn *pgx.Conn, round int) {
	t.Helper()
	for _, statement := range []string{
		"INSERT INTO payments VALUES ($1, 'open')", "INSERT INTO attempts (id, payment_id, status, amount_cents) VALUES ($1, $1, 'unknown', 100)",
	} {
		if _, err := conn.Exec(t.Context(), statement, round); err != nil {
			t.Fatal(err)
		}
	}
}

// race plays one round and gives how many operators won.
func race(t *testing.T, tool *Store, application []*pgx.Conn, round int) int {
	ctx := t.Context()
	first := application[0]
	openPayment(t, first, round)
	seen, err := tool.See(ctx, fmt.Sprint(round))
	if err != nil {
		t.Fatal(err)
	}
	shown(t, tool, seen, fmt.Sprint("pi_", round))
	var group sync.WaitGroup
	errs := make([]error, 5+len(application))
	for i := range 5 {
		w := store.Settlement{
			Intent: store.Intent{OpID: fmt.Sprintf("op-%d-%d", round, i), Attempt: fmt.Sprint(round), Mark: "succeeded", Operator: fmt.Sprint("tool-", i)},
			Seen:   seen, Status: payment.Succeeded, Transition: "succeeded", Unit: fmt.Sprint("pi_", round), Evidence: "shown",
		}
		if i%2 == 1 && !tool.reading.WritesByFunction() { // which takes no failed against an object that was shown
			w.Mark, w.Status, w.Transition, w.Unit = "failed", payment.Failed, "failed", ""
		}
		if err := tool.Intend(ctx, w.Intent); err != nil {
			t.Fatal(err)
		}
		group.Go(func() { _, errs[i] = tool.Settle(ctx, w) })
	}
	for i, conn := range application {
		group.Go(func() { errs[5+i] = webhook(ctx, conn, round) })
	}
	group.Wait()
	won := 0
	for i, err := range errs {
		moved, isMoved := errors.AsType[*store.MovedError](err)
		switch {
		case err == nil:
			won++
		case i >= 5 && errors.Is(err, errLost):
		case i >= 5:
			t.Errorf("round %d: the application is told %v", round, err)
		case !isMoved || moved.Cause != store.CauseSettled && moved.Cause != store.CauseLocked && moved.Cause != store.CauseUnitHeld:
			t.Errorf("round %d: an operator is told %v", round, err)
		}
	}
	operators := 0
	for _, err := range errs[:5] {
		if err == nil {
			operators++
		}
	}
	var status string
	var credits int
	if err := first.QueryRow(ctx, "SELECT status, (SELECT count(*) FROM credits c WHERE c.payment_id = a.payment_id) FROM attempts a WHERE id = $1", round).
		Scan(&status, &credits); err != nil {
		t.Fatal(err)
	}
	if won != 1 || (status == "succeeded") != (credits == 1) {
		t.Errorf("round %d: %d won, the attempt is %s, credited %d times", round, won, status, credits)
	}
	return operators
}

var errLost = errors.New("somebody was first")

// webhook is the application's own job: payment, then attempt, then effects.
func webhook(ctx context.Context, conn *pgx.Conn, id int) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after a commit there is nothing to roll back
	if _, err := tx.Exec(ctx, "SELECT 1 FROM payments WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, "UPDATE attempts SET status = 'succeeded', provider_charge_id = $2, settled_by = 'webhook' WHERE id = $1 AND status IN ('pending', 'unknown')",
		id, fmt.Sprint("pi_", id))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errLost
	}
	if _, err := tx.Exec(ctx, "UPDATE payments SET state = 'paid' WHERE id = $1", id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO credits VALUES ($1, 100)", id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
