package profile

import (
	"errors"
	"fmt"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/tabular"
)

// errUnproven says that a column's style must be found in the whole file
// before its cells can be read.
var errUnproven = errors.New("style not proven yet")

// AmountColumn reads one field's amounts in one style.
type AmountColumn struct {
	field    string
	cells    *Cells
	style    *AmountStyle
	mark     money.Mark
	evidence string
	proof    money.MarkProof
	open     struct { // the first cell that needs the mark
		text string
		line int
	}
	proved bool // the whole file was looked at
}

// Amount gives the reader of a field's amounts. Asked again it is the same.
func (b *Binding) Amount(field string) *AmountColumn {
	if a := b.amounts[field]; a != nil {
		return a
	}
	a := &AmountColumn{field: field, cells: b.fields[field], style: &b.Profile.Amounts, mark: money.Mark(b.Profile.Amounts.Mark)}
	b.amounts[field] = a
	return a
}

// MinorAmount is Amount for a field that holds integers of minor units whatever
// the profile says of the others.
func (b *Binding) MinorAmount(field string) *AmountColumn {
	a := b.Amount(field)
	a.style = &AmountStyle{Minor: true, Exponents: b.Profile.Amounts.Exponents}
	return a
}

// Has tells whether the file has the column.
func (a *AmountColumn) Has() bool { return a.cells.Has() }

// Read gives the cell's amount in minor units of c, and c, or the currency
// that the cell states where c is zero. ok is false for an empty cell. The
// error is a *money.TextError or errUnproven.
func (a *AmountColumn) Read(row tabular.Row, c money.Currency) (minor int64, stated money.Currency, ok bool, err error) {
	text := a.cells.Text(row)
	if text == "" {
		return 0, c, false, nil
	}
	if a.style.Minor {
		minor, err = a.fromMinor(text, c)
		return minor, c, err == nil, err
	}
	return a.fromText(text, c, row.Line)
}

func (a *AmountColumn) fromText(text string, c money.Currency, line int) (int64, money.Currency, bool, error) {
	if a.mark == 0 {
		mark, err := money.ObserveMark(text)
		if err != nil {
			return 0, c, false, err //nolint:wrapcheck // the caller adds file, line and heading
		}
		if mark != 0 {
			a.mark, a.evidence = mark, fmt.Sprintf("line %d: %s", line, text)
		}
	}
	minor, stated, err := money.ParseText(text, a.mark, c)
	switch {
	case err != nil && a.mark == 0 && !a.proved:
		return 0, c, false, errUnproven
	case err != nil:
		return 0, c, false, a.explain(err)
	case !c.IsZero() && !stated.IsZero() && stated != c:
		return 0, c, false, &money.TextError{Problem: fmt.Sprintf("the cell says %s, the row %s", stated, c), Hint: "correct the currency column"}
	case c.IsZero():
		c = stated
	}
	return minor, c, true, nil
}

// explain adds to an error what made the column's style.
func (a *AmountColumn) explain(err error) error {
	var textual *money.TextError
	if !errors.As(err, &textual) || a.evidence == "" {
		return err
	}
	return &money.TextError{Problem: fmt.Sprintf("%s (the column's mark is %q by %s)", textual.Problem, string(rune(a.mark)), a.evidence), Hint: textual.Hint}
}

// fromMinor reads an integer of minor units and turns the provider's own
// exponent into that of ISO 4217.
func (a *AmountColumn) fromMinor(text string, c money.Currency) (int64, error) {
	minor, err := money.ParseMinor(text)
	if err != nil {
		return 0, err //nolint:wrapcheck // the caller adds file, line and heading
	}
	exponent, special := a.style.Exponents[c.String()]
	if !special {
		return minor, nil
	}
	for ; exponent < c.Exponent(); exponent++ {
		if minor *= 10; money.Magnitude(minor) >= money.Limit {
			return 0, money.TooLarge()
		}
	}
	for ; exponent > c.Exponent(); exponent-- {
		if minor%10 != 0 {
			return 0, &money.TextError{Problem: fmt.Sprintf("a fraction that %s does not have", c), Hint: "correct the amount, or the exponents of the profile"}
		}
		minor /= 10
	}
	return minor, nil
}

// observe takes one row of a pass over the whole file.
func (a *AmountColumn) observe(row tabular.Row) {
	a.proved = true
	text := a.cells.Text(row)
	if text == "" || a.style.Minor {
		return
	}
	a.proof.Observe(text, row.Line)
	if a.open.line == 0 && strings.ContainsAny(text, ".,") {
		a.open.text, a.open.line = text, row.Line
	}
}

// conclude fixes the mark after that pass; fallback is what other columns of
// the file prove.
func (a *AmountColumn) conclude(fallback money.Mark) error {
	mark, err := a.proof.Mark()
	if err != nil {
		return a.doubt(err)
	}
	a.evidence = a.proof.Evidence()
	if mark == 0 && fallback != 0 {
		mark, a.evidence = fallback, "the other columns of the file"
	}
	if mark == 0 {
		return &doubt{a.cells, a.open.text, a.open.line, &money.TextError{
			Problem: "ambiguous: nothing in the column shows whether . or , is the decimal mark",
			Hint:    "say it in a profile: `amounts: {mark: \".\"}` or `amounts: {mark: \",\"}`",
		}}
	}
	a.mark = mark
	return nil
}

func (a *AmountColumn) doubt(err error) error {
	cell, line := a.proof.Where()
	return &doubt{a.cells, cell, line, err}
}

// note is the evidence for people, "" where the profile stated the mark or no
// cell needed one.
func (a *AmountColumn) note() string {
	if a.mark == 0 || a.evidence == "" || len(a.cells.places) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: decimal mark %q by %s", a.cells.places[0].heading, string(rune(a.mark)), a.evidence)
}
