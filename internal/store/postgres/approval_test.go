package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

// TestTheFunctionWantsTheSecondPersonItself: by the login of the database, for
// this mark and digest, and not too long ago.
func TestTheFunctionWantsTheSecondPersonItself(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	captured := yes(payment.StateCaptured)
	out := weighed{columns: ", kind", values: ", 'transfer'", said: []said{no(gone), no(0)}, mark: payment.Failed}
	large := weighed{columns: ", cents", values: ", 1001", said: []said{captured}, mark: payment.Succeeded, unit: "pi"}
	absent := weighed{said: []said{no(0)}, mark: payment.Failed}
	const due = "a second person has to approve"
	for name, c := range map[string]struct {
		of     weighed
		change func(*scales, *store.Settlement)
		says   string // "": it is settled
	}{
		"money out on absence":           {out, nil, due},
		"money out, approved":            {out, approved("", "", 0), ""},
		"at the limit":                   {weighed{columns: ", cents", values: ", 1000", said: []said{captured}, mark: payment.Succeeded, unit: "pi"}, nil, ""},
		"above the limit":                {large, nil, due},
		"above the limit, approved":      {large, approved("", "", 0), ""},
		"approved for another digest":    {large, approved("other", "", 0), due},
		"approved for another mark":      {large, approved("", "failed", 0), due},
		"approved too long ago":          {large, approved("", "", 25*time.Hour), due},
		"approved by oneself":            {large, byOneself, due},
		"what a person saw":              {absent, saw("absent", 0), due},
		"what a person saw, approved":    {absent, both(saw("absent", 0), approved("", "", 0)), ""},
		"what a person saw before":       {weighed{age: 25 * time.Hour, said: []said{no(0)}, mark: payment.Failed}, both(saw("absent", 2*time.Hour), approved("", "", 0)), "two look-ups"},
		"what a person saw of another":   {absent, both(saw("captured", 0), approved("", "", 0)), "two look-ups"},
		"what the approver saw himself":  {absent, both(sawByOwner, approved("", "", 0)), due},
		"failed against money, approved": {weighed{said: []said{captured}, mark: payment.Failed}, both(saw("absent", 0), approved("", "", 0)), "shows money"},
	} {
		t.Run(name, func(t *testing.T) {
			one := *s
			one.T = t
			c.of.change, c.of.says = c.change, c.says
			if c.says != "" {
				c.of.cause = store.CauseRefused
			}
			one.weigh(c.of)
			s.next = one.next
		})
	}
}

func both(first, second func(*scales, *store.Settlement)) func(*scales, *store.Settlement) {
	return func(s *scales, w *store.Settlement) { first(s, w); second(s, w) }
}

// approved lets the owner, who is another login, say yes.
func approved(digest, mark string, ago time.Duration) func(*scales, *store.Settlement) {
	return func(s *scales, w *store.Settlement) {
		yes := store.Approval{Attempt: w.Attempt, Mark: w.Mark, Digest: w.Digest, Operator: "bia"}
		if digest != "" {
			yes.Digest = digest
		}
		if mark != "" {
			yes.Mark = mark
		}
		s.approve(s.owner, yes)
		s.Exec(s, "UPDATE desfecho.approvals SET approved_at = approved_at - interval '"+ago.String()+"' WHERE attempt = '"+w.Attempt+"'")
	}
}

func byOneself(s *scales, w *store.Settlement) {
	s.approve(s.Store, store.Approval{Attempt: w.Attempt, Mark: w.Mark, Digest: w.Digest, Operator: "bia"})
}

func (s *scales) approve(by *Store, yes store.Approval) {
	if _, err := by.Approve(s.Context(), yes, audit.Entry{Format: audit.Format, OpID: "yes-" + yes.Attempt, Kind: audit.Approved, Attempt: yes.Attempt}); err != nil {
		s.Error(err)
	}
}

func saw(what string, ago time.Duration) func(*scales, *store.Settlement) {
	return func(s *scales, w *store.Settlement) { s.saw(s.Store, w, what, ago) }
}

func sawByOwner(s *scales, w *store.Settlement) { s.saw(s.owner, w, "absent", 0) }

func (s *scales) saw(by *Store, w *store.Settlement, what string, ago time.Duration) {
	m := store.Manual{OpID: "saw-" + w.Attempt, Attempt: w.Attempt, Seen: what, Place: "dashboard", Operator: "ana", ObservedAt: w.Seen.At.Add(-ago)}
	if _, err := by.AddManual(s.Context(), m, audit.Entry{Format: audit.Format, OpID: m.OpID, Kind: audit.Evidence, Attempt: w.Attempt}); err != nil {
		s.Error(err)
	}
	w.Evidence += ",manual:" + m.OpID
}

// TestWhoResolvesWritesByTheFunctionAlone: not the attempts, and not who said
// what.
func TestWhoResolvesWritesByTheFunctionAlone(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	for _, sql := range []string{
		"UPDATE tries SET status = 'paid'", "DELETE FROM tries", "INSERT INTO notes VALUES (1, 'x')",
		"INSERT INTO desfecho.approvals (attempt, mark, digest, operator, login) VALUES ('1', 'failed', 'd', 'bia', 'postgres')",
		"INSERT INTO desfecho.intents (op_id, attempt, mark, digest, operator, login) VALUES ('o', '1', 'failed', 'd', 'bia', 'postgres')",
		"UPDATE desfecho.audit SET reason = ''",
	} {
		refused(t, s.Store, sql)
	}
	d := database{url: s.url}
	d.Exec(t, "CREATE ROLE stranger_"+nameOf(t, s.url)+" LOGIN; GRANT USAGE ON SCHEMA desfecho TO stranger_"+nameOf(t, s.url))
	stranger := opened(t, Options{URL: pgtest.Server(t).URL("stranger_"+nameOf(t, s.url), nameOf(t, s.url))})
	refused(t, stranger, "SELECT desfecho.settle('', '', '', '', '', '', '', '', '{}', '{}')")
}

// TestTheFunctionMakesTheThreeLegalWritesAlone: whatever a program that calls
// it says.
func TestTheFunctionMakesTheThreeLegalWritesAlone(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	legal := map[string]bool{"unknown succeeded succeeded": true, "unknown failed failed": true, "pending unknown unknown": true}
	id, met := 0, 0
	for _, word := range []string{"pending", "unknown", "paid", "failed", "refunded"} {
		for _, mark := range []string{"pending", "unknown", "succeeded", "failed", "paid", ""} {
			for _, transition := range []string{"unknown", "succeeded", "succeeded_duplicate", "failed", ""} {
				id++
				s.Exec(s, fmt.Sprintf("INSERT INTO tries (id, status, made) VALUES (%d, '%s', '2025-01-01')", id, word))
				code := s.called(fmt.Sprint(id), mark, transition)
				if ok := legal[word+" "+mark+" "+transition]; ok != (code != refusedIllegal) {
					t.Errorf("%s to %s by %q: SQLSTATE %q", word, mark, transition, code)
				} else if ok {
					met++
				}
			}
		}
	}
	if met != len(legal) {
		t.Errorf("%d legal writes were met", met)
	}
}

// called calls the function as any program may, and gives how it ended.
func (s *scales) called(id, mark, transition string) (code string) {
	s.Helper()
	seen, err := s.See(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	w := store.Settlement{Intent: store.Intent{OpID: "op-" + id, Attempt: id, Mark: mark}, Seen: seen, Transition: transition}
	if err := s.Intend(s.Context(), w.Intent); err != nil {
		s.Fatal(err)
	}
	tx, err := s.begin(s.Context(), s.primary, pgx.TxOptions{})
	if err != nil {
		s.Fatal(err)
	}
	defer tx.rollback(s.Context())
	_, err = (&settling{tx: tx, store: s.Store, write: &w}).call(s.Context())
	if told, ok := errors.AsType[*pgconn.PgError](err); ok {
		return told.Code
	}
	if err != nil {
		s.Error(err)
	}
	return ""
}

// TestAFunctionOfAnotherConfigurationWritesNothing: its follow-ups are not those
// that the screen showed.
func TestAFunctionOfAnotherConfigurationWritesNothing(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	other, terms := weighedDescription(), usualTerms()
	other.Transitions[1].FollowUp = nil
	s.Store = opened(t, Options{URL: pgtest.Server(t).URL("u_"+nameOf(t, s.url), nameOf(t, s.url)), Attempts: other, Terms: &terms})
	s.weigh(weighed{said: []said{no(gone), no(0)}, mark: payment.Failed, cause: store.CauseRefused, says: "another configuration"})
}

// TestAFunctionThatCouldBeMisledIsNotMade: where those who resolve may put
// objects before the merchant's.
func TestAFunctionThatCouldBeMisledIsNotMade(t *testing.T) {
	t.Parallel()
	s := newScales(t)
	terms := usualTerms()
	sql, err := Roles(weighedDescription(), &terms)
	if err != nil {
		t.Fatal(err)
	}
	makeRoles(t, s.database, "DROP FUNCTION desfecho.settle; GRANT CREATE ON SCHEMA public TO PUBLIC; \\set ON_ERROR_STOP off\n"+sql)
	if got := pgtest.Server(t).SQL(t, nameOf(t, s.url), "SELECT count(*) FROM pg_proc WHERE proname = 'settle'"); got != "0" {
		t.Errorf("%s functions were made", got)
	}
	_, err = s.Settle(t.Context(), store.Settlement{
		Intent: store.Intent{OpID: "o", Attempt: "1", Mark: "failed"}, Seen: &store.Seen{Attempt: payment.Attempt{ID: "1", Status: payment.Unknown}, Word: "unknown"},
		Status: payment.Failed, Transition: "failed",
	})
	if err == nil || !strings.Contains(err.Error(), "desfecho schema --roles") || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("without the function: %v", err)
	}
}
