package providertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"desfecho/internal/provider"
)

// strange is what a provider might put in any place one day.
var strange = []any{
	nil, "\x1b[31m=cmd|\u202e", json.Number("1.5"), json.Number("1e400"), json.Number("-9223372036854775809"), true, []any{}, map[string]any{},
}

// mangled replaces every value of a first page, one after another. The adapter
// may refuse the page or read it; it never panics, and never leaves a row out
// in silence.
func (a *Adapter) mangled(t *testing.T, s *Statement) {
	t.Helper()
	t.Run("AnyValueMayChange", func(t *testing.T) {
		t.Parallel()
		first := s.Pages[0][0]
		p, server := a.over(t, nil)
		server.loose(s.Pages[0])
		ask := provider.Request{Statement: s.Name, Slice: s.Slice}
		whole, err := p.Page(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range leaves(decode(t, first.Body), nil) {
			for _, with := range strange {
				body, err := json.Marshal(replace(decode(t, first.Body), path, with))
				if err != nil {
					t.Fatal(err)
				}
				talk := slices.Clone(s.Pages[0])
				talk[0].Body = string(body)
				server.loose(talk)
				page, err := p.Page(t.Context(), ask)
				wantWhole(t, fmt.Sprint(path, " = ", with), &page, err, len(whole.Rows), len(path) > 1)
			}
		}
	})
}

// wantWhole checks that a page is refused, or read with all its rows.
func wantWhole(t *testing.T, what string, page *provider.Page, err error, rows int, inside bool) {
	t.Helper()
	if err != nil {
		wantReason(t, err)
		return
	}
	if inside && len(page.Rows) != rows {
		t.Errorf("%s: %d rows of %d are left", what, len(page.Rows), rows)
	}
	for i := range page.Lines {
		if l := &page.Lines[i]; l.Currency.IsZero() || l.At.IsZero() {
			t.Errorf("%s: a line without currency or time", what)
		}
	}
	for i := range page.Units {
		if page.Units[i].ID == "" {
			t.Errorf("%s: a unit without id", what)
		}
	}
}

func decode(t *testing.T, body string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("fixture: %v", err)
	}
	return v
}

// leaves lists the places of all values of a JSON value, those of objects and
// lists among them.
func leaves(v any, at []any) (all [][]any) {
	step := func(key, inner any) {
		path := append(append([]any(nil), at...), key)
		all = append(append(all, path), leaves(inner, path)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			step(key, inner)
		}
	case []any:
		for i, inner := range v {
			step(i, inner)
		}
	}
	return all
}

// replace puts a value in one place.
func replace(v any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch key := path[0].(type) {
	case string:
		object := v.(map[string]any) //nolint:forcetypeassert // the path is of this value
		object[key] = replace(object[key], path[1:], with)
	case int:
		list := v.([]any) //nolint:forcetypeassert // likewise
		list[key] = replace(list[key], path[1:], with)
	}
	return v
}
