package report

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/reconcile"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// byHeading reads rows below their headings.
func byHeading(rows [][]string) []map[string]string {
	var records []map[string]string
	for _, row := range rows[1:] {
		record := map[string]string{}
		for i, cell := range row {
			record[rows[0][i]] = cell
		}
		records = append(records, record)
	}
	return records
}

// minorCell reads a number of two decimals.
func minorCell(t *testing.T, cell string) int64 {
	t.Helper()
	if cell == "" {
		return 0
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(n * 100))
}

// clockCell reads a moment of São Paulo.
func clockCell(t *testing.T, cell string) payment.Instant {
	t.Helper()
	if cell == "" {
		return 0
	}
	days, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, saoPaulo())
	return payment.InstantOf(first.Add(time.Duration(math.Round(days*86400)) * time.Second))
}

func TestXLSXReadsBack(t *testing.T) {
	t.Parallel()
	d := fileDocument()
	sheets := sheetsOf(t, render(t, "xlsx", d, Options{}))
	var got []told
	for _, r := range byHeading(sheets["divergences"]) {
		got = append(got, told{r["class"], r["severity"], r["subject_kind"], r["subject"], r["life"], minorCell(t, r["amount"]), clockCell(t, r["since"])})
		if r["schema"] != "1" || r["verdict"] != "incomplete" {
			t.Errorf("schema %q, verdict %q", r["schema"], r["verdict"])
		}
	}
	if diff := cmp.Diff(toldBy(d), got); diff != "" {
		t.Error(diff)
	}
	lines := int64(0)
	for _, r := range byHeading(sheets["bridge"]) {
		if r["sum"] == "lines" && r["row"] != "sum" {
			lines += minorCell(t, r["money"])
		}
		if r["sum"] == "lines" && r["row"] == "sum" && minorCell(t, r["money"]) != d.Result.Bridges[0].LinesSum {
			t.Errorf("sum of lines %s", r["money"])
		}
	}
	if lines != d.Result.Bridges[0].LinesSum {
		t.Errorf("the lines of the bridge add up to %d", lines)
	}
	coverage := byHeading(sheets["coverage"])
	if len(coverage) != 3 || coverage[1]["what"] != "hole" || clockCell(t, coverage[1]["from"]) != d.Result.Statements[0].Holes[0].From {
		t.Errorf("coverage %v", coverage)
	}
	if about := fmt.Sprint(sheets["about"]); !strings.Contains(about, d.Inputs[0].SHA256) || !strings.Contains(about, "desfecho 0.1.0") {
		t.Errorf("about %s", about)
	}
	if !slices.ContainsFunc(sheets["summary"], func(row []string) bool { return row[0] == "verdict" && row[1] == "INCOMPLETE" }) {
		t.Errorf("summary %v", sheets["summary"])
	}
}

func TestSheetsHoldIDsAsTextAndMoneyAsNumbers(t *testing.T) {
	t.Parallel()
	d := designDocument()
	huge := attemptDivergence(reconcile.UnknownCharged, reconcile.P1, "0012345678901234567890", 1_000_000_000_000_000, at("2025-11-29T08:00"))
	yen := attemptDivergence(reconcile.UnknownCharged, reconcile.P1, "1e5", 500, at("2025-11-29T08:00"))
	yen.Currency = money.MustCurrency("JPY")
	d.Result.Divergences = append(d.Result.Divergences, huge, yen)
	f, err := excelize.OpenReader(strings.NewReader(render(t, "xlsx", d, Options{})))
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]string{}
	for i, c := range csvColumns() {
		name, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		column[c.name] = name
	}
	for cell, want := range map[string]struct {
		text string
		kind excelize.CellType
	}{
		column["subject"] + "5": {"0012345678901234567890", excelize.CellTypeInlineString}, column["subject"] + "6": {"1e5", excelize.CellTypeInlineString},
		column["amount"] + "2": {"129.90 BRL", excelize.CellTypeUnset}, column["amount"] + "6": {"500 JPY", excelize.CellTypeUnset},
		column["amount"] + "5": {"10000000000000.00", excelize.CellTypeInlineString},
	} {
		text, err := f.GetCellValue("divergences", cell)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := f.GetCellType("divergences", cell)
		if err != nil {
			t.Fatal(err)
		}
		if text != want.text || kind != want.kind && (want.kind != excelize.CellTypeUnset || kind != excelize.CellTypeNumber) {
			t.Errorf("%s: %q of type %d", cell, text, kind)
		}
	}
}

func TestTheSameDocumentIsTheSameWorkbook(t *testing.T) {
	t.Parallel()
	first := render(t, "xlsx", manyDivergences(300), Options{})
	for range 10 {
		if render(t, "xlsx", manyDivergences(300), Options{}) != first {
			t.Fatal("the bytes differ")
		}
	}
}

func TestNoPartOfAWorkbookIsAFormulaOrALink(t *testing.T) {
	t.Parallel()
	for name, payload := range payloads() {
		out := render(t, "xlsx", hostileDocument(payload, reconcile.UnknownCharged), Options{})
		parts, err := zip.NewReader(strings.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts.File {
			opened, err := part.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(opened)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"<f>", "<f ", "hyperlink", "TargetMode", "vbaProject", "externalLink"} {
				if bytes.Contains(text, []byte(bad)) {
					t.Errorf("%s: %s holds %s", name, part.Name, bad)
				}
			}
		}
		if err := harmless("table", strings.ReplaceAll(shown(t, "xlsx", hostileDocument(payload, reconcile.UnknownCharged), Options{}), "\t", "\n")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// LibreOffice makes a csv of the sheet of divergences; every id must come back as
// it went in.
func TestLibreOfficeKeepsEveryID(t *testing.T) {
	t.Parallel()
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice (soffice) is not installed")
	}
	d := designDocument()
	d.Result.Divergences = nil
	ids := []string{"0012345678901234567890", "1e5", "2025-11-30", "=1+1", "+5511999990000", "-7", "@x", "TRUE", "00", "1,5", "1/2", "_x0041_", "'q", "a b", "ção", "#N/A", "12:30", "1E400", "50%"}
	for _, text := range ids {
		d.Result.Divergences = append(d.Result.Divergences, attemptDivergence(reconcile.UnknownCharged, reconcile.P1, text, 100, at("2025-11-29T08:00")))
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "r.xlsx"), []byte(render(t, "xlsx", d, Options{})), 0o600); err != nil {
		t.Fatal(err)
	}
	convert := exec.CommandContext(t.Context(), office, "-env:UserInstallation=file://"+filepath.Join(folder, "profile"), "--headless", "--convert-to",
		"csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", "--outdir", folder, filepath.Join(folder, "r.xlsx"))
	convert.Env = append(os.Environ(), "HOME="+folder)
	if out, err := convert.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	back, err := os.ReadFile(filepath.Join(folder, "r-divergences.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(back)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range byHeading(rows) {
		got = append(got, r["subject"])
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
}
