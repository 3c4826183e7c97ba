package tabular

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// drained is all that a file gives.
type drained struct {
	Header []string
	Rows   [][]string
	Paths  [][]string
	Lines  []int
	Format string
	Err    string
}

func all(text string, o Options) drained {
	return rest(Open(strings.NewReader(text), o))
}

// slowly is all where, but for the first bytes, each byte comes alone. The
// text must be UTF-8 and the delimiter given.
func slowly(text string, o Options) drained {
	mark := len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
	raw := bufio.NewReader(strings.NewReader(text[mark:]))
	src := &source{name: o.Name, r: iotest.OneByteReader(bufio.NewReader(&checked{r: raw, at: int64(mark), utf8: true}))}
	for src.end < 20 && src.more() {
		continue
	}
	if o.MaxField == 0 {
		o.MaxField = defaultMaxField
	}
	return rest(open(src, "utf-8", o))
}

func rest(table *Table, err error) drained {
	if err != nil {
		return drained{Err: err.Error()}
	}
	d := drained{Header: table.Header(), Format: table.Format()}
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			d.Err = err.Error()
			return d
		}
		cells := make([]string, row.Len())
		for i := range cells {
			cells[i] = row.Cell(i)
		}
		d.Rows, d.Paths, d.Lines = append(d.Rows, cells), append(d.Paths, row.paths), append(d.Lines, row.Line)
	}
}

// laws holds what is true of any file.
func laws(t *testing.T, text string, o Options) drained {
	t.Helper()
	d := all(text, o)
	last := 1 + lineEnds([]byte(text)) + strings.Count(text, "\x0A\x00") + strings.Count(text, "\x00\x0A")
	for i, line := range d.Lines {
		if line < 1 || line > last || i > 0 && d.Format == "csv" && line <= d.Lines[i-1] || i > 0 && line < d.Lines[i-1] {
			t.Errorf("row %d of %q begins on line %d", i, text, line)
		}
	}
	if strings.ContainsAny(d.Err, "\n\r\x1b\x00") {
		t.Errorf("the error of %q is no line: %q", text, d.Err)
	}
	if o.Encoding == "" || strings.HasPrefix(text, "\xFF\xFE") || strings.HasPrefix(text, "\xFE\xFF") || binary([]byte(text)) != nil {
		return d
	}
	if slow := slowly(text, o); !reflect.DeepEqual(d, slow) {
		t.Errorf("%q reads otherwise byte by byte (-at once +slowly)\n%s", text, cmp.Diff(d, slow))
	}
	if shared := rest(OpenText([]byte(text), o)); utf8.ValidString(text) && !strings.Contains(text, "\x00") && !reflect.DeepEqual(d, shared) {
		t.Errorf("%q reads otherwise where it is (-copied +shared)\n%s", text, cmp.Diff(d, shared))
	}
	return d
}

var loneCR = regexp.MustCompile(`\r([^\n]|$)`)

// FuzzCSV holds the laws on any bytes, and compares with encoding/csv what both
// accept.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "a;b\r\n\"x\"\"y\";2\r\n", "\uFEFFa,b\n1,\"x\ny\"\n", "a,b\n1,\"x\n", "sep=;\na;b\n1;2", "a\tb\rc\td",
		"\xFF\xFEa\x00,\x00b\x00\n\x00", "a,b\n1,\xE7\n", "a,b\n\x1A\x00\x00", "x\n\na,b\n1,2,,\n1,2,3\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		laws(t, text, Options{})
		ours := laws(t, text, Options{Delimiter: ',', Encoding: "utf-8", MaxField: 4096})
		if ours.Err != "" || ours.Format != "csv" || !utf8.ValidString(text) || loneCR.MatchString(text) || strings.ContainsAny(text, "\x00\x1A\uFEFF\u200B") ||
			strings.HasPrefix(strings.TrimLeft(strings.ToLower(text), `"`), "sep=") {
			return
		}
		theirs, ok := standard(text)
		if !ok {
			return
		}
		if len(theirs.Rows) > 0 {
			for i, cell := range theirs.Rows[0] {
				theirs.Rows[0][i] = strings.TrimSpace(cell)
			}
			theirs.Header, theirs.Rows, theirs.Lines = theirs.Rows[0], theirs.Rows[1:], theirs.Lines[1:]
		}
		for i, row := range ours.Rows {
			for j, cell := range row {
				ours.Rows[i][j] = strings.ReplaceAll(cell, "\r\n", "\n")
			}
		}
		for i, cell := range ours.Header {
			ours.Header[i] = strings.ReplaceAll(cell, "\r\n", "\n")
		}
		if a, b := fmt.Sprintf("%q %q %v", ours.Header, ours.Rows, ours.Lines), fmt.Sprintf("%q %q %v", theirs.Header, theirs.Rows, theirs.Lines); a != b {
			t.Errorf("%q is\n%s\nencoding/csv says\n%s", text, a, b)
		}
	})
}

// standard reads with encoding/csv; rows of one blank cell are no rows here,
// unless they are quoted, which it does not tell: then ok is false.
func standard(text string) (d drained, ok bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return d, true
		}
		if err != nil {
			return d, false
		}
		if len(row) == 1 && strings.TrimSpace(row[0]) == "" {
			if strings.Contains(text, `"`) {
				return d, false
			}
			continue
		}
		line, _ := r.FieldPos(0)
		d.Rows, d.Lines = append(d.Rows, row), append(d.Lines, line)
	}
}

// FuzzJSON holds the laws on any bytes; what we accept, encoding/json accepts
// with the same values.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":1}`, `[{"a":1.50},{"a":{"b":[true,null,"x\u00e9"]}}]`, `{"data":[{"a":1}],"hasMore":false}{"data":[]}`,
		`{"status":"failed","Status":"paid"}`, `{"a":"\ud83d\ude00"}` + "\r\n\r\n" + `{"a":-0e5}`, `{"":{"a.b":1}}`, `[[]`, "{\"a\":\"\x80\"}", `{"data":[1,{"x":2}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.TrimLeft(text, " \t\r\n")
		if len(text) > 1<<16 || text == "" || text[0] != '{' && text[0] != '[' {
			return
		}
		o := Options{Encoding: "utf-8", MaxField: 4096}
		ours := laws(t, text, o)
		laws(t, text, Options{Encoding: "utf-8", Records: "a.b"})
		if ours.Err != "" || strings.ContainsAny(text, "\x00\x1A\uFEFF") {
			return
		}
		want, ok := standardJSON(t, text, ours.Format)
		if !ok {
			return
		}
		if len(want) != len(ours.Rows) {
			t.Fatalf("%q has %d rows, encoding/json %d", text, len(ours.Rows), len(want))
		}
		for i, row := range want {
			got := map[string]string{}
			for j, path := range ours.Paths[i] {
				got[path] = ours.Rows[i][j]
			}
			if diff := cmp.Diff(row, got); diff != "" || len(got) != len(ours.Paths[i]) {
				t.Errorf("row %d of %q (-encoding/json +ours)\n%s", i, text, diff)
			}
		}
	})
}

// standardJSON flattens what encoding/json reads. It answers for lines and for
// arrays of rows, not for pages.
func standardJSON(t *testing.T, text, format string) (rows []map[string]string, ok bool) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return rows, true
		}
		if err != nil {
			t.Fatalf("%q is no JSON: %v", text, err)
		}
		elements, isArray := document.([]any)
		if !isArray {
			if format != "ndjson" {
				return nil, false
			}
			elements = []any{document}
		}
		for _, element := range elements {
			row := map[string]string{}
			flatten(row, "", element)
			rows = append(rows, row)
		}
	}
}

func flatten(row map[string]string, path string, value any) {
	down := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			name := strings.NewReplacer(`\`, `\\`, `.`, `\.`).Replace(key)
			if name == "" {
				name = `\e`
			}
			flatten(row, down(name), inner)
		}
	case []any:
		for i, inner := range v {
			flatten(row, down(fmt.Sprint(i)), inner)
		}
	case nil:
	default:
		row[path] = fmt.Sprint(v)
	}
}
