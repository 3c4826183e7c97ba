package report

import (
	"fmt"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// maxSheetRows is how many rows below its headings a sheet of a spreadsheet has
// room for.
const maxSheetRows = 1_048_575

// sheets writes them in the order in which they are read.
func (b *workbook) sheets() error {
	v := voice{zone: b.zone, dot: " · "}
	summary, err := b.summary(v)
	if err != nil {
		return err
	}
	bridge, err := b.bridge()
	if err != nil {
		return err
	}
	for _, s := range []*sheetTable{summary, bridge, b.divergences(), b.coverage(), b.about(v)} {
		if s.rows > maxSheetRows {
			return fmt.Errorf("sheet %s has %s rows and a sheet has room for %s: nothing was written; --format csv holds any number", s.name, number(s.rows), number(maxSheetRows))
		}
		if err := b.write(s); err != nil {
			return err
		}
	}
	if err := b.file.DeleteSheet("Sheet1"); err != nil {
		return err
	}
	b.file.SetActiveSheet(0)
	return nil
}

// listedRows is a sheet of rows that were made beforehand.
func listedRows(name string, heads []string, widths []int, filters bool, rows [][]any) *sheetTable {
	return &sheetTable{name, heads, widths, len(rows), func(i int) ([]any, error) { return rows[i], nil }, filters}
}

// summary says first what the first line of every form says.
func (b *workbook) summary(v voice) (*sheetTable, error) {
	var rows [][]any
	add := func(label string, cells ...any) { rows = append(rows, append([]any{b.textCell(label)}, cells...)) }
	if b.doc.Result.Defect != "" {
		add("DEFECT", b.textCell(freeText(b.doc.Result.Defect)))
	}
	add("verdict", b.textCell(htmlVerdict(b.doc)))
	add("standing", b.textCell(ui.Join(footLine(b.doc), v.dot).String()))
	for _, line := range scopeLines(b.doc, v) {
		add("coverage", b.textCell(ui.Join(line, v.dot).String()))
	}
	figures, err := headlines(b.doc.Result)
	if err != nil {
		return nil, err
	}
	for i := range figures {
		h := &figures[i]
		for kind := noBucket + 1; kind < bucketEnd; kind++ {
			amount, err := b.moneyCell(money.Amount{Minor: h.minor[kind], Currency: h.currency})
			if err != nil {
				return nil, err
			}
			add(kind.String(), b.textCell(h.figure(kind, true)), amount, b.textCell(h.currency.String()), h.count[kind], b.textCell(h.mode.String()))
		}
	}
	for _, row := range b.doc.Result.Items {
		for _, one := range movesOf(&row) {
			amount, err := b.moneyCell(money.Amount{Minor: one.minor, Currency: row.Currency})
			if err != nil {
				return nil, err
			}
			add("since the run before: "+one.label, nil, amount, b.textCell(row.Currency.String()), one.count)
		}
	}
	return listedRows("summary", []string{"what", "said", "money", "currency", "divergences", "mode"}, []int{34, 60, 22, 10, 12, 8}, false, rows), nil
}

// bridge holds RULES §5, one number a row: equation 1 by day, 2 by row, 3 and 4
// by term, 5 and 6 by statement and payout.
func (b *workbook) bridge() (*sheetTable, error) {
	var rows [][]any
	for i := range b.doc.Result.Bridges {
		one := &b.doc.Result.Bridges[i]
		for _, n := range bridgeNumbers(one) {
			amount, err := b.moneyCell(money.Amount{Minor: n.minor, Currency: one.Currency})
			if err != nil {
				return nil, err
			}
			var count any
			if n.counted {
				count = n.count
			}
			rows = append(rows, []any{
				b.textCell(one.Provider), b.textCell(one.Account), b.textCell(one.Mode.String()), b.textCell(one.Currency.String()),
				b.textCell(n.sum), b.textCell(n.day), b.textCell(n.row), amount, count,
			})
		}
	}
	heads := []string{"provider", "account", "mode", "currency", "sum", "day", "row", "money", "count"}
	return listedRows("bridge", heads, []int{14, 20, 8, 10, 24, 12, 30, 22, 10}, true, rows), nil
}

// bridgeNumber is one number of a bridge and where in it it stands.
type bridgeNumber struct {
	sum, day, row string
	minor         int64
	count         int
	counted       bool
}

func bridgeNumbers(b *reconcile.Bridge) []bridgeNumber {
	var all []bridgeNumber
	for _, r := range b.Lines {
		all = append(all, bridgeNumber{"lines", r.Day.String(), r.Row, r.Minor, r.Count, true})
	}
	add := func(sum, row string, minor int64) { all = append(all, bridgeNumber{sum: sum, row: row, minor: minor}) }
	add("lines", "sum", b.LinesSum)
	for _, side := range []struct {
		sum  string
		rows []reconcile.AttemptRow
	}{{"succeeded", b.Succeeded}, {"open", b.Open}, {"failed", b.Failed}} {
		for _, r := range side.rows {
			all = append(all, bridgeNumber{side.sum, "", r.Row, r.Minor, r.Count, true})
		}
	}
	add("tie", "matched lines", b.Tie.MatchedLines)
	add("tie", "not yet due", b.Tie.NotDue)
	add("tie", "matched attempts", b.Tie.MatchedAttempts)
	add("tie", "differences", b.Tie.Differences)
	add("tie", "unexplained", b.Tie.Residual)
	add("in transit", "before", b.Roll.Yesterday)
	add("in transit", "newly succeeded", b.Roll.NewlySucceeded)
	add("in transit", "matched", b.Roll.Matched)
	add("in transit", "ended", b.Roll.Ended)
	add("in transit", "restated", b.Roll.Restated)
	add("in transit", "now", b.Roll.Today)
	return append(all, statedNumbers(b)...)
}

// statedNumbers are the sums that a statement states itself.
func statedNumbers(b *reconcile.Bridge) []bridgeNumber {
	var all []bridgeNumber
	add := func(sum, row string, minor int64) { all = append(all, bridgeNumber{sum: sum, row: row, minor: minor}) }
	for _, x := range b.Balances {
		name := "balance " + freeText(x.Statement)
		add(name, "opening", x.Opening)
		add(name, "net", x.NetSum)
		add(name, "closing", x.Closing)
		add(name, "unexplained", x.Residual)
	}
	for _, x := range b.Payouts {
		name := "payout " + x.ID
		if x.Unverifiable {
			add(name, "paid out, unverifiable: membership is not told", x.Minor)
			continue
		}
		add(name, "paid out", x.Minor)
		add(name, "net of its lines", x.MembersNet)
		add(name, "unexplained", x.Residual)
	}
	return all
}

// divergences has the columns of csv, and a row for whatever csv has one for.
func (b *workbook) divergences() *sheetTable {
	columns := csvColumns()
	heads, widths := make([]string, len(columns)), make([]int, len(columns))
	for i, c := range columns {
		heads[i], widths[i] = c.name, 18
	}
	notes := runNotes(b.doc)
	return &sheetTable{"divergences", heads, widths, len(notes) + len(b.doc.Result.Divergences), func(i int) ([]any, error) {
		row := make([]any, len(columns))
		for n, c := range columns {
			if i < len(notes) {
				row[n] = b.textCell(notes[i][c.name])
				continue
			}
			cell, err := b.cell(c.value(b.doc, &b.doc.Result.Divergences[i-len(notes)]))
			if err != nil {
				return nil, err
			}
			row[n] = cell
		}
		return row, nil
	}, true}
}

// coverage says of every statement what was read, and each hole in a row.
func (b *workbook) coverage() *sheetTable {
	var rows [][]any
	for i := range b.doc.Result.Statements {
		s := &b.doc.Result.Statements[i]
		add := func(what string, w payment.Interval, rest ...any) {
			rows = append(rows, append([]any{
				b.textCell(freeText(s.Name)), b.textCell(s.Provider), b.textCell(s.Account), b.textCell(s.Mode.String()), b.textCell(s.Sort.String()),
				b.textCell(what), b.momentCell(w.From), b.momentCell(w.To), b.textCell(s.Grade.String()),
			}, rest...))
		}
		add("read", payment.Interval{From: s.From, To: s.Through}, s.Lines, s.Units, b.momentCell(s.NextPullFrom))
		for _, hole := range s.Holes {
			add("hole", hole)
		}
	}
	for i := range b.doc.Result.Divergences {
		d := &b.doc.Result.Divergences[i]
		if d.Interval != (payment.Interval{}) && open(d) {
			rows = append(rows, []any{
				b.textCell(freeText(strings.Join(d.Subject.IDs, "+"))), b.textCell(d.Provider), b.textCell(d.Account), b.textCell(d.Mode.String()), nil,
				b.textCell("not read"), b.momentCell(d.Interval.From), b.momentCell(d.Interval.To), b.textCell(d.Grade.String()),
			})
		}
	}
	heads := []string{"statement", "provider", "account", "mode", "sort", "what", "from", "to", "grade", "lines", "objects", "next_read_from"}
	return listedRows("coverage", heads, []int{30, 14, 20, 8, 12, 10, 20, 20, 10, 10, 10, 20}, true, rows)
}

// about says what the numbers are made of, so that another can make them again.
func (b *workbook) about(v voice) *sheetTable {
	var rows [][]any
	for _, f := range htmlAbout(b.doc, voice{zone: v.zone, exact: true, dot: v.dot}) {
		rows = append(rows, []any{b.textCell(f.Label), b.textCell(f.Text)})
	}
	for i := range b.doc.Inputs {
		in := &b.doc.Inputs[i]
		rows = append(rows, []any{
			b.textCell("read: " + in.Side), b.textCell(freeText(in.Name)), b.textCell(in.SHA256), b.textCell(in.Profile),
			in.Rows, in.Movements, in.Information, in.Errors, in.Repeats,
		})
	}
	heads := []string{"what", "said", "sha256", "profile", "rows", "movements", "information", "errors", "repeats"}
	return listedRows("about", heads, []int{24, 60, 68, 20, 10, 11, 11, 10, 10}, false, rows)
}
