package storetest

import (
	"errors"
	"fmt"
	"testing"

	"desfecho/internal/audit"
	"desfecho/internal/store"
)

// decisionsComeBack: what people said comes back with who they were, and each
// has its entry.
func decisionsComeBack(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	seen := store.Manual{
		OpID: "ev-1", Attempt: "1", Seen: "absent", Place: "dashboard", Note: "asked support", Attachment: "ab12", Operator: "ana", ObservedAt: at("10:00:00"),
	}
	if _, err := b.AddManual(t.Context(), seen, audit.Entry{Format: audit.Format, OpID: seen.OpID, Kind: audit.Evidence, Attempt: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.AddManual(t.Context(), seen, audit.Entry{Format: audit.Format, OpID: "ev-2", Kind: audit.Evidence, Attempt: "1"}); err == nil {
		t.Error("one piece of evidence was added twice")
	}
	got, err := b.Manuals(t.Context(), "1")
	if err != nil || len(got) != 1 || got[0].AddedAt.IsZero() {
		t.Fatalf("%v, %v", got, err)
	}
	seen.Login, seen.AddedAt = got[0].Login, got[0].AddedAt
	equal(t, []store.Manual{seen}, got)
	yes := store.Approval{Attempt: "1", Mark: "failed", Digest: "d1", Operator: "bia"}
	entry, err := b.Approve(t.Context(), yes, audit.Entry{Format: audit.Format, OpID: "yes-1", Kind: audit.Approved, Attempt: "1"})
	approvals, listed := b.Approvals(t.Context(), "1")
	switch {
	case errors.Is(err, store.ErrNoLogins) == b.Logins():
		t.Errorf("approved as %v (%v), and it knows logins: %v", approvals, err, b.Logins())
	case errors.Is(err, store.ErrNoLogins):
		if len(approvals) != 0 || listed != nil {
			t.Errorf("refused, yet there: %v, %v", approvals, listed)
		}
	case err != nil || listed != nil || len(approvals) != 1 || approvals[0].Login == "" || approvals[0].Login != entry.Login || approvals[0].Digest != "d1":
		t.Errorf("approved as %v (%v, %v)", approvals, err, listed)
	}
	for i, e := range b.entries() {
		if e.Kind == audit.Evidence != (i == 0) {
			t.Errorf("entry %d is %s", i+1, e.Kind)
		}
	}
}

func auditIsOnlyAddedTo(t *testing.T, fresh func(testing.TB) Database) {
	b := settling(t, fresh)
	for i := range 3 {
		_, err := b.Append(t.Context(), audit.Entry{Format: audit.Format, OpID: fmt.Sprint("note-", i), Kind: audit.Dismissed, Attempt: "1", Reason: "not ours"})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Append(t.Context(), audit.Entry{Format: audit.Format, OpID: "note-1", Kind: audit.Dismissed}); err == nil {
		t.Error("one operation has two entries")
	}
	if got := len(b.entries()); got != 3 {
		t.Errorf("%d entries", got)
	}
	_, err := b.See(t.Context(), "404")
	if !errors.Is(err, store.ErrNoAttempt) {
		t.Errorf("an attempt that is not there: %v", err)
	}
}
