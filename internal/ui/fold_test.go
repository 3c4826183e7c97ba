package ui_test

import (
	"slices"
	"testing"

	"desfecho/internal/ui"
)

func TestTextIsBrokenAtBlanksAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": {""}, "one": {"one"}, "one two": {"one two"}, "one two three": {"one two", "three"}, "ação é já": {"ação é", "já"},
		"a overlongword b": {"a", "overlongword", "b"}, "  a\n b\t": {"a b"},
	} {
		if got := ui.Fold(text, 7); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
