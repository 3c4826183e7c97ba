package profile

import (
	"strings"

	"desfecho/internal/tabular"
)

// Cells are the places in a row that one field is read from, in order of
// preference.
type Cells struct {
	places []place
}

// place is one column of a CSV row, or one path of a JSON row.
type place struct {
	column  int    // -1: path
	path    string // JSON rows
	inner   string // path into the JSON text that the cell holds
	heading string
}

// Has tells whether the file has any column for the field.
func (c *Cells) Has() bool { return len(c.places) > 0 }

// Text is the first text that is not empty, without blanks around it, and
// where it stood; an empty text stood in the preferred place.
func (c *Cells) Text(row tabular.Row) string {
	if len(c.places) == 1 && c.places[0].inner == "" && c.places[0].column >= 0 {
		return trim(row.Cell(c.places[0].column))
	}
	text, _ := c.find(row)
	return text
}

// Exact is Text with every byte of the cell: identifiers are compared byte for
// byte, so that blanks around one are part of it (RULES §3.3). A cell of
// nothing but blanks holds none.
func (c *Cells) Exact(row tabular.Row) string {
	for i := range c.places {
		if text := c.places[i].exact(row); text != "" {
			return text
		}
	}
	return ""
}

// All are the texts of all places that are not empty, with every byte.
func (c *Cells) All(row tabular.Row) []string {
	var texts []string
	for i := range c.places {
		if text := c.places[i].exact(row); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// headings are those of the places, in order of preference.
func (c *Cells) headings() []string {
	var all []string
	for i := range c.places {
		all = append(all, c.places[i].heading)
	}
	return all
}

// find is Text with the place.
func (c *Cells) find(row tabular.Row) (string, *place) {
	for i := range c.places {
		if text := c.places[i].text(row); text != "" {
			return text, &c.places[i]
		}
	}
	if len(c.places) == 0 {
		return "", nil
	}
	return "", &c.places[0]
}

func (p *place) text(row tabular.Row) string { return trim(p.exact(row)) }

// exact is the whole text of the place, "" where it is nothing but blanks.
func (p *place) exact(row tabular.Row) string {
	var text string
	if p.column >= 0 {
		text = row.Cell(p.column)
	} else {
		text, _ = row.Field(p.path)
	}
	if p.inner != "" {
		text = inside(trim(text), p.inner)
	}
	if trim(text) == "" {
		return ""
	}
	return text
}

// trim cuts blanks; most cells have none.
func trim(text string) string {
	if text == "" || text[0] > ' ' && text[0] < 0x80 && text[len(text)-1] > ' ' && text[len(text)-1] < 0x80 {
		return text
	}
	return strings.TrimSpace(text)
}

// maxInner bounds a stored answer that is looked into.
const maxInner = 256 << 10

// inside is a value within a JSON text by its dot path. A stored answer may be
// no JSON at all (a time-out's page), or say two things by one key: then
// nothing is there.
func inside(text, path string) string {
	if text == "" || len(text) > maxInner || text[0] != '{' {
		return ""
	}
	object, err := tabular.Object(text)
	if err != nil {
		return ""
	}
	value, _ := object.Field(path)
	return value
}

// Fault is the error of a cell of this field: file, line, column, heading and
// value are filled in.
func (c *Cells) Fault(file string, row tabular.Row, problem, hint string) *tabular.Error {
	e := &tabular.Error{File: file, Line: row.Line, Element: row.Element, Problem: problem, Hint: hint}
	text, at := c.find(row)
	if at != nil {
		e.Heading, e.Value, e.Column = at.heading, text, at.column+1
	}
	return e
}
