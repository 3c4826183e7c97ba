package runs

import (
	"desfecho/internal/payment"
	"desfecho/internal/store"
)

// PageSize is how many lines or units one transaction stores.
const PageSize = 5000

// Part is what a file says of one account.
type Part struct {
	Account    string
	Statements []payment.Statement
	Lines      []payment.Line
	Units      []payment.Unit
}

// Parts takes what a file says apart by account, in order of its statements.
func Parts(statements []payment.Statement, lines []payment.Line, units []payment.Unit) []Part {
	var parts []Part
	at := map[string]int{}
	of := func(account string) *Part {
		i, known := at[account]
		if !known {
			i = len(parts)
			at[account] = i
			parts = append(parts, Part{Account: account})
		}
		return &parts[i]
	}
	for _, s := range statements {
		p := of(s.Account)
		p.Statements = append(p.Statements, s)
	}
	if len(parts) == 1 { // the usual file: nothing is copied
		parts[0].Lines, parts[0].Units = lines, units
		return parts
	}
	for i := range lines {
		p := of(lines[i].Account)
		p.Lines = append(p.Lines, lines[i])
	}
	for i := range units {
		p := of(units[i].Account)
		p.Units = append(p.Units, units[i])
	}
	return parts
}

// Pages cuts the part into what each transaction stores. Coverage and cursor
// come with the last page: what was stored before an interruption is kept, and
// nothing is claimed to have been read to its end.
func (p *Part) Pages(source string, numbers *store.Numbers, cursor *store.Cursor, yield func(store.Page) error) error {
	for from := 0; from < len(p.Units); from += PageSize {
		page := store.Page{Source: source, Units: p.Units[from:min(from+PageSize, len(p.Units))]}
		if err := yield(page); err != nil {
			return err
		}
	}
	last := store.Page{Source: source, Statements: p.Statements, Cursor: cursor}
	for from := 0; from < len(p.Lines); from += PageSize {
		to := min(from+PageSize, len(p.Lines))
		lines := numbers.Lines(p.Lines[from:to])
		if to == len(p.Lines) {
			last.Lines = lines
			break
		}
		if err := yield(store.Page{Source: source, Lines: lines}); err != nil {
			return err
		}
	}
	for _, s := range p.Statements {
		last.StatementLines = append(last.StatementLines, p.linesOf(s.Name))
	}
	return yield(last)
}

func (p *Part) linesOf(statement string) (n int) {
	for i := range p.Lines {
		if p.Lines[i].Statement == statement {
			n++
		}
	}
	return n
}
