//go:build linux

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// personCommand CODE FILE PROGRAM ARGS… runs a program on a terminal of its
// own, as a person does: each line of FILE is typed once the program asks for
// one (its output ends with a colon and a blank), and the exit code must be
// CODE. What stood on the terminal is put into the file "seen".
func personCommand(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 3 {
		ts.Fatalf("usage: person CODE FILE PROGRAM ARGS…")
	}
	lines := strings.SplitAfter(ts.ReadFile(args[1]), "\n")
	seen, code, err := atTerminal(ts, lines[:len(lines)-1], args[2], args[3:])
	ts.Check(os.WriteFile(ts.MkAbs("seen"), []byte(seen), 0o600))
	ts.Logf("[terminal]\n%s", seen)
	ts.Check(err)
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit %d, want %s", code, args[0])
	}
}

// patience is how long a program may take for all of it.
const patience = time.Minute

func atTerminal(ts *testscript.TestScript, lines []string, program string, args []string) (seen string, code int, err error) {
	master, slave, err := openTerminal()
	if err != nil {
		return "", 0, err
	}
	defer master.Close()
	path, err := exec.LookPath(program)
	if err != nil {
		return "", 0, errors.Join(err, slave.Close())
	}
	c := exec.Command(path, args...)
	c.Dir, c.Env = ts.MkAbs("."), scriptEnvironment(ts)
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	err = errors.Join(err, slave.Close())
	if err != nil {
		return "", 0, err
	}
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	var all bytes.Buffer
	buffer := make([]byte, 4096)
	for {
		n, err := master.Read(buffer)
		all.Write(buffer[:n])
		if err != nil {
			break // the program closed the terminal
		}
		if bytes.HasSuffix(all.Bytes(), []byte(": ")) && len(lines) > 0 {
			if _, err := io.WriteString(master, lines[0]); err != nil {
				return all.String(), 0, err
			}
			lines = lines[1:]
		}
	}
	err = c.Wait()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return all.String(), ended.ExitCode(), nil
	}
	return all.String(), 0, err
}

// openTerminal opens a pseudo-terminal of 100 columns.
func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
}

// scriptEnvironment is the script's environment as far as the program needs it.
func scriptEnvironment(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{"PATH", "HOME", "TERM", "USER", "DESFECHO_CONFIG", "TMPDIR", "GOCOVERDIR"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
