package tabular

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	utf8Name    = "utf-8"
	utf16leName = "utf-16le"
	utf16beName = "utf-16be"
	latinName   = "windows-1252"
)

// detect finds the encoding of a file from its first bytes, and the length of
// its byte order mark. Bytes win over what a label says; a mark wins over all.
// What is no UTF-8 is windows-1252, which holds ISO 8859-1 but for controls
// that no statement uses.
func detect(head []byte) (name string, mark int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		return utf8Name, 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return utf16leName, 2
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return utf16beName, 2
	}
	even, odd := nuls(head)
	half := len(head) / 2
	switch {
	case half > 0 && odd*10 > half*4 && even*10 < half:
		return utf16leName, 0
	case half > 0 && even*10 > half*4 && odd*10 < half:
		return utf16beName, 0
	case utf8.Valid(whole(head)):
		return utf8Name, 0
	}
	return latinName, 0
}

// nuls counts zero bytes at even and odd places. Padding at the end counts
// for nothing.
func nuls(head []byte) (even, odd int) {
	padded := len(head) - len(bytes.TrimRight(head, "\x00"))
	if padded > 1 {
		head = head[:len(head)-padded]
	}
	for i, b := range head {
		if b != 0 {
			continue
		}
		if i%2 == 0 {
			even++
		} else {
			odd++
		}
	}
	return even, odd
}

// whole leaves out a rune that the end of the sample cuts in two.
func whole(head []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(head); back++ {
		tail := head[len(head)-back:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return head[:len(head)-back]
			}
			break
		}
	}
	return head
}

// lookUp finds an encoding by the name that a person gave.
func lookUp(name string) (encoding.Encoding, string, error) {
	folded := strings.ToLower(strings.NewReplacer("_", "-", " ", "").Replace(strings.TrimSpace(name)))
	switch folded {
	case "utf-8", "utf8":
		return nil, utf8Name, nil
	case "utf-16le", "utf-16":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), utf16leName, nil
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), utf16beName, nil
	case "cp437", "ibm437":
		return charmap.CodePage437, "cp437", nil
	case "cp850", "ibm850":
		return charmap.CodePage850, "cp850", nil
	case "cp852", "ibm852":
		return charmap.CodePage852, "cp852", nil
	}
	found, err := htmlindex.Get(folded)
	if err != nil {
		return nil, "", fmt.Errorf("unknown encoding %q: want a name such as utf-8, windows-1252, utf-16le or cp850", name)
	}
	canonical, err := htmlindex.Name(found)
	if err != nil {
		return nil, "", fmt.Errorf("encoding %q: %w", name, err)
	}
	return found, canonical, nil
}

// decode gives the file's text in UTF-8, checked: the reader ends with a
// *fault where a byte means nothing in the encoding or is NUL.
func decode(r io.Reader, found encoding.Encoding, name string, mark int64) io.Reader {
	switch name {
	case utf8Name:
		return &checked{r: r, at: mark, utf8: true}
	case utf16leName, utf16beName:
		return &checked{r: transform.NewReader(r, strict{found.NewDecoder(), name}), at: -1}
	default:
		return transform.NewReader(&checked{r: r, at: mark}, strict{found.NewDecoder(), name})
	}
}

// strict refuses what the decoder would replace by U+FFFD.
type strict struct {
	transform.Transformer
	name string
}

func (s strict) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, atEOF)
	if i := bytes.Index(dst[:nDst], []byte("\uFFFD")); i >= 0 {
		return i, nSrc, &fault{problem: "this is not " + s.name, hint: "name the file's encoding (--encoding)"}
	}
	return nDst, nSrc, err
}
