package statementfile

import (
	"fmt"
	"slices"
	"strconv"
)

// remarks are what was seen while reading that people should know. None of it
// changes what was read.
type remarks struct {
	texts    []string
	kinds    map[string]seen
	statuses map[string]seen
	uneven   seen
}

type seen struct{ count, line int }

func (s seen) more(line int) seen {
	if s.count == 0 {
		s.line = line
	}
	s.count++
	return s
}

// maxRemarked bounds the words of one file that are remarked.
const maxRemarked = 20

func (m *remarks) add(text string) { m.texts = append(m.texts, text) }

func (m *remarks) unknownKind(word string, line int)   { m.kinds = count(m.kinds, word, line) }
func (m *remarks) unknownStatus(word string, line int) { m.statuses = count(m.statuses, word, line) }
func (m *remarks) unevenNet(line int)                  { m.uneven = m.uneven.more(line) }

func count(words map[string]seen, word string, line int) map[string]seen {
	if words == nil {
		words = map[string]seen{}
	}
	if _, known := words[word]; known || len(words) < maxRemarked {
		words[word] = words[word].more(line)
	}
	return words
}

// remarks lists them in a fixed order.
func (r *reader) remarks() []string {
	m := &r.remarked
	texts := slices.Clone(m.texts)
	if m.uneven.count > 0 {
		texts = append(texts, fmt.Sprintf("net is not gross - fee - tax on %d rows, first on line %d: read as stated", m.uneven.count, m.uneven.line))
	}
	texts = append(texts, listed(m.kinds, "type", "read as other")...)
	return append(texts, listed(m.statuses, "status", "its units are unmapped")...)
}

func listed(words map[string]seen, what, how string) []string {
	var texts []string
	for word, s := range words {
		texts = append(texts, fmt.Sprintf("%s %s is not in the profile (%d rows, first on line %d): %s", what, strconv.Quote(word), s.count, s.line, how))
	}
	slices.Sort(texts)
	return texts
}
