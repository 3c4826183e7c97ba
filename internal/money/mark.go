package money

// MarkProof collects what the cells of one column prove of its decimal mark.
type MarkProof struct{}

// Observe takes one cell and its line; what is no amount proves nothing.
func (p *MarkProof) Observe(cell string, line int) {}

// Mark is the proven mark, 0 where nothing proves one; cells that contradict
// each other are a *TextError that names both.
func (p *MarkProof) Mark() (Mark, error) { return 0, nil }

// Evidence is the first proof as shown to people: `line 3: 1.234,56`; "" where
// there is none.
func (p *MarkProof) Evidence() string { return "" }
