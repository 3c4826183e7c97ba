// Package tabular reads tables of text out of CSV, JSON and NDJSON bytes.
//
// It finds out encoding, format, delimiter and heading row, and hands out one
// row after the other with its line number, in constant memory. It never
// interprets a cell: numbers stay as they are written, and no row is dropped
// or repaired in silence.
package tabular

import "io"

// Options say what is known of a file beforehand; the zero value finds out.
type Options struct {
	Name      string                    // file name for messages
	Encoding  string                    // "" detects; else a name such as "utf-8", "windows-1252", "utf-16le", "cp850"
	Delimiter rune                      // 0 detects among , ; TAB |
	Header    func(cells []string) bool // tells the heading row; nil: the first row. It may be asked about one row several times
	Records   string                    // JSON: dot path to the array of rows; "" is the top-level array, or "data" where an object has it
	MaxField  int                       // bytes a cell may have; 0 is 1 MiB
}

// Table is one file being read.
type Table struct{}

// Open looks at the beginning of a file and reads up to its heading row. What
// is not a table (a login page, a workbook, an OFX file) is refused with an
// *Error that says what to do.
func Open(r io.Reader, o Options) (*Table, error) { return nil, io.ErrUnexpectedEOF }

// Format is csv, json or ndjson.
func (t *Table) Format() string { return "" }

// Encoding is the encoding that the bytes were read in.
func (t *Table) Encoding() string { return "" }

// Delimiter is the one between cells, 0 for JSON.
func (t *Table) Delimiter() rune { return 0 }

// Header is the heading row, trimmed; nil for JSON, where a cell is asked by path.
func (t *Table) Header() []string { return nil }

// Preamble is the rows before the heading row.
func (t *Table) Preamble() [][]string { return nil }

// Column is the index of the heading that folds to the same text as name. It
// is an *Error where there is none, or more than one; "name#2" asks for the
// second of that name.
func (t *Table) Column(name string) (int, error) { return 0, io.ErrUnexpectedEOF }

// Next is the next row, io.EOF at the end. After an error, an *Error where the
// file is to blame, the table stops.
func (t *Table) Next() (Row, error) { return Row{}, io.EOF }

// Row is one row. It stays valid; its cells share one backing string, so that
// keeping one keeps all: clone what is kept of long rows.
type Row struct {
	Line int // where the row begins, from 1
}

// Cell is the text under a heading by its index, "" where the row is shorter.
func (r Row) Cell(column int) string { return "" }

// Len is the number of cells that the row has.
func (r Row) Len() int { return 0 }

// Field is a value of a JSON row by its dot path, such as "payment.id" or
// "items.0.id" (a dot within a key is written \.). Numbers are their literal
// text, booleans "true" and "false"; ok is false for null and absent.
func (r Row) Field(path string) (value string, ok bool) { return "", false }

// Fold makes headings comparable: without case, accents, blanks and
// punctuation.
func Fold(heading string) string { return heading }
