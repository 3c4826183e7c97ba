package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"time"

	"desfecho/reconcile"
)

// writeCSV is for programs: RFC 4180 with comma, CRLF and dot decimals, UTC.
func writeCSV(w *bufio.Writer, d *Document, o Options) error {
	return writeSheet(w, d, o, ',', func(c csvColumn) string { return c.name }, plainCell)
}

// writeCSVBR is for a spreadsheet in Portuguese: BOM, semicolon, decimal comma,
// DD/MM/YYYY in the account's zone, ids kept as text.
func writeCSVBR(w *bufio.Writer, d *Document, o Options) error {
	if _, err := w.WriteString("\ufeff"); err != nil {
		return err
	}
	zone := d.zone()
	return writeSheet(w, d, o, ';', func(c csvColumn) string { return c.br }, func(v value) string { return brazilianCell(v, zone) })
}

// writeSheet writes one row per divergence, in the order of the result, and
// before them what the run itself has to say.
func writeSheet(w *bufio.Writer, doc *Document, o Options, comma rune, heading func(csvColumn) string, cell func(value) string) error {
	out := csv.NewWriter(w)
	out.Comma, out.UseCRLF = comma, true
	columns := csvColumns()
	if o.Decisions {
		columns = append(columns, decisionColumns()...)
	}
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = heading(c)
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, note := range runNotes(doc) {
		for i, c := range columns {
			record[i] = note[c.name]
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	for n := range doc.Result.Divergences {
		for i, c := range columns {
			record[i] = cell(c.value(doc, &doc.Result.Divergences[n]))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// runNotes are the rows that keep a sheet from looking clean when the run was
// not: a defect, and an incomplete run that no listed hole explains.
func runNotes(doc *Document) []map[string]string {
	note := func(class, reason string) map[string]string {
		return map[string]string{
			"schema": fmt.Sprint(Schema), "verdict": doc.Result.Verdict.String(), "class": class,
			"subject_kind": "run", "reason": disarm(reason), "life": "new",
		}
	}
	var notes []map[string]string
	if doc.Result.Defect != "" {
		notes = append(notes, note("DEFECT", freeText(doc.Result.Defect)))
	}
	if doc.Result.Verdict == reconcile.Incomplete && !holeListed(doc.Result) {
		notes = append(notes, note("incomplete", "not everything could be read"))
	}
	return notes
}

func holeListed(r *reconcile.Result) bool {
	for i := range r.Divergences {
		if d := &r.Divergences[i]; d.Class == reconcile.CoverageIncomplete && open(d) {
			return true
		}
	}
	return false
}

func plainCell(v value) string {
	switch v.sort {
	case wordColumn, numberColumn:
		return v.text
	case idColumn, textColumn:
		return disarm(v.text)
	case moneyColumn:
		if v.empty {
			return ""
		}
		return v.amount.Decimal()
	case instantColumn:
		return v.instant.String()
	}
	return ""
}

func brazilianCell(v value, zone *time.Location) string {
	switch v.sort {
	case idColumn:
		return asText(v.text)
	case moneyColumn:
		if v.empty {
			return ""
		}
		return v.amount.Localized("", ",")
	case instantColumn:
		if v.instant.IsZero() {
			return ""
		}
		return v.instant.Time().In(zone).Format("02/01/2006 15:04:05")
	case wordColumn, numberColumn, textColumn:
		return plainCell(v)
	}
	return ""
}
