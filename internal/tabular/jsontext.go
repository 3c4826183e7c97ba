package tabular

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// text appends the string behind its quote to out.
func (p *jsonReader) text(out []byte) ([]byte, error) {
	start := len(out)
	for {
		if _, ok := p.peek(); !ok {
			return nil, p.ended()
		}
		run := p.window(p.maxField + 1 - (len(out) - start))
		n := 0
		for n < len(run) && run[n] != '"' && run[n] != '\\' && run[n] >= ' ' {
			n++
		}
		out = append(out, run[:n]...)
		p.src.pos += n
		if len(out)-start > p.maxField {
			return nil, p.fail("a text of more than "+bytesText(p.maxField), "is this the right file?")
		}
		if n == len(run) {
			continue
		}
		var err error
		switch run[n] {
		case '"':
			p.src.pos++
			return out, nil
		case '\\':
			p.src.pos++
			if out, err = p.escape(out); err != nil {
				return nil, err
			}
		default:
			return nil, p.fail(fmt.Sprintf("control byte 0x%02X within a text", run[n]), "the file is not JSON from here on, or a quote is missing")
		}
	}
}

// window is what is there to read, at most n bytes: where a text is too long
// must not depend on how the bytes arrive.
func (p *jsonReader) window(n int) []byte {
	return p.src.buf[p.src.pos:min(p.src.end, p.src.pos+n)]
}

// escape appends what stands behind a backslash.
func (p *jsonReader) escape(out []byte) ([]byte, error) {
	c, ok := p.peek()
	if !ok {
		return nil, p.ended()
	}
	p.src.pos++
	switch c {
	case '"', '\\', '/':
		return append(out, c), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case 'n':
		return append(out, '\n'), nil
	case 'r':
		return append(out, '\r'), nil
	case 't':
		return append(out, '\t'), nil
	case 'u':
		r, err := p.unicode()
		return utf8.AppendRune(out, r), err
	}
	p.src.pos--
	return nil, p.fail("an escape that JSON does not know", "the file is not JSON from here on")
}

// unicode reads the four digits of an escape, and its second half where it is
// a surrogate.
func (p *jsonReader) unicode() (rune, error) {
	r, err := p.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	for _, want := range []byte(`\u`) {
		c, ok := p.peek()
		if !ok {
			return 0, p.ended()
		}
		if c != want {
			return 0, p.halfSurrogate()
		}
		p.src.pos++
	}
	low, err := p.hex()
	if err != nil {
		return 0, err
	}
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return pair, nil
	}
	return 0, p.halfSurrogate()
}

func (p *jsonReader) halfSurrogate() error {
	return p.fail("half of a surrogate pair, which is no character", "the program that wrote the file cut a text in two")
}

func (p *jsonReader) hex() (rune, error) {
	var r rune
	for range 4 {
		c, ok := p.peek()
		if !ok {
			return 0, p.ended()
		}
		var digit byte
		switch {
		case c >= '0' && c <= '9':
			digit = c - '0'
		case c >= 'a' && c <= 'f':
			digit = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			digit = c - 'A' + 10
		default:
			return 0, p.fail("an escape without four hexadecimal digits", "the file is not JSON from here on")
		}
		r = r<<4 | rune(digit)
		p.src.pos++
	}
	return r, nil
}

// number appends a number as it is written to the row.
func (p *jsonReader) number() error {
	start := len(p.row.text)
	for {
		run := p.window(p.maxField + 1 - (len(p.row.text) - start))
		n := 0
		for n < len(run) && inNumber(run[n]) {
			n++
		}
		p.row.text = append(p.row.text, run[:n]...)
		p.src.pos += n
		if len(p.row.text)-start > p.maxField {
			return p.fail("a number of more than "+bytesText(p.maxField), "is this the right file?")
		}
		if n < len(run) || !p.src.more() {
			break
		}
	}
	if literal := p.row.text[start:]; !isNumber(literal) {
		e := p.fail("this is not a number as JSON writes them", "the file is not JSON from here on")
		e.Value = string(literal)
		return e
	}
	return nil
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// isNumber tells -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
func isNumber(text []byte) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	whole := digits(text)
	if whole == 0 || text[0] == '0' && whole > 1 {
		return false
	}
	text = text[whole:]
	if len(text) > 0 && text[0] == '.' {
		n := digits(text[1:])
		if n == 0 {
			return false
		}
		text = text[1+n:]
	}
	if len(text) == 0 || text[0] != 'e' && text[0] != 'E' {
		return len(text) == 0
	}
	text = text[1:]
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	return len(text) > 0 && digits(text) == len(text)
}

func digits(text []byte) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
