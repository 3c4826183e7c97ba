package postgres

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"desfecho/internal/audit"
	"desfecho/internal/payment"
	"desfecho/internal/pgtest"
	"desfecho/internal/store"
)

// lostRounds is how many replies to COMMIT are lost.
var lostRounds = flag.Int("lost-rounds", 30, "lost replies to the commit of a settlement")

// TestALostReplyIsClaimedTruthfully: whatever became of the commit whose reply
// was lost (it landed, it never will, it lands while somebody asks, it runs
// against the driver's own request to cancel it), what the claim says is what
// the database holds, then and ever after.
func TestALostReplyIsClaimedTruthfully(t *testing.T) {
	t.Parallel()
	for _, by := range []string{store.ByStatements, store.ByFunction} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			lostReplies(t, by)
		})
	}
}

func lostReplies(t *testing.T, by string) {
	d, login := raceDatabase(t, by)
	server, name := pgtest.Server(t), nameOf(t, d.url)
	terms := usualTerms()
	straight := opened(t, Options{URL: server.URL(login, name), Attempts: raceDescription(by), Terms: &terms})
	var next atomic.Int32 // the loss of the next commit
	proxy := server.Proxy(t, func(commit bool) pgtest.Loss {
		if !commit {
			return pgtest.None
		}
		return pgtest.Loss(next.Swap(int32(pgtest.None)))
	})
	lossy := opened(t, Options{URL: proxy.URL(login, name), Attempts: raceDescription(by), Terms: &terms})
	said := map[int]audit.Kind{}
	losses := []pgtest.Loss{pgtest.OfReply, pgtest.OfStatement, pgtest.ForAWhile, pgtest.Contested}
	for round := range *lostRounds {
		loss := losses[round%len(losses)]
		said[round] = lose(t, d, straight, lossy, &next, loss, round)
		if t.Failed() {
			return
		}
	}
	count, contested := map[audit.Kind]int{}, map[audit.Kind]int{}
	for round, kind := range said {
		count[kind]++
		if losses[round%len(losses)] == pgtest.Contested {
			contested[kind]++
		}
		holds(t, straight, round, kind)
	}
	t.Logf("of %d lost replies %v, of those whose commit was contested %v", *lostRounds, count, contested)
	if count[audit.Settled] == 0 || count[audit.Abandoned] == 0 {
		t.Errorf("of %d lost replies %v: both must be met", *lostRounds, count)
	}
}

// lose settles one attempt, loses the commit, claims the operation, and gives
// what the claim said.
func lose(t *testing.T, d database, straight, lossy *Store, next *atomic.Int32, loss pgtest.Loss, round int) audit.Kind {
	ctx, id := t.Context(), fmt.Sprint(round)
	d.Exec(t, fmt.Sprintf("INSERT INTO payments VALUES (%s, 'open'); INSERT INTO attempts (id, payment_id, status, amount_cents) VALUES (%[1]s, %[1]s, 'unknown', 100)", id))
	seen, err := lossy.See(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	w := store.Settlement{
		Intent: store.Intent{OpID: "op-" + id, Attempt: id, Mark: "succeeded", Operator: "ana"},
		Seen:   seen, Status: payment.Succeeded, Transition: "succeeded", Unit: "pi_" + id, Evidence: "shown",
	}
	shown(t, straight, seen, w.Unit)
	if err := straight.Intend(ctx, w.Intent); err != nil {
		t.Fatal(err)
	}
	next.Store(int32(loss))
	if _, err := lossy.Settle(ctx, w); !errors.Is(err, store.ErrUnconfirmed) {
		t.Errorf("round %d: a lost reply is told as %v", round, err)
	}
	entry, err := straight.Claim(ctx, w.Intent, "test")
	if err != nil {
		t.Errorf("round %d: claim: %v", round, err)
	}
	if loss == pgtest.OfReply && entry.Kind != audit.Settled || loss == pgtest.OfStatement && entry.Kind != audit.Abandoned {
		t.Errorf("round %d: loss %d is claimed as %s", round, loss, entry.Kind)
	}
	holds(t, straight, round, entry.Kind)
	return entry.Kind
}

// holds compares what was said with what stands there.
func holds(t *testing.T, s *Store, round int, kind audit.Kind) {
	t.Helper()
	seen, err := s.See(t.Context(), fmt.Sprint(round))
	if err != nil {
		t.Fatal(err)
	}
	if written := seen.Attempt.Status == payment.Succeeded; written != (kind == audit.Settled) {
		t.Errorf("round %d: said %s, and the attempt is %s", round, kind, seen.Word)
	}
}

func roleOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(u.User.Username())
}
