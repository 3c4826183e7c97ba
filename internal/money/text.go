package money

import (
	"strings"
	"unicode/utf8"
)

// Limit bounds the amounts that are read: from 10^15 minor units on, ten
// trillion reais, a cell is no payment, and sums of such cells could leave 64
// bits.
const Limit = 1_000_000_000_000_000

// TooLarge is the error of a cell at or beyond Limit.
func TooLarge() *TextError {
	return &TextError{"too large: an amount of 10^15 minor units or more", "is it an id in the wrong column?"}
}

// Mark is the decimal mark of a column: '.', ',' or 0 where nothing proves one.
type Mark byte

// TextError says why a text is no amount, and what to do. It does not hold the
// text: whoever knows file and line adds it.
type TextError struct {
	Problem string
	Hint    string
}

func (e *TextError) Error() string { return e.Problem }

// ParseText reads an amount in major units ("1.234,56", "(R$ 10,00)", "5,00 D")
// into minor units of c, or of the currency that the cell states where c is
// zero. Stated is the currency written in the cell, zero where none is or
// where its sign stands for several. A text that can mean two amounts is
// refused, never guessed; so is one with more decimals than the currency has,
// unless they are zeros. The error is a *TextError.
func ParseText(cell string, mark Mark, c Currency) (minor int64, stated Currency, err error) {
	if minor, ok := plainAmount(cell, mark, c); ok {
		return minor, Currency{}, nil
	}
	w, problem := unwrap(cell)
	if problem != nil {
		return 0, Currency{}, problem
	}
	if c, problem = w.currency(c); problem != nil {
		return 0, Currency{}, problem
	}
	number, problem := split(w.body)
	if problem != nil {
		return 0, Currency{}, problem
	}
	whole, fraction, problem := number.read(mark)
	if problem != nil {
		return 0, Currency{}, problem
	}
	minor, problem = scale(whole, fraction, c)
	if problem != nil {
		return 0, Currency{}, problem
	}
	if w.negative {
		minor = -minor
	}
	return minor, w.stated, nil
}

// plainAmount reads what nearly every cell is, an optional minus, digits, the
// column's mark and as many digits as the currency has decimals.
func plainAmount(cell string, mark Mark, c Currency) (minor int64, ok bool) {
	exponent := c.Exponent()
	digits := strings.TrimPrefix(cell, "-")
	point := len(digits) - exponent - 1
	if mark == 0 || c.IsZero() || exponent == 0 || point < 1 || len(digits) > 18 || digits[point] != byte(mark) {
		return 0, false
	}
	for i := range len(digits) {
		if i == point {
			continue
		}
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		minor = minor*10 + int64(d)
	}
	if minor >= Limit {
		return 0, false // the long way says why
	}
	if len(digits) != len(cell) {
		minor = -minor
	}
	return minor, true
}

// ParseMinor reads an integer of minor units, with a sign but without marks.
// The error is a *TextError.
func ParseMinor(cell string) (int64, error) {
	digits, negative := cell, false
	if !onlyDigits(cell) {
		digits = strings.TrimSpace(blanks.Replace(cell))
	}
	for _, sign := range []string{"-", "\u2212", "+"} {
		if rest, ok := strings.CutPrefix(digits, sign); ok {
			digits, negative = rest, sign != "+"
			break
		}
	}
	if digits == "" {
		return 0, noDigits(cell)
	}
	if strings.ContainsAny(digits, ".,") {
		return 0, &TextError{
			"a decimal mark in a column of minor units",
			"if the column holds major units, say so in the profile (amounts: unit)",
		}
	}
	minor, problem := scale(digits, "", Currency{})
	if problem != nil {
		return 0, problem
	}
	if negative {
		minor = -minor
	}
	return minor, nil
}

// scale gives whole and fraction in minor units. Decimals beyond the
// currency's own must be zeros.
func scale(whole, fraction string, c Currency) (int64, *TextError) {
	exponent := c.Exponent()
	var minor int64
	for place := range len(whole) + max(exponent, len(fraction)) {
		digit := byte('0')
		switch {
		case place < len(whole):
			digit = whole[place]
		case place-len(whole) < len(fraction):
			digit = fraction[place-len(whole)]
		}
		if digit < '0' || digit > '9' {
			return 0, stray(whole + fraction)
		}
		if place >= len(whole)+exponent {
			if digit != '0' {
				return 0, &TextError{
					"more decimals than " + c.String() + " has",
					"is it a rate, an unrounded price, or an amount of another currency?",
				}
			}
			continue
		}
		d := int64(digit - '0')
		if minor = minor*10 + d; minor >= Limit {
			return 0, TooLarge()
		}
	}
	return minor, nil
}

func noDigits(cell string) *TextError {
	if strings.TrimSpace(blanks.Replace(cell)) == "" {
		return &TextError{Problem: "no amount"}
	}
	return &TextError{Problem: "a sign or currency without digits"}
}

// stray says what else than digits stands in the text.
func stray(text string) *TextError {
	for _, r := range text {
		if r >= '0' && r <= '9' || strings.ContainsRune(".,' ", r) {
			continue
		}
		switch {
		case (r == 'e' || r == 'E') && strings.ContainsAny(text, "0123456789"):
			return &TextError{
				"a number in exponent form, its digits may be lost",
				"a spreadsheet wrote it: export the file again from the provider",
			}
		case r == utf8.RuneError:
			return &TextError{"a byte that is no text", "name the file's encoding (--encoding)"}
		}
		break
	}
	return &TextError{"not an amount", "is it the right column?"}
}
