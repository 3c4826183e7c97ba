package ui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal gives the two ends of a pseudo terminal of the given width.
func openTerminal(t *testing.T, width uint16) (keeper, tty *os.File) {
	t.Helper()
	keeper, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(keeper.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close(); _ = tty.Close() })
	return keeper, tty
}

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestDetectKnowsATerminal(t *testing.T) {
	t.Parallel()
	_, tty := openTerminal(t, 132)
	s := Detect(tty, tty, tty, env(map[string]string{"TERM": "xterm"}))
	if !s.InTerminal || !s.OutTerminal || !s.ErrTerminal || s.Width != 132 || !s.Color || s.ASCII {
		t.Errorf("got %+v", s)
	}
	for _, off := range []map[string]string{{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}} {
		if s := Detect(tty, tty, tty, env(off)); s.Color || s.ASCII != (off["TERM"] == "dumb") {
			t.Errorf("%v: got %+v", off, s)
		}
	}
}

func TestDetectTakesNothingElseForATerminal(t *testing.T) {
	t.Parallel()
	var buffer bytes.Buffer
	s := Detect(strings.NewReader(""), &buffer, &buffer, env(map[string]string{"TERM": "xterm", "COLUMNS": "200"}))
	if s.InTerminal || s.OutTerminal || s.ErrTerminal || s.Color || s.Width != DefaultWidth {
		t.Errorf("got %+v", s)
	}
}

func TestDetectFallsBackToColumnsWhereTheTerminalIsSilent(t *testing.T) {
	t.Parallel()
	_, tty := openTerminal(t, 0)
	if s := Detect(tty, tty, tty, env(map[string]string{"COLUMNS": "100"})); s.Width != 100 {
		t.Errorf("width %d", s.Width)
	}
	if s := Detect(tty, tty, tty, env(map[string]string{"COLUMNS": "wide"})); s.Width != DefaultWidth {
		t.Errorf("width %d", s.Width)
	}
}

func TestProgressDrawsOnlyForAPersonAndLeavesNothing(t *testing.T) {
	t.Parallel()
	draw := func(s Streams, total int64) string {
		var out bytes.Buffer
		s.Err = &out
		bar := s.Progress("read\x1b[2J", total)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 100 {
					bar.Add(1)
				}
			})
		}
		group.Wait()
		bar.Done()
		bar.Done()
		return out.String()
	}
	for name, s := range map[string]Streams{"file": {}, "quiet": {ErrTerminal: true, Quiet: true}, "dumb": {ErrTerminal: true, ASCII: true}} {
		if out := draw(s, 400); out != "" {
			t.Errorf("%s: drew %q", name, out)
		}
	}
	for _, total := range []int64{0, -1} {
		if out := draw(Streams{ErrTerminal: true}, total); out != "" {
			t.Errorf("total %d drew %q", total, out)
		}
	}
	out := draw(Streams{ErrTerminal: true, Out: io.Discard}, 1000) // ends early
	if !strings.Contains(out, `read\x1b[2J`) || !strings.HasSuffix(out, " \r") || strings.Contains(out, "\n") || strings.Contains(out, "\x1b[2J") {
		t.Errorf("drew %q", out)
	}
}
