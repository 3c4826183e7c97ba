package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonTable finds the rows among the documents of a file: the elements of a
// top-level array, the elements of an array within each document (pages), or
// the documents themselves (NDJSON).
type jsonTable struct {
	*jsonReader
	records  string
	segments []string // path of the array of rows, nil where not known yet
	lines    bool     // the documents are the rows
	open     []frame  // the objects around the rows that are being read
	found    bool     // the document that is being read has its array
	inArray  bool
	start    int        // line where the document begins
	rows     int        // of the document
	around   rowBuilder // what stands around the rows, while they are being read
	ended    func(Page)
	peeked   bool
	first    Row
	firstErr error
}

// frame is one object around the rows.
type frame struct {
	keys  keyMark
	path  int
	begun bool // has a member
}

func openJSON(src *source, o Options) (*jsonTable, error) {
	t := &jsonTable{jsonReader: &jsonReader{src: src, maxField: o.MaxField, line: 1}, records: o.Records, ended: o.Page}
	t.row.known, t.around.known = map[string]string{}, map[string]string{}
	if o.Records != "" {
		t.segments = strings.Split(o.Records, ".")
	}
	t.first, t.firstErr = t.read()
	t.peeked = true
	if t.firstErr != nil && !errors.Is(t.firstErr, io.EOF) {
		return nil, t.firstErr
	}
	return t, nil
}

func (t *jsonTable) format() string {
	if t.lines {
		return "ndjson"
	}
	return "json"
}

func (t *jsonTable) next() (Row, error) {
	if t.peeked {
		t.peeked = false
		return t.first, t.firstErr
	}
	return t.read()
}

func (t *jsonTable) read() (Row, error) {
	for {
		var row Row
		var is bool
		var err error
		switch {
		case t.inArray:
			row, is, err = t.element()
		case len(t.open) > 0:
			row, is, err = t.member()
		default:
			row, is, err = t.document()
		}
		if err != nil || is {
			return row, err
		}
	}
}

// document begins the next document of the file.
func (t *jsonTable) document() (row Row, is bool, err error) {
	c, ok := t.skip()
	for ok && c == 0xEF && t.takeMark() {
		c, ok = t.skip()
	}
	t.began, t.start = t.line, t.line
	switch {
	case !ok && t.src.atEOF():
		return row, false, io.EOF
	case !ok:
		return row, false, t.src.failure(t.line)
	case c == '[' && t.records == "":
		t.src.pos++
		t.row.reset()
		t.beginArray()
		return row, false, nil
	case c == '[':
		return row, false, t.fail(fmt.Sprintf("an array, want an object with the rows at %q", t.records), "is this the right file and profile?")
	case c == '{' && t.lines:
		row, err = t.whole()
		return row, err == nil, err
	case c == '{':
		t.src.pos++
		t.row.reset()
		t.found = false
		t.depth = 1
		t.open = append(t.open, frame{keys: t.keys.open()})
		return row, false, nil
	default:
		return row, false, t.unexpected(c, "an object or an array")
	}
}

// takeMark takes the byte order mark of a page that was appended.
func (t *jsonTable) takeMark() bool {
	for more := true; more && t.src.end-t.src.pos < 3; {
		more = t.src.more()
	}
	if !strings.HasPrefix(string(t.src.buf[t.src.pos:min(t.src.end, t.src.pos+3)]), "\uFEFF") {
		return false
	}
	t.src.pos += 3
	return true
}

func (t *jsonTable) beginArray() {
	t.found, t.inArray, t.rows = true, true, 0
	t.row, t.around = t.around, t.row
}

// endPage tells what stood around the rows of a document.
func (t *jsonTable) endPage() {
	if t.ended != nil {
		t.ended(Page{Around: t.row.row(t.start), Rows: t.rows})
	}
}

// element reads the next row of the array of rows.
func (t *jsonTable) element() (row Row, is bool, err error) {
	c, err := t.separator(']', t.rows == 0)
	if err != nil {
		return row, false, err
	}
	switch c {
	case ']':
		t.inArray, t.began = false, t.start
		t.row, t.around = t.around, t.row
		if len(t.open) == 0 {
			t.endPage()
		}
		return row, false, nil
	case '{':
		t.rows++
		t.nth = t.rows
		row, err = t.whole()
		row.Element, t.nth = t.rows, 0
		return row, err == nil, err
	default:
		return row, false, t.unexpected(c, "a row, which is an object")
	}
}

// whole reads one whole row.
func (t *jsonTable) whole() (Row, error) {
	line := t.line
	t.began = line
	t.row.reset()
	t.src.pos++
	if err := t.object(true); err != nil {
		return Row{}, err
	}
	return t.row.row(line), nil
}

// member reads the next member of the innermost object around the rows, down
// to the array of rows. An object of which it is not known yet whether it has
// such an array may be a row itself.
func (t *jsonTable) member() (row Row, is bool, err error) {
	f := &t.open[len(t.open)-1]
	more, err := t.key(f.keys, !f.begun)
	if err != nil {
		return row, false, err
	}
	f.begun = true
	if !more {
		return t.close()
	}
	if want, on := t.wanted(); on && string(t.scratch) == want {
		return row, false, t.descend()
	}
	length := t.row.enter(t.scratch)
	t.beside = t.segments != nil
	err = t.value(true)
	t.beside = false
	t.row.leave(length)
	return row, false, err
}

// wanted is the key that leads on to the rows.
func (t *jsonTable) wanted() (string, bool) {
	if t.segments == nil {
		return "data", len(t.open) == 1
	}
	return t.segments[len(t.open)-1], !t.found
}

// descend goes into the value that holds the rows, or the object on the way.
func (t *jsonTable) descend() error {
	c, err := t.token()
	if err != nil {
		return err
	}
	length := t.row.enter(t.scratch)
	last := t.segments == nil || len(t.open) == len(t.segments)
	switch {
	case last && c == '[':
		t.src.pos++
		if t.segments != nil {
			t.row.leave(length)
			t.beginArray()
			return nil
		}
		return t.guess(length)
	case !last && c == '{':
		t.src.pos++
		if err := t.enter(); err != nil {
			return err
		}
		t.open = append(t.open, frame{keys: t.keys.open(), path: length})
		return nil
	case t.segments == nil:
		err = t.value(true)
		t.row.leave(length)
		return err
	default:
		return t.unexpected(c, fmt.Sprintf("the array of rows at %q", t.records))
	}
}

// guess decides whether "data" holds the rows: where it holds objects, or
// nothing.
func (t *jsonTable) guess(length int) error {
	c, err := t.token()
	if err != nil {
		return err
	}
	if c == '{' || c == ']' {
		t.segments = []string{"data"}
		t.row.leave(length)
		t.beginArray()
		return nil
	}
	err = t.array(true)
	t.row.leave(length)
	return err
}

// close ends the innermost object around the rows.
func (t *jsonTable) close() (row Row, is bool, err error) {
	f := t.open[len(t.open)-1]
	t.keys.close(f.keys)
	t.row.leave(f.path)
	t.open = t.open[:len(t.open)-1]
	t.depth--
	switch {
	case len(t.open) > 0:
		return row, false, nil
	case t.found:
		t.endPage()
		return row, false, nil
	case t.segments == nil:
		t.lines = true
		return t.row.row(t.start), true, nil
	}
	return row, false, &Error{
		File: t.src.name, Line: t.start,
		Problem: fmt.Sprintf("the object that begins here has no array at %q", strings.Join(t.segments, ".")),
		Hint:    "is it an error message of the provider, saved as a page? fetch it again, or name the array in the profile (records)",
	}
}
