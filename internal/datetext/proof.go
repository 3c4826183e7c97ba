package datetext

import (
	"fmt"
	"strings"
	"time"
)

// Proof collects what the cells of one column prove of its layout. The zero
// value has seen nothing.
type Proof struct {
	readings []reading
	strange  witness // the first cell that no layout reads
	any      witness // the first cell
}

// reading is one layout and how it fares.
type reading struct {
	layout string
	needed witness // the first cell that this layout reads and its rival does not
	failed witness // the first cell of its shape that it does not read
	seen   bool    // a cell of its shape was there
}

// witness is a cell and where it stands.
type witness struct {
	cell string
	line int
}

func (w witness) String() string { return fmt.Sprintf("line %d has %q", w.line, w.cell) }

// rivals are the layouts that share a shape, with the separator between their
// parts: what one reads the other may read as another day.
var rivals = [...][2]string{
	{"dd/mm/yyyy", "mm/dd/yyyy"},
	{"dd-mm-yyyy", "mm-dd-yyyy"},
	{"dd.mm.yyyy", "mm.dd.yyyy"},
	{"yyyymmdd", "ddmmyyyy"},
}

// alone are the layouts that nothing can be confused with.
var alone = [...]string{"iso", "yyyy/mm/dd", "yyyy.mm.dd", "dd mon yyyy", "dd-mon-yyyy", "dd/mon/yyyy"}

// Observe takes one cell and its line; an empty cell proves nothing.
func (p *Proof) Observe(cell string, line int) {
	text := clean(cell)
	if text == "" {
		return
	}
	w := witness{cell, line}
	if p.any.line == 0 {
		p.any = w
	}
	if p.readings == nil {
		p.begin()
	}
	fits := false
	for i, layout := range alone {
		if reads(text, layout) {
			p.readings[i].seen, fits = true, true
			return
		}
	}
	for i := range rivals {
		pair := p.readings[len(alone)+2*i:][:2]
		a, b := reads(text, pair[0].layout), reads(text, pair[1].layout)
		fits = fits || a || b
		if a || b {
			pair[0].take(a, !b, w)
			pair[1].take(b, !a, w)
		}
	}
	if !fits && p.strange.line == 0 {
		p.strange = w
	}
}

func (p *Proof) begin() {
	for _, layout := range alone {
		p.readings = append(p.readings, reading{layout: layout})
	}
	for _, pair := range rivals {
		p.readings = append(p.readings, reading{layout: pair[0]}, reading{layout: pair[1]})
	}
}

func reads(text, layout string) bool {
	_, err := parse(text, layout, time.UTC)
	return err == nil
}

// take notes that the layout reads the cell, and whether it alone does.
func (r *reading) take(ok, only bool, w witness) {
	r.seen = true
	if !ok && r.failed.line == 0 {
		r.failed = w
	}
	if ok && only && r.needed.line == 0 {
		r.needed = w
	}
}

// Layouts is what to give to Parse, nil where no cell was seen. Cells that fit
// no layout, contradict each other or leave day and month open are an *Error
// that names their lines and the profile line to add.
func (p *Proof) Layouts() ([]string, error) {
	if p.strange.line != 0 {
		return nil, &Error{p.strange.String() + ", which is no date in a layout that a file can prove",
			"say the column's layout in the profile, such as dates: [unix]"}
	}
	if p.any.line == 0 {
		return nil, nil
	}
	var layouts []string
	for i, r := range p.readings {
		if i < len(alone) && r.seen {
			layouts = append(layouts, r.layout)
		}
	}
	for i := range rivals {
		pair := p.readings[len(alone)+2*i:][:2]
		if !pair[0].seen {
			continue
		}
		layout, err := p.settle(pair[0], pair[1])
		if err != nil {
			return nil, err
		}
		layouts = append(layouts, layout)
	}
	return layouts, nil
}

// settle decides between two layouts of one shape.
func (p *Proof) settle(a, b reading) (string, error) {
	switch {
	case a.needed.line != 0 && b.needed.line != 0:
		return "", &Error{fmt.Sprintf("two date layouts in one column: %s (%s), %s (%s)", a.needed, a.layout, b.needed, b.layout),
			"the file was put together from two exports, or edited: export it again"}
	case a.failed.line == 0 && b.failed.line == 0:
		return "", &Error{fmt.Sprintf("ambiguous: no date shows whether it is %s or %s (%s)", a.layout, b.layout, p.any),
			fmt.Sprintf("add to the profile: dates: [%s]", strings.Join([]string{a.layout}, ", "))}
	case a.failed.line == 0:
		return a.layout, nil
	default:
		return b.layout, nil
	}
}

// Evidence is the cell that decides between two layouts, as shown to people:
// `line 3: 25/01/2026`; "" where none had to. Printers escape it.
func (p *Proof) Evidence() string {
	for _, r := range p.readings {
		if r.needed.line != 0 {
			return fmt.Sprintf("line %d: %s", r.needed.line, r.needed.cell)
		}
	}
	return ""
}
