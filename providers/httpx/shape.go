package httpx

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// shape is what a type takes of JSON: the fields of a struct, the elements of a
// list or map. nil takes anything.
type shape struct {
	fields map[string]*shape // of a struct, by exact name; nil: not one
	folded map[string]string // the same names with their case taken off
	inner  *shape            // of a list or map
}

func (s *shape) element() *shape {
	if s == nil {
		return nil
	}
	return s.inner
}

// field is the shape of a key's value. A key that is a field's in another case
// is refused: encoding/json would take it for the field.
func (s *shape) field(key []byte) (*shape, error) {
	if s == nil || s.fields == nil {
		return s.element(), nil
	}
	if inner, ok := s.fields[string(key)]; ok {
		return inner, nil
	}
	var buffer [64]byte
	if name, ok := s.folded[string(fold(buffer[:0], key))]; ok {
		return nil, fmt.Errorf("key %q is %q in another case", key, name)
	}
	return nil, nil // an unknown key
}

// fold takes the case off a name: every rune becomes the least of those that
// differ from it in case only, which for letters of ASCII is the capital one.
func fold(into, name []byte) []byte {
	for i := 0; i < len(name); {
		c := name[i]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			into = append(into, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(name[i:])
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		into = utf8.AppendRune(into, least)
		i += size
	}
	return into
}

// known are the shapes of types that were decoded before.
var known sync.Map // of reflect.Type: *shape

func shapeOf(t reflect.Type) (*shape, error) {
	if s, ok := known.Load(t); ok {
		return s.(*shape), nil //nolint:forcetypeassert // nothing else is stored
	}
	s, err := shapes{}.of(t)
	if err == nil {
		known.Store(t, s)
	}
	return s, err
}

// shapes are those of one type and what it holds; a type may hold itself.
type shapes map[reflect.Type]*shape

func (all shapes) of(t reflect.Type) (*shape, error) {
	if t == nil {
		return nil, fmt.Errorf("decode: nothing to decode into")
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, known := all[t]; known {
		return s, nil
	}
	if t == number || own(t) {
		return nil, nil // anything
	}
	s := &shape{}
	all[t] = s
	switch t.Kind() { //nolint:exhaustive // all other kinds take what encoding/json lets them
	case reflect.Struct:
		s.fields, s.folded = map[string]*shape{}, map[string]string{}
		return s, all.fields(t, s)
	case reflect.Slice, reflect.Array, reflect.Map:
		inner, err := all.of(t.Elem())
		s.inner = inner
		return s, err
	case reflect.Interface, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return nil, fmt.Errorf("decode: %s would take a number for a float", t)
	default:
		return nil, nil // anything
	}
}

func (all shapes) fields(t reflect.Type, into *shape) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && name == "" {
			if inner := indirect(f.Type); inner.Kind() == reflect.Struct {
				if err := all.fields(inner, into); err != nil {
					return err
				}
				continue
			}
		}
		if name == "" {
			name = f.Name
		}
		inner, err := all.of(f.Type)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		into.fields[name] = inner
		into.folded[string(fold(nil, []byte(name)))] = name
	}
	return nil
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
