package partition

import (
	"errors"
	"fmt"
	"os"
)

// disk keeps blocks of one size: the first in memory, the rest in a temporary
// file that nobody else can open and that has no name once it is made, so that
// nothing is left of it whatever ends the process.
type disk struct {
	block  int      // bytes of a block
	room   int      // how many blocks memory may hold
	memory [][]byte // the first blocks
	blocks int32    // in all
	free   []int32  // blocks that were read for good
	parent string   // where the folder of the file is made
	folder string
	file   *os.File
}

// write keeps a block and gives its number. The error says that nothing was
// written that a user could miss.
func (d *disk) write(block []byte) (int32, error) {
	var number int32
	if n := len(d.free); n > 0 {
		number = d.free[n-1]
		d.free = d.free[:n-1]
	} else {
		number = d.blocks
		d.blocks++
	}
	if int(number) < d.room {
		if int(number) == len(d.memory) {
			d.memory = append(d.memory, make([]byte, 0, d.block))
		}
		d.memory[number] = append(d.memory[number][:0], block...)
		return number, nil
	}
	if d.file == nil {
		if err := d.open(); err != nil {
			return 0, spillError(err)
		}
	}
	if _, err := d.file.WriteAt(block, int64(int(number)-d.room)*int64(d.block)); err != nil {
		return 0, spillError(err)
	}
	return number, nil
}

// read fills into with the block, which is as long as into.
func (d *disk) read(number int32, into []byte) error {
	if int(number) < d.room {
		copy(into, d.memory[number])
		return nil
	}
	if _, err := d.file.ReadAt(into, int64(int(number)-d.room)*int64(d.block)); err != nil {
		return spillError(err)
	}
	return nil
}

func (d *disk) open() (err error) {
	if d.folder, err = os.MkdirTemp(d.parent, "desfecho-"); err != nil {
		return err
	}
	if d.file, err = os.CreateTemp(d.folder, ""); err != nil {
		return err
	}
	if os.Remove(d.file.Name()) == nil { // not where an open file has to keep its name
		_ = os.Remove(d.folder)
	}
	return nil
}

// close gives back the file and what memory holds.
func (d *disk) close() error {
	d.memory, d.free = nil, nil
	var errs []error
	if d.file != nil {
		errs = append(errs, d.file.Close())
		d.file = nil
	}
	if d.folder != "" {
		errs = append(errs, os.RemoveAll(d.folder))
		d.folder = ""
	}
	return errors.Join(errs...)
}

// ErrFile is a temporary file that cannot be made, written or read: nothing was
// judged or saved.
var ErrFile = errors.New("rows cannot be kept in a temporary file (TMPDIR says where); nothing was judged or saved")

func spillError(err error) error { return fmt.Errorf("%w: %w", ErrFile, err) }

// stream is a sequence of bytes in blocks of a disk.
type stream struct {
	blocks []int32
	last   []byte // of the block that is being filled
	size   int64
}

func (s *stream) write(d *disk, bytes []byte) error {
	s.size += int64(len(bytes))
	if s.last != nil && len(s.last)+len(bytes) < d.block {
		s.last = append(s.last, bytes...)
		return nil
	}
	for {
		if s.last == nil {
			s.last = make([]byte, 0, d.block)
		}
		n := min(d.block-len(s.last), len(bytes))
		s.last = append(s.last, bytes[:n]...)
		if bytes = bytes[n:]; len(s.last) < d.block {
			return nil
		}
		number, err := d.write(s.last)
		if err != nil {
			return err
		}
		s.blocks = append(s.blocks, number)
		s.last = s.last[:0]
	}
}

// reader reads a stream from its begin.
type reader struct {
	d       *disk
	s       *stream
	next    int    // of s.blocks
	rest    []byte // of the block being read
	block   []byte
	joined  []byte // what stands across two blocks
	release bool   // blocks that were read are free
}

func (s *stream) reader(d *disk, release bool) *reader {
	return &reader{d: d, s: s, block: make([]byte, d.block), release: release}
}

// more makes rest hold something, unless the stream is at its end.
func (r *reader) more() error {
	for len(r.rest) == 0 && r.next <= len(r.s.blocks) {
		if r.next == len(r.s.blocks) {
			r.rest = r.s.last
			r.next++
			continue
		}
		number := r.s.blocks[r.next]
		r.next++
		if err := r.d.read(number, r.block); err != nil {
			return err
		}
		r.rest = r.block
		if r.release {
			r.d.free = append(r.d.free, number)
		}
	}
	return nil
}

// chunk gives what is left of a block, or nothing at the end. It holds until
// the next call.
func (r *reader) chunk() ([]byte, error) {
	err := r.more()
	bytes := r.rest
	r.rest = nil
	return bytes, err
}

// take gives the next n bytes, which hold until the next call; fewer at the
// end.
func (r *reader) take(n int) ([]byte, error) {
	if err := r.more(); err != nil {
		return nil, err
	}
	if len(r.rest) >= n {
		bytes := r.rest[:n]
		r.rest = r.rest[n:]
		return bytes, nil
	}
	r.joined = r.joined[:0]
	for n > 0 {
		if err := r.more(); err != nil {
			return nil, err
		}
		if len(r.rest) == 0 {
			break
		}
		k := min(n, len(r.rest))
		r.joined = append(r.joined, r.rest[:k]...)
		r.rest, n = r.rest[k:], n-k
	}
	return r.joined, nil
}
