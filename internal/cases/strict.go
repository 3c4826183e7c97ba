package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"desfecho/internal/payment"
)

// Decode reads one case. It refuses what encoding/json would let pass: unknown
// fields, a field in other letters, one given twice, null where nothing says
// that null is meant, a list of another length than its pair, a missing
// required field, and a word that is not in its closed list.
func Decode(raw []byte) (*Case, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	w := walker{decoder}
	if err := w.value(reflect.TypeFor[Case](), "", "case"); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value on the line")
	}
	var c Case
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	return &c, c.check()
}

type walker struct{ *json.Decoder }

// value walks one value of type t; a nil t allows anything but repeated keys.
func (w walker) value(t reflect.Type, tag reflect.StructTag, path string) error {
	token, err := w.Token()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	shape, nulls := shapeOf(t)
	switch token {
	case json.Delim('{'):
		return w.object(shape, tag, path)
	case json.Delim('['):
		return w.list(shape, tag, path)
	case nil:
		if !nulls {
			return fmt.Errorf("%s: null", path)
		}
		return nil
	}
	word, isText := token.(string)
	if !isText {
		return nil
	}
	if shape == reflect.TypeFor[payment.Instant]() && !strings.HasSuffix(word, "Z") {
		return fmt.Errorf("%s: instant %q: want UTC, ending in Z", path, word)
	}
	if list := tag.Get("words"); list != "" {
		if err := known(list, word); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func (w walker) object(t reflect.Type, tag reflect.StructTag, path string) error {
	seen := map[string]bool{}
	for w.More() {
		token, err := w.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		key, _ := token.(string)
		at := path + "." + key
		if seen[key] {
			return fmt.Errorf("%s: given twice", at)
		}
		seen[key] = true
		inner, innerTag, err := member(t, tag, key)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := w.value(inner, innerTag, at); err != nil {
			return err
		}
	}
	if _, err := w.Token(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return missing(t, seen, path)
}

// member finds the type and the tags of one key of an object.
func member(t reflect.Type, tag reflect.StructTag, key string) (reflect.Type, reflect.StructTag, error) {
	if t == nil {
		return nil, "", nil
	}
	if t.Kind() == reflect.Map {
		if list := tag.Get("keys"); list != "" {
			if err := known(list, key); err != nil {
				return nil, "", err
			}
		}
		return t.Elem(), tag, nil
	}
	if t.Kind() == reflect.Struct {
		for field := range t.Fields() {
			if field.Tag.Get("json") == key {
				return field.Type, field.Tag, nil
			}
		}
		return nil, "", errors.New("unknown field")
	}
	return nil, "", nil // json.Unmarshal names the wrong type
}

func missing(t reflect.Type, seen map[string]bool, path string) error {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for field := range t.Fields() {
		if name := field.Tag.Get("json"); field.Tag.Get("case") == "required" && !seen[name] {
			return fmt.Errorf("%s.%s: missing", path, name)
		}
	}
	return nil
}

func (w walker) list(t reflect.Type, tag reflect.StructTag, path string) error {
	var inner reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		inner = t.Elem()
	}
	n := 0
	for ; w.More(); n++ {
		if err := w.value(inner, tag, fmt.Sprintf("%s[%d]", path, n)); err != nil {
			return err
		}
	}
	if t != nil && t.Kind() == reflect.Array && n != t.Len() {
		return fmt.Errorf("%s: %d values, want %d", path, n, t.Len())
	}
	_, err := w.Token()
	return err
}

// shapeOf strips pointers. Types that read themselves have no shape that
// could be walked: nil. Only those where null says something may be null.
func shapeOf(t reflect.Type) (shape reflect.Type, nulls bool) {
	if t == nil {
		return nil, true
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[nullable]() || t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface {
		return nil, true
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil, false
	}
	return t, false
}
