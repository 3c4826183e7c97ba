package httpx

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"desfecho/internal/secret"
)

// sendable tells whether a value may stand in a header. What may not is told
// here and without the value; net/http would quote it.
func sendable(value string) bool {
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return value != "" && strings.TrimSpace(value) == value
}

// least is the shortest piece that is hidden: hiding "Basic" would make errors
// unreadable, hiding "a" would make them nonsense.
const least = 8

// parts lists a secret and its words, each of which may be echoed alone; so may
// what a header of the scheme Basic carries.
func parts(s secret.Secret) []string {
	words := func(text string) []string {
		return append(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :@/", r) }), text)
	}
	all := words(s.Reveal())
	if packed, basic := strings.CutPrefix(s.Reveal(), "Basic "); basic {
		if plain, err := base64.StdEncoding.DecodeString(packed); err == nil {
			all = append(append(all, packed), words(string(plain))...)
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { return len(p) < least })
}

// without takes what was sent as a secret out of an answer: adapters quote what
// providers say, and keep it for people. A slash may come with a backslash.
func (c *Client) without(ask *Ask, body []byte) []byte {
	hide := c.hide
	for _, s := range ask.Secrets {
		hide = append(slices.Clip(hide), parts(s)...)
	}
	for _, h := range longestFirst(slices.Clone(hide)) {
		for _, as := range []string{h, strings.ReplaceAll(h, "/", `\/`)} {
			if bytes.Contains(body, []byte(as)) {
				body = bytes.ReplaceAll(body, []byte(as), []byte("***"))
			}
		}
	}
	return body
}

func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}
