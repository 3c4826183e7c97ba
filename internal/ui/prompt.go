package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNoTerminal says that there is no terminal that a person could type on.
var ErrNoTerminal = errors.New("there is no terminal to type on")

// Terminal is the device that a person types on, whatever the standard streams
// are. A program that pipes text into the standard input is no person.
type Terminal struct {
	in  *os.File
	out *os.File
}

// OpenTerminal opens the process's terminal. ErrNoTerminal where it has none.
func OpenTerminal() (*Terminal, error) {
	in, err := os.OpenFile(terminalIn, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	t := &Terminal{in: in, out: in}
	if terminalOut != terminalIn {
		if t.out, err = os.OpenFile(terminalOut, os.O_RDWR, 0); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoTerminal, err), in.Close())
		}
	}
	return t, nil
}

// Close gives the device back.
func (t *Terminal) Close() error {
	err := t.in.Close()
	if t.out != t.in {
		err = errors.Join(err, t.out.Close())
	}
	return err
}

// Write shows text on the device.
func (t *Terminal) Write(p []byte) (int, error) { return t.out.Write(p) }

// longestAnswer is how much of one line is read; what is longer is no answer to
// any question.
const longestAnswer = 4096

// Ask throws away what was typed before the question stood there, shows it, and
// gives the line that follows, without its end. io.EOF where the terminal went
// away, the context's error where it is over first; then the line is lost.
func (t *Terminal) Ask(ctx context.Context, question Safe) (string, error) {
	if err := discardTyped(t.in); err != nil {
		return "", fmt.Errorf("empty the terminal's buffer: %w", err)
	}
	if _, err := io.WriteString(t.out, question.String()+" "); err != nil {
		return "", fmt.Errorf("ask on the terminal: %w", err)
	}
	type answer struct {
		line string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(io.LimitReader(t.in, longestAnswer)).ReadString('\n')
		answered <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case a := <-answered:
		if a.err != nil {
			return "", a.err // also half a line: the terminal went away in the middle
		}
		return trimLine(a.line), nil
	}
}

// trimLine takes the end of the line away, and nothing else.
func trimLine(line string) string {
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
