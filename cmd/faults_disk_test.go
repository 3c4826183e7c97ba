//go:build unix

package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAFullDiskLeavesTheWholeOrNothing of a SQLite file that may not grow
// beyond a size, for sizes that end within each of its pages: the command says
// so, and once there is room again the next one completes the work.
func TestAFullDiskLeavesTheWholeOrNothing(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	s.wholesale()
	made := s.keep("made")
	s.must(0, s.pullTwo()...)
	pulled := s.keep("pulled")
	for _, c := range []losable{{s.pullTwo(), 0, made}, {s.judging(), 3, pulled}} {
		states := s.twice(c)
		for size := 0; ; size += 2000 {
			c.back()
			before := s.runs()
			out, told, state := s.process(fileSize, size, c.args...)
			if state.ExitCode() == c.code {
				t.Logf("%s needs less than %d bytes", c.args[0], size)
				break
			}
			saved := s.runs() - before
			if state.ExitCode() != 1 || !strings.Contains(told, "disk is full or fails: nothing of this step was written") || saved == 0 && out != "" {
				t.Errorf("%s with %d bytes: %s, told %q %q", c.args[0], size, state, out, told)
			}
			s.again(c.code, c.args...)
			if diff := cmp.Diff(states[saved], s.state()); diff != "" || t.Failed() {
				t.Fatalf("%s after %d bytes (-undisturbed +full)\n%s", c.args[0], size, diff)
			}
		}
	}
}

// TestAServerWithoutRoomIsToldAsSuch: PostgreSQL refuses the first write to
// each of desfecho's tables in turn as a full disk makes it.
func TestAServerWithoutRoomIsToldAsSuch(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.wholesale()
	s.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100'; END $$`)
	made := s.keep("made")
	s.must(0, s.pullTwo()...)
	pulled := s.keep("pulled")
	tables := s.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'desfecho'")
	for _, c := range []losable{{s.pullTwo(), 0, made}, {s.judging(), 3, pulled}} {
		states, refused := s.twice(c), 0
		for _, table := range tables {
			c.back()
			before := s.runs()
			s.query("CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON desfecho." + table + " FOR EACH STATEMENT EXECUTE FUNCTION full_disk()")
			out, told, code := s.run(c.args...)
			s.query("DROP TRIGGER full_disk ON desfecho." + table)
			if code == c.code {
				continue
			}
			refused++
			saved := s.runs() - before
			if code != 1 || !strings.Contains(told, "disk is full or fails: nothing of this step was written") || saved == 0 && out != "" {
				t.Errorf("%s, %s: exit %d, told %q %q", c.args[0], table, code, out, told)
			}
			s.again(c.code, c.args...)
			if diff := cmp.Diff(states[saved], s.state()); diff != "" {
				t.Errorf("%s, %s (-undisturbed +full)\n%s", c.args[0], table, diff)
			}
		}
		if refused < 5 {
			t.Errorf("%s wrote to %d tables only", c.args[0], refused)
		}
	}
}

func (s *shop) judging() []string {
	return []string{"reconcile", "--as-of", "2025-11-29T12:00:00-03:00"}
}

// twice is what the database holds after the command, and after it again.
func (s *shop) twice(c losable) (states []string) {
	s.t.Helper()
	c.back()
	for range 2 {
		s.must(c.code, c.args...)
		states = append(states, s.state())
	}
	return states
}

// TestAReportIsWrittenWholeOrNotAtAll on a disk that has room for 0 bytes, for
// 1, and so on to the last: the old report stands until there is a new one.
func TestAReportIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "desfecho")
	cmd.Env = append(os.Environ(), everyByte+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// atEveryByte is the process of that test: a limit on the size of files holds
// for all of a process.
func atEveryByte(folder string) error {
	args := []string{"reconcile", "--attempts", "attempts.csv", "--statement", "stripe.csv", "--as-of", "2025-11-30T12:00:00Z", "--format", "csv", "-o", "report"}
	for name, text := range map[string]string{
		"attempts.csv": "id,charge_id,idempotency_key,provider,status,provider_charge_id,amount,currency,created_at\n1,c1,k1,stripe,failed,pi_1,129.90,BRL,2025-11-28T12:00:00Z\n",
		"stripe.csv":   shopStatement, "report": "old",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Chdir(folder); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for size := uint64(0); ; size++ {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: limit.Max}); err != nil {
			return err
		}
		_, told, code := inProcess(context.Background(), nil, args...)
		report, err := os.ReadFile("report")
		left, _ := filepath.Glob(".desfecho-*")
		switch {
		case err != nil || len(left) > 0:
			return fmt.Errorf("%d bytes: left %v, %w", size, left, err)
		case code == 4 && len(report) == int(size) && size > 500: // incomplete: nobody said what the files cover
			return nil
		case code != 1 || string(report) != "old" || !strings.Contains(told, "write report: "):
			return errors.New(fmt.Sprint(size, " bytes: exit ", code, ", ", told, "the report is ", string(report)))
		}
	}
}

// brokenPrinter takes nothing.
type brokenPrinter struct{}

func (brokenPrinter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestNewsThatCouldNotBePrintedAreToldByTheNextRun: cron's mail, or the file
// that it goes to, took nothing of the report of a run that was saved.
func TestNewsThatCouldNotBePrintedAreToldByTheNextRun(t *testing.T) {
	t.Parallel()
	for name, s := range shops(t) {
		s.must(0, "schema", "--apply")
		s.pull(0)
		var told strings.Builder
		code := Main(t.Context(), append([]string{"desfecho"}, s.judging()...), s.env(), strings.NewReader(""), brokenPrinter{}, &told)
		if code != 1 || !strings.Contains(told.String(), "was saved, its report was not written; the next run tells all of it") {
			t.Errorf("%s: exit %d, told %q", name, code, told.String())
		}
		if next := s.reconcile(3); !strings.Contains(next, "failed_but_charged") {
			t.Errorf("%s: the next run told %q", name, next)
		}
		if quiet := s.reconcile(3); quiet != "" {
			t.Errorf("%s: told again %q", name, quiet)
		}
	}
}
