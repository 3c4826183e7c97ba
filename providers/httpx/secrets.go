package httpx

import (
	"cmp"
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

// parts lists a secret and its words, each of which may be echoed alone.
func parts(s secret.Secret) []string {
	all := append(strings.FieldsFunc(s.Reveal(), func(r rune) bool {
		return strings.ContainsRune(" :@/", r)
	}), s.Reveal())
	return slices.DeleteFunc(all, func(p string) bool { return len(p) < least })
}

func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}
