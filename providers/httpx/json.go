package httpx

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

const (
	maxDepth  = 64
	maxNumber = 64 // characters
)

// Decode reads one JSON value into a pointer, as encoding/json does, but
// refuses what readers take in different ways (FAULTS: repeats read as the last
// one, Status as status): a key that comes twice in an object, one that differs
// from a field's name in case only, bytes that are not UTF-8, what follows the
// value, deep nesting, endless numbers. Unknown keys are let pass, null is
// absence. A type in which a number would go through a float is a mistake of
// the program's, and refused too. After an error the value is not to be used.
func Decode(body []byte, into any) error {
	if !utf8.Valid(body) {
		return errors.New("not UTF-8")
	}
	shape, err := shapeOf(reflect.TypeOf(into))
	if err != nil {
		return err
	}
	s := scanner{text: body}
	if err := s.value(shape, 0); err != nil {
		return fmt.Errorf("at byte %d: %w", s.at, err)
	}
	return json.Unmarshal(body, into)
}

// scanner walks a JSON text for what encoding/json lets pass. What is no JSON
// at all it leaves to encoding/json: it only must not stumble over it.
type scanner struct {
	text []byte
	at   int
	keys [][]byte // of the objects that are open, the innermost last
}

func (s *scanner) value(shape *shape, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch s.next() {
	case '{':
		return s.object(shape, depth)
	case '[':
		return s.array(shape, depth)
	case '"':
		s.quoted()
		return nil
	default:
		return s.word()
	}
}

// next skips blanks and gives the byte that follows, 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// word passes a number, true, false, null, or what is none.
func (s *scanner) word() error {
	from := s.at
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ',', ']', '}', ' ', '\t', '\r', '\n', '"', '{', '[', ':':
			if s.at == from {
				s.at++ // not JSON: go on, encoding/json will say so
			}
			return nil
		}
		if s.at++; s.at-from > maxNumber {
			return fmt.Errorf("a number of more than %d characters", maxNumber)
		}
	}
	return nil
}

// quoted passes a string and gives what stands between its quotes.
func (s *scanner) quoted() (inner []byte, escaped bool) {
	s.at++
	from := s.at
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			s.at++
			return s.text[from : s.at-1], escaped
		case '\\':
			escaped = true
			s.at++
		}
		s.at++
	}
	s.at = len(s.text)
	return s.text[from:], escaped
}

func (s *scanner) array(shape *shape, depth int) error {
	s.at++
	for {
		switch s.next() {
		case ']':
			s.at++
			return nil
		case 0:
			return nil
		case ',':
			s.at++
			continue
		}
		if err := s.value(shape.element(), depth+1); err != nil {
			return err
		}
	}
}

func (s *scanner) object(shape *shape, depth int) error {
	s.at++
	seen := keys{from: len(s.keys)}
	defer func() { s.keys = s.keys[:seen.from] }()
	for {
		switch s.next() {
		case '}':
			s.at++
			return nil
		case 0:
			return nil
		case '"':
		default:
			s.at++
			continue
		}
		key, err := s.key()
		if err != nil {
			return err
		}
		if !seen.add(s, key) {
			return fmt.Errorf("key %q comes twice in one object", key)
		}
		inner, err := shape.field(key)
		if err != nil {
			return err
		}
		if s.next() == ':' {
			s.at++
		}
		if err := s.value(inner, depth+1); err != nil {
			return err
		}
	}
}

func (s *scanner) key() ([]byte, error) {
	from := s.at
	inner, escaped := s.quoted()
	if !escaped {
		return inner, nil
	}
	var plain string
	if err := json.Unmarshal(s.text[from:s.at], &plain); err != nil {
		return nil, err
	}
	return []byte(plain), nil
}

// keys are those of one object: few as a rule, then they lie on the scanner's
// stack from an index on, and bits tell of nearly all that they did not come
// before.
type keys struct {
	from int
	bits [4]uint64
	many map[string]struct{}
}

const few = 128

func (k *keys) add(s *scanner, key []byte) bool {
	if k.many == nil {
		if k.marked(key) && slices.ContainsFunc(s.keys[k.from:], func(seen []byte) bool { return string(seen) == string(key) }) {
			return false
		}
		if s.keys = append(s.keys, key); len(s.keys)-k.from == few {
			k.many = map[string]struct{}{}
			for _, seen := range s.keys[k.from:] {
				k.many[string(seen)] = struct{}{}
			}
		}
		return true
	}
	if _, there := k.many[string(key)]; there {
		return false
	}
	k.many[string(key)] = struct{}{}
	return true
}

// marked sets the key's bit and tells whether it was set before.
func (k *keys) marked(key []byte) bool {
	var h uint32
	for _, c := range key {
		h = h*31 + uint32(c)
	}
	h ^= h >> 8
	word, bit := &k.bits[h>>6&3], uint64(1)<<(h&63)
	before := *word & bit
	*word |= bit
	return before != 0
}

// number is what holds a number as it was written.
var number = reflect.TypeFor[json.Number]()

// own are types that read themselves; what is inside them is theirs.
func own(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return slices.ContainsFunc([]reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()},
		pointer.Implements)
}
