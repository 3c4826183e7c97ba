package pgtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_CHILD") == "" { //nolint:forbidigo // how the test reaches its child
		os.Exit(m.Run()) //nolint:forbidigo // a test binary
	}
	c, err := start()
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, c.folder) //nolint:errcheck,forbidigo // the parent sees that nothing came
	select {}
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	first, second := Database(t), Database(t)
	if first == second {
		t.Fatalf("one database for two tests: %s", first)
	}
	c := Server(t)
	if got := c.SQL(t, "t1", "SELECT current_setting('listen_addresses')"); got != "" {
		t.Errorf("the server listens on %q, want only its socket", got)
	}
}

func TestServerEndsWithAKilledProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PGTEST_CHILD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSpace(line)
	pid, err := os.ReadFile(filepath.Join(folder, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	server, _, _ := strings.Cut(string(pid), "\n")
	gone := exec.Command("/bin/sh", "-c", `i=0; while [ $i -lt 400 ]; do [ -e "$1" ] || [ -d "/proc/$2" ] || exit 0; i=$((i+1)); sleep 0.05; done; exit 1`, "sh", folder, server)
	if err := gone.Run(); err != nil {
		t.Errorf("20 s after the process was killed, its server or %s is still there", folder)
	}
}
