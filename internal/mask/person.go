package mask

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// gap is what people and systems write between the groups of a number.
const gap = `[-. \x{A0}\x{2000}-\x{200A}\x{202F}\x{3000}]`

var (
	emailForm = regexp.MustCompile(`^[\pL\pN_.+%'-]{1,64}@(?:[\pL\pN-]{1,63}\.)+\pL{2,24}`)
	phoneForm = regexp.MustCompile(`^(?:\+55` + gap + `?\(?[1-9]{2}\)?|\([1-9]{2}\))` + gap + `?9?[0-9]{4}` + gap + `?[0-9]{4}`)
	cpfForm   = regexp.MustCompile(`^[0-9]{3}` + gap + `?[0-9]{3}` + gap + `?[0-9]{3}` + gap + `?[0-9]{2}`)
	// Since 2026 a CNPJ has letters; without its punctuation only digits are
	// taken for one, for the rest would be any id.
	cnpjForm = regexp.MustCompile(`^(?:[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}|[0-9]{2}` + gap + `?[0-9]{3}` + gap + `?[0-9]{3}(?:/|` + gap + `)?[0-9]{4}` + gap + `?[0-9]{2})`)
)

// email keeps the first character of the address.
func email(s string) (shown string, size int) {
	if strings.IndexByte(s, '@') <= 0 {
		return "", 0
	}
	size = len(emailForm.FindString(s))
	if size == 0 {
		return "", 0
	}
	_, first := utf8.DecodeRuneInString(s)
	return s[:first] + "***@***", size
}

// phone takes the international form, in which a Pix key is stored, and the
// national one with its area in brackets.
func phone(s string) (shown string, size int) {
	if s[0] != '+' && s[0] != '(' {
		return "", 0
	}
	size = len(phoneForm.FindString(s))
	if size == 0 || !ends(s, size) {
		return "", 0
	}
	if s[0] == '(' {
		return "(**)***" + s[size-2:size], size
	}
	return "+55***" + s[size-2:size], size
}

// document takes a CPF or a CNPJ whose check digits are right. Those stay, so
// that two papers can still be told apart.
func document(s string) (shown string, size int) {
	if size = len(cpfForm.FindString(s)); size > 0 && ends(s, size) && validCPF(plain(s[:size])) {
		return "***.***.***-" + s[size-2:size], size
	}
	if size = len(cnpjForm.FindString(s)); size > 0 && ends(s, size) && validCNPJ(plain(s[:size])) {
		return "**.***.***/****-" + s[size-2:size], size
	}
	return "", 0
}

// plain drops the punctuation.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (digit(byte(r)) || letter(byte(r))) {
			return r
		}
		return -1
	}, s)
}

func validCPF(s string) bool {
	return len(s) == 11 && !uniform(s) &&
		checkDigit(s[:9], 11) == s[9] && checkDigit(s[:10], 11) == s[10]
}

func validCNPJ(s string) bool {
	return len(s) == 14 && !uniform(s) &&
		checkDigit(s[:12], 9) == s[12] && checkDigit(s[:13], 9) == s[13]
}

// checkDigit is modulo 11 with weights that grow from 2 at the right end to
// limit and begin again. Letters of a CNPJ count by their ASCII code less 48.
func checkDigit(s string, limit int) byte {
	sum, weight := 0, 2
	for i := len(s) - 1; i >= 0; i-- {
		sum += int(s[i]-'0') * weight
		if weight++; weight > limit {
			weight = 2
		}
	}
	if rest := sum % 11; rest >= 2 {
		return "0123456789"[11-rest]
	}
	return '0'
}

// uniform: eleven equal digits pass the check and are nobody's.
func uniform(s string) bool { return strings.Count(s, s[:1]) == len(s) }
