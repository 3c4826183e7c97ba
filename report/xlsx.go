package report

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// workbook is the document as sheets of a spreadsheet. Ids are text cells, money
// is numbers in the format of its currency, moments are the wall clock of the
// account's zone. No cell is a formula.
type workbook struct {
	doc     *Document
	zone    *time.Location
	file    *excelize.File
	heading int
	text    int
	moment  int
	money   map[money.Currency]int
}

// writeXLSX makes the whole file before the first byte is written: a zip has its
// directory at the end.
func writeXLSX(w *bufio.Writer, d *Document, _ Options) (err error) {
	b := &workbook{doc: d, zone: d.zone(), file: excelize.NewFile(), money: map[money.Currency]int{}}
	defer func() {
		if failed := b.file.Close(); err == nil {
			err = failed
		}
	}()
	if err := b.styles(); err != nil {
		return err
	}
	if err := b.sheets(); err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := b.file.Write(&packed); err != nil {
		return err
	}
	return repack(w, packed.Bytes())
}

func (b *workbook) styles() (err error) {
	if b.heading, err = b.file.NewStyle(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"DDE3EA"}},
	}); err != nil {
		return err
	}
	const asText = 49 // the built-in format @: also what is typed over an id stays text
	if b.text, err = b.file.NewStyle(&excelize.Style{NumFmt: asText}); err != nil {
		return err
	}
	clock := "yyyy-mm-dd hh:mm:ss"
	b.moment, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &clock})
	return err
}

// moneyStyle shows as many decimals as the currency has, and its code.
func (b *workbook) moneyStyle(c money.Currency) (int, error) {
	if style, known := b.money[c]; known {
		return style, nil
	}
	form := "#,##0"
	if n := c.Exponent(); n > 0 {
		form += "." + "0000"[:min(n, 4)]
	}
	if !c.IsZero() {
		form += ` "` + c.String() + `"`
	}
	style, err := b.file.NewStyle(&excelize.Style{CustomNumFmt: &form})
	b.money[c] = style
	return style, err
}

// exactDigits is how many digits a spreadsheet keeps.
const exactDigits = 999_999_999_999_999

// cell is a value as the cell of its sort; nil is an empty one.
func (b *workbook) cell(v value) (any, error) {
	switch v.sort {
	case wordColumn, idColumn, textColumn:
		return b.textCell(v.text), nil
	case numberColumn:
		n, err := strconv.Atoi(v.text)
		return n, err
	case moneyColumn:
		if v.empty {
			return nil, nil //nolint:nilnil // an empty cell is no failure
		}
		return b.moneyCell(v.amount)
	case instantColumn:
		return b.momentCell(v.instant), nil
	}
	return nil, fmt.Errorf("column of unknown sort %d", v.sort)
}

// textCell holds any text whole, hidden characters as escapes. A sheet has room
// for 32,767 characters: what is longer is named instead of cut.
func (b *workbook) textCell(text string) any {
	shown := clean(text)
	if shown == "" {
		return nil
	}
	if n := len([]rune(shown)); n > excelize.TotalCellChars {
		shown = fmt.Sprintf("%s characters, too long for a sheet: see --format json", number(n))
	}
	return excelize.Cell{StyleID: b.text, Value: shown}
}

// moneyCell is a number; beyond 15 digits, which a spreadsheet would round, it
// is text.
func (b *workbook) moneyCell(a money.Amount) (any, error) {
	if a.Minor > exactDigits || a.Minor < -exactDigits {
		return b.textCell(a.Decimal()), nil
	}
	style, err := b.moneyStyle(a.Currency)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseFloat(a.Decimal(), 64)
	return excelize.Cell{StyleID: style, Value: n}, err
}

// momentCell is the day and the second on the clock of the account's zone.
func (b *workbook) momentCell(i payment.Instant) any {
	if i.IsZero() {
		return nil
	}
	t := i.Time().In(b.zone)
	if t.Year() < 1901 || t.Year() > 9998 { // before the first day of a spreadsheet, or after the last
		return b.textCell(i.String())
	}
	const first = -2_209_161_600 // 1899-12-30, the day 0 of spreadsheets
	_, offset := t.Zone()
	seconds := t.Unix() + int64(offset) - first
	return excelize.Cell{StyleID: b.moment, Value: float64(seconds) / (24 * 60 * 60)}
}

// sheetTable is one sheet with its headings.
type sheetTable struct {
	name    string
	heads   []string
	widths  []int
	rows    int
	at      func(i int) ([]any, error)
	filters bool
}

// write streams a sheet: the headings stay in sight and filter what is below.
func (b *workbook) write(s *sheetTable) error {
	if _, err := b.file.NewSheet(s.name); err != nil {
		return err
	}
	out, err := b.file.NewStreamWriter(s.name)
	if err != nil {
		return err
	}
	for i := range s.heads {
		width := 18
		if i < len(s.widths) {
			width = s.widths[i]
		}
		if err := out.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return err
		}
	}
	if err := out.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	heads := make([]any, len(s.heads))
	for i, head := range s.heads {
		heads[i] = excelize.Cell{StyleID: b.heading, Value: head}
	}
	if err := out.SetRow("A1", heads); err != nil {
		return err
	}
	for i := range s.rows {
		row, err := s.at(i)
		if err != nil {
			return err
		}
		if err := out.SetRow("A"+strconv.Itoa(i+2), row); err != nil {
			return fmt.Errorf("sheet %s, row %d: %w", s.name, i+2, err)
		}
	}
	if s.filters {
		if err := b.filter(out, s); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (b *workbook) filter(out *excelize.StreamWriter, s *sheetTable) error {
	last, err := excelize.CoordinatesToCellName(len(s.heads), max(2, s.rows+1))
	if err != nil {
		return err
	}
	return out.AddTable(&excelize.Table{Range: "A1:" + last, Name: s.name + "_table", StyleName: "TableStyleLight1"})
}

// repack puts the parts of the file in the order of their names, without their
// being compressed anew: excelize writes them in another order every time.
func repack(w *bufio.Writer, packed []byte) error {
	in, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return err
	}
	slices.SortFunc(in.File, func(a, b *zip.File) int { return cmp.Compare(a.Name, b.Name) }) // [Content_Types].xml is the first
	out := zip.NewWriter(w)
	for _, part := range in.File {
		if err := out.Copy(part); err != nil {
			return err
		}
	}
	return out.Close()
}
