package profile

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestThePageOfProfilesIsWhole names every key, field and built-in profile.
func TestThePageOfProfilesIsWhole(t *testing.T) {
	t.Parallel()
	text := page(t)
	var words []string
	var keys func(reflect.Type)
	keys = func(of reflect.Type) {
		for i := range of.NumField() {
			words = append(words, of.Field(i).Tag.Get("yaml"))
			if of.Field(i).Type.Kind() == reflect.Struct {
				keys(of.Field(i).Type)
			}
		}
	}
	keys(reflect.TypeFor[document]())
	words = append(append(append(words, Builtins()...), statementFields...), attemptFields...)
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("docs/profiles.md does not name %q", word)
		}
	}
	for _, name := range Builtins() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range p.Required {
			if column := p.columnsOf(group[0]); len(column) > 0 && !strings.Contains(text, strings.ReplaceAll(column[0].Heading, "[reference]", "[KEY]")) {
				t.Errorf("docs/profiles.md does not name the column %s of %s", column[0].Heading, name)
			}
		}
	}
}

// TestTheExamplesOfThePageAreProfiles that load as they are printed.
func TestTheExamplesOfThePageAreProfiles(t *testing.T) {
	t.Parallel()
	var examples []string
	for block := range strings.SplitSeq(page(t), "\n\n") {
		if strings.HasPrefix(block, "    profile:") {
			examples = append(examples, strings.ReplaceAll(strings.TrimPrefix(block, "    "), "\n    ", "\n"))
		}
	}
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, text := range examples {
		if _, err := Parse("docs/profiles.md", []byte(text)); err != nil {
			t.Errorf("%v (%s)\n%s", err, HintOf(err), text)
		}
	}
}
