package storetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// Opener opens a database in a process of its own, by an address; description
// may be nil.
type Opener func(ctx context.Context, address string, description *store.Description, trace func(string)) (store.Store, error)

const (
	killAddress = "STORETEST_KILL_ADDRESS"
	killAt      = "STORETEST_KILL_AT"
	killAccount = "STORETEST_KILL_ACCOUNT"
	killAttempt = "STORETEST_KILL_ATTEMPT"
)

// Main is what an adapter's TestMain does: it runs the tests, or where the
// process was started by Kill, it stores pages until it kills itself.
func Main(m *testing.M, open Opener) int {
	address := os.Getenv(killAddress) //nolint:forbidigo // how a test reaches its child
	if address == "" {
		return m.Run()
	}
	work := child
	if os.Getenv(killAttempt) != "" { //nolint:forbidigo // as above
		work = settlingChild
	}
	if err := work(open, address); err != nil {
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // the parent sees the code
		return 1
	}
	return 0
}

// child stores the pages and the run of one account and kills its process
// before the statement of that number; 0 kills nothing and prints how many
// statements there were.
func child(open Opener, address string) error {
	ctx := context.Background()
	statements := 0
	s, err := open(ctx, address, nil, deadly(&statements))
	if err != nil {
		return err
	}
	lease, err := s.Acquire(ctx, provider, os.Getenv(killAccount), "child", time.Millisecond) //nolint:forbidigo // as above
	if err != nil {
		return err
	}
	for n := range killPages {
		if _, err := s.StorePage(ctx, lease, killPage(lease.Account, n)); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stdout, statements) //nolint:errcheck,forbidigo // the parent sees that nothing came
	return s.Close()
}

// deadly counts statements, and kills the process before that of the number
// which the parent asked for.
func deadly(statements *int) func(string) {
	limit, _ := strconv.Atoi(os.Getenv(killAt)) //nolint:forbidigo // how a test reaches its child
	return func(string) {
		if *statements++; *statements == limit {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}

const killPages = 3

// killPage is the n-th page of an account: three lines, two units, coverage and
// the cursor that says how many pages there are.
func killPage(account string, n int) store.Page {
	var lines []payment.Line
	var units []payment.Unit
	for i := range 3 {
		l := line(fmt.Sprint(account, "/", n, "/", i), int64(100+i))
		l.Account = account
		lines = append(lines, l)
		units = append(units, payment.Unit{ID: l.Unit, Provider: provider, Account: account, ObservedAt: 1, CreatedAt: l.At})
	}
	read := payment.Statement{Name: "balance", Provider: provider, Account: account, From: payment.Instant(n + 1), Through: payment.Instant(n + 2)}
	return store.Page{
		Source: account, Lines: store.NewNumbers(true).Lines(lines), Units: units[1:], Statements: []payment.Statement{read},
		Cursor: &store.Cursor{Statement: "balance", Value: strconv.Itoa(n + 1)},
	}
}

// Kill kills a process at 30 places of storing, each between two statements.
// What it leaves is whole pages only, and the next process completes the work
// without anybody's help.
func Kill(t *testing.T, d Database, address string) {
	b := setUp(t, func(testing.TB) Database { return d }, nil)
	total := 0
	if _, err := fmt.Sscan(b.child(address, "whole", 0), &total); err != nil || total < 30 {
		t.Fatalf("an undisturbed child ran %d statements: %v", total, err)
	}
	b.holds("whole", killPages)
	for i := range 30 {
		place := 1 + i*(total-1)/29
		name := fmt.Sprint("killed_at_", place)
		b.child(address, name, place)
		b.holds(name, b.pages(name))
		b.complete(name)
		b.holds(name, killPages)
	}
}

func (b *bench) child(address, account string, place int) string {
	b.Helper()
	return b.run(address, place, killAccount+"="+account)
}

// run runs a child that is killed at a place, 0 for one that is not, and gives
// what it prints.
func (b *bench) run(address string, place int, work string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0]) //nolint:gosec // the test itself
	cmd.Env = append(os.Environ(), killAddress+"="+address, work, killAt+"="+strconv.Itoa(place))
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if place == 0 && err != nil {
		b.Fatalf("child: %v\n%s", err, problem.String())
	}
	if place > 0 && (cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) {
		b.Fatalf("the child at %d was not killed: %v\n%s", place, err, problem.String())
	}
	return string(out)
}

// pages is how many pages the account's cursor tells of.
func (b *bench) pages(account string) int {
	b.Helper()
	v := b.view()
	defer v.Close() //nolint:errcheck // only read
	value, err := v.Cursor(b.Context(), provider, account, store.Cursor{Statement: "balance"})
	if err != nil {
		b.Fatal(err)
	}
	n, _ := strconv.Atoi(value) // "" is none
	return n
}

// holds checks that exactly so many whole pages are there.
func (b *bench) holds(account string, pages int) {
	b.Helper()
	v := b.view()
	defer v.Close() //nolint:errcheck // only read
	lines, units, parts := 0, 0, 0
	source := v.(store.Source)
	all := store.AllDays([]string{provider})
	err := source.Lines(b.Context(), store.LineFilter{Providers: []string{provider}, Days: all}, func(s store.StoredLine) error {
		if s.Line.Account == account {
			lines++
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	window := payment.Interval{From: 1, To: at("23:00:00")}
	err = source.Units(b.Context(), store.UnitFilter{Providers: []string{provider}, Created: &window}, func(s store.StoredUnit) error {
		if s.Unit.Account == account {
			units++
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	read, err := v.Coverage(b.Context(), []string{provider})
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range read {
		if s.Account == account {
			parts += int(s.Through - s.From) // pages that touch are one part
		}
	}
	if lines != 3*pages || units != 2*pages || parts != pages {
		b.Errorf("%s: %d lines, %d units, %d instants covered beside a cursor at page %d", account, lines, units, parts, pages)
	}
}

// complete does the account's work from the beginning, once the dead owner's
// lease is over by the database's clock.
func (b *bench) complete(account string) {
	b.Helper()
	lease, err := b.Acquire(b.Context(), provider, account, "next", time.Hour)
	for isLeased(err) {
		lease, err = b.Acquire(b.Context(), provider, account, "next", time.Hour)
	}
	if err != nil {
		b.Fatal(err)
	}
	for n := range killPages {
		if _, err := b.StorePage(b.Context(), lease, killPage(account, n)); err != nil {
			b.Fatal(err)
		}
	}
}
