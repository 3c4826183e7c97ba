package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// fault is a byte that makes the rest of a file unreadable. The rows before
// it are whole.
type fault struct{ problem, hint string }

func (f *fault) Error() string { return f.problem }

// checked passes bytes on up to the first that may not be in a text file: a
// NUL that is not padding at the end and, where asked, what is no UTF-8.
type checked struct {
	r    io.Reader
	at   int64 // offset in the file of the next byte, -1 where that is not known
	utf8 bool
	cut  [utf8.UTFMax]byte // the beginning of a rune whose end is still to come
	held int
	err  error
}

func (c *checked) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if len(p) < 2*utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	n := copy(p, c.cut[:c.held])
	c.held = 0
	read, err := c.r.Read(p[n:])
	n += read
	c.err = err
	n = c.stopAtNul(p, n)
	if c.utf8 {
		n = c.stopAtInvalid(p, n)
	}
	if c.at >= 0 {
		c.at += int64(n)
	}
	if n > 0 {
		return n, nil
	}
	return 0, c.err
}

// stopAtNul cuts at the first NUL. Whatever follows decides: nothing but
// padding is the end of the file, anything else its fault.
func (c *checked) stopAtNul(p []byte, n int) int {
	i := bytes.IndexByte(p[:n], 0)
	if i < 0 {
		return n
	}
	if c.err != nil && !errors.Is(c.err, io.EOF) {
		return i
	}
	padded, err := c.onlyPadding(p[i:n])
	switch {
	case err != nil:
		c.err = err
	case padded:
		c.err = io.EOF
	default:
		c.err = &fault{
			"a NUL byte" + c.place(i) + " in the middle of the text",
			"the file is damaged or no text; fetch it again",
		}
	}
	return i
}

func (c *checked) onlyPadding(rest []byte) (bool, error) {
	const padding = "\x00\x1A\r\n"
	chunk := make([]byte, 4096)
	err := c.err
	for {
		if len(bytes.Trim(rest, padding)) > 0 {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		var n int
		n, err = c.r.Read(chunk)
		rest = chunk[:n]
	}
}

// stopAtInvalid cuts at the first byte that is no UTF-8, and holds back a rune
// that is not complete yet.
func (c *checked) stopAtInvalid(p []byte, n int) int {
	text := p[:n]
	if c.err == nil {
		text = whole(text)
		c.held = copy(c.cut[:], p[len(text):n])
	}
	if utf8.Valid(text) {
		return len(text)
	}
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	c.err = &fault{
		fmt.Sprintf("byte 0x%02X%s is not UTF-8, though the text before is", text[i], c.place(i)),
		"if the file is from Excel or a Brazilian bank, try --encoding windows-1252",
	}
	return i
}

func (c *checked) place(i int) string {
	if c.at < 0 {
		return ""
	}
	return fmt.Sprintf(" at offset %d", c.at+int64(i))
}
