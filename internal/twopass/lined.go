package twopass

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"desfecho/internal/profile"
)

// lined is a file that is read by lines.
type lined struct {
	file      *os.File
	name      string
	size      int64
	head      int64 // where the head ends
	headLines int
	headText  []byte
}

func openLined(path string, head int) (*lined, error) {
	f, err := os.Open(path) //nolint:gosec // the user names the file to read
	if err != nil {
		return nil, err //nolint:wrapcheck // worded by whoever reads the whole
	}
	l := &lined{file: f, name: filepath.Base(path)}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrWhole
	}
	if err == nil {
		l.size = info.Size()
		err = l.readHead(head)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *lined) readHead(size int) error {
	l.headText = make([]byte, min(int64(size), l.size))
	if _, err := l.file.ReadAt(l.headText, 0); err != nil {
		return err //nolint:wrapcheck // worded by whoever reads the whole
	}
	end := bytes.LastIndexByte(l.headText, '\n') + 1
	l.head, l.headText = int64(end), l.headText[:end]
	if end == 0 || !plainEnds(l.headText) {
		return ErrWhole
	}
	l.headLines = bytes.Count(l.headText, []byte{'\n'})
	return nil
}

// plainEnds tells whether each line ends with LF or CRLF: a CR alone would be
// a line's end, too.
func plainEnds(text []byte) bool {
	return bytes.Count(text, []byte{'\r'}) == bytes.Count(text, []byte("\r\n"))
}

// piece is some lines of a file.
type piece struct {
	file     int
	from, to int64
	lines    int
	last     bool
	dropped  []atomic.Uint32 // by line, a bit each
	tally    profile.Tally
}

// drop marks a line as summed up.
func (p *piece) drop(line int) { p.dropped[line>>5].Or(1 << (line & 31)) }

func (p *piece) isDropped(line int) bool { return p.dropped[line>>5].Load()>>(line&31)&1 == 1 }

// cut divides what follows the head into pieces of about so many bytes.
func (l *lined) cut(file, size int) (pieces []*piece, err error) {
	for from := l.head; from < l.size; {
		to := from + int64(size)
		if to >= l.size {
			to = l.size
		} else if to, err = l.lineEnd(to); err != nil {
			return nil, err
		}
		pieces = append(pieces, &piece{file: file, from: from, to: to, last: to == l.size})
		from = to
	}
	return pieces, nil
}

// lineEnd is the begin of the first line at or after a place.
func (l *lined) lineEnd(at int64) (int64, error) {
	buffer := make([]byte, 64<<10)
	for at < l.size {
		n, err := l.file.ReadAt(buffer, at)
		if i := bytes.IndexByte(buffer[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err //nolint:wrapcheck // worded by whoever reads the whole
		}
		if n == 0 {
			break
		}
		at += int64(n)
	}
	return l.size, nil
}

// text is the head and a piece.
func (l *lined) text(p *piece) ([]byte, error) {
	text := make([]byte, len(l.headText)+int(p.to-p.from))
	body := text[copy(text, l.headText):]
	if _, err := l.file.ReadAt(body, p.from); err != nil && len(body) > 0 {
		return nil, err //nolint:wrapcheck // worded by whoever reads the whole
	}
	if !plainEnds(body) {
		return nil, ErrWhole
	}
	p.lines = bytes.Count(body, []byte{'\n'})
	if len(body) > 0 && body[len(body)-1] != '\n' {
		p.lines++
	}
	p.dropped = make([]atomic.Uint32, p.lines/32+1)
	return text, nil
}

// remaining is the text of a file without the lines that were summed up, with
// the line that each stands on.
type remaining struct {
	text  []byte
	lines []int32
	sum   string // SHA-256 of the whole file
	gone  int    // lines that were left out
}

func (r *remaining) line(line int) int { return int(r.lines[min(line, len(r.lines))-1]) }

// without reads the file once more.
func (l *lined) without(pieces []*piece) (*remaining, error) {
	r := &remaining{text: bytes.Clone(l.headText)}
	for line := 1; line <= l.headLines; line++ {
		r.lines = append(r.lines, int32(line))
	}
	sum := sha256.New()
	sum.Write(l.headText)
	var buffer []byte
	line := l.headLines
	for _, p := range pieces {
		if need := int(p.to - p.from); need > cap(buffer) {
			buffer = make([]byte, need)
		}
		buffer = buffer[:p.to-p.from]
		if _, err := l.file.ReadAt(buffer, p.from); err != nil {
			return nil, err //nolint:wrapcheck // worded by whoever reads the whole
		}
		sum.Write(buffer)
		rest := buffer
		for i := range p.lines {
			end := bytes.IndexByte(rest, '\n') + 1
			if end == 0 {
				end = len(rest)
			}
			line++
			if p.isDropped(i) {
				r.gone++
			} else {
				r.text = append(r.text, rest[:end]...)
				r.lines = append(r.lines, int32(line))
			}
			rest = rest[end:]
		}
	}
	r.sum = hex.EncodeToString(sum.Sum(nil))
	return r, nil
}
