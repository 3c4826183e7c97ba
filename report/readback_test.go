package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
)

// told is what every format must tell of a divergence.
type told struct {
	Class, Severity, Kind, Subject, Life string
	Minor                                int64
	Since                                payment.Instant
}

func toldBy(d *Document) []told {
	var all []told
	for i := range d.Result.Divergences {
		x := &d.Result.Divergences[i]
		all = append(all, told{
			x.Class.String(), x.Severity.String(), x.Subject.Kind.String(), strings.Join(x.Subject.IDs, "+"),
			x.LifeState.String(), x.Amount, x.Since,
		})
	}
	return all
}

// sheet reads a csv back by its headings.
func sheet(t *testing.T, out string, comma rune) []map[string]string {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(out))
	reader.Comma = comma
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]string
	for _, row := range rows[1:] {
		record := map[string]string{}
		for i, heading := range rows[0] {
			record[heading] = row[i]
		}
		records = append(records, record)
	}
	return records
}

func minorOf(t *testing.T, decimal string) int64 {
	t.Helper()
	if decimal == "" {
		return 0
	}
	n, err := strconv.ParseInt(strings.NewReplacer(".", "", ",", "").Replace(decimal), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func moment(t *testing.T, layout, text string, zone *time.Location) payment.Instant {
	t.Helper()
	if text == "" {
		return 0
	}
	at, err := time.ParseInLocation(layout, text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return payment.InstantOf(at)
}

func TestCSVReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	out := render(t, "csv", d, Options{})
	if strings.Count(out, "\n") != strings.Count(out, "\r\n") {
		t.Error("RFC 4180 ends lines with CRLF")
	}
	var got []told
	for _, r := range sheet(t, out, ',') {
		got = append(got, told{
			r["class"], r["severity"], r["subject_kind"], r["subject"], r["life"],
			minorOf(t, r["amount"]), moment(t, time.RFC3339, r["since"], time.UTC),
		})
		if r["schema"] != "1" || r["verdict"] != "incomplete" {
			t.Errorf("schema %q, verdict %q", r["schema"], r["verdict"])
		}
	}
	if diff := cmp.Diff(toldBy(d), got); diff != "" {
		t.Error(diff)
	}
}

func TestCSVBRReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	out, hasBOM := strings.CutPrefix(render(t, "csv-br", d, Options{}), "\ufeff")
	if !hasBOM {
		t.Error("no BOM")
	}
	var got []told
	for _, r := range sheet(t, out, ';') {
		subject := strings.TrimPrefix(r["objeto"], "'")
		if subject[0] >= '0' && subject[0] <= '9' && r["objeto"][0] != '\'' {
			t.Errorf("%q would become a number", r["objeto"])
		}
		if r["valor"] != "" && r["valor"][len(r["valor"])-3] != ',' {
			t.Errorf("amount %q", r["valor"])
		}
		got = append(got, told{
			r["classe"], r["severidade"], r["tipo_do_objeto"], subject, r["situacao"],
			minorOf(t, r["valor"]), moment(t, "02/01/2006 15:04:05", r["desde"], saoPaulo()),
		})
	}
	if diff := cmp.Diff(toldBy(d), got); diff != "" {
		t.Error(diff)
	}
}

// readJSON is what a program takes from a divergence.
type readJSON struct {
	Type     string
	Class    string
	Severity string
	Subject  struct {
		Kind string
		IDs  []string
	}
	Amount struct {
		Minor    int64
		Currency string
	}
	Since payment.Instant
	Life  string
}

func (r readJSON) told() told {
	return told{r.Class, r.Severity, r.Subject.Kind, strings.Join(r.Subject.IDs, "+"), r.Life, r.Amount.Minor, r.Since}
}

func TestJSONReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	var back struct {
		Schema int
		Kind   string
		Run    struct {
			Verdict string
			Exit    int
			Now     payment.Instant
		}
		Divergences []readJSON
		Places      []struct {
			Place string
			Count int
		}
	}
	if err := json.Unmarshal([]byte(render(t, "json", d, Options{})), &back); err != nil {
		t.Fatal(err)
	}
	var got []told
	for _, r := range back.Divergences {
		got = append(got, r.told())
	}
	if diff := cmp.Diff(toldBy(d), got); diff != "" {
		t.Error(diff)
	}
	if back.Schema != 1 || back.Kind != "report" || back.Run.Verdict != "incomplete" || back.Run.Exit != 4 || back.Run.Now != d.Result.Now {
		t.Errorf("got %+v", back)
	}
	places := map[reconcile.Place]int{}
	for _, p := range back.Places {
		if p.Count != 0 {
			places[reconcile.Place(p.Place)] = p.Count
		}
	}
	if diff := cmp.Diff(d.Result.Places, places); diff != "" {
		t.Error(diff)
	}
}

func TestNDJSONReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	var got []told
	types := map[string]int{}
	scanner := bufio.NewScanner(strings.NewReader(render(t, "ndjson", d, Options{})))
	for scanner.Scan() {
		var r readJSON
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatalf("%v in %s", err, scanner.Text())
		}
		types[r.Type]++
		if r.Type == "divergence" {
			got = append(got, r.told())
		}
	}
	if diff := cmp.Diff(toldBy(d), got); diff != "" {
		t.Error(diff)
	}
	want := map[string]int{"run": 1, "divergence": 10, "place": 8, "transit": 2, "bridge": 1, "coverage": 1, "input": 2}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
}

func TestMarkdownReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	d.Result.Divergences[1].Subject.IDs = []string{"a|b`c\\d_e_"}
	_, table, _ := strings.Cut(render(t, "md", d, Options{}), "## Divergences\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	got := map[string]bool{}
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := markdownCells(line)
		if len(cells) != 9 {
			t.Fatalf("%d cells: %s", len(cells), line)
		}
		got[strings.Join(cells[:4], " ")] = true
	}
	for _, x := range toldBy(d) {
		severity := x.Severity
		if severity == "" {
			severity = "--"
		}
		if row := strings.Join([]string{severity, x.Class, x.Kind, x.Subject}, " "); !got[row] {
			t.Errorf("no row %q in %v", row, got)
		}
	}
}

// markdownCells splits a row at its pipes and undoes the escapes, as a reader
// of GitHub-flavoured Markdown does.
func markdownCells(line string) []string {
	var cells []string
	var cell strings.Builder
	line = strings.TrimPrefix(line, "|")
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			cell.WriteByte(line[i])
		case line[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	return cells
}

func TestThePlainTableReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	got := map[told]bool{}
	for line := range strings.Lines(render(t, "table", d, Options{})) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) == 1 {
			continue
		}
		if len(cells) != 10 {
			t.Fatalf("%d columns: %s", len(cells), line)
		}
		got[told{cells[1], strings.TrimPrefix(cells[0], "--"), cells[2], cells[3], cells[7], minorOf(t, cells[4]), moment(t, time.RFC3339, cells[6], nil)}] = true
	}
	for _, x := range toldBy(d) {
		if !got[x] {
			t.Errorf("no row %+v", x)
		}
	}
}
