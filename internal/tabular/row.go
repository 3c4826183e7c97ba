package tabular

import (
	"fmt"
	"strconv"
	"strings"
)

// Row is one row. It stays valid; its cells share one backing string, so that
// keeping one keeps all: clone what is kept of long rows.
type Row struct {
	Line    int // where the row begins, from 1
	Element int // JSON: its number in the array of its document, from 1; 0 where it is in none

	text  string   // the cells, one byte between each two
	ends  []uint32 // where each cell ends in text
	paths []string // JSON: the path of each cell
}

// Cell is the text under a heading by its index, "" where the row is shorter.
// It is as written: neither trimmed nor normalized.
func (r Row) Cell(column int) string {
	if column < 0 || column >= len(r.ends) {
		return ""
	}
	start := uint32(0)
	if column > 0 {
		start = r.ends[column-1] + 1
	}
	return r.text[start:r.ends[column]]
}

// Place is where the row stands, for messages. Rows of a JSON file may all
// stand on one line.
func (r Row) Place() string {
	if r.Element == 0 {
		return "line " + strconv.Itoa(r.Line)
	}
	return fmt.Sprintf("line %d, element %d", r.Line, r.Element)
}

// Len is the number of cells that the row has.
func (r Row) Len() int { return len(r.ends) }

// OneLine tells whether the row of a CSV file stands on one line.
func (r Row) OneLine() bool {
	return strings.IndexByte(r.text, '\n') < 0 && strings.IndexByte(r.text, '\r') < 0
}

// Field is a value of a JSON row by its dot path, such as "payment.id" or
// "items.0.id" (a dot or backslash within a key is written \. or \\). Numbers
// are their literal text, booleans "true" and "false"; ok is false for null
// and absent.
func (r Row) Field(path string) (value string, ok bool) {
	for i, p := range r.paths {
		if p == path {
			return r.Cell(i), true
		}
	}
	return "", false
}

// slab hands out slices of cell ends, many rows to one allocation.
type slab struct{ free []uint32 }

func (s *slab) keep(ends []uint32) []uint32 {
	if len(s.free) < len(ends) {
		s.free = make([]uint32, max(8192, len(ends)))
	}
	kept := s.free[:len(ends):len(ends)]
	s.free = s.free[len(ends):]
	copy(kept, ends)
	return kept
}
