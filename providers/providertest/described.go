package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Described is what a provider publishes of its API in the form of OpenAPI 3.0.
// It holds exchanges against that: what our tests ask must be published, and
// what our servers of loopback answer must have the published shape.
type Described struct {
	Version string
	root    map[string]any
}

// Describe reads a description, JSON or YAML.
func Describe(tb testing.TB, file string) *Described {
	tb.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // named on the command line
	if err != nil {
		tb.Fatal(err)
	}
	d := &Described{}
	if strings.HasSuffix(file, ".json") {
		err = json.Unmarshal(text, &d.root)
	} else {
		err = yaml.Unmarshal(text, &d.root)
	}
	if err != nil || len(d.paths()) == 0 {
		tb.Fatalf("%s: no paths in it, %v", file, err)
	}
	d.Version, _ = d.at(d.root, "info", "version").(string)
	return d
}

func (d *Described) paths() map[string]any {
	paths, _ := d.at(d.root, "paths").(map[string]any)
	return paths
}

// at follows keys, and references on the way.
func (d *Described) at(from any, keys ...string) any {
	for _, key := range append(keys, "") {
		for {
			m, _ := from.(map[string]any)
			to, ok := m["$ref"].(string)
			if !ok {
				break
			}
			from = d.at(d.root, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
		}
		if key == "" {
			return from
		}
		m, _ := from.(map[string]any)
		from = m[key]
	}
	return nil
}

// Object is a published schema by its name; nil: there is none.
func (d *Described) Object(name string) any {
	return d.at(d.root, "components", "schemas", name)
}

// get is what is published of asking for a path; the plainest one that fits.
func (d *Described) get(path string) (template string, operation any) {
	for _, template := range slices.SortedFunc(maps.Keys(d.paths()), func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") }) {
		form := "^" + inBraces.ReplaceAllString(regexp.QuoteMeta(template), `[^/]+`) + "$"
		if operation := d.at(d.paths()[template], "get"); operation != nil && regexp.MustCompile(form).MatchString(path) {
			return template, operation
		}
	}
	return "", nil
}

var inBraces = regexp.MustCompile(`\\\{[^/]*\\\}`)

// Check says what of an exchange is not as published: where, and what.
func (d *Described) Check(e Exchange) (wrong []string) {
	template, operation := d.get(e.Path)
	if operation == nil {
		return []string{fmt.Sprintf("%s: no such path", e.Path)}
	}
	for _, text := range d.query(operation, e.Query) {
		wrong = append(wrong, template+"?"+text)
	}
	schema := d.at(operation, "responses", fmt.Sprint(e.Status), "content", "application/json", "schema")
	if e.Status/100 == 2 && schema == nil {
		return append(wrong, fmt.Sprintf("%s: no answer of status %d", template, e.Status))
	}
	body, err := exactly(e.Body)
	if err != nil || e.Status/100 != 2 {
		return wrong
	}
	for _, text := range d.value("", schema, body) {
		wrong = append(wrong, template+text)
	}
	return wrong
}

// query holds the parameters of a request against the published ones.
func (d *Described) query(operation any, query url.Values) (wrong []string) {
	published := map[string]any{}
	list, _ := d.at(operation, "parameters").([]any)
	for _, p := range list {
		name, _ := d.at(p, "name").(string)
		schema := d.at(p, "schema")
		switch {
		case d.at(p, "in") != "query":
		case d.at(schema, "type") == "array" && !strings.HasSuffix(name, "]"):
			published[name+"[]"] = d.at(schema, "items")
		default:
			published[name] = schema
			for _, one := range append([]any{schema}, anyOf(schema)...) {
				inner, _ := d.at(one, "properties").(map[string]any)
				for key, s := range inner {
					published[name+"["+key+"]"] = s
				}
			}
		}
		if required, _ := d.at(p, "required").(bool); required && d.at(p, "in") == "query" && !query.Has(name) {
			wrong = append(wrong, name+" is required")
		}
	}
	for name, values := range query {
		schema, ok := published[name]
		if !ok {
			wrong = append(wrong, name+" is not published")
			continue
		}
		for _, v := range values {
			wrong = append(wrong, d.value(name, schema, said(v))...)
		}
	}
	return wrong
}

// said is a parameter as JSON would hold it.
func said(text string) any {
	if v, err := exactly(text); err == nil {
		if _, structured := v.(map[string]any); !structured {
			return v
		}
	}
	return text
}

// exactly reads JSON with its numbers as they are written.
func exactly(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func anyOf(schema any) []any {
	m, _ := schema.(map[string]any)
	all, _ := m["anyOf"].([]any)
	one, _ := m["oneOf"].([]any)
	return append(slices.Clone(all), one...)
}
