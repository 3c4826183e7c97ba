package ui

import (
	"errors"
	"io"
	"strconv"
	"syscall"

	"golang.org/x/term"
)

// Streams are the three standard streams and what is known about them.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool

	Width int  // columns of the terminal that Out is; DefaultWidth where nobody tells
	Color bool // Out is a terminal that wants colours
	ASCII bool // own ornaments in ASCII only: TERM=dumb
	Quiet bool // set by -q: no progress
}

// DefaultWidth is taken where the terminal does not say how wide it is.
const DefaultWidth = 80

// Detect asks the streams what they are. Colours are off where NO_COLOR is set
// to anything, where TERM is dumb or empty, and where Out is no terminal.
func Detect(in io.Reader, out, errs io.Writer, getenv func(string) string) Streams {
	s := Streams{In: in, Out: out, Err: errs, Width: DefaultWidth}
	_, s.InTerminal = terminal(in)
	_, s.ErrTerminal = terminal(errs)
	var fd int
	fd, s.OutTerminal = terminal(out)
	kind := getenv("TERM")
	s.ASCII = kind == "dumb"
	if !s.OutTerminal {
		return s
	}
	s.Color = getenv("NO_COLOR") == "" && kind != "dumb" && kind != ""
	if width, _, err := term.GetSize(fd); err == nil && width > 0 {
		s.Width = width
	} else if width, err := strconv.Atoi(getenv("COLUMNS")); err == nil && width > 0 {
		s.Width = width
	}
	return s
}

// terminal gives the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	file, isFile := stream.(interface{ Fd() uintptr })
	if !isFile {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// BrokenPipe tells whether an error only says that the reader went away, as in
// `desfecho … | head -1`: no failure of ours, and nobody is left to be told.
func BrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
