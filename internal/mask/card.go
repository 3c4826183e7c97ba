package mask

import "regexp"

// cardForms are the groups in which card numbers are written; a number without
// separators may have any length of 13 to 19.
var cardForms = []*regexp.Regexp{
	regexp.MustCompile(`^[0-9]{4}` + gap + `[0-9]{4}` + gap + `[0-9]{4}` + gap + `[0-9]{4}` + gap + `[0-9]{3}`),
	regexp.MustCompile(`^[0-9]{4}` + gap + `[0-9]{4}` + gap + `[0-9]{4}` + gap + `[0-9]{4}`),
	regexp.MustCompile(`^[0-9]{4}` + gap + `[0-9]{6}` + gap + `[0-9]{4,5}`),
	regexp.MustCompile(`^[0-9]{13,19}`),
}

// halves is how some systems cut a number of 16 digits. A date and a number
// look the same, so it must also begin like a card.
var halves = regexp.MustCompile(`^[0-9]{8}` + gap + `[0-9]{8}`)

// cardNumber keeps the first six and the last four digits, the most that may
// be shown.
func cardNumber(s string, isCard func(string) bool) (shown string, size int) {
	if !digit(s[0]) {
		return "", 0
	}
	for _, form := range cardForms {
		found := form.FindString(s)
		if found == "" || !ends(s, len(found)) {
			continue
		}
		if digits := plain(found); isCard(digits) {
			return digits[:6] + "******" + digits[len(digits)-4:], len(found)
		}
	}
	if found := halves.FindString(s); found != "" && ends(s, len(found)) && card(plain(found)) {
		return found[:6] + "******" + found[len(found)-4:], len(found)
	}
	return "", 0
}

// luhn tells whether the last digit is the right one.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && !uniform(digits)
}

// card adds to luhn the ranges in which payment cards are issued.
func card(digits string) bool {
	n := len(digits)
	var issued bool
	switch digits[0] {
	case '2':
		issued = n == 16 && digits[:4] >= "2221" && digits[:4] <= "2720" // beyond are dates
	case '5':
		issued = n == 16
	case '3':
		issued = n >= 14 && n <= 16
	case '4':
		issued = n == 13 || n == 16 || n == 19
	case '6':
		issued = n >= 16
	}
	return issued && luhn(digits)
}
