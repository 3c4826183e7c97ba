package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// shown is a form as a reader of text sees it: of a workbook every cell, sheet
// by sheet.
func shown(t testing.TB, format string, d *Document, o Options) string {
	t.Helper()
	out := render(t, format, d, o)
	if format != "xlsx" {
		return out
	}
	var text strings.Builder
	for _, rows := range sheetsOf(t, out) {
		for _, row := range rows {
			text.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	return text.String()
}

// sheetsOf reads the raw cells of a workbook.
func sheetsOf(t testing.TB, out string) map[string][][]string {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader([]byte(out)), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	sheets := map[string][][]string{}
	for _, name := range f.GetSheetList() {
		if sheets[name], err = f.GetRows(name); err != nil {
			t.Fatal(err)
		}
	}
	return sheets
}
