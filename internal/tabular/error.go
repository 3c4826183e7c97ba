package tabular

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"desfecho/internal/mask"
)

// Error is a place in a file that cannot be read, and why. Nothing of the file
// may be taken once there is one.
type Error struct {
	File    string
	Line    int // from 1; 0 where the whole file is meant
	Element int // JSON: number of the row in the array of its document, from 1; 0 where it is in none
	Column  int // CSV: number of the cell from 1; JSON: byte of the line from 1; 0 where none is meant
	Heading string
	Value   string
	Problem string
	Hint    string
}

// shown is how many runes of a cell are quoted in a message.
const shown = 60

// Error is one line: `file:line:column: heading "value": problem`, with the
// element behind the place where it is one of a JSON array. What comes
// from the file is masked, escaped and cut, so that no byte of it reaches a
// terminal and no number of a person a log (RULES §2.16). File and place stay.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(escape(e.File))
	if e.Line > 0 {
		if e.File != "" {
			b.WriteByte(':')
		}
		b.WriteString(strconv.Itoa(e.Line))
		if e.Column > 0 {
			b.WriteString(":" + strconv.Itoa(e.Column))
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Element > 0 {
		fmt.Fprintf(&b, "element %d: ", e.Element)
	}
	if e.Heading != "" {
		b.WriteString(escape(cut(mask.Text(e.Heading))))
	}
	if e.Value != "" {
		if e.Heading != "" {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Quote(cut(mask.Text(e.Value))))
	}
	if e.Heading != "" || e.Value != "" {
		b.WriteString(": ")
	}
	b.WriteString(mask.Text(e.Problem))
	return b.String()
}

// escape shows controls, bidirectional marks and invalid bytes as escapes,
// without the quotes around.
func escape(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func cut(text string) string {
	if utf8.RuneCountInString(text) <= shown {
		return text
	}
	runes := 0
	for i := range text {
		if runes == shown {
			return text[:i] + "…"
		}
		runes++
	}
	return text
}
