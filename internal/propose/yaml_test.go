package propose

import (
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// TestEveryTextIsReadBack as a text, whatever it looks like.
func TestEveryTextIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"null", "~", "No", "1e3", "0x1f", "a: b", "# x", "{}", "-", "2025-11-29", ".inf", "\x7f", "\u0085", "\ufeff", "y", "<<", "=", "_"})).Draw(t, "text")
		var got struct{ K any }
		if err := yaml.Unmarshal([]byte("k: "+scalar(text)+"  # reason"), &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got.K != text {
			t.Fatalf("%q is read as %v", text, got.K)
		}
	})
}
