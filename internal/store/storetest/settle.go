package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// settleTables are the attempts with the charge that they are about and
// the entries that a paid one is booked with.
const settleTables = `CREATE TABLE charges (id bigint PRIMARY KEY, amount_cents bigint NOT NULL, currency text NOT NULL, status text NOT NULL DEFAULT 'open');
CREATE TABLE credits (charge_id bigint PRIMARY KEY, amount_cents bigint NOT NULL, by_operation text NOT NULL);
CREATE TABLE charge_attempts (id bigserial PRIMARY KEY, charge_id bigint NOT NULL, status text NOT NULL, provider_charge_id text UNIQUE,
  settled_by text, resolved_at timestamp, created_at timestamp, updated_at timestamp);
CREATE VIEW charge_attempts_with_amounts AS SELECT a.*, c.amount_cents, c.currency FROM charge_attempts a JOIN charges c ON c.id = a.charge_id;
INSERT INTO charges (id, amount_cents, currency) VALUES (9, 12990, 'BRL'), (10, 500, 'BRL'), (11, 700, 'BRL');
INSERT INTO charge_attempts (charge_id, status, provider_charge_id, created_at, updated_at) VALUES
 (9, 'unknown', NULL, '2025-03-10 09:00:00', '2025-03-10 09:00:30.5'), (10, 'succeeded', 'pi_10', '2025-03-10 09:00:00', NULL),
 (11, 'pending', NULL, '2025-03-10 09:00:00', NULL), (9, 'failed', NULL, '2025-03-10 08:00:00', NULL);`

func settleDescription() *store.Description {
	return &store.Description{
		Read: "charge_attempts_with_amounts", Write: "charge_attempts", Timezone: "America/Sao_Paulo", Provider: provider, Account: account,
		Columns: store.Columns{
			ID: "id", Charge: "charge_id", Status: "status", ProviderChargeID: "provider_charge_id", Amount: "amount_cents", Unit: "minor",
			Currency: "currency", CreatedAt: "created_at", UpdatedAt: "updated_at", ResolvedAt: "resolved_at",
		},
		Status: store.StatusWords{Pending: []string{"pending"}, Unknown: []string{"unknown"}, Succeeded: []string{"succeeded"}, Failed: []string{"failed"}},
		Transitions: []store.Transition{
			{To: "unknown"},
			{To: "failed", AlsoSet: []store.SetAlso{{Column: "settled_by", Value: "$operator"}}},
			{To: "succeeded", FollowUp: []store.FollowUp{
				{SQL: "UPDATE charges SET status = 'paid' WHERE id = $charge AND status <> 'paid'", Rows: "0..1", Zero: "already paid"},
				{SQL: "INSERT INTO credits (charge_id, amount_cents, by_operation) VALUES ($charge, $amount, 'of ' || $charge || ' by ' || $op_id)"},
			}},
		},
	}
}

func settling(t *testing.T, fresh func(testing.TB) Database) *bench {
	return setUp(t, fresh, settleDescription(), settleTables)
}

func (b *bench) see(id string) *store.Seen {
	b.Helper()
	seen, err := b.See(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return seen
}

// Settling runs the part of the suite that is about settling, for a store that
// may do little else.
func Settling(t *testing.T, fresh func(tb testing.TB) Database) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, func(testing.TB) Database){
		"AttemptIsSettledOnce": settleOnce, "WhyNothingWasSettledIsTold": settleCauses, "OnlyLegalWritesAreMade": settleIllegal,
		"FollowUpsBelongToTheirWrite": settleFollowUps, "LostOperationIsClaimed": settleClaim, "OfManyWritersOneWins": settleRace,
		"AuditIsOnlyAddedTo": auditIsOnlyAddedTo, "DecisionsComeBackWithTheirEntries": decisionsComeBack,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh)
		})
	}
}

// observe stores what a mark rests on: the object, or twice that there is none.
func (b *bench) observe(id string, status payment.Status, unit string, now payment.Instant) {
	b.Helper()
	answer := payment.Lookup{
		Attempt: id, Provider: provider, Account: account, Key: payment.LookupKey{Kind: payment.KeyIdempotency, Value: "k"}, Outcome: payment.NotFound,
	}
	if status == payment.Succeeded {
		answer.Key.Kind, answer.Outcome = payment.KeyUnit, payment.Found
		answer.Units = []payment.Unit{{ID: unit, State: payment.StateCaptured, Final: true}}
	}
	first, second := answer, answer
	first.At, first.Canonical = now.Add(-20*time.Minute), "e1"
	second.At, second.Canonical = now, "e2"
	if _, err := b.StoreLookups(b.Context(), []payment.Lookup{first, second}); err != nil {
		b.Fatal(err)
	}
}

// mark is a settlement of an attempt as it stands; its evidence and its intent
// are recorded.
func (b *bench) mark(opID, id string, status payment.Status, unit string) store.Settlement {
	b.Helper()
	w := store.Settlement{
		Intent: store.Intent{OpID: opID, Attempt: id, Mark: status.String(), Digest: "d1", Operator: "ana"}, Seen: b.see(id),
		Status: status, Transition: status.String(), Unit: unit, Evidence: "e1,e2", Reason: "seen in the dashboard", Program: "test",
	}
	b.observe(id, status, unit, w.Seen.At)
	if err := b.Intend(b.Context(), w.Intent); err != nil {
		b.Fatal(err)
	}
	return w
}

// entries gives the audit, verified.
func (b *bench) entries() []audit.Entry {
	b.Helper()
	var all []audit.Entry
	v := audit.NewVerifier(audit.Head{})
	err := b.Audit(b.Context(), "", func(e *audit.Entry) error {
		all = append(all, *e)
		return v.Add(e)
	})
	if err != nil {
		b.Fatal(err)
	}
	head, err := v.End()
	if err != nil {
		b.Fatal(err)
	}
	told, err := b.Head(b.Context())
	if err != nil || told != head {
		b.Errorf("the head is %v (%v), want %v", told, err, head)
	}
	return all
}

func settleOnce(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	before := b.see("1")
	w := b.mark("op-1", "1", payment.Succeeded, "pi_1")
	entry, err := b.Settle(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	after := b.see("1")
	a := &after.Attempt
	if a.Status != payment.Succeeded || a.ProviderID != "pi_1" {
		t.Errorf("the attempt is %s with %q", a.Status, a.ProviderID)
	}
	if off := a.ResolvedAt.Sub(before.At); off < -time.Second || off > time.Minute {
		t.Errorf("resolved_at, read in its zone, is %s from the database's clock", off)
	}
	if after.Version == before.Version {
		t.Error("the version did not change")
	}
	entries := b.entries()
	if len(entries) != 1 || entries[0] != entry {
		t.Fatalf("the audit holds %v, the settlement gave %v", entries, entry)
	}
	want := audit.Entry{
		Seq: 1, Format: 1, OpID: "op-1", Kind: audit.Settled, Attempt: "1", Provider: provider, Account: account, Mark: "succeeded",
		Transition: "succeeded", Unit: "pi_1", Amount: 12990, Currency: "BRL", Before: "unknown ", After: "succeeded pi_1", Digest: "d1",
		Evidence: "e1,e2", Reason: "seen in the dashboard", Operator: "ana", Program: "test",
		At: entry.At, Login: entry.Login, Hash: entry.Hash,
	}
	if diff := cmp.Diff(want, entry); diff != "" {
		t.Error(diff)
	}
	_ = b.wantMoved(w, store.CauseSettled, "again")
	orphan := b.mark("op-2", "3", payment.Unknown, "")
	if _, err := b.Settle(t.Context(), orphan); err != nil {
		t.Fatal(err)
	}
	if got := b.see("3").Attempt; got.Status != payment.Unknown || !got.ResolvedAt.IsZero() {
		t.Errorf("the orphan is %s, resolved at %s", got.Status, got.ResolvedAt)
	}
}

// wantMoved settles and wants nothing written, for the cause.
func (b *bench) wantMoved(w store.Settlement, cause store.Cause, what string) *store.MovedError {
	b.Helper()
	entries := len(b.entries())
	_, err := b.Settle(b.Context(), w)
	moved, ok := errors.AsType[*store.MovedError](err)
	switch {
	case !ok || moved.Cause != cause:
		b.Errorf("%s: %v, want %s", what, err, cause)
	case !errors.Is(err, store.ErrMoved) || !strings.Contains(err.Error(), "nothing was written"):
		b.Errorf("%s: %v does not say that nothing was written", what, err)
	case len(b.entries()) != entries:
		b.Errorf("%s: the audit has another entry", what)
	}
	return moved
}

func settleCauses(t *testing.T, fresh func(testing.TB) Database) {
	noVersion := settleDescription()
	kept := settleDescription()
	kept.Columns.Version = "charge_id" // one that the application does not move on
	for _, c := range []struct {
		what  string
		after string // SQL that runs between the look and the write
		cause store.Cause
		by    string
		as    *store.Description
	}{
		{"the application was first", "UPDATE charge_attempts SET status = 'failed' WHERE id = 1", store.CauseSettled, "the application", noVersion},
		{"the row changed", "UPDATE charge_attempts SET updated_at = '2025-03-10 09:09:09' WHERE id = 1", store.CauseChanged, "", noVersion},
		{"another word for open", "UPDATE charge_attempts SET status = 'pending' WHERE id = 1", store.CauseChanged, "", noVersion},
		{"another object stands there", "UPDATE charge_attempts SET provider_charge_id = 'pi_2' WHERE id = 1", store.CauseChanged, "", noVersion},
		{"the row is gone", "DELETE FROM charge_attempts WHERE id = 1", store.CauseGone, "", noVersion},
		{"a sibling paid", "UPDATE charge_attempts SET status = 'succeeded' WHERE id = 4", store.CauseSibling, "4", noVersion},
		{"a sibling has an object", "UPDATE charge_attempts SET provider_charge_id = 'pi_4' WHERE id = 4", store.CauseSibling, "4", noVersion},
		{"a sibling was begun", "INSERT INTO charge_attempts (id, charge_id, status, created_at) VALUES (5, 9, 'pending', '2025-03-10 09:10:00')", store.CauseSibling, "5", noVersion},
		{"a sibling is gone", "DELETE FROM charge_attempts WHERE id = 4", store.CauseSibling, "4", noVersion},
		{"another attempt holds the unit", "UPDATE charge_attempts SET provider_charge_id = 'pi_1' WHERE id = 2", store.CauseUnitHeld, "2", noVersion},
		{"the credit was given", "INSERT INTO credits VALUES (9, 12990, 'webhook')", store.CauseRefused, "", noVersion},
		{"the application was first, and kept the version", "UPDATE charge_attempts SET status = 'failed' WHERE id = 1", store.CauseSettled, "the application", kept},
		{"another word for open, the version kept", "UPDATE charge_attempts SET status = 'pending' WHERE id = 1", store.CauseChanged, "", kept},
		{"another object stands there, the version kept", "UPDATE charge_attempts SET provider_charge_id = 'pi_2' WHERE id = 1", store.CauseChanged, "", kept},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			b := setUp(t, fresh, c.as, settleTables)
			w := b.mark("op-1", "1", payment.Succeeded, "pi_1")
			b.database.Exec(t, b.database.Dialect(c.after))
			if moved := b.wantMoved(w, c.cause, c.what); moved != nil && moved.By != c.by {
				t.Errorf("by %q, want %q", moved.By, c.by)
			}
			if seen, err := b.See(t.Context(), "1"); err == nil && seen.Attempt.ProviderID == "pi_1" {
				t.Error("something was written")
			}
		})
	}
}

// settleIllegal: no write but the three legal ones, and no transition that is
// not declared, reaches the table.
func settleIllegal(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	op := 0
	for id, legal := range map[string]map[payment.Status]bool{
		"1": {payment.Succeeded: true, payment.Failed: true}, "2": {}, "3": {payment.Unknown: true},
	} {
		for _, status := range []payment.Status{payment.Pending, payment.Unknown, payment.Succeeded, payment.Failed} {
			if legal[status] {
				continue
			}
			op++
			w := b.mark(fmt.Sprint("op-", op), id, status, "")
			w.Transition = "failed"
			_ = b.wantMoved(w, store.CauseIllegal, id+" to "+status.String())
		}
	}
	other := b.mark("op-other", "1", payment.Failed, "")
	other.Transition = "succeeded"
	_ = b.wantMoved(other, store.CauseIllegal, "the follow-ups of another outcome")
	w := b.mark("op-undeclared", "1", payment.Succeeded, "pi_1")
	w.Transition = "succeeded_duplicate"
	_ = b.wantMoved(w, store.CauseIllegal, "a transition that is not declared")
}

// settleFollowUps: a follow-up with another number of rows takes all back.
func settleFollowUps(t *testing.T, fresh func(testing.TB) Database) {
	d := settleDescription()
	d.Transitions[1].FollowUp = []store.FollowUp{
		{SQL: "UPDATE charges SET status = $reason WHERE id = $charge"},
		{SQL: "UPDATE charges SET status = 'other' WHERE id = 404"},
	}
	b := setUp(t, fresh, d, settleTables)
	w := b.mark("op-1", "1", payment.Failed, "")
	moved := b.wantMoved(w, store.CauseFollowUp, "a follow-up without its row")
	if moved != nil && !strings.Contains(moved.Detail, "0 rows by UPDATE charges SET status = 'other' WHERE id = 404") {
		t.Errorf("told as %q", moved.Detail)
	}
	if b.see("1").Attempt.Status != payment.Unknown {
		t.Error("the attempt was written without its follow-up")
	}
}

func settleClaim(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	never := b.mark("op-never", "1", payment.Failed, "")
	if open, err := b.Unsettled(t.Context(), time.Minute); err != nil || len(open) != 0 {
		t.Errorf("a young intent is unsettled: %v, %v", open, err)
	}
	open, err := b.Unsettled(t.Context(), 0)
	if err != nil || len(open) != 1 || open[0].OpID != "op-never" || open[0].At.IsZero() {
		t.Fatalf("unsettled: %v, %v", open, err)
	}
	e, err := b.Claim(t.Context(), open[0], "test")
	if err != nil || e.Kind != audit.Abandoned || e.OpID != "op-never" {
		t.Fatalf("claimed: %v, %v", e, err)
	}
	_ = b.wantMoved(never, store.CauseAbandoned, "an operation that was given up")
	again, err := b.Claim(t.Context(), never.Intent, "test")
	if err != nil || again != e {
		t.Errorf("claimed again: %v, %v, want %v", again, err, e)
	}
	landed := b.mark("op-landed", "1", payment.Failed, "")
	want, err := b.Settle(t.Context(), landed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Claim(t.Context(), landed.Intent, "test")
	if err != nil || got != want {
		t.Errorf("what landed is claimed as %v, %v, want %v", got, err, want)
	}
	if open, err := b.Unsettled(t.Context(), 0); err != nil || len(open) != 0 {
		t.Errorf("still unsettled: %v, %v", open, err)
	}
	b.entries()
}

// settleRace: of writers at once one wins, and the audit has one entry.
func settleRace(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	const writers = 5
	var all [writers]store.Settlement
	for i := range all {
		status, unit := payment.Succeeded, "pi_1"
		if i%2 == 1 {
			status, unit = payment.Failed, ""
		}
		all[i] = b.mark(fmt.Sprint("op-", i), "1", status, unit)
	}
	var group sync.WaitGroup
	var errs [writers]error
	for i := range all {
		group.Go(func() { _, errs[i] = b.Settle(t.Context(), all[i]) })
	}
	group.Wait()
	won := 0
	for i, err := range errs {
		moved, ok := errors.AsType[*store.MovedError](err)
		switch {
		case err == nil:
			won++
		case ok && moved.Cause == store.CauseRefused && all[i].Status == payment.Failed:
			// A database that weighs evidence itself: the object was seen.
		case !ok || moved.Cause != store.CauseSettled && moved.Cause != store.CauseLocked && moved.Cause != store.CauseUnitHeld:
			t.Errorf("a loser is told %v", err)
		}
	}
	if entries := b.entries(); won != 1 || len(entries) != 1 {
		t.Errorf("%d won, the audit has %d entries", won, len(entries))
	}
}
