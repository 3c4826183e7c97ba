package tabular

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// rowBuilder gathers the values of one row and their paths. Rows of one shape
// share their list of paths.
type rowBuilder struct {
	path  []byte
	text  []byte
	ends  []uint32
	paths []string
	shape []string // the paths of the row before
	same  bool     // paths is a beginning of shape
	known map[string]string
	slab  slab
}

func (b *rowBuilder) reset() {
	b.path, b.text, b.ends = b.path[:0], b.text[:0], b.ends[:0]
	b.paths, b.same = b.shape[:0:len(b.shape)], true
}

// enter goes down to a key and is the length to leave it by.
func (b *rowBuilder) enter(key []byte) int {
	length := b.down()
	if len(key) == 0 {
		b.path = append(b.path, `\e`...) // else {"":{"a":1}} would read as {"a":1}
	}
	for _, c := range key {
		if c == '.' || c == '\\' {
			b.path = append(b.path, '\\')
		}
		b.path = append(b.path, c)
	}
	return length
}

func (b *rowBuilder) enterIndex(i int) int {
	length := b.down()
	b.path = strconv.AppendInt(b.path, int64(i), 10)
	return length
}

func (b *rowBuilder) down() int {
	length := len(b.path)
	if length > 0 {
		b.path = append(b.path, '.')
	}
	return length
}

func (b *rowBuilder) leave(length int) { b.path = b.path[:length] }

// field ends the value that was appended to text.
func (b *rowBuilder) field() {
	b.ends = append(b.ends, uint32(len(b.text)))
	b.text = append(b.text, 0)
	n := len(b.paths)
	if b.same && n < len(b.shape) && b.shape[n] == string(b.path) {
		b.paths = b.shape[:n+1]
		return
	}
	if b.same {
		b.paths = append(make([]string, 0, n+16), b.paths...)
		b.same = false
	}
	name, ok := b.known[string(b.path)]
	if !ok {
		name = string(b.path)
		if len(b.known) < maxFields {
			b.known[name] = name
		}
	}
	b.paths = append(b.paths, name)
}

func (b *rowBuilder) row(line int) Row {
	b.shape = b.paths[:len(b.paths):len(b.paths)]
	return Row{Line: line, text: string(b.text), ends: b.slab.keep(b.ends), paths: b.shape}
}

// keySet holds the keys of the objects that are being read, the innermost
// last.
type keySet struct {
	text []byte
	keys []objectKey
}

type objectKey struct {
	fold uint64
	end  int
}

// keyMark is where an object's keys begin.
type keyMark struct{ key, text int }

func (s *keySet) open() keyMark { return keyMark{len(s.keys), len(s.text)} }

func (s *keySet) close(m keyMark) { s.keys, s.text = s.keys[:m.key], s.text[:m.text] }

func (s *keySet) count(m keyMark) int { return len(s.keys) - m.key }

// add takes a key; other is the key of the same object that is equal to it but
// for case, where clash is true.
func (s *keySet) add(m keyMark, key []byte) (other []byte, clash bool) {
	fold := foldHash(key)
	start := m.text
	for _, k := range s.keys[m.key:] {
		if k.fold == fold && bytes.EqualFold(s.text[start:k.end], key) {
			return s.text[start:k.end], true
		}
		start = k.end
	}
	s.text = append(s.text, key...)
	s.keys = append(s.keys, objectKey{fold, len(s.text)})
	return nil, false
}

// foldHash is equal for keys that bytes.EqualFold calls equal: FNV-1a over the
// smallest rune of each orbit, which for ASCII is the upper case.
func foldHash(key []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	hash := uint64(offset)
	for i := 0; i < len(key); {
		r, size := rune(key[i]), 1
		switch {
		case r >= 'a' && r <= 'z':
			r -= 'a' - 'A'
		case r >= utf8.RuneSelf:
			r, size = utf8.DecodeRune(key[i:])
			for next := unicode.SimpleFold(r); next < r; next = unicode.SimpleFold(r) {
				r = next
			}
		}
		hash = (hash ^ uint64(r)) * prime
		i += size
	}
	return hash
}
