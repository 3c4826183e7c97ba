// Package mask hides personal data and card numbers in free text: CPF and CNPJ
// with right check digits, e-mail addresses, phone numbers in the form of Pix
// keys or with their area in brackets, card numbers.
//
// It decides by form and check digits, never by where a text came from, and it
// must not be given ids that a system made: one in ten numbers of 16 digits
// passes as a card and one in a hundred of 11 digits as a CPF. It knows no
// names of people and cannot hide them.
package mask

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text hides what is personal in free text: provider texts, reasons, file
// names. Any number of 13 to 19 digits with a right Luhn digit counts as a
// card.
func Text(s string) string { return hide(s, luhn) }

// Key hides what is personal in a value that may well be a plain id of the
// merchant's: a reference, an idempotency key. A number counts as a card only
// if it also begins like one and is as long as one.
func Key(s string) string { return hide(s, card) }

// hide looks at the beginning of every word: what stands in the middle of a
// longer word is part of an id.
func hide(s string, isCard func(digits string) bool) string {
	if !suspect(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		shown, size := find(s[i:], isCard)
		if size == 0 {
			size = skip(s[i:])
			shown = s[i : i+size]
		}
		b.WriteString(shown)
		i += size
	}
	return b.String()
}

// suspect is the quick way past nearly every text.
func suspect(s string) bool {
	digits := 0
	for i := range len(s) {
		switch {
		case s[i] == '@' || s[i] == '/': // an alphanumeric CNPJ has a slash and few digits
			return true
		case digit(s[i]):
			digits++
		}
	}
	return digits >= 10
}

// find tells whether s begins with something personal, how long that is, and
// what to show instead.
func find(s string, isCard func(string) bool) (shown string, size int) {
	if shown, size = email(s); size > 0 {
		return shown, size
	}
	if shown, size = phone(s); size > 0 {
		return shown, size
	}
	if shown, size = document(s); size > 0 {
		return shown, size
	}
	return cardNumber(s, isCard)
}

// labels are the words that say what the number behind them is; other letters
// before a number make it part of an id.
var labels = regexp.MustCompile(`^(?i:cpf|cnpj|card|cartao|cartão|pan|pix|tel|fone|celular|phone)_*[0-9]`)

// skip is the length of the word that s begins with, of a label with a number
// behind it, or of the one rune that belongs to no word.
func skip(s string) int {
	if label := labels.FindString(s); label != "" {
		return len(label) - 1
	}
	n := 0
	for n < len(s) && word(s[n]) && blank(s[n:]) == 0 {
		n++
	}
	return max(n, blank(s), 1)
}

// ends tells whether a word may end before s[n].
func ends(s string, n int) bool { return n == len(s) || !word(s[n]) || blank(s[n:]) > 0 }

// blank is the length of the blank beyond ASCII that s begins with, 0 where it
// begins with none.
func blank(s string) int {
	if s == "" || s[0] < 0x80 {
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.IsSpace(r) {
		return 0
	}
	return size
}

// word counts every byte beyond ASCII as a letter.
func word(c byte) bool { return digit(c) || letter(c) || c == '_' || c >= 0x80 }

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }
