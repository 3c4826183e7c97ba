package cmd

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"desfecho/docs"
)

// A key that is not on the page is refused, so the page says.
func TestEveryKeyOfTheConfigurationStandsOnItsPage(t *testing.T) {
	t.Parallel()
	page, err := docs.Help.ReadFile("environment.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, word := range regexp.MustCompile(`[a-z_0-9]+:`).FindAllString(string(page), -1) {
		seen[strings.TrimSuffix(word, ":")] = true
	}
	// A key that is named in words, beside the one that takes its place.
	for _, word := range []string{"key_command", "url_command", "url", "read_url_command", "read_url", "account", "currency", "operation"} {
		seen[word] = true
	}
	var walk func(place string, of reflect.Type)
	walk = func(place string, of reflect.Type) {
		kind := of.Kind()
		if kind == reflect.Slice || kind == reflect.Pointer {
			walk(place, of.Elem())
		}
		if kind == reflect.Struct {
			for field := range of.Fields() {
				key := field.Tag.Get("mapstructure")
				if key == "" || key == "-" {
					continue
				}
				if !seen[key] {
					t.Errorf("docs/environment.md lacks %s%s", place, key)
				}
				walk(place+key+".", field.Type)
			}
		}
	}
	walk("", reflect.TypeFor[Config]())
}

// Every number that a command can end with stands in the table, under its name.
func TestEveryExitCodeStandsOnItsPage(t *testing.T) {
	t.Parallel()
	page, err := docs.Help.ReadFile("exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for code := range exitCode(150) {
		if name := code.String(); (name != "failed" || code == exitFailed) && !strings.Contains(string(page), name) {
			t.Errorf("docs/exit-codes.md lacks %d, %s", code, name)
		}
	}
}
