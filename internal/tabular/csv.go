package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unsafe"
)

const (
	defaultMaxField = 1 << 20
	minMaxRow       = 4 << 20
	sampleOf        = 4 * shown // bytes of a cell that a message may need
)

// records cuts text into records and cells. It differs from RFC 4180 where
// real files do: lone CR and mixed line ends, quotes within unquoted cells,
// blanks around quoted ones.
type records struct {
	src      *source
	delim    byte
	maxField int
	line     int // of the next record
	quoted   bool
	lf       int // the next LF in src.buf at or after pos, src.end where there is none; -1: not known
	out      []byte
	ends     []uint32
	slab     slab
}

func newRecords(src *source, delim byte, line, maxField int) *records {
	return &records{src: src, delim: delim, line: line, maxField: maxField, lf: -1}
}

// errMore says that the window holds no whole record yet.
var errMore = errors.New("record is not whole yet")

// next is the next record, blank lines left out; io.EOF at the end.
func (s *records) next() (Row, error) {
	for {
		row, err := s.record()
		switch {
		case err == nil:
			if s.blank(row) {
				continue
			}
			return row, nil
		case !errors.Is(err, errMore):
			return Row{}, err
		}
		if s.src.end-s.src.pos > s.maxRow() {
			return Row{}, s.rowTooLong()
		}
		if !s.src.more() && !s.src.atEOF() {
			return Row{}, s.src.failure(s.line)
		}
		s.lf = -1
	}
}

// blank tells a line without any cell from a row.
func (s *records) blank(row Row) bool {
	return len(row.ends) == 1 && !s.quoted && strings.TrimSpace(row.text) == ""
}

// record takes one record off the window.
func (s *records) record() (Row, error) {
	src := s.src
	if src.pos == src.end {
		if src.atEOF() {
			return Row{}, io.EOF
		}
		return Row{}, errMore
	}
	stop := s.lineEnd(src.pos)
	if stop < 0 && !src.atEOF() {
		return Row{}, errMore
	}
	if stop < 0 {
		stop = src.end
	}
	s.ends = s.ends[:0]
	s.quoted = bytes.IndexByte(src.buf[src.pos:stop], '"') >= 0
	var err error
	if s.quoted {
		stop, err = s.cells(src.pos)
	} else {
		err = s.plain(src.buf[src.pos:stop])
	}
	if err != nil {
		return Row{}, err
	}
	next, err := s.after(stop)
	if err != nil {
		return Row{}, err
	}
	if stop-src.pos > s.maxRow() {
		return Row{}, s.rowTooLong()
	}
	row := Row{Line: s.line, text: s.text(stop), ends: s.slab.keep(s.ends)}
	s.line++
	if s.quoted {
		s.line += lineEnds(src.buf[src.pos:stop])
	}
	src.pos = next
	return row, nil
}

// text is that of the record which ends at stop.
func (s *records) text(stop int) string {
	record := s.src.buf[s.src.pos:stop]
	switch {
	case s.quoted:
		return string(s.out)
	case s.src.shared && len(record) > 0:
		return unsafe.String(&record[0], len(record)) //nolint:gosec // nobody writes to it any more
	}
	return string(record)
}

// lineEnd is the first LF or CR at or after from, -1 where the window has none.
func (s *records) lineEnd(from int) int {
	src := s.src
	if s.lf < from {
		s.lf = src.end
		if i := bytes.IndexByte(src.buf[from:src.end], '\n'); i >= 0 {
			s.lf = from + i
		}
	}
	if i := bytes.IndexByte(src.buf[from:s.lf], '\r'); i >= 0 {
		return from + i
	}
	if s.lf == src.end {
		return -1
	}
	return s.lf
}

// after is where the next record begins: behind LF, CR or CRLF.
func (s *records) after(stop int) (int, error) {
	src := s.src
	if stop == src.end {
		return stop, nil
	}
	if src.buf[stop] == '\r' {
		if stop+1 == src.end && !src.atEOF() {
			return 0, errMore
		}
		if stop+1 < src.end && src.buf[stop+1] == '\n' {
			stop++
		}
	}
	return stop + 1, nil
}

// plain cuts a record that has no quote.
func (s *records) plain(record []byte) error {
	start := 0
	for {
		i := bytes.IndexByte(record[start:], s.delim)
		stop := len(record)
		if i >= 0 {
			stop = start + i
		}
		if stop-start > s.maxField {
			return s.tooLong(record[start:stop])
		}
		s.ends = append(s.ends, uint32(stop))
		if i < 0 {
			return nil
		}
		start = stop + 1
	}
}

// cells cuts the record at from, which has quotes, into out, and is where it
// ends.
func (s *records) cells(from int) (int, error) {
	src := s.src
	s.out = s.out[:0]
	p := from
	for {
		start := len(s.out)
		var err error
		if open, ok := s.opens(p); ok {
			p, err = s.quotedCell(from, open+1)
		} else {
			p, err = s.bareCell(p)
		}
		if err != nil {
			return 0, err
		}
		if len(s.out)-start > s.maxField {
			return 0, s.tooLong(s.out[start:])
		}
		s.ends = append(s.ends, uint32(len(s.out)))
		if p == src.end || src.buf[p] != s.delim {
			return p, nil
		}
		s.out = append(s.out, s.delim)
		p++
	}
}

// opens finds a quote at p, blanks before it allowed.
func (s *records) opens(p int) (int, bool) {
	for p < s.src.end && s.isBlank(s.src.buf[p]) {
		p++
	}
	return p, p < s.src.end && s.src.buf[p] == '"'
}

func (s *records) isBlank(b byte) bool { return (b == ' ' || b == '\t') && b != s.delim }

// bareCell takes an unquoted cell as it stands; quotes in it mean nothing.
func (s *records) bareCell(p int) (int, error) {
	src := s.src
	for i := p; i < src.end; i++ {
		if b := src.buf[i]; b == s.delim || b == '\n' || b == '\r' {
			s.out = append(s.out, src.buf[p:i]...)
			return i, nil
		}
	}
	if !src.atEOF() {
		return 0, errMore
	}
	s.out = append(s.out, src.buf[p:src.end]...)
	return src.end, nil
}

// quotedCell takes a cell whose text begins at p, behind its quote, in the
// record that begins at from. It ends at the delimiter or the line's end.
func (s *records) quotedCell(from, p int) (int, error) {
	src := s.src
	open := p
	for {
		i := bytes.IndexByte(src.buf[p:src.end], '"')
		if i < 0 {
			return 0, s.unclosed(from, open)
		}
		s.out = append(s.out, src.buf[p:p+i]...)
		p += i + 1
		if p < src.end && src.buf[p] == '"' {
			s.out = append(s.out, '"')
			p++
			continue
		}
		break
	}
	closed := p
	for p < src.end && s.isBlank(src.buf[p]) {
		p++
	}
	if p == src.end {
		if src.atEOF() {
			return p, nil
		}
		return 0, errMore
	}
	if b := src.buf[p]; b == s.delim || b == '\n' || b == '\r' {
		return p, nil
	}
	return 0, s.badQuote(from, open, closed)
}

func (s *records) unclosed(from, open int) error {
	src := s.src
	if !src.atEOF() && src.err != nil {
		return src.failure(s.line)
	}
	if !src.atEOF() && src.end-open <= max(s.maxField, sampleOf) {
		return errMore
	}
	text := src.buf[open:min(src.end, open+sampleOf)]
	return s.fail(s.line+lineEnds(src.buf[from:open]), len(s.ends)+1, string(text),
		"the quote that opens this cell is never closed", "close it, or write a quote within a cell twice")
}

func (s *records) badQuote(from, open, closed int) error {
	src := s.src
	rest := src.buf[closed:min(src.end, closed+sampleOf)]
	if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	} else if len(rest) < sampleOf && !src.atEOF() { // what is shown must not depend on how the bytes arrive
		if src.err != nil {
			return src.failure(s.line)
		}
		return errMore
	}
	first := s.line + lineEnds(src.buf[from:open])
	last := s.line + lineEnds(src.buf[from:closed])
	return s.fail(first, len(s.ends)+1, string(rest),
		fmt.Sprintf("text after the quote that closes the cell on line %d", last),
		"a quote is missing or too many; within a cell it is written twice")
}

func (s *records) maxRow() int { return max(minMaxRow, 4*s.maxField) }

func (s *records) rowTooLong() error {
	return s.fail(s.line, 0, "", "a row that does not end within "+bytesText(s.maxRow()),
		"is a quote never closed, or is this no table?")
}

func (s *records) tooLong(cell []byte) error {
	return s.fail(s.line, len(s.ends)+1, string(cell[:min(len(cell), sampleOf)]),
		fmt.Sprintf("a cell of %s, at most %s are read", bytesText(len(cell)), bytesText(s.maxField)),
		"is a quote never closed, or is this no table?")
}

func (s *records) fail(line, column int, value, problem, hint string) error {
	return &Error{File: s.src.name, Line: line, Column: column, Value: value, Problem: problem, Hint: hint}
}

func bytesText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
