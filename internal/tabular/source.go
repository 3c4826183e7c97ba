package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// source is a window on checked UTF-8 text: buf[pos:end] is what is read and
// not yet used. It grows only as far as one row is long.
type source struct {
	name string
	r    io.Reader
	buf  []byte
	pos  int
	end  int
	base int64 // offset of buf[0] in the text
	err  error // why there is no more; io.EOF at the end
	// shared: buf is the whole text, which is never written again.
	shared bool
}

const (
	window  = 96 << 10
	minRead = 4 << 10
)

// more reads on, keeping what is not used, and tells whether there was
// anything. The places of bytes in buf change.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.base += int64(s.pos)
		s.end -= s.pos
		s.pos = 0
	}
	if len(s.buf)-s.end < minRead {
		grown := make([]byte, max(window, 2*len(s.buf)))
		copy(grown, s.buf[:s.end])
		s.buf = grown
	}
	before := s.end
	for range 100 { // a reader may return nothing for a while, but not for ever
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.stop(err)
			return s.end > before
		}
		if n > 0 && (s.buf[s.end-1] != ctrlZ || len(s.buf)-s.end < minRead) {
			return true
		}
	}
	if s.end > before {
		return true
	}
	s.err = io.ErrNoProgress
	return false
}

// ctrlZ is DOS's own end of a file. A window does not end with it: whether it
// is the end shows only in what follows.
const ctrlZ = 0x1A

// stop remembers the end; Ctrl-Z there is no text.
func (s *source) stop(err error) {
	s.err = err
	if errors.Is(err, io.EOF) {
		s.end = s.pos + len(bytes.TrimRight(s.buf[s.pos:s.end], string(rune(ctrlZ))))
	}
}

func (s *source) atEOF() bool { return errors.Is(s.err, io.EOF) }

// failure says why the text stopped before its end, line being where the
// unused text begins.
func (s *source) failure(line int) error {
	var f *fault
	if errors.As(s.err, &f) {
		return &Error{File: s.name, Line: line + lineEnds(s.buf[s.pos:s.end]), Problem: f.problem, Hint: f.hint}
	}
	return fmt.Errorf("read %s: %w", s.name, s.err)
}

// lineEnds counts the ends of lines of any style.
func lineEnds(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if bytes.IndexByte(text, '\r') >= 0 {
		n += bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
	}
	return n
}
