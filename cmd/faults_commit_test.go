//go:build unix

package cmd

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/internal/pgtest"
)

// losing is a shop that reaches its database through a proxy, which loses what
// it is told to.
type losing struct {
	*shop
	direct, proxied string
	mutex           sync.Mutex
	lose            func(commit bool) pgtest.Loss
}

func losingShop(t *testing.T) *losing {
	t.Helper()
	l := &losing{shop: postgresShop(t)}
	proxy := pgtest.Server(t).Proxy(t, func(commit bool) pgtest.Loss {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		return l.lose(commit)
	})
	l.direct, l.proxied = l.url, proxy.URL("postgres", databaseName(t, l.url))
	return l
}

// through runs a command line whose commits, or else whose other statements,
// are lost from the first to the last, and counts them.
func (l *losing) through(commits bool, first, last int, loss pgtest.Loss, args ...string) (told string, code, count int) {
	l.t.Helper()
	seen := 0
	l.mutex.Lock()
	l.lose = func(commit bool) pgtest.Loss {
		if commit != commits {
			return pgtest.None
		}
		if seen++; first <= seen && seen <= last {
			return loss
		}
		return pgtest.None
	}
	l.mutex.Unlock()
	l.url = l.proxied
	out, problem, code := l.run(args...)
	l.url = l.direct
	l.mutex.Lock() // the proxy may still be busy with what the command sent last
	defer l.mutex.Unlock()
	return out + problem, code, seen
}

// commands are those that write, each with what it begins from.
func (l *losing) commands() []losable {
	l.t.Helper()
	empty := func() { l.query("DROP SCHEMA IF EXISTS desfecho CASCADE") }
	l.wholesale()
	made := l.keep("made")
	l.must(0, l.pullTwo()...)
	pulled := l.keep("pulled")
	l.must(3, l.judging()...)
	judged := l.keep("judged")
	accept := []string{"baseline", "--from", "2025-12-01"}
	l.must(0, accept...)
	return []losable{{l.pullTwo(), 0, made}, {l.judging(), 3, pulled}, {accept, 0, judged}, {[]string{"schema", "--apply"}, 0, empty}}
}

type losable struct {
	args []string
	code int
	back func()
}

// TestALostReplyChangesNothing: whichever commit of a command is lost, on its
// way there or back, the command ends as if nothing had been. Only what people
// decide is not written twice: of that it says that it is not known.
func TestALostReplyChangesNothing(t *testing.T) {
	t.Parallel()
	l := losingShop(t)
	lost := 0
	for _, c := range l.commands() {
		c.back()
		want := l.must(c.code, c.args...)
		state := l.state()
		for range *rounds {
			for _, loss := range []pgtest.Loss{pgtest.OfReply, pgtest.OfStatement, pgtest.ForAWhile} {
				for n, commits := 1, 1; n <= commits; n++ {
					c.back()
					var told string
					var code int
					told, code, commits = l.through(true, n, n, loss, c.args...)
					name := fmt.Sprintf("%s, commit %d, loss %d", c.args[0], n, loss)
					if code == 7 && c.args[0] == "baseline" && strings.Contains(told, "it is not known whether this was written") {
						told, code = want, c.code
						l.must(0, c.args...)
					}
					if code != c.code || told != want {
						t.Errorf("%s: exit %d, want %d (-undisturbed +lost)\n%s", name, code, c.code, cmp.Diff(want, told))
					}
					if diff := cmp.Diff(state, l.state()); diff != "" {
						t.Errorf("%s (-undisturbed +lost)\n%s", name, diff)
					}
					lost++
				}
			}
		}
	}
	t.Logf("%d commits were lost", lost)
}

// TestWhatIsNotKnownIsSaid: a connection that breaks again and again leaves
// the command with words that the database never contradicts, and the next one
// finishes the work.
func TestWhatIsNotKnownIsSaid(t *testing.T) {
	t.Parallel()
	l := losingShop(t)
	for _, c := range l.commands() {
		states := l.twice(c)
		c.back()
		want := l.must(c.code, c.args...)
		for _, loss := range []pgtest.Loss{pgtest.OfReply, pgtest.OfStatement} {
			for n, commits := 1, 1; n <= commits; n++ {
				c.back()
				before := l.runs()
				var told string
				var code int
				told, code, commits = l.through(true, n, math.MaxInt, loss, c.args...)
				name := fmt.Sprintf("%s, from commit %d on, loss %d", c.args[0], n, loss)
				done := code == c.code && told == want
				if unknown := code == 7 && strings.Contains(told, "it is not known whether this was written") && !strings.Contains(told, "nothing"); !done && !unknown {
					t.Errorf("%s: exit %d, told %q", name, code, told)
				}
				saved := l.runs() - before
				if c.args[0] != "schema" {
					l.expire()
				}
				l.must(c.code, c.args...)
				if diff := cmp.Diff(states[saved], l.state()); diff != "" {
					t.Errorf("%s (-undisturbed +lost)\n%s", name, diff)
				}
			}
		}
	}
}

// TestABrokenConnectionLeavesNoPartOfAReport: wherever it breaks but at a
// commit, the command fails and says that nothing of that step was written.
func TestABrokenConnectionLeavesNoPartOfAReport(t *testing.T) {
	t.Parallel()
	l := losingShop(t)
	for _, c := range l.commands() {
		for n, statements := 1, 1; n <= statements; n++ {
			c.back()
			var told string
			var code int
			told, code, statements = l.through(false, n, n, pgtest.OfStatement, c.args...)
			if code == c.code && strings.HasSuffix(told, "the tables are those of this program\n") {
				continue
			}
			if code != 1 || !strings.HasPrefix(told, "desfecho: error: ") || !strings.Contains(told, "the connection to the database broke: nothing of this step was written") {
				t.Errorf("%s, statement %d: exit %d, told %q", c.args[0], n, code, told)
			}
		}
		t.Logf("%s: cut at each statement", c.args[0])
	}
}
