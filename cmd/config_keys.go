package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// checkKeys walks the file once before viper sees it: viper takes a misspelt
// key for nothing, of two keys that differ in case one in silence, a fraction
// for a number, and of two documents the first.
func checkKeys(path string, text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return &usageError{err: fmt.Errorf("configuration %s: %w", path, err)}
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return keyError(path, &second, "a second document begins here, and only one is read", "take out the line ---")
	case !errors.Is(err, io.EOF):
		return &usageError{err: fmt.Errorf("configuration %s: %w", path, err)}
	}
	if len(document.Content) == 0 {
		return nil
	}
	if err := checkNode(path, "", document.Content[0], reflect.TypeFor[Config]()); err != nil {
		return err
	}
	return checkEntries(path, document.Content[0])
}

func checkNode(path, place string, node *yaml.Node, want reflect.Type) error {
	if want.Kind() == reflect.Struct {
		return checkMapping(path, place, node, want)
	}
	if want.Kind() == reflect.Slice {
		return checkList(path, place, node, want)
	}
	if node.Kind != yaml.ScalarNode {
		return keyError(path, node, fmt.Sprintf("%s must be one value", place), "")
	}
	if want == reflect.TypeFor[time.Duration]() {
		if node.Tag != "!!str" {
			return keyError(path, node, fmt.Sprintf("%s must be a length of time such as 1h, not %q", place, node.Value), "")
		}
		return nil
	}
	if want.Kind() == reflect.Int64 && node.Tag != "!!int" {
		return keyError(path, node, fmt.Sprintf("%s must be a whole number, not %q", place, node.Value), "")
	}
	return nil
}

func checkList(path, place string, node *yaml.Node, want reflect.Type) error {
	if node.Kind != yaml.SequenceNode {
		return keyError(path, node, fmt.Sprintf("%s must be a list", place), "put `- ` in front of each entry")
	}
	for i, entry := range node.Content {
		if err := checkNode(path, fmt.Sprintf("%s[%d]", place, i), entry, want.Elem()); err != nil {
			return err
		}
	}
	return nil
}

func checkMapping(path, place string, node *yaml.Node, want reflect.Type) error {
	if node.Kind != yaml.MappingNode {
		return keyError(path, node, fmt.Sprintf("%s must be keys with values", orFile(place)), "")
	}
	known := keysOf(want)
	seen := map[string]int{}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		lower := strings.ToLower(key.Value)
		if line, twice := seen[lower]; twice {
			return keyError(path, key, fmt.Sprintf("key %q stands twice (first in line %d; case makes no difference)", key.Value, line), "keep one")
		}
		seen[lower] = key.Line
		field, ok := known[key.Value]
		if !ok {
			return keyError(path, key, fmt.Sprintf("unknown key %q in %s", key.Value, orFile(place)), didYouMean(key.Value, sortedKeys(known)))
		}
		if err := checkNode(path, strings.TrimPrefix(place+"."+key.Value, "."), value, field); err != nil {
			return err
		}
	}
	return nil
}

func orFile(place string) string {
	if place == "" {
		return "the file"
	}
	return place
}

func keyError(path string, node *yaml.Node, what, hint string) error {
	return &usageError{err: fmt.Errorf("configuration %s:%d:%d: %s", path, node.Line, node.Column, what), hint: hint}
}

func keysOf(structure reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for field := range structure.Fields() {
		keys[field.Tag.Get("mapstructure")] = field.Type
	}
	return keys
}

func sortedKeys(keys map[string]reflect.Type) []string {
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// didYouMean words the hint for a name that is not among the known ones.
func didYouMean(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known here: " + strings.Join(known, ", ")
}

// nearest is the known name with the fewest edits, "" where none is near.
func nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, candidate := range known {
		if edits := distance(strings.ToLower(name), candidate); edits < least {
			best, least = candidate, edits
		}
	}
	return best
}

// distance counts the single-byte edits between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
