package report

import (
	"fmt"
	"io"
	"strings"

	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// Entry explains one class of divergence to the person who must act on it
// (RULES §4).
type Entry struct {
	Severity string // as RULES §4 states it, conditions included
	Next     string // the next step in a few words, for a column
	Meaning  string
	Cause    string
	Do       string
	Never    string
}

// Explanation tells what a class means, where it comes from, what to do and
// what never to do. NoClass has the empty Entry; every other class has a whole
// one.
func Explanation(class reconcile.Class) Entry {
	for _, entries := range []map[reconcile.Class]Entry{chargedEntries, brokenEntries, openEntries, bookEntries, runEntries} {
		if entry, ok := entries[class]; ok {
			return entry
		}
	}
	return Entry{}
}

// Explain writes the explanation of a class as a short page of text, at most
// 78 columns wide. An unknown class is an error and nothing is written.
func Explain(w io.Writer, class reconcile.Class) error {
	entry := Explanation(class)
	if entry == (Entry{}) {
		return fmt.Errorf("explain: there is no such class of divergence")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", class, entry.Severity)
	for _, part := range []struct{ label, text string }{
		{"meaning", entry.Meaning}, {"cause", entry.Cause}, {"do", entry.Do}, {"never", entry.Never},
	} {
		b.WriteByte('\n')
		for i, line := range ui.Fold(part.text, 78-len(explainIndent)) {
			label := explainIndent
			if i == 0 {
				label = part.label + explainIndent[len(part.label):]
			}
			b.WriteString(label + line + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("explain %s: %w", class, err)
	}
	return nil
}

const explainIndent = "          "
