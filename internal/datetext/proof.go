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
}

// reading is one layout and how it fares.
type reading struct {
	layout string
	needed witness // the first cell that this layout reads and its rival does not
	open   witness // the first cell that both read, as different days
	failed bool    // it does not read a cell that its rival reads
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
	if p.readings == nil {
		p.begin()
	}
	fits := false
	for i, layout := range alone {
		if reads(text, layout).ok {
			p.readings[i].seen = true
			return
		}
	}
	for i := range rivals {
		pair := p.readings[len(alone)+2*i:][:2]
		a, b := reads(text, pair[0].layout), reads(text, pair[1].layout)
		fits = fits || a.ok || b.ok
		pair[0].take(a, b, w)
		pair[1].take(b, a, w)
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

// attempt is what one layout makes of one cell.
type attempt struct {
	v  Value
	ok bool
}

func reads(text, layout string) attempt {
	v, err := parse(text, layout, time.UTC)
	return attempt{v, err == nil}
}

// take notes what the layout and its rival make of a cell.
func (r *reading) take(own, rival attempt, w witness) {
	switch {
	case own.ok && rival.ok:
		r.seen = true
		if own.v != rival.v && r.open.line == 0 {
			r.open = w
		}
	case own.ok:
		r.seen = true
		if r.needed.line == 0 {
			r.needed = w
		}
	case rival.ok:
		r.seen, r.failed = true, true
	}
}

// Layouts is what to give to Parse, nil where no cell was seen. Cells that fit
// no layout, contradict each other or leave day and month open are an *Error
// that names their lines and the profile line to add.
func (p *Proof) Layouts() ([]string, error) {
	layouts, _, err := p.layouts()
	return layouts, err
}

// Where is the cell that the error of Layouts is about, and its line: the
// later one where two contradict each other; line 0 where there is no error.
func (p *Proof) Where() (cell string, line int) {
	_, about, _ := p.layouts()
	return about.cell, about.line
}

// layouts is Layouts with what its error is about.
func (p *Proof) layouts() (layouts []string, about witness, err error) {
	if p.strange.line != 0 {
		return nil, p.strange, &Error{p.strange.String() + ", which is no date in a layout that a file can prove", p.strange.advice()}
	}
	if p.readings == nil {
		return nil, witness{}, nil
	}
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
		layout, about, err := settle(pair[0], pair[1])
		if err != nil {
			return nil, about, err
		}
		layouts = append(layouts, layout)
	}
	return layouts, witness{}, nil
}

// advice is what to do about a cell that no layout reads.
func (w witness) advice() string {
	if strings.Trim(w.cell, "0123456789. ") == "" {
		return "say the layout in the profile, such as dates: {layouts: [unix]}"
	}
	return "is it the date's column? if it is, say the layout in the profile, such as dates: {layouts: [\"02/01/2006 15h04\"]}"
}

// settle decides between two layouts of one shape; about is what its error is
// about.
func settle(a, b reading) (layout string, about witness, err error) {
	switch {
	case a.needed.line != 0 && b.needed.line != 0:
		about = a.needed
		if b.needed.line > a.needed.line {
			about = b.needed
		}
		return "", about, &Error{
			fmt.Sprintf("two date layouts in one column: %s (%s), %s (%s)", a.needed, a.layout, b.needed, b.layout),
			"the file was put together from two exports, or edited: export it again",
		}
	case a.failed:
		return b.layout, about, nil
	case b.failed, a.open.line == 0: // or all its dates are such as 05/05: either will do
		return a.layout, about, nil
	}
	return "", a.open, &Error{
		fmt.Sprintf("ambiguous: no date shows whether the layout is %s or %s (%s)", a.layout, b.layout, a.open),
		fmt.Sprintf("say which in the profile: dates: {layouts: [%s]} or dates: {layouts: [%s]}", a.layout, b.layout),
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
