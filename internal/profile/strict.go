package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"desfecho/internal/tabular"
)

// checkKeys refuses keys that the type does not know, keys that stand twice,
// and anchors: a misspelt key would otherwise silently do nothing.
func checkKeys(file string, node *yaml.Node, t reflect.Type) error {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return &tabular.Error{File: file, Line: node.Line, Problem: "anchors and aliases are not read in profiles", Hint: "write the value out"}
	}
	switch {
	case t == reflect.TypeFor[columnList]():
		return checkColumns(file, node)
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			if err := checkKeys(file, item, t.Elem()); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		return checkMapping(file, node, fieldsOf(t))
	case t.Kind() == reflect.Map && node.Kind == yaml.MappingNode:
		return checkMapping(file, node, func(string) (reflect.Type, []string) { return t.Elem(), nil })
	}
	return nil
}

func checkColumns(file string, node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return checkKeys(file, node, reflect.TypeFor[[]columnDocument]())
	}
	return checkKeys(file, node, reflect.TypeFor[columnDocument]())
}

// checkMapping goes through the keys of one mapping; typeOf gives the type of
// a key's value, nil for an unknown key with the known ones.
func checkMapping(file string, node *yaml.Node, typeOf func(key string) (reflect.Type, []string)) error {
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			return &tabular.Error{File: file, Line: key.Line, Heading: key.Value, Problem: fmt.Sprintf("the key stands already on line %d", line), Hint: "keep one of them"}
		}
		seen[key.Value] = key.Line
		t, known := typeOf(key.Value)
		if t == nil {
			return &tabular.Error{File: file, Line: key.Line, Heading: key.Value, Problem: "unknown key in a profile", Hint: suggestion(key.Value, known)}
		}
		if err := checkKeys(file, value, t); err != nil {
			return err
		}
	}
	return nil
}

// fieldsOf finds the type of a struct's YAML key.
func fieldsOf(t reflect.Type) func(string) (reflect.Type, []string) {
	return func(key string) (reflect.Type, []string) {
		var known []string
		for i := range t.NumField() {
			name := t.Field(i).Tag.Get("yaml")
			if name == key {
				return t.Field(i).Type, nil
			}
			known = append(known, name)
		}
		return nil, known
	}
}

// suggestion names the known word nearest to what was written, or all.
func suggestion(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	sorted := slices.Sorted(slices.Values(known))
	return "want one of " + strings.Join(sorted, ", ")
}

// nearest is the known word within two edits (one of a short word, none of a
// shorter one), or one that begins alike; "" where none is.
func nearest(word string, known []string) string {
	best, distance := "", 3
	switch {
	case len(word) < 3:
		return ""
	case len(word) <= 4:
		distance = 2
	}
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" && len(word) >= 4 {
		for _, k := range known {
			if strings.HasPrefix(k, word) || strings.HasPrefix(word, k) && len(k) >= 4 {
				return k
			}
		}
	}
	return best
}

// edits is the number of insertions, deletions and replacements between two
// words.
func edits(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(above+1, row[j]+1, cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
