package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fields gives each row of a JSON text as lines "line path=value", in order.
func fields(tb testing.TB, r io.Reader, o Options) (rows []string, format string, err error) {
	tb.Helper()
	o.Name = "f.json"
	table, err := Open(r, o)
	if err != nil {
		return nil, "", err
	}
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return rows, table.Format(), nil
		}
		if err != nil {
			return rows, table.Format(), err
		}
		line := fmt.Sprint(row.Line)
		for i, path := range row.paths {
			line += " " + path + "=" + row.Cell(i)
		}
		rows = append(rows, line)
	}
}

func TestJSONRowsWhereverTheyAre(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text, records, format string
		want                        []string
	}{
		{"array", "[{\"a\":1},\n {\"a\":2}]\n", "", "json", []string{"1 a=1", "2 a=2"}},
		{"empty array", " [ ] ", "", "json", nil},
		{"arrays one after the other", "[{\"a\":1}]\n[]\n[{\"a\":2}]", "", "json", []string{"1 a=1", "3 a=2"}},
		{"lines", "{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":3}", "", "ndjson", []string{"1 a=1", "3 a=2", "4 a=3"}},
		{"lone CR", "{\"a\":1}\r{\"a\":2}\r", "", "ndjson", []string{"1 a=1", "2 a=2"}},
		{"objects over several lines", "{\n\"a\": 1\n}\n{\n\"a\": 2\n}", "", "ndjson", []string{"1 a=1", "4 a=2"}},
		{"glued", `{"a":1}{"a":2}`, "", "ndjson", []string{"1 a=1", "1 a=2"}},
		{"byte order mark", "\uFEFF{\"a\":1}\n", "", "ndjson", []string{"1 a=1"}},
		{"page", "{\"object\":\"list\",\"hasMore\":false,\n\"data\":[\n{\"a\":1},{\"a\":2}],\"total\":2}", "", "json", []string{"3 a=1", "3 a=2"}},
		{"empty page", `{"data":[]}`, "", "json", nil},
		{"pages", "{\"data\":[{\"a\":1}],\"next\":{\"x\":[1]}}\n\uFEFF{\"data\":[]}\n{\"x\":[{}],\"data\":[{\"a\":2}]}", "", "json", []string{"1 a=1", "3 a=2"}},
		{"data that is an object", `{"id":1,"data":{"object":{"id":"x"}}}`, "", "ndjson", []string{"1 id=1 data.object.id=x"}},
		{"data that is a list of words", `{"id":1,"data":["x","y"],"z":2}`, "", "ndjson", []string{"1 id=1 data.0=x data.1=y z=2"}},
		{"deep records", `{"meta":{"n":1},"result":{"page":1,"items":[{"a":1},{"a":2}],"more":true},"end":1}`, "result.items", "json", []string{"1 a=1", "1 a=2"}},
		{"deep pages", `{"r":{"i":[{"a":1}]}}{"r":{"x":0,"i":[{"a":2}]}}`, "r.i", "json", []string{"1 a=1", "1 a=2"}},
		{
			"values", `{"s":"x","n":-0.10e+2,"big":12345678901234567890,"t":true,"f":false,"nil":null,"e":"","o":{},"l":[]}`, "", "ndjson",
			[]string{"1 s=x n=-0.10e+2 big=12345678901234567890 t=true f=false e="},
		},
		{
			"paths", `{"payment":{"id":"p"},"items":[{"id":1},{"id":2},[3]],"a.b":{"c\\":4},"":{"a":5},"a":6}`, "", "ndjson",
			[]string{`1 payment.id=p items.0.id=1 items.1.id=2 items.2.0=3 a\.b.c\\=4 \e.a=5 a=6`},
		},
		{"escapes", `{"a":"\"\\\/\b\f\n\r\t\u00e9\u00EF\ud83d\ude00\u0000"}`, "", "ndjson", []string{"1 a=\"\\/\b\f\n\r\téï😀\x00"}},
		{
			"other shapes", `[{"a":1,"b":2},{"b":3},{"a":4,"c":5,"b":6},{"a":7,"c":8},{},{"a":1,"b":2,"c":3},{"a":1,"x":2,"c":3}]`, "", "json",
			[]string{"1 a=1 b=2", "1 b=3", "1 a=4 c=5 b=6", "1 a=7 c=8", "1", "1 a=1 b=2 c=3", "1 a=1 x=2 c=3"},
		},
	} {
		got, format, err := fields(t, strings.NewReader(row.text), Options{Records: row.records})
		if err != nil || format != row.format {
			t.Errorf("%s: %s, %v", row.name, format, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", row.name, diff)
		}
		laws(t, row.text, Options{Records: row.records, Encoding: "utf-8"})
	}
}

func TestFieldsAreAskedByPath(t *testing.T) {
	t.Parallel()
	table, err := Open(strings.NewReader(`{"id":1.50,"p":{"id":"x","nil":null,"ok":false}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	row, err := table.Next()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"id": "1.50", "p.id": "x", "p.ok": "false"} {
		if got, ok := row.Field(path); !ok || got != want {
			t.Errorf("%s is %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"p", "p.nil", "ID", "p.id.x", ""} {
		if got, ok := row.Field(path); ok {
			t.Errorf("%s is %q", path, got)
		}
	}
	if table.Header() != nil || table.Preamble() != nil || table.Delimiter() != 0 {
		t.Error("a JSON file has headings")
	}
	if _, err := table.Column("id"); err == nil {
		t.Error("a JSON file has columns")
	}
}

type badText struct{ name, text, records, want string }

// badTexts are no tables, and the place and words that each must be refused with.
func badTexts() []badText {
	return []badText{
		{"key twice", "{\"a\":1}\n{\"b\":{\"a\":1,\"x\":2,\"a\":3}}", "", `f.json:2:22: b.a: this key stands twice in one object`},
		{"key in two cases", `{"status":"failed","Status":"paid","STATUS":"succeeded"}`, "", `f.json:1:28: Status: the object also has the key "status", which differs in case only`},
		{"key in two cases beyond ASCII", `{"ção":1,"ÇÃO":2}`, "", `f.json:1:19: ÇÃO: the object also has the key "ção", which differs in case only`},
		{"Kelvin", `{"k":1,"` + "\u212A" + `":2}`, "", `f.json:1:13: ` + "\u212A" + `: the object also has the key "k", which differs in case only`},
		{"key twice by escape", `{"a":1,"\u0061":2}`, "", `f.json:1:16: a: this key stands twice in one object`},
		{"key twice around the rows", `{"data":[{"a":1}],"Data":[]}`, "", `f.json:1:25: Data: the object also has the key "data", which differs in case only`},
		{"key twice in a list", `[{"l":[{"a":1},{"a":1,"a":2}]}]`, "", `f.json:1:26: element 1: l.1.a: this key stands twice in one object`},
		{"cut off", "[{\"a\":1},\n{\"a\":{\"b\":1},\n\"c\":", "", "f.json:3:5: element 2: the text ends within what begins on line 2"},
		{"cut off in the array", "{\"x\":1,\n\"data\":[{\"a\":1}", "", "f.json:2:16: the text ends within what begins on line 2"},
		{"cut off behind the array", "{\"x\":1,\n\"data\":[\n{\"a\":1}]", "", "f.json:3:9: the text ends within what begins on line 1"},
		{"cut off in a text", `{"a":"x`, "", "f.json:1:8: the text ends within what begins on line 1"},
		{"rows that are none", `[1]`, "", "f.json:1:2: '1', want a row, which is an object"},
		{"document that is none", "{\"a\":1}\n3", "", "f.json:2:1: '3', want an object or an array"},
		{"page without rows", "{\"data\":[{\"a\":1}]}\n{\"errors\":[]}", "", `f.json:2: the object that begins here has no array at "data"`},
		{"no such array", `{"data":[{"a":1}]}`, "items", `f.json:1: the object that begins here has no array at "items"`},
		{"no array", `{"items":{"a":1}}`, "items", `f.json:1:10: '{', want the array of rows at "items"`},
		{"no object on the way", `{"r":[1]}`, "r.items", `f.json:1:6: '[', want the array of rows at "r.items"`},
		{"array where a page is due", `[{"a":1}]`, "items", `f.json:1:1: an array, want an object with the rows at "items"`},
		{"no comma", `{"a":1 "b":2}`, "", `f.json:1:8: '"', want a comma or '}'`},
		{"comma too many", `{"a":1,}`, "", `f.json:1:8: '}', want a value after the comma`},
		{"comma too many in a list", `[{"a":[1,]}]`, "", `f.json:1:10: element 1: ']', want a value after the comma`},
		{"no colon", `{"a" 1}`, "", `f.json:1:6: '1', want a colon`},
		{"bare key", `{a:1}`, "", `f.json:1:2: 'a', want a key in quotes`},
		{"single quotes", `{'a':1}`, "", `f.json:1:2: '\'', want a key in quotes`},
		{"NaN", `{"a":NaN}`, "", `f.json:1:6: 'N', want a value`},
		{"nil", `{"a":nil}`, "", `f.json:1:9: "nil", want a value`},
		{"leading zero", `{"a":007}`, "", `f.json:1:9: "007": this is not a number as JSON writes them`},
		{"plus", `{"a":+7}`, "", `f.json:1:6: '+', want a value`},
		{"no digit", `{"a":1.}`, "", `f.json:1:8: "1.": this is not a number as JSON writes them`},
		{"no exponent", `{"a":1e}`, "", `f.json:1:8: "1e": this is not a number as JSON writes them`},
		{"no exponent behind its sign", `{"a":1E+}`, "", `f.json:1:9: "1E+": this is not a number as JSON writes them`},
		{"a minus alone", `{"a":-}`, "", `f.json:1:7: "-": this is not a number as JSON writes them`},
		{"no mark", "{\"a\":1}\n\uFF11x", "", `f.json:2:1: text outside quotes, want an object or an array`},
		{"control in a text", "{\"a\":\"x\ny\"}", "", `f.json:1:8: control byte 0x0A within a text`},
		{"unknown escape", `{"a":"\x41"}`, "", `f.json:1:8: an escape that JSON does not know`},
		{"short escape", `{"a":"\u00g0"}`, "", `f.json:1:11: an escape without four hexadecimal digits`},
		{"half a pair", `{"a":"\ud83d"}`, "", `f.json:1:13: half of a surrogate pair, which is no character`},
		{"two low halves", `{"a":"\ud83d\u0041"}`, "", `f.json:1:19: half of a surrogate pair, which is no character`},
		{"text behind", `{"a":1} x`, "", `f.json:1:9: 'x', want an object or an array`},
		{"typographic quotes", `{"a":“x”}`, "", `f.json:1:6: text outside quotes, want a value`},
		{"NUL", "{\"a\":\x001}", "", "f.json:1: a NUL byte at offset 5 in the middle of the text"},
		{"too deep", strings.Repeat(`{"a":`, 65) + "1", "", "f.json:1:322: more than 64 levels of nesting"},
		{"too deep lists", `{"a":` + strings.Repeat("[", 100_000), "", "f.json:1:70: more than 64 levels of nesting"},
		{"too deep around", `{"data":[{"a":1}],"b":` + strings.Repeat("[", 100), "", "f.json:1:87: more than 64 levels of nesting"},
		{"too many values", `{"items":[` + strings.Repeat("1,", 10_000) + "1]}", "", "f.json:1:20012: a row of more than 10000 values"},
	}
}

func TestBadJSONNamesItsPlace(t *testing.T) {
	t.Parallel()
	for _, row := range badTexts() {
		_, _, err := fields(t, strings.NewReader(row.text), Options{Records: row.records})
		if err == nil || err.Error() != row.want {
			t.Errorf("%s:\n got %v\nwant %s", row.name, err, row.want)
		}
		if e, ok := errors.AsType[*Error](err); ok && e.Hint == "" {
			t.Errorf("%s: no hint", row.name)
		}
		laws(t, row.text, Options{Records: row.records, Encoding: "utf-8"})
	}
	long := strings.Repeat("x", 3000)
	for _, text := range []string{`{"a":"` + long + `"}`, `{"` + long + `":1}`, `{"a":` + strings.Repeat("1", 3000) + `}`} {
		if _, _, err := fields(t, strings.NewReader(text), Options{MaxField: 1000}); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
			t.Errorf("%.20s…: %v", text, err)
		}
	}
}

func TestManyKeysAreNoTrap(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{")
	for i := range 10_001 {
		fmt.Fprintf(&b, `"k%d":null,`, i)
	}
	b.WriteString(`"z":1}`)
	if _, _, err := fields(t, strings.NewReader(b.String()), Options{}); err == nil || !strings.Contains(err.Error(), "more than 10000 keys") {
		t.Error(err)
	}
}

// TestMemoryStaysFlat reads a page of many rows without holding them.
func TestMemoryStaysFlat(t *testing.T) {
	t.Parallel()
	page := strings.NewReader(`{"data":[` + strings.Repeat(`{"a":"`+strings.Repeat("x", 100)+`"},`, 50_000) + `{"a":1}]}`)
	table, err := Open(page, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for {
		if _, err := table.Next(); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			break
		}
		rows++
	}
	if held := len(table.json.src.buf); rows != 50_001 || held > 2*window || cap(table.json.row.text) > 4096 {
		t.Errorf("%d rows; window of %d bytes, row of %d", rows, held, cap(table.json.row.text))
	}
}

func TestObjectReadsOneObjectStrictly(t *testing.T) {
	t.Parallel()
	row, err := Object(" {\"id\":\"pay_1\",\"value\":129.90,\"split\":[{\"id\":2}]}\n")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"id": "pay_1", "value": "129.90", "split.0.id": "2"} {
		if got, ok := row.Field(path); !ok || got != want {
			t.Errorf("%s is %q, %v", path, got, ok)
		}
	}
	for text, want := range map[string]string{
		"":                                    "1:1: the text ends within what begins on line 1",
		"<html>":                              "1:1: '<', want an object",
		"[1]":                                 "1:1: '[', want an object",
		`{"a":1}{"a":2}`:                      `1:8: '{', want the end of the text`,
		`{"status":"failed","STATUS":"paid"}`: `1:28: STATUS: the object also has the key "status", which differs in case only`,
		"{\"a\":\"\xff\"}":                    "1:1: the text is not UTF-8",
		`{"a":`:                               "1:6: the text ends within what begins on line 1",
	} {
		if _, err := Object(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
