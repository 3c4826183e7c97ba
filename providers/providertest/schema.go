package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// value holds a value against its schema.
func (d *Described) value(where string, schema, value any) (wrong []string) {
	schema = d.at(schema)
	s, _ := schema.(map[string]any)
	complain := func(format string, args ...any) []string {
		return append(wrong, where+": "+fmt.Sprintf(format, args...))
	}
	if value == nil {
		if nullable, _ := s["nullable"].(bool); nullable || len(s) == 0 {
			return nil
		}
		return complain("null")
	}
	if choices := anyOf(schema); len(choices) > 0 {
		return d.oneOf(where, choices, value)
	}
	if all, _ := s["allOf"].([]any); len(all) > 0 {
		return d.object(where, d.merged(schema), value)
	}
	if enum, ok := s["enum"].([]any); ok && !slices.ContainsFunc(enum, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(value) }) {
		return complain("%v is none of the published values", value)
	}
	switch s["type"] {
	case "object":
		return d.object(where, s, value)
	case "array":
		list, ok := value.([]any)
		if !ok {
			return complain("%T, want a list", value)
		}
		for _, item := range list {
			wrong = append(wrong, d.value(where+"[]", s["items"], item)...)
		}
	case "string":
		text, ok := value.(string)
		if !ok && !strings.Contains(where, ".") && !strings.HasPrefix(where, "[") {
			return nil // a parameter is text whatever it looks like
		}
		if !ok {
			return complain("%T, want a text", value)
		}
		if pattern, ok := s["pattern"].(string); ok && !fits(pattern, text) {
			return complain("%q does not match %s", text, pattern)
		}
	case "integer":
		if n, ok := value.(json.Number); !ok || strings.ContainsAny(n.String(), ".eE") {
			return complain("%v, want a whole number", value)
		}
	case "number":
		if _, ok := value.(json.Number); !ok {
			return complain("%v, want a number", value)
		}
	case "boolean":
		if _, ok := value.(bool); !ok {
			return complain("%v, want true or false", value)
		}
	}
	return wrong
}

// fits tells whether the text matches; a form that Go does not know fits.
func fits(pattern, text string) bool {
	form, err := regexp.Compile("^(?:" + strings.Trim(pattern, "/") + ")$")
	return err != nil || form.MatchString(text)
}

// oneOf wants one of the schemas; what is wrong is told of the nearest: one of
// the value's own kind, and of those the one that finds least.
func (d *Described) oneOf(where string, choices []any, value any) []string {
	var nearest []string
	other := false // than the value's kind
	for i, choice := range choices {
		wrong := d.value(where, choice, value)
		if len(wrong) == 0 {
			return nil
		}
		kind := strings.HasPrefix(wrong[0], where+": ")
		if i == 0 || other && !kind || other == kind && len(wrong) < len(nearest) {
			nearest, other = wrong, kind
		}
	}
	return nearest
}

// merged is what all parts of a schema say together of an object.
func (d *Described) merged(schema any) map[string]any {
	s, _ := d.at(schema).(map[string]any)
	whole := map[string]any{"properties": map[string]any{}, "type": s["type"]}
	add := func(part map[string]any) {
		properties, _ := part["properties"].(map[string]any)
		maps.Copy(whole["properties"].(map[string]any), properties)
		required, _ := part["required"].([]any)
		before, _ := whole["required"].([]any)
		whole["required"] = append(slices.Clone(before), required...)
		for _, name := range []string{"type", "enum", "pattern"} {
			if v, ok := part[name]; ok {
				whole[name] = v
			}
		}
	}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		add(d.merged(part))
	}
	add(s)
	return whole
}

// object holds an object's fields against the published ones.
func (d *Described) object(where string, s map[string]any, value any) (wrong []string) {
	properties, _ := s["properties"].(map[string]any)
	fields, ok := value.(map[string]any)
	if s["type"] != nil && s["type"] != "object" || s["type"] == nil && len(properties) == 0 && !ok {
		return d.value(where, map[string]any{"type": s["type"], "enum": s["enum"], "pattern": s["pattern"]}, value)
	}
	if !ok {
		return []string{fmt.Sprintf("%s: %T, want an object", where, value)}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, there := fields[name.(string)]; !there {
			wrong = append(wrong, fmt.Sprintf("%s.%s is missing", where, name))
		}
	}
	free := len(properties) == 0 || s["additionalProperties"] != nil && s["additionalProperties"] != false
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		schema, published := properties[name]
		if !published {
			if !free {
				wrong = append(wrong, fmt.Sprintf("%s.%s is not published", where, name))
			}
			continue
		}
		wrong = append(wrong, d.value(where+"."+name, schema, fields[name])...)
	}
	return wrong
}
