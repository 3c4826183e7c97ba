package money

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks turns what spreadsheets and web pages put into numbers into plain
// characters: kinds of blanks, marks without width, the true minus, the
// typographer's apostrophe.
var blanks = strings.NewReplacer("\u00A0", " ", "\u202F", " ", "\u2007", " ", "\u2009", " ", "\t", " ",
	"\uFEFF", "", "\u200B", "", "\u00AD", "", "\u200E", "", "\u200F", "",
	"\u2212", "-", "\u2019", "'")

// wrapped is an amount's text taken apart: sign, currency, and digits with
// their marks.
type wrapped struct {
	body     string
	signs    int
	negative bool
	stated   Currency
	allowed  []Currency // what an ambiguous currency sign can stand for
	symbols  int
}

// signWords are debit and credit as banks write them behind an amount.
var signWords = map[string]bool{"D": true, "DR": true, "C": false, "CR": false}

// unwrap takes sign and currency off both ends. Most cells have neither.
func unwrap(cell string) (wrapped, *TextError) {
	var w wrapped
	if digits := strings.TrimPrefix(cell, "-"); digits != "" && onlyDigits(digits) {
		w.body, w.negative = digits, len(digits) < len(cell)
		return w, nil
	}
	text := strings.TrimSpace(blanks.Replace(cell))
	for {
		before := len(text)
		if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") {
			text = inner[:len(inner)-1]
			w.sign(true)
		}
		text = w.cutSign(text)
		text = w.cutCurrency(text)
		text = w.cutWord(text)
		text = strings.TrimSpace(text)
		if len(text) == before {
			break
		}
	}
	w.body = text
	switch {
	case text == "":
		return w, noDigits(cell)
	case w.signs > 1:
		return w, &TextError{"two signs", "a minus, brackets and D or C exclude each other"}
	case w.symbols > 0 && len(w.allowed) == 0:
		return w, &TextError{"two currencies in one cell", "currencies never mix; correct the file"}
	}
	return w, nil
}

// onlyDigits tells whether nothing but digits and marks is left to take off.
func onlyDigits(text string) bool {
	for i := range len(text) {
		if b := text[i]; (b < '0' || b > '9') && b != '.' && b != ',' {
			return false
		}
	}
	return true
}

func (w *wrapped) sign(negative bool) {
	w.signs++
	w.negative = negative
}

func (w *wrapped) cutSign(text string) string {
	for _, sign := range []string{"-", "+"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			w.sign(sign == "-")
			return rest
		}
		if rest, ok := strings.CutSuffix(text, sign); ok {
			w.sign(sign == "-")
			return rest
		}
	}
	return text
}

func (w *wrapped) cutCurrency(text string) string {
	for _, s := range symbols {
		rest, ok := strings.CutPrefix(text, s.text)
		if !ok {
			rest, ok = strings.CutSuffix(text, s.text)
		}
		if ok {
			w.state(s.currencies)
			return rest
		}
	}
	return text
}

// state takes one more statement of the currency; "$10 USD" makes two that
// leave one.
func (w *wrapped) state(currencies []Currency) {
	if w.symbols++; w.symbols == 1 {
		w.allowed = currencies
	} else {
		w.allowed = slices.DeleteFunc(slices.Clone(w.allowed), func(c Currency) bool { return !slices.Contains(currencies, c) })
	}
	if len(w.allowed) == 1 {
		w.stated = w.allowed[0]
	}
}

// cutWord takes a currency's code off either end, D, C, DR and CR off the end.
func (w *wrapped) cutWord(text string) string {
	isLetter := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	head := text[:len(text)-len(strings.TrimLeftFunc(text, isLetter))]
	if c, ok := code(head); ok {
		w.state([]Currency{c})
		return text[len(head):]
	}
	tail := text[len(strings.TrimRightFunc(text, isLetter)):]
	if c, ok := code(tail); ok && tail != text {
		w.state([]Currency{c})
		return text[:len(text)-len(tail)]
	}
	if negative, ok := signWords[strings.ToUpper(tail)]; ok && tail != text {
		w.sign(negative)
		return text[:len(text)-len(tail)]
	}
	return text
}

func code(word string) (Currency, bool) {
	if len(word) != 3 {
		return Currency{}, false
	}
	c, err := ParseCurrency(word)
	return c, err == nil
}

// currency is the one that the amount is in, of the column's c and what the
// cell states.
func (w *wrapped) currency(c Currency) (Currency, *TextError) {
	switch {
	case w.symbols == 0 && c.IsZero():
		return c, &TextError{"an amount without currency", "name a column for it, or the currency in the profile (amounts: currency)"}
	case w.symbols == 0:
		return c, nil
	case c.IsZero() && w.stated.IsZero():
		return c, &TextError{"a currency sign that stands for several currencies", "name a column for it, or the currency in the profile (amounts: currency)"}
	case c.IsZero():
		return w.stated, nil
	case !slices.Contains(w.allowed, c):
		return c, &TextError{"the cell states another currency than " + c.String(), "currencies never mix; correct the column or the profile"}
	}
	return c, nil
}
