// Package decisions reads the sheet in which people decided about divergences:
// a csv report with its decision columns filled in.
//
// It judges each row against what stands and turns it into a note; it writes
// nothing, and of a sheet with one bad row nothing may be written. A sheet can
// annotate and put aside, and nothing else: no attempt is ever touched.
package decisions

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/tabular"
)

// headings are the columns that are read, in csv and csv-br.
var headings = map[string][2]string{
	divergence: {"divergence", "divergencia"}, class: {"class", "classe"}, subject: {"subject", "objeto"},
	amount: {"amount", "valor"}, currency: {"currency", "moeda"},
	decision: {"decision", "decisao"}, until: {"decision_until", "decisao_ate"}, reason: {"decision_reason", "decisao_motivo"},
}

const (
	divergence = "divergence"
	class      = "class"
	subject    = "subject"
	amount     = "amount"
	currency   = "currency"
	decision   = "decision"
	until      = "until"
	reason     = "reason"
)

// Sheet is a sheet that was read to its end.
type Sheet struct {
	Name    string
	Rows    []Row // those in which something was decided
	Blank   int   // rows in which nothing was
	columns map[string]int
	heading []string
}

// Row is one decision as it is written in the sheet.
type Row struct {
	Line  int
	cells map[string]string
}

// Read reads a sheet. What is no csv report with decision columns is a
// *tabular.Error.
func Read(r io.Reader, name string) (*Sheet, error) {
	table, err := tabular.Open(r, tabular.Options{Name: name})
	if err != nil {
		return nil, err
	}
	s := &Sheet{Name: name, columns: map[string]int{}, heading: table.Header()}
	for column, names := range headings {
		at := slices.IndexFunc(s.heading, func(h string) bool { return h == names[0] || h == names[1] })
		if at < 0 {
			return nil, &tabular.Error{
				File: name, Line: table.HeaderLine(), Problem: "there is no column " + names[0] + " (csv-br: " + names[1] + ")",
				Hint: "fill in the sheet that `desfecho report --decisions --format csv` writes, and keep its headings",
			}
		}
		s.columns[column] = at
	}
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		s.take(row)
	}
}

func (s *Sheet) take(row tabular.Row) {
	r := Row{Line: row.Line, cells: map[string]string{}}
	for column, at := range s.columns {
		r.cells[column] = plain(row.Cell(at))
	}
	if r.cells[decision] == "" && r.cells[until] == "" && r.cells[reason] == "" {
		s.Blank++
		return
	}
	s.Rows = append(s.Rows, r)
}

// plain takes away blanks, and the apostrophe that keeps a cell a text.
func plain(cell string) string { return strings.TrimPrefix(strings.TrimSpace(cell), "'") }

// refuse names the cell that cannot be taken.
func (s *Sheet) refuse(r *Row, column, format string, args ...any) error {
	at := s.columns[column]
	return &tabular.Error{
		File: s.Name, Line: r.Line, Column: at + 1, Heading: s.heading[at], Value: r.cells[column], Problem: fmt.Sprintf(format, args...),
	}
}

// idForm is what every id of a divergence looks like.
var idForm = regexp.MustCompile(`^d[0-9a-f]{16}$`)
