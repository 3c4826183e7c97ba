//go:build unix

package cmd

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoAccounts is a statement that is stored in three pages: what it says of a
// sale, the lines of the one account, and those of the other.
const twoAccounts = `id,object,type,gross,status,at,account
l1,pi_1,sale,12990,captured,2025-11-28T12:00:05Z,acct_1
l2,pi_2,sale,104500,captured,2025-11-28T13:00:05Z,acct_1
l3,pi_3,sale,7000,authorized,2025-11-28T14:00:05Z,acct_1
l4,pi_4,sale,8000,captured,2025-11-28T15:00:05Z,acct_2
`

const twoAccountsProfile = `profile: two
kind: statement
line_ids: unique
accounts: many
amounts: {unit: minor, currency: BRL}
columns: {id: id, unit: object, type: type, gross: gross, status: status, occurred_at: at, account: account}
kinds: {charge: [sale]}
moved: [captured]
states: {authorized: [authorized]}
`

// wholesale makes the shop one of two accounts with its tables.
func (s *shop) wholesale() *shop {
	s.t.Helper()
	s.file("desfecho.yaml", strings.Replace(shopConfig, "account: acct_1, ", "", 1))
	s.file("two.csv", twoAccounts)
	s.file("two.yaml", twoAccountsProfile)
	s.must(0, "schema", "--apply")
	return s
}

func (s *shop) pullTwo() []string {
	return []string{"pull", "stripe", "--file", filepath.Join(s.folder, "two.csv"), "--profile", filepath.Join(s.folder, "two.yaml"), "--covers", "2025-11-28..2025-11-29"}
}

// told reads the report of the last run again.
func (s *shop) told() string {
	s.t.Helper()
	return s.must(0, "report", "--format", "json")
}

// expire lets the time of a dead owner's lease go by.
func (s *shop) expire() {
	s.t.Helper()
	past := map[bool]string{true: "1", false: "clock_timestamp() - interval '1 second', acquired_at = clock_timestamp() - interval '3 minutes'"}
	s.query("UPDATE " + s.own("leases") + " SET expires_at = " + past[strings.HasPrefix(s.url, "sqlite:")])
}

// runs is how many were saved; none where there are no tables.
func (s *shop) runs() int {
	s.t.Helper()
	if s.own("runs") == "desfecho.runs" && s.query("SELECT to_regclass('desfecho.runs')")[0] == "" {
		return 0
	}
	n, err := strconv.Atoi(s.query("SELECT count(*) FROM " + s.own("runs"))[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// again runs a command whose predecessor was killed: it completes, at the
// latest when the dead owner's lease is over, which it says.
func (s *shop) again(code int, args ...string) string {
	s.t.Helper()
	out, told, got := s.run(args...)
	if got == 75 {
		if !strings.Contains(told, "nothing was written; its lease ends by itself at") {
			s.t.Errorf("told %q", told)
		}
		s.expire()
		out, told, got = s.run(args...)
	}
	if got != code {
		s.t.Fatalf("after the kill: exit %d, want %d\n%s%s", got, code, out, told)
	}
	return out + told
}

// TestAKilledPullIsCompletedByTheNext: it is killed before each of its
// statements; what the next one makes of it is what an undisturbed one does.
func TestAKilledPullIsCompletedByTheNext(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.t = t
			s.wholesale()
			back := s.keep("kept")
			s.must(0, s.pullTwo()...)
			s.reconcile(3)
			want, report := s.state(), s.told()
			s.everywhere(back, s.pullTwo(), func(string) {
				s.again(0, s.pullTwo()...)
				s.reconcile(3)
				if diff := cmp.Diff(want, s.state()) + cmp.Diff(report, s.told()); diff != "" {
					t.Errorf("(-undisturbed +killed)\n%s", diff)
				}
			})
		})
	}
}

// TestAKilledRunIsCompletedByTheNext: the same of a run, whose news are told
// by one of the two: a run that was saved but not told leaves them to the next.
func TestAKilledRunIsCompletedByTheNext(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.t = t
			s.wholesale()
			s.must(0, s.pullTwo()...)
			back := s.keep("kept")
			news := s.reconcile(3)
			states, reports := []string{s.state()}, []string{s.told()}
			if told := s.reconcile(3); told != "" {
				t.Errorf("told again %q", told)
			}
			states, reports = append(states, s.state()), append(reports, s.told())
			s.everywhere(back, s.judging(), func(out string) {
				saved := s.runs()
				told := s.again(3, s.judging()...)
				if diff := cmp.Diff(states[saved], s.state()) + cmp.Diff(reports[saved], s.told()); diff != "" {
					t.Errorf("%d runs were saved (-undisturbed +killed)\n%s", saved, diff)
				}
				if out != news && !strings.Contains(told, "failed_but_charged") {
					t.Errorf("the killed run told %q and the next one %q", out, told)
				}
			})
		})
	}
}

// everywhere kills the command before each of its statements in turn, until it
// ends by itself, and gives what each killed process has printed. back brings
// the database to where it began.
func (s *shop) everywhere(back func(), command []string, check func(out string)) {
	s.t.Helper()
	for n, round := 1, 1; !s.t.Failed(); n++ {
		back()
		out, told, state := s.process(killAt, n, command...)
		if !killed(state) {
			if n < 30 || state.ExitCode() > 3 {
				s.t.Errorf("the process that was to be killed at %d ended with %s: %s", n, state, told)
			}
			s.t.Logf("killed %d times", n-1)
			if n, round = 0, round+1; round > *rounds {
				return
			}
			continue
		}
		if check(out); s.t.Failed() {
			s.t.Errorf("all of this where it was killed at statement %d", n)
		}
	}
}
