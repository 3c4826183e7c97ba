package tabular

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold makes headings comparable: without case, accents, blanks and
// punctuation, so that "Created (UTC)" and "created_utc" are equal. The per
// cent sign stays: a rate and its amount often differ by it alone.
func Fold(heading string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(heading) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
