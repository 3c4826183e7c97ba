package tabular

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read gives all cells of a CSV text, headings first, and the rows' lines.
func read(tb testing.TB, text string, o Options) (cells [][]string, lines []int, err error) {
	tb.Helper()
	o.Name = "f.csv"
	table, err := Open(strings.NewReader(text), o)
	if err != nil {
		return nil, nil, err
	}
	cells = append(cells, table.Header())
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return cells, lines, nil
		}
		if err != nil {
			return cells, lines, err
		}
		var got []string
		for i := range row.Len() {
			got = append(got, row.Cell(i))
		}
		cells, lines = append(cells, got), append(lines, row.Line)
	}
}

func TestCSVAsFilesWriteIt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		o          Options
		want       [][]string
		lines      []int
	}{
		{"LF", "a,b\n1,2\n3,4\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, []int{2, 3}},
		{"no end of line", "a,b\n1,2", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"CRLF", "a,b\r\n1,2\r\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"lone CR", "a,b\r1,2\r3,4\r", Options{}, [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, []int{2, 3}},
		{"mixed ends", "a,b\r1,2\n3,4\r\n5,6", Options{}, [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}, {"5", "6"}}, []int{2, 3, 4}},
		{"blank lines", "\n\na,b\n\n1,2\n  \n3,4\n\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, []int{5, 7}},
		{"blank lines of lone CR", "a,b\r\r1,2\r\r", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{3}},
		{"byte order mark", "\uFEFFa,b\n1,2\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"mark before a quote", "\uFEFF\"a\",b\n1,2\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"quotes", "a,b\n\"x,\"\"y\"\"\",\"\"\n", Options{}, [][]string{{"a", "b"}, {`x,"y"`, ""}}, []int{2}},
		{"line end in quotes", "a,b\n\"x\r\ny\nz\",2\n3,4\n", Options{}, [][]string{{"a", "b"}, {"x\r\ny\nz", "2"}, {"3", "4"}}, []int{2, 5}},
		{"bare quotes", "a,b\n5\" pipe,it's \"x\"\n", Options{}, [][]string{{"a", "b"}, {`5" pipe`, `it's "x"`}}, []int{2}},
		{"blanks around quotes", "a,b\n 1, \"x,y\" \t\n", Options{Delimiter: ','}, [][]string{{"a", "b"}, {" 1", "x,y"}}, []int{2}},
		{"semicolons", "a;b\n1,5;2\n", Options{}, [][]string{{"a", "b"}, {"1,5", "2"}}, []int{2}},
		{"tabs", "a\tb\n1\t\n", Options{}, [][]string{{"a", "b"}, {"1", ""}}, []int{2}},
		{"bars", "a|b\n1|2\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"sep line", "sep=|\r\na|b\r\n1,5|2\r\n", Options{}, [][]string{{"a", "b"}, {"1,5", "2"}}, []int{3}},
		{"quoted sep line", "\"sep=;\"\na;b\n1;2\n", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{3}},
		{"given delimiter wins", "sep=;\na;b,c\n", Options{Delimiter: ','}, [][]string{{"a;b", "c"}}, nil},
		{"short rows", "a,b,c\n1\n2,3\n", Options{Delimiter: ','}, [][]string{{"a", "b", "c"}, {"1"}, {"2", "3"}}, []int{2, 3}},
		{"extra empty cells", "a,b\n1,2,, ,\n", Options{}, [][]string{{"a", "b"}, {"1", "2", "", " ", ""}}, []int{2}},
		{"trimmed headings", " a , \u00A0b\u200B\n 1 ,2\n", Options{}, [][]string{{"a", "b"}, {" 1 ", "2"}}, []int{2}},
		{"tags in cells", "a,b\n<OFX>,<html>\n", Options{}, [][]string{{"a", "b"}, {"<OFX>", "<html>"}}, []int{2}},
		{"tags as headings", "<TICKER>;<PER>\nX;1\n", Options{}, [][]string{{"<TICKER>", "<PER>"}, {"X", "1"}}, []int{2}},
		{"one column", "a\n1\n\"\"\n", Options{}, [][]string{{"a"}, {"1"}, {""}}, []int{2, 3}},
		{"NUL padding", "a,b\n1,2\n\x00\x00\x00\x00\x00", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"Ctrl-Z", "a,b\r\n1,2\r\n\x1A", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"Ctrl-Z and padding", "a,b\n1,2\x1A\x00\x00", Options{}, [][]string{{"a", "b"}, {"1", "2"}}, []int{2}},
		{"headings alone", "a,b\n", Options{}, [][]string{{"a", "b"}}, nil},
		{"zero-width and combining marks stay", "a,b\nx\u200By,e\u0301\n", Options{}, [][]string{{"a", "b"}, {"x\u200By", "e\u0301"}}, []int{2}},
	} {
		cells, lines, err := read(t, row.text, row.o)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if diff := cmp.Diff(row.want, cells); diff != "" {
			t.Errorf("%s: cells (-want +got)\n%s", row.name, diff)
		}
		if diff := cmp.Diff(row.lines, lines); diff != "" {
			t.Errorf("%s: lines (-want +got)\n%s", row.name, diff)
		}
		laws(t, row.text, Options{Delimiter: ',', Encoding: "utf-8"})
	}
}

type badInput struct {
	name, text string
	o          Options
	want       string
}

// badInputs are likewise no tables of cells.
func badInputs() []badInput {
	return []badInput{
		{"quote never closed", "a,b\n1,2\n3,\"x\n5,6\n", Options{}, `f.csv:3:2: "x\n5,6\n": the quote that opens this cell is never closed`},
		{"quote closed by the next", "a,b\n1,\"x\n3,\"y\",2\n", Options{}, `f.csv:2:2: "y\",2": text after the quote that closes the cell on line 3`},
		{"text after a quote", "a,b\n1,\"x\"y\n", Options{}, `f.csv:2:2: "y": text after the quote that closes the cell on line 2`},
		{"extra cell", "a,b\n1,2\n1,2,,3\n", Options{}, `f.csv:3:4: "3": the row has 4 cells, the heading row 2 (cut at ',')`},
		{"NUL", "a,b\n1,2\n3,\x004\n", Options{}, "f.csv:3: a NUL byte at offset 10 in the middle of the text"},
		{"NUL behind a mark", "\uFEFFa,b\n1,\x002\n", Options{}, "f.csv:2: a NUL byte at offset 9 in the middle of the text"},
		{
			"escape in a cell", "a\n1\n\"\x1b[31m\u202E" + strings.Repeat("é", 80) + "\"x\n",
			Options{},
			`f.csv:3:1: "x": text after the quote that closes the cell on line 3`,
		},
		{
			"long cell", "a,b\n1," + strings.Repeat("é", 40_000) + "\n",
			Options{MaxField: 1000},
			`f.csv:2:2: "` + strings.Repeat("é", 60) + `…": a cell of 80000 bytes, at most 1000 bytes are read`,
		},
		{
			"long quoted cell", "a,b\n1,\"" + strings.Repeat("x", 2000) + "\"\n",
			Options{MaxField: 1000},
			`f.csv:2:2: "` + strings.Repeat("x", 60) + `…": a cell of 2000 bytes, at most 1000 bytes are read`,
		},
		{
			"no heading row", "x;y\n1;2\n",
			Options{Header: func(c []string) bool { return c[0] == "id" }},
			`f.csv:1: "x;y": no heading row among the first 2 rows (cut at ';')`,
		},
		{"empty", "", Options{}, "f.csv: the file is empty"},
		{"blank", " \r\n\n", Options{}, "f.csv: the file is empty"},
		{"mark alone", "\uFEFF", Options{}, "f.csv: the file is empty"},
		{"NULs alone", "\x00\x00\x00", Options{}, "f.csv: the file is empty"},
		{"login page", "\n<!DOCTYPE html>\n<html><title>Log in</title>", Options{}, "f.csv: this is a web page, not a table of text"},
		{"page saved as xls", "<html xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><table>", Options{}, "f.csv: this is a web page, not a table of text"},
		{"page in UTF-16", "\xFF\xFE<\x00h\x00t\x00m\x00l\x00>\x00", Options{}, "f.csv: this is a web page, not a table of text"},
		{"old workbook", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\x00\x00", Options{}, "f.csv: this is an old Excel workbook (.xls), not a table of text"},
		{"workbook", "PK\x03\x04\x14\x00\x06\x00xl/workbook.xml", Options{}, "f.csv: this is an Excel workbook (.xlsx), not a table of text"},
		{"zip", "PK\x03\x04\x14\x00\x06\x00report.csv", Options{}, "f.csv: this is a zip archive, not a table of text"},
		{"gzip", "\x1F\x8B\x08", Options{}, "f.csv: this is a gzip archive, not a table of text"},
		{"PDF", "%PDF-1.7", Options{}, "f.csv: this is a PDF, not a table of text"},
		{"OFX", "OFXHEADER:100\nDATA:OFXSGML\n", Options{}, "f.csv: this is an OFX file, which is not read"},
		{"OFX without header", "<OFX><SIGNONMSGSRSV1>", Options{}, "f.csv: this is an OFX file, which is not read"},
		{"XML", "<?xml version=\"1.0\"?><Document>", Options{}, "f.csv: this is an XML file, which is not read"},
		{
			"UTF-8 that breaks off", strings.Repeat("a,b\n", 20_000) + "x,\xE3\xA7\n",
			Options{},
			"f.csv:20001: byte 0xE3 at offset 80002 is not UTF-8, though the text before is",
		},
		{"no UTF-8 though asked for", "a,b\nx,\xE7\n", Options{Encoding: "utf-8"}, "f.csv:2: byte 0xE7 at offset 6 is not UTF-8, though the text before is"},
		{"unknown encoding", "a,b\n", Options{Encoding: "klingon"}, `read f.csv: unknown encoding "klingon": want a name such as utf-8, windows-1252, utf-16le or cp850`},
		{"odd UTF-16", "\xFF\xFEa\x00,\x00b\x00\n\x001\x00,", Options{}, "f.csv:2: this is not utf-16le"},
	}
}

func TestBadInputNamesItsPlace(t *testing.T) {
	t.Parallel()
	for _, row := range badInputs() {
		_, _, err := read(t, row.text, row.o)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s:\n got %v\nwant %s", row.name, err, row.want)
		}
		if e, ok := errors.AsType[*Error](err); ok && e.Hint == "" {
			t.Errorf("%s: no hint", row.name)
		}
		if len(row.text) < 10_000 {
			laws(t, row.text, Options{Delimiter: ',', Encoding: "utf-8", MaxField: row.o.MaxField})
		}
	}
}

func TestACellMayHaveAsManyBytesAsAllowed(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", 1000)
	for _, cell := range []string{full, `"` + full + `"`, `"` + full[:999] + `"""`} {
		cells, _, err := read(t, "a,b\n1,"+cell+"\n", Options{MaxField: 1000})
		if err != nil || len(cells[1][1]) != 1000 {
			t.Errorf("%.5s…: %v", cell, err)
		}
	}
	rows, _, err := fields(t, strings.NewReader(`{"`+full+`":"`+full+`"}`), Options{MaxField: 1000})
	if err != nil || len(rows) != 1 || len(rows[0]) != len("1 =")+2000 {
		t.Errorf("JSON: %v", err)
	}
}

func TestNothingFollowsAnError(t *testing.T) {
	t.Parallel()
	table, err := Open(strings.NewReader("a,b\n1,2\n3,\"x\"y\n5,6\n"), Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := table.Next(); err != nil || row.Cell(0) != "1" {
		t.Fatalf("first row: %v, %v", row, err)
	}
	_, first := table.Next()
	_, second := table.Next()
	if first == nil || !errors.Is(second, first) {
		t.Errorf("first %v, then %v", first, second)
	}
}

func TestHeadingRowIsFoundBehindAPreamble(t *testing.T) {
	t.Parallel()
	text := "EXTRATO DE CONTA\nAgência: 1, conta: 2\n\nData;Valor;Saldo\n02/01/2026;1,50;1,50\nSaldo final;;1,50\n"
	table, err := Open(strings.NewReader(text), Options{Name: "f.csv", Header: func(cells []string) bool {
		return len(cells) > 1 && Fold(cells[0]) == "data" && Fold(cells[1]) == "valor"
	}})
	if err != nil {
		t.Fatal(err)
	}
	if table.Delimiter() != ';' || table.Format() != "csv" || table.Encoding() != "utf-8" {
		t.Errorf("%q, %s, %s", table.Delimiter(), table.Format(), table.Encoding())
	}
	if diff := cmp.Diff([][]string{{"EXTRATO DE CONTA"}, {"Agência: 1, conta: 2"}}, table.Preamble()); diff != "" {
		t.Error(diff)
	}
	row, err := table.Next()
	if err != nil || row.Line != 5 || row.Cell(1) != "1,50" || row.Cell(9) != "" || row.Cell(-1) != "" {
		t.Errorf("%v, %v", row, err)
	}
	if _, ok := row.Field("Data"); ok {
		t.Error("a CSV row has a path")
	}
}

func TestColumnFoldsAndRefusesRepeats(t *testing.T) {
	t.Parallel()
	table, err := Open(strings.NewReader("Created (UTC),Descrição,branch_code,Amount,Branch Code,Taxa,Taxa %,\n"), Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"created_utc": 0, "DESCRICAO": 1, "amount": 3, "branch_code#1": 2, "branch_code#2": 4, "taxa": 5, "taxa %": 6} {
		if got, err := table.Column(name); err != nil || got != want {
			t.Errorf("Column(%q) is %d, %v; want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"net":           "f.csv:1: net: no column has this heading",
		"branch-code":   "f.csv:1:5: branch-code: columns 3 and 5 both have this heading",
		"branch_code#3": "f.csv:1: branch_code#3: no column has this heading",
		"":              "f.csv:1: no column has this heading",
	} {
		if _, err := table.Column(name); err == nil || err.Error() != want {
			t.Errorf("Column(%q): %v", name, err)
		}
	}
	_, err = table.Column("net")
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Hint, "Created (UTC), Descrição, branch_code") {
		t.Errorf("the hint lists no headings: %v", err)
	}
}

func TestFoldIgnoresHowAHeadingIsWritten(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"Created (UTC)", "created_utc", "CREATED UTC", "created-utc"},
		{"Operación", "operacion", "OPERACIO\u0301N", "\uFEFFOperación"},
		{"Data Lançamento", "data lancamento", "DATA\u00A0LANÇAMENTO"},
		{"Transaction  Debit or Credit", "transaction_debit_or_credit"},
		{"ＩＤ", "id"},
	} {
		for _, heading := range same[1:] {
			if Fold(heading) != Fold(same[0]) {
				t.Errorf("%q folds to %q, %q to %q", heading, Fold(heading), same[0], Fold(same[0]))
			}
		}
	}
	if Fold("Taxa") == Fold("Taxa %") || Fold("net") == Fold("net2") {
		t.Error("different headings fold to one")
	}
}

func TestDelimiterIsTheOneThatFits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text   string
		want   rune
		header func([]string) bool
	}{
		{"id;valor;data\n1;1,50;x\n2;2,75;y\n", ';', nil},
		{"id,valor\n1,\"a;b;c\"\n2,\"d;e;f\"\n", ',', nil},
		{"a,b;c\n", ';', nil},
		{"id\tname, first\n1\tx, y\n2\tz, w\n", '\t', nil},
		{"a|b|c\n1|2|3\n", '|', nil},
		{"a\tb;c\n1;2\n3;4\n", ';', nil},
		{"a,b,c,d\n1,2;x,3\n1,2;y,3\n", ',', nil},
		{"one\n2\n3\n", ',', nil},
		{"Relatório, 2026, loja\ncriado, hoje, ontem\nid;valor\n1;2,5\n", ';', func(c []string) bool { return len(c) == 2 && c[0] == "id" }},
		{"id,\"note\n with; many; semicolons; here\"\n1,2\n", ',', nil},
	} {
		table, err := Open(strings.NewReader(row.text), Options{Name: "f.csv", Header: row.header})
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
			continue
		}
		if table.Delimiter() != row.want {
			t.Errorf("%q is cut by %q, want %q", row.text, table.Delimiter(), row.want)
		}
	}
	if _, err := Open(strings.NewReader("a\n"), Options{Name: "f.csv", Delimiter: '§'}); err == nil {
		t.Error("a delimiter that is no ASCII is taken")
	}
}

// TestHowTheBytesArriveDoesNotMatter reads a file larger than the window in
// chunks of every kind.
func TestHowTheBytesArriveDoesNotMatter(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("id,note,amount\r\n")
	for i := range 30_000 {
		text.WriteString(strings.Repeat("7", i%13) + ",\"é, \"\"" + strings.Repeat("x\r\n", i%7) + "\"\" \"\"\"," + "1.50\r\n")
	}
	want, wantLines, err := read(t, text.String(), Options{})
	if err != nil || len(want) != 30_001 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "error with data": iotest.DataErrReader,
	} {
		table, err := Open(wrap(strings.NewReader(text.String())), Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; ; i++ {
			row, err := table.Next()
			if errors.Is(err, io.EOF) {
				if i != len(want) {
					t.Errorf("%s: %d rows", name, i)
				}
				break
			}
			if err != nil || row.Line != wantLines[i-1] || row.Cell(0) != want[i][0] || row.Cell(1) != want[i][1] || row.Cell(2) != want[i][2] {
				t.Fatalf("%s: row %d is %v, %v", name, i, row, err)
			}
		}
	}
}

func TestAReaderThatFailsIsNoBadFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	text := "a,b\n" + strings.Repeat("1,2\n", 100_000)
	table, err := Open(io.MultiReader(strings.NewReader(text+"3,"), iotest.ErrReader(broken)), Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for {
		if _, err = table.Next(); err != nil {
			break
		}
		rows++
	}
	if _, isFile := errors.AsType[*Error](err); rows != 100_000 || !errors.Is(err, broken) || isFile {
		t.Errorf("after %d rows: %v", rows, err)
	}
	if _, err := Open(iotest.ErrReader(broken), Options{Name: "f.csv"}); !errors.Is(err, broken) {
		t.Errorf("at once: %v", err)
	}
}

func TestErrorsEscapeWhatComesFromTheFile(t *testing.T) {
	t.Parallel()
	e := &Error{File: "a\x1b\n.csv", Line: 3, Column: 7, Heading: "va\u202Elor\x07", Value: "\x1b]0;x\x07\u200B\"" + strings.Repeat("日", 70), Problem: "no amount"}
	want := `a\x1b\n.csv:3:7: va\u202elor\a "\x1b]0;x\a\u200b\"` + strings.Repeat("日", 60-8) + `…": no amount`
	if got := e.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.ContainsAny(e.Error(), "\x1b\x07\n\u202E") {
		t.Error("a control got through")
	}
}

func TestErrorsShowNoNumberOfAPerson(t *testing.T) {
	t.Parallel()
	for _, private := range []string{"529.982.247-25", "11.222.333/0001-81", "maria@example.com", "4111 1111 1111 1111"} {
		e := &Error{File: "f.csv", Line: 3, Column: 7, Heading: private, Value: strings.Repeat("x ", 25) + private, Problem: "not " + private}
		if got := e.Error(); strings.Contains(got, private) || strings.Contains(got, private[:12]) || !strings.HasPrefix(got, "f.csv:3:7: ") {
			t.Errorf("shown: %s", got)
		}
	}
}
