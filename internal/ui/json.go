package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// JSON encodes a value on one line, without a line end, HTML left alone. What
// Clean would show as an escape stands as a \u escape of JSON, so that the
// bytes are harmless on a terminal and a reader still gets the exact text.
// Invalid UTF-8 must not be in the value: see ValidUTF8.
func JSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode json: %w", err)
	}
	return escapeJSON(bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))), nil
}

// escapeJSON replaces hidden characters and combining marks. In JSON they can
// only stand inside a string, so no parsing is needed.
func escapeJSON(encoded []byte) []byte {
	if printableASCII(string(encoded)) {
		return encoded
	}
	out := make([]byte, 0, len(encoded)+64)
	for i := 0; i < len(encoded); {
		r, size := utf8.DecodeRune(encoded[i:])
		switch {
		case r == '\n', !hidden(r) && !unicode.Is(unicode.M, r):
			out = append(out, encoded[i:i+size]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := surrogates(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		i += size
	}
	return out
}

func surrogates(r rune) (high, low rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}

// ValidUTF8 replaces each byte that is not UTF-8 by a visible \xNN, so that two
// different texts do not become one on their way into JSON.
func ValidUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			out = fmt.Appendf(out, `\x%02x`, text[i])
		} else {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return string(out)
}
