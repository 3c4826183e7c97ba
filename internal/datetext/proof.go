package datetext

// Proof collects what the cells of one column prove of its layout.
type Proof struct{}

// Observe takes one cell and its line; an empty cell proves nothing.
func (p *Proof) Observe(cell string, line int) {}

// Layouts is what to give to Parse. Cells that fit no one layout, contradict
// each other or leave day and month open are an error that names their lines
// and the profile line to add.
func (p *Proof) Layouts() ([]string, error) { return nil, nil }
