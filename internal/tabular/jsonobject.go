package tabular

import (
	"io"
	"unicode/utf8"
)

// Object reads one JSON object that a cell holds, such as a provider's stored
// answer, as strictly as a row of a file: no key twice, no half characters,
// nothing behind it. The error is an *Error whose line and column are the
// text's own.
func Object(text string) (Row, error) {
	src := &source{buf: []byte(text), end: len(text), err: io.EOF}
	t := &jsonTable{jsonReader: &jsonReader{src: src, maxField: max(len(text), 1), line: 1, began: 1}}
	t.row.known = map[string]string{}
	t.row.slab.free = make([]uint32, 64) // one row needs no slab for many
	if !utf8.ValidString(text) {
		return Row{}, t.fail("the text is not UTF-8", "it was cut, or is no JSON")
	}
	c, err := t.token()
	if err != nil {
		return Row{}, err
	}
	if c != '{' {
		return Row{}, t.unexpected(c, "an object")
	}
	row, err := t.whole()
	if err != nil {
		return Row{}, err
	}
	if c, more := t.skip(); more {
		return Row{}, t.unexpected(c, "the end of the text")
	}
	return row, nil
}
