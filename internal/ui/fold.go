package ui

import (
	"strings"
	"unicode/utf8"
)

// Fold breaks text at blanks into lines of at most width characters; a longer
// word has a line of its own. There is always one line.
func Fold(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
