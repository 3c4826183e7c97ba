package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errEnd ends a sample.
var errEnd = io.EOF

// csvTable is what a CSV file has besides its records.
type csvTable struct {
	*records
	header     []string
	headerLine int
	preamble   [][]string
}

// openCSV reads up to the heading row.
func openCSV(src *source, o Options) (*csvTable, error) {
	delim, line := byte(0), 1
	if sep, length, ok := separatorLine(src.buf[src.pos:src.end]); ok {
		delim, line = sep, 2
		src.pos += length
	}
	if o.Delimiter != 0 {
		if o.Delimiter > 0x7F || strings.ContainsRune("\"\r\n", o.Delimiter) {
			return nil, fmt.Errorf("delimiter %q: want one ASCII character that is no quote", o.Delimiter)
		}
		delim = byte(o.Delimiter)
	}
	if delim == 0 {
		delim = delimiterOf(src.buf[src.pos:src.end], src.err != nil, o.Header)
	}
	t := &csvTable{records: newRecords(src, delim, line, o.MaxField)}
	return t, t.findHeader(o.Header)
}

// separatorLine reads Excel's own first line, sep=; with or without quotes.
func separatorLine(text []byte) (sep byte, length int, ok bool) {
	end := bytes.IndexAny(text[:min(len(text), 16)], "\r\n")
	if end < 0 {
		return 0, 0, false
	}
	line := bytes.Trim(text[:end], `"`)
	if len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, 0, false
	}
	length = end + 1
	if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
		length++
	}
	return line[4], length, true
}

func (t *csvTable) findHeader(header func([]string) bool) error {
	for range sampled {
		row, err := t.records.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		cells := row.cells()
		if header == nil || header(cells) {
			t.header, t.headerLine = cells, row.Line
			return nil
		}
		t.preamble = append(t.preamble, cells)
	}
	if len(t.preamble) == 0 {
		return empty(t.src.name)
	}
	hint := "is this the right file and profile?"
	if !slices.ContainsFunc(t.preamble, func(cells []string) bool { return len(cells) > 1 }) {
		hint = "no row has more than one cell: say what stands between cells in a profile, such as `text: {delimiter: \";\"}`"
	}
	return &Error{
		File: t.src.name, Line: 1, Value: strings.Join(t.preamble[0], string(rune(t.delim))),
		Problem: fmt.Sprintf("no heading row among the first %d rows (cut at %q)", len(t.preamble), t.delim),
		Hint:    hint,
	}
}

// next refuses a row with text where no heading stands: its cells cannot be
// told apart any more.
func (t *csvTable) next() (Row, error) {
	row, err := t.records.next()
	if err != nil {
		return Row{}, err
	}
	for i := len(t.header); i < row.Len(); i++ {
		if cell := row.Cell(i); strings.TrimSpace(cell) != "" {
			return Row{}, t.fail(row.Line, i+1, cell,
				fmt.Sprintf("the row has %d cells, the heading row %d (cut at %q)", row.Len(), len(t.header), t.delim),
				"a cell that contains the delimiter must stand in quotes: export the file again, or say another in a profile, such as `text: {delimiter: \";\"}`")
		}
	}
	return row, nil
}

// cells is the row as headings: trimmed, byte order marks and zero-width
// spaces taken off.
func (r Row) cells() []string {
	cells := make([]string, r.Len())
	for i := range cells {
		cells[i] = strings.Trim(strings.TrimSpace(r.Cell(i)), "\uFEFF\u200B")
	}
	return cells
}

// column finds a heading by its folded text.
func (t *csvTable) column(name string) (int, error) {
	places := t.places(name)
	if base, ordinal, ok := strings.Cut(name, "#"); ok && len(places) == 0 {
		var n int
		if _, err := fmt.Sscanf(ordinal, "%d", &n); err == nil {
			if all := t.places(base); n >= 1 && n <= len(all) {
				return all[n-1], nil
			}
		}
	}
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return 0, &Error{
			File: t.src.name, Line: t.headerLine, Heading: name, Problem: "no column has this heading",
			Hint: "the file has: " + headingsText(t.header),
		}
	default:
		return 0, &Error{
			File: t.src.name, Line: t.headerLine, Column: places[1] + 1, Heading: name,
			Problem: fmt.Sprintf("columns %d and %d both have this heading", places[0]+1, places[1]+1),
			Hint:    fmt.Sprintf("name the one meant: %q or %q", name+"#1", name+"#2"),
		}
	}
}

func (t *csvTable) places(name string) []int {
	var found []int
	folded := Fold(name)
	for i, heading := range t.header {
		if folded != "" && Fold(heading) == folded {
			found = append(found, i)
		}
	}
	return found
}

// headingsText lists what a file has, not without end.
func headingsText(headings []string) string {
	const most = 60
	var quoted []string
	for _, heading := range headings {
		if heading == "" {
			continue
		}
		if len(quoted) == most {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, escape(cut(heading)))
	}
	return strings.Join(quoted, ", ")
}
