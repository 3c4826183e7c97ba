package money

// Mark is the decimal mark of a column: '.', ',' or 0 where nothing proves one.
type Mark byte

// TextError says why a text is no amount, and what to do.
type TextError struct {
	Problem string
	Hint    string
}

func (e *TextError) Error() string { return e.Problem }

// ObserveMark tells what this cell alone proves of its column's decimal mark:
// 0 where nothing, a *TextError where the text is an amount in no style.
func ObserveMark(cell string) (Mark, error) { return 0, nil }

// ParseText reads an amount in major units ("1.234,56", "(R$ 10,00)", "5,00 D")
// into minor units of c, or of the currency that the cell states where c is
// zero. Stated is the currency written in the cell, zero where none is or
// where its sign stands for several. The error is a *TextError.
func ParseText(cell string, mark Mark, c Currency) (minor int64, stated Currency, err error) {
	return 0, Currency{}, &TextError{Problem: "not implemented"}
}

// ParseMinor reads an integer of minor units, with a sign but without marks.
// The error is a *TextError.
func ParseMinor(cell string) (int64, error) { return 0, &TextError{Problem: "not implemented"} }
