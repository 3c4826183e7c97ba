package money

import "fmt"

// ObserveMark tells what this cell alone proves of its column's decimal mark:
// 0 where nothing, a *TextError where the text is an amount in no style. An
// empty cell proves nothing.
func ObserveMark(cell string) (Mark, error) {
	w, problem := unwrap(cell)
	if problem != nil {
		if w.body == "" && w.signs+w.symbols == 0 {
			return 0, nil
		}
		return 0, problem
	}
	n, problem := split(w.body)
	if problem != nil {
		return 0, problem
	}
	mark, ok := n.proves()
	if !ok {
		return 0, &TextError{Problem: "its marks fit no style of writing numbers"}
	}
	return mark, nil
}

// MarkProof collects what the cells of one column prove of its decimal mark.
// The zero value has seen nothing.
type MarkProof struct {
	dot, comma proof
}

// proof is the first cell that proves a mark.
type proof struct {
	cell string
	line int
}

func (p proof) String() string { return fmt.Sprintf("line %d: %s", p.line, p.cell) }

// Observe takes one cell and its line; what is no amount proves nothing.
func (p *MarkProof) Observe(cell string, line int) {
	mark, err := ObserveMark(cell)
	if err != nil {
		return
	}
	switch {
	case mark == '.' && p.dot.line == 0:
		p.dot = proof{cell, line}
	case mark == ',' && p.comma.line == 0:
		p.comma = proof{cell, line}
	}
}

// Mark is the proven mark, 0 where nothing proves one; cells that contradict
// each other are a *TextError that names both.
func (p *MarkProof) Mark() (Mark, error) {
	switch {
	case p.dot.line != 0 && p.comma.line != 0:
		return 0, &TextError{
			fmt.Sprintf("two decimal marks in one column: line %d has %q, line %d has %q", p.dot.line, p.dot.cell, p.comma.line, p.comma.cell),
			"the file was put together from two exports, or edited: export it again",
		}
	case p.dot.line != 0:
		return '.', nil
	case p.comma.line != 0:
		return ',', nil
	}
	return 0, nil
}

// Where is the cell that the error of Mark is about, the later of the two, and
// its line; line 0 where there is no error.
func (p *MarkProof) Where() (cell string, line int) {
	switch {
	case p.dot.line == 0 || p.comma.line == 0:
		return "", 0
	case p.dot.line > p.comma.line:
		return p.dot.cell, p.dot.line
	default:
		return p.comma.cell, p.comma.line
	}
}

// Evidence is the first proof as shown to people: `line 3: 1.234,56`; "" where
// there is none. The cell stands as in the file: printers escape it.
func (p *MarkProof) Evidence() string {
	switch {
	case p.dot.line != 0:
		return p.dot.String()
	case p.comma.line != 0:
		return p.comma.String()
	}
	return ""
}
