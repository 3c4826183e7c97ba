package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanShowsWhatIsHostileAndObeysNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"São Paulo – R$ 10,00", "São Paulo – R$ 10,00"},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x1b]8;;http://x\x07", `\x1b]8;;http://x\x07`},
		{"\x1b]52;c;aGk=\x1b\\", `\x1b]52;c;aGk=\x1b\`},
		{"a\nb\r\tc\x00", `a\nb\r\tc\x00`},
		{"\u009b31m\x7f", `\u009b31m\x7f`},
		{"\x9b31m\xff", `\x9b31m\xff`},
		{"pay\u202eyap", `pay\u202eyap`},
		{"a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\u00add`},
		{"1\u00a0000", `1\u00a0000`},
		{"tag\U000e0041", `tag\U000e0041`},
		{"e\u0301", "e\u0301"},
		{"\u0301", `\u0301`},
		{"z" + strings.Repeat("\u0300", 5), "z" + strings.Repeat("\u0300", 3) + `\u0300\u0300`},
		{"\u2028", `\u2028`},
		{"日本", "日本"},
	} {
		if got := Clean(c.in).String(); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCleanTextHoldsOnlyWhatMayBeShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		out := Clean(in).String()
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		for _, r := range out {
			if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("Clean(%q) holds %U", in, r)
			}
		}
		if again := Clean(out).String(); again != out {
			t.Fatalf("cleaning %q again gives %q", out, again)
		}
	})
}

func TestJSONIsHarmlessAndExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\x1b", "\u202e", "\U000e0041", "z\u0301", "<&>", "\x7f"}).Draw(t, "hostile")
		line, err := JSON(map[string]string{"v": in})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(line) {
			if hidden(r) || unicode.Is(unicode.M, r) {
				t.Fatalf("%q holds %U", line, r)
			}
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil || back["v"] != in {
			t.Fatalf("%q came back as %q (%v)", in, back["v"], err)
		}
	})
}

func TestValidUTF8KeepsDifferentTextsDifferent(t *testing.T) {
	t.Parallel()
	if a, b := ValidUTF8("a\xff"), ValidUTF8("a\xfe"); a == b || a != `a\xff` {
		t.Errorf("got %q and %q", a, b)
	}
	if got := ValidUTF8("çãé"); got != "çãé" {
		t.Errorf("valid text became %q", got)
	}
}

func TestJoinKeepsOneLine(t *testing.T) {
	t.Parallel()
	if got := Join([]Safe{Clean("a"), Clean("b")}, "\n").String(); got != `a\nb` {
		t.Errorf("got %q", got)
	}
	if !(Safe{}).IsEmpty() || Clean("x").IsEmpty() {
		t.Error("IsEmpty is wrong")
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[2J\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Clean(s).String() {
			if hidden(r) {
				t.Fatalf("%U is left", r)
			}
		}
	})
}
