// Package ui is the door between the program and a person: the streams and
// what is known about them, text that is safe to show, the progress bar, and
// the form of an error.
//
// It decides nothing about payments and reads no clock. Text from outside
// reaches a screen or a report only as Safe.
package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe is text that may be shown: one line, valid UTF-8, no control, bidi or
// invisible character, no flood of combining marks. It is the only kind of text
// that printers accept (RULES §2, law 16). The zero value is the empty text.
type Safe struct{ text string }

// Clean makes any text safe. What is hostile or invisible becomes a visible
// escape and is never obeyed: ESC is shown as \x1b, a line feed as \n, U+202E
// as \u202e, an invalid byte 0xff as \xff. Clean text is returned as it is.
func Clean(text string) Safe {
	if printableASCII(text) {
		return Safe{text}
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	marks, base := 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
			marks, base = 0, false
		case hidden(r):
			b.WriteString(escape(r))
			marks, base = 0, false
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks || !base {
				b.WriteString(escape(r))
				break
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
			marks, base = 0, true
		}
		i += size
	}
	return Safe{b.String()}
}

// maxMarks is how many combining marks one character may carry: enough for
// every living script, too few to climb over the neighbouring lines.
const maxMarks = 3

func (s Safe) String() string { return s.text }

// IsEmpty tells whether there is nothing to show.
func (s Safe) IsEmpty() bool { return s.text == "" }

// Join puts a separator between the parts; the separator is made safe too.
func Join(parts []Safe, separator string) Safe {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.text
	}
	return Safe{strings.Join(texts, Clean(separator).text)}
}

// hidden tells whether a rune must not be shown as it is: controls, format and
// bidi characters, separators of lines, odd blanks, private and unassigned
// code points, fillers and variation selectors.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < 0x20
	}
	return !unicode.IsPrint(r) || r == '\u2800' || r == utf8.RuneError ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	switch {
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

func printableASCII(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}
