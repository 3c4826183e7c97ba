// Package secret holds texts that must reach no screen, log, report or error:
// URLs with passwords, keys.
//
// It keeps a text from being printed by accident; it encrypts nothing.
package secret

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that prints as ***, whatever prints it.
type Secret string

const hidden = "***"

// Reveal gives the text itself, to the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// Format writes *** for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// MarshalText gives String, for YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON gives String in quotes.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// LogValue gives String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
