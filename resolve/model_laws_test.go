//go:build !race

package resolve_test

import (
	"testing"

	"desfecho/internal/payment"
	"desfecho/resolve"
)

// law is one law of RULES §2 that a state of the model may break.
type law string

// broke names the law that a write of the tool broke, "" where it kept all.
func (m *model) broke(before *world, op operator) law {
	moved := before.fate == captures
	switch {
	case before.bad != "":
		return before.bad
	case before.status.Final():
		return "2.3: a final status was overwritten"
	case op.mark == resolve.Unknown && before.status != payment.Pending:
		return "2.3: only an orphan becomes unknown"
	case op.mark != resolve.Unknown && before.status != payment.Unknown:
		return "2.3: a final mark from pending"
	case op.mark == resolve.Unknown && before.now < 1:
		return "2.3: a pending attempt became unknown before orphan_after"
	case op.mark == resolve.Failed && moved:
		return "2.6: failed, and the money moved"
	case op.mark == resolve.Succeeded && !moved:
		return "2.15: succeeded, and no money moved"
	case op.as == resolve.ToSucceeded && op.paid:
		return "6: the charge was paid already, and the mark was no duplicate"
	case op.version != before.version:
		return "2.2: written over a row that had changed"
	case m.out && op.mark == resolve.Failed && before.fate == lost && (before.approval != op.digest || before.ops[before.approver] == op):
		return "6: money out failed on absence without a second person"
	}
	return ""
}

// unlawful names a law that the state itself breaks.
func (w *world) unlawful() law {
	switch {
	case w.bad != "":
		return w.bad
	case w.credits > 1:
		return "7: a credit was given twice"
	case w.status.Open() && w.reserve == payment.ReserveReleased:
		return "7: a reserve was released while the outcome is unknown"
	case w.reserve == payment.ReserveReleased && w.fate == captures && w.status != payment.Succeeded && w.writes > 0:
		return "7: a reserve was released, and the money moved"
	case w.audits != w.writes:
		return "2.2: an audit row without a write, or a write without one"
	}
	return ""
}

// search enumerates the model whole and names the laws that were broken, each
// with how many states break it.
// It ends at limit states, or, where one broken law is enough, at the first.
func (m *model) search(limit int, first bool) (states, steps int, broken map[law]int, seen map[payment.Status]int) {
	m.decided, m.digests = map[question]reply{}, map[string]uint16{}
	known := map[world]struct{}{}
	broken, seen = map[law]int{}, map[payment.Status]int{}
	queue := m.starts()
	for _, w := range queue {
		known[w] = struct{}{}
	}
	for len(queue) > 0 && len(known) < limit && (!first || len(broken) == 0) {
		w := queue[0]
		queue = queue[1:]
		m.moves(w, func(next world) {
			steps++
			if _, ok := known[next]; ok {
				return
			}
			known[next] = struct{}{}
			if said := next.unlawful(); said != "" {
				broken[said]++
				return // what follows from it tells nothing more
			}
			if next.writes > w.writes {
				seen[next.status]++
			}
			queue = append(queue, next)
		})
	}
	return len(known), steps, broken, seen
}

const most = 3_000_000

// models are the worlds that are enumerated.
func models() map[string]*model {
	return map[string]*model{"money in": {}, "money out": {out: true}, "money in, no list": {alone: true}}
}

// TestNoStateOfTheModelBreaksALaw enumerates every order in which one attempt,
// a provider that shows things late, its events, the application's own jobs,
// two operators, their crashes and lost replies can meet.
func TestNoStateOfTheModelBreaksALaw(t *testing.T) {
	t.Parallel()
	for name, m := range models() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, steps, broken, seen := m.search(most, false)
			t.Logf("%d states, %d steps, %d verdicts, writes by outcome %v", states, steps, len(m.decided), seen)
			for said, n := range broken {
				t.Errorf("%d states break %s", n, said)
			}
			for _, status := range []payment.Status{payment.Unknown, payment.Succeeded, payment.Failed} {
				if seen[status] == 0 {
					t.Errorf("no operator ever marks an attempt %s: the model shows nothing", status)
				}
			}
			if states >= most || states < 50_000 {
				t.Errorf("%d states, want between 50000 and %d", states, most)
			}
		})
	}
}

// TestTheModelNoticesABrokenWrite: a write that lacks one of its conditions
// breaks a law in some state, so the laws are not vacuous.
func TestTheModelNoticesABrokenWrite(t *testing.T) {
	t.Parallel()
	for broken := noStatusCondition; broken < brokenWrites; broken++ {
		found := map[law]int{}
		for _, m := range models() {
			m.broken = broken
			_, _, laws, _ := m.search(most, true)
			for said, n := range laws {
				found[said] += n
			}
		}
		t.Logf("%d: %v", broken, found)
		if len(found) == 0 {
			t.Errorf("broken write %d breaks no law", broken)
		}
	}
}
