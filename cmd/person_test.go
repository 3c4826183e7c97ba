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
	p, err := sit(ts.MkAbs("."), scriptEnvironment(ts), program, args...)
	if err != nil {
		return "", 0, err
	}
	for len(lines) > 0 && p.asked() {
		if err := p.types(lines[0]); err != nil {
			return p.seen(), 0, err
		}
		lines = lines[1:]
	}
	code, err = p.ended()
	return p.seen(), code, err
}

// seated is a program at work on a terminal of its own.
type seated struct {
	master  *os.File
	command *exec.Cmd
	late    *time.Timer
	all     bytes.Buffer
	gone    bool
}

// sit starts a program on a terminal of its own, as that of a session.
func sit(folder string, env []string, program string, args ...string) (*seated, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, errors.Join(err, slave.Close(), master.Close())
	}
	c := exec.Command(path, args...)
	c.Dir, c.Env = folder, env
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	if err = errors.Join(err, slave.Close()); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	return &seated{master: master, command: c, late: time.AfterFunc(patience, func() { _ = c.Process.Kill() })}, nil
}

// asked waits until the program asks for a line; false: it has ended.
func (p *seated) asked() bool {
	buffer := make([]byte, 4096)
	for !p.gone {
		n, err := p.master.Read(buffer)
		p.all.Write(buffer[:n])
		p.gone = err != nil // the program closed the terminal
		if n > 0 && bytes.HasSuffix(p.all.Bytes(), []byte(": ")) {
			return true
		}
	}
	return false
}

// types types what the program reads then.
func (p *seated) types(text string) error {
	_, err := io.WriteString(p.master, text)
	return err
}

// seen is all that stood on the terminal.
func (p *seated) seen() string { return p.all.String() }

// ended waits for the end of the program, whatever it asks, and gives its exit
// code.
func (p *seated) ended() (code int, err error) {
	for p.asked() {
		continue // nobody answers
	}
	err = errors.Join(p.command.Wait(), p.master.Close())
	p.late.Stop()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), nil
	}
	return 0, err
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
