package report

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func reference(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryColumnIsDocumentedInItsPlace(t *testing.T) {
	t.Parallel()
	text := reference(t, "csv.md")
	from := 0
	for _, c := range csvColumns() {
		row := "| `" + c.name + "` | `" + c.br + "` |"
		i := strings.Index(text[from:], row)
		if i < 0 {
			t.Fatalf("docs/csv.md lacks %s after the columns before it", row)
		}
		from += i
	}
	if documented := strings.Count(text, "` | `") - 1; documented != len(csvColumns()) { // less the heading of the forms
		t.Errorf("docs/csv.md has %d columns, the program %d", documented, len(csvColumns()))
	}
}

func TestEveryFieldOfJSONIsDocumented(t *testing.T) {
	t.Parallel()
	text := reference(t, "json.md")
	for _, value := range []any{wireRun{}, wireDivergence{}, wireGroup{}, wirePlace{}, wireTransit{}, wireBridge{}, wireCoverage{}, wireInput{}} {
		for _, name := range fieldNames(reflect.TypeOf(value)) {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("docs/json.md does not mention `%s` of %T", name, value)
			}
		}
	}
	for _, l := range lists(designDocument()) {
		if !strings.Contains(text, "`"+l.name+"`") || !strings.Contains(text, "`"+l.kind+"`") {
			t.Errorf("docs/json.md does not mention the list %s or the type %s", l.name, l.kind)
		}
	}
}

// fieldNames lists the json names of a type and of what it holds.
func fieldNames(kind reflect.Type) []string {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	var names []string
	if kind.Kind() != reflect.Struct {
		return nil
	}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		names = append(append(names, name), fieldNames(kind.Field(i).Type)...)
	}
	return names
}
