// Package tabular reads tables of text out of CSV, JSON and NDJSON bytes.
//
// It finds out encoding, format, delimiter and heading row, and hands out one
// row after the other with its line number, in constant memory. It never
// interprets a cell: numbers stay as they are written, and no row is dropped
// or repaired in silence.
package tabular

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// Options say what is known of a file beforehand; the zero value finds out.
type Options struct {
	Name      string                    // file name for messages
	Encoding  string                    // "" detects; else a name such as "utf-8", "windows-1252", "utf-16le", "cp850"
	Delimiter rune                      // 0 detects among , ; TAB |
	Header    func(cells []string) bool // tells the heading row; nil: the first row. It may be asked about one row several times
	Records   string                    // JSON: dot path to the array of rows; "" is the top-level array, or "data" where an object has it
	MaxField  int                       // bytes a cell may have; 0 is 1 MiB
	Page      func(Page)                // JSON: told of each document with an array of rows once its rows were given
}

// Page is what a JSON document says around its array of rows, such as whether
// more pages follow. Lists beside the rows may be left out.
type Page struct {
	Around Row
	Rows   int
}

// Table is one file being read.
type Table struct {
	format   string
	encoding string
	csv      *csvTable
	json     *jsonTable
	err      error
}

// sample is how much of a file is looked at to find out what it is.
const sample = 64 << 10

// Open looks at the beginning of a file and reads up to its heading row. What
// is not a table (a login page, a workbook, an OFX file) is refused with an
// *Error that says what to do.
func Open(r io.Reader, o Options) (*Table, error) {
	if o.MaxField <= 0 {
		o.MaxField = defaultMaxField
	}
	o.MaxField = min(o.MaxField, 256<<20)
	raw := bufio.NewReaderSize(r, sample)
	head, err := raw.Peek(sample)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", o.Name, err)
	}
	if refused := binary(head); refused != nil {
		return nil, &Error{File: o.Name, Problem: refused.problem, Hint: refused.hint}
	}
	found, name, mark, err := encodingOf(head, o.Encoding)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Name, err)
	}
	if _, err := raw.Discard(mark); err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Name, err)
	}
	src := &source{name: o.Name, r: decode(raw, found, name, int64(mark))}
	for more := true; more && src.end < sample; {
		more = src.more()
	}
	return open(src, name, o)
}

// ErrText says that a text is none that OpenText takes.
var ErrText = errors.New("the text is not UTF-8, or has a NUL in it")

// OpenText is Open for the whole text of a file in UTF-8, which nobody writes to
// any more: its rows are parts of it, and nothing is copied.
func OpenText(text []byte, o Options) (*Table, error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, ErrText
	}
	if o.MaxField <= 0 {
		o.MaxField = defaultMaxField
	}
	src := &source{name: o.Name, buf: text, shared: true}
	if bytes.HasPrefix(text, []byte("\uFEFF")) {
		src.pos = len("\uFEFF")
	}
	src.end = len(text)
	src.stop(io.EOF)
	return open(src, "utf-8", o)
}

// encodingOf is the encoding that the bytes show, the one asked for where they
// leave it open.
func encodingOf(head []byte, asked string) (found encoding.Encoding, name string, mark int, err error) {
	name, mark = detect(head)
	if mark == 0 && asked != "" {
		name = asked
	}
	found, name, err = lookUp(name)
	return found, name, mark, err
}

// empty says the same of no byte and of blanks alone, however they arrive.
func empty(name string) *Error {
	return &Error{
		File: name, Problem: "the file is empty",
		Hint: "fetch it again: a download that failed looks like this, and a file without movements still has headings",
	}
}

func open(src *source, encoding string, o Options) (*Table, error) {
	text := bytes.TrimLeft(src.buf[src.pos:src.end], " \t\r\n\uFEFF")
	if refused := foreign(text); refused != nil {
		return nil, &Error{File: o.Name, Problem: refused.problem, Hint: refused.hint}
	}
	if len(text) == 0 && src.atEOF() {
		return nil, empty(o.Name)
	}
	t := &Table{encoding: encoding}
	var err error
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		t.json, err = openJSON(src, o)
		if err == nil {
			t.format = t.json.format()
		}
	} else {
		t.format = "csv"
		t.csv, err = openCSV(src, o)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Format is csv, json or ndjson.
func (t *Table) Format() string { return t.format }

// Encoding is the encoding that the bytes were read in.
func (t *Table) Encoding() string { return t.encoding }

// Delimiter is the one between cells, 0 for JSON.
func (t *Table) Delimiter() rune {
	if t.csv == nil {
		return 0
	}
	return rune(t.csv.delim)
}

// Header is the heading row, trimmed; nil for JSON, where a cell is asked by path.
func (t *Table) Header() []string {
	if t.csv == nil {
		return nil
	}
	return t.csv.header
}

// HeaderLine is the line of the heading row, 0 for JSON.
func (t *Table) HeaderLine() int {
	if t.csv == nil {
		return 0
	}
	return t.csv.headerLine
}

// Preamble is the rows before the heading row.
func (t *Table) Preamble() [][]string {
	if t.csv == nil {
		return nil
	}
	return t.csv.preamble
}

// Column is the index of the heading that folds to the same text as name. It
// is an *Error where there is none, or more than one; "name#2" asks for the
// second of that name.
func (t *Table) Column(name string) (int, error) {
	if t.csv == nil {
		return 0, fmt.Errorf("column %q: a %s file has no headings, ask by path", name, t.format)
	}
	return t.csv.column(name)
}

// Next is the next row, io.EOF at the end. After an error, an *Error where the
// file is to blame, the table stops: the error is all that follows.
func (t *Table) Next() (Row, error) {
	if t.err != nil {
		return Row{}, t.err
	}
	var row Row
	if t.csv != nil {
		row, t.err = t.csv.next()
	} else {
		row, t.err = t.json.next()
	}
	return row, t.err
}
