package tabular

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	maxDepth  = 64
	maxFields = 10_000

	maxBeside     = 1000 // values beside the rows that are kept, and their bytes
	maxBesideText = 64 << 10
)

// jsonReader reads JSON values off a source. It is stricter than
// encoding/json: no key twice, nor in two cases; no half surrogate.
type jsonReader struct {
	src       *source
	maxField  int
	line      int
	lineStart int64 // offset in the text of the line's first byte
	began     int   // line where the value that is being read begins
	nth       int   // of the element that is being read, 0 where none is
	beside    bool  // what is read stands beside the rows: of no bound, and lists are left out
	depth     int
	keys      keySet
	row       rowBuilder
	scratch   []byte
}

func (p *jsonReader) fail(problem, hint string) *Error {
	return &Error{
		File: p.src.name, Line: p.line, Element: p.nth, Column: int(p.src.base + int64(p.src.pos) - p.lineStart + 1),
		Problem: problem, Hint: hint,
	}
}

// ended says that the text stops where more must come.
func (p *jsonReader) ended() error {
	if !p.src.atEOF() {
		return p.src.failure(p.line)
	}
	return p.fail(fmt.Sprintf("the text ends within what begins on line %d", p.began),
		"the download was cut off; fetch it again")
}

func (p *jsonReader) unexpected(c byte, want string) error {
	found := "text outside quotes"
	if c < utf8.RuneSelf {
		found = strconv.QuoteRune(rune(c))
	}
	return p.fail(found+", want "+want, "the file is not JSON from here on")
}

// peek is the next byte; ok is false at the end of the text.
func (p *jsonReader) peek() (c byte, ok bool) {
	if p.src.pos == p.src.end && !p.src.more() {
		return 0, false
	}
	return p.src.buf[p.src.pos], true
}

// skip goes over white space to the next byte, without taking it.
func (p *jsonReader) skip() (c byte, ok bool) {
	if s := p.src; s.pos < s.end && s.buf[s.pos] > ' ' {
		return s.buf[s.pos], true
	}
	return p.skipBlanks()
}

func (p *jsonReader) skipBlanks() (c byte, ok bool) {
	for {
		c, ok = p.peek()
		if !ok || c > ' ' {
			return c, ok
		}
		switch c {
		case ' ', '\t':
			p.src.pos++
		case '\n':
			p.src.pos++
			p.newLine()
		case '\r':
			p.src.pos++
			if next, ok := p.peek(); !ok || next != '\n' {
				p.newLine()
			}
		default:
			return c, ok
		}
	}
}

func (p *jsonReader) newLine() {
	p.line++
	p.lineStart = p.src.base + int64(p.src.pos)
}

// token is skip where something must come.
func (p *jsonReader) token() (byte, error) {
	c, ok := p.skip()
	if !ok {
		return 0, p.ended()
	}
	return c, nil
}

// value reads any value; what is no object or array goes to the row where keep
// is set.
func (p *jsonReader) value(keep bool) error {
	c, err := p.token()
	if err != nil {
		return err
	}
	start := len(p.row.text)
	switch {
	case c == '{':
		p.src.pos++
		return p.object(keep)
	case c == '[':
		p.src.pos++
		return p.array(keep && !p.beside)
	case c == '"':
		p.src.pos++
		p.row.text, err = p.text(p.row.text)
	case c == '-' || c >= '0' && c <= '9':
		err = p.number()
	default:
		var null bool
		null, err = p.literal()
		keep = keep && !null
	}
	if err != nil {
		return err
	}
	if !keep || p.beside && (len(p.row.paths) >= maxBeside || len(p.row.text) > maxBesideText) {
		p.row.text = p.row.text[:start]
		return nil
	}
	if len(p.row.paths) >= maxFields {
		return p.fail(fmt.Sprintf("a row of more than %d values", maxFields), "if the rows are in an array, the profile must name it (records)")
	}
	if len(p.row.text) > max(minMaxRow, 4*p.maxField) {
		return p.fail("a row of more than "+bytesText(max(minMaxRow, 4*p.maxField)), "if the rows are in an array, the profile must name it (records)")
	}
	p.row.field()
	return nil
}

func (p *jsonReader) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail(fmt.Sprintf("more than %d levels of nesting", maxDepth), "no statement is nested so deep; is this the right file?")
	}
	return nil
}

// object reads an object behind its brace.
func (p *jsonReader) object(keep bool) error {
	if err := p.enter(); err != nil {
		return err
	}
	mark := p.keys.open()
	for first := true; ; first = false {
		more, err := p.key(mark, first)
		if err != nil {
			return err
		}
		if !more {
			p.keys.close(mark)
			p.depth--
			return nil
		}
		length := p.row.enter(p.scratch)
		if err := p.value(keep); err != nil {
			return err
		}
		p.row.leave(length)
	}
}

// key reads the next key into scratch, and the colon; more is false at the
// brace that closes the object.
func (p *jsonReader) key(mark keyMark, first bool) (more bool, err error) {
	c, err := p.separator('}', first)
	if err != nil || c == '}' {
		return false, err
	}
	if c != '"' {
		return false, p.unexpected(c, "a key in quotes")
	}
	p.src.pos++
	if p.scratch, err = p.text(p.scratch[:0]); err != nil {
		return false, err
	}
	if other, clash := p.keys.add(mark, p.scratch); clash {
		return false, p.repeated(other)
	}
	if p.keys.count(mark) > maxFields {
		return false, p.fail(fmt.Sprintf("an object of more than %d keys", maxFields), "is this the right file?")
	}
	if c, err = p.token(); err != nil {
		return false, err
	}
	if c != ':' {
		return false, p.unexpected(c, "a colon")
	}
	p.src.pos++
	return true, nil
}

func (p *jsonReader) repeated(other []byte) error {
	path := p.row.path
	if len(path) > 0 {
		path = append(bytes.Clone(path), '.')
	}
	problem := "this key stands twice in one object"
	if !bytes.Equal(other, p.scratch) {
		problem = fmt.Sprintf("the object also has the key %q, which differs in case only", other)
	}
	e := p.fail(problem, "readers would disagree about which value counts; the file must be made again")
	e.Heading = string(path) + string(p.scratch)
	return e
}

// array reads an array behind its bracket; its elements' paths are numbers.
func (p *jsonReader) array(keep bool) error { return p.elements(keep, 0) }

func (p *jsonReader) elements(keep bool, from int) error {
	if err := p.enter(); err != nil {
		return err
	}
	for i := from; ; i++ {
		c, err := p.separator(']', i == 0)
		if err != nil {
			return err
		}
		if c == ']' {
			p.depth--
			return nil
		}
		length := p.row.enterIndex(i)
		if err := p.value(keep); err != nil {
			return err
		}
		p.row.leave(length)
	}
}

// separator takes the comma before all but the first member, or the bracket
// that closes, and is the byte that the member begins with (not taken).
func (p *jsonReader) separator(closing byte, first bool) (byte, error) {
	c, err := p.token()
	if err != nil {
		return 0, err
	}
	if c == closing {
		p.src.pos++
		return c, nil
	}
	if first {
		return c, nil
	}
	if c != ',' {
		return 0, p.unexpected(c, fmt.Sprintf("a comma or %q", rune(closing)))
	}
	p.src.pos++
	if c, err = p.token(); err == nil && c == closing {
		err = p.unexpected(c, "a value after the comma")
	}
	return c, err
}

// literal reads true, false or null.
func (p *jsonReader) literal() (null bool, err error) {
	start := len(p.row.text)
	c, ok := p.peek()
	for ok && c >= 'a' && c <= 'z' && len(p.row.text)-start < 6 {
		p.row.text = append(p.row.text, c)
		p.src.pos++
		c, ok = p.peek()
	}
	word := p.row.text[start:]
	switch string(word) {
	case "true", "false":
		return false, nil
	case "null":
		p.row.text = p.row.text[:start]
		return true, nil
	case "":
		return false, p.unexpected(c, "a value")
	}
	return false, p.fail(fmt.Sprintf("%q, want a value", word), "the file is not JSON from here on")
}
