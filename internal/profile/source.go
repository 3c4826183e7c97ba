package profile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/tabular"
)

// SourceOptions say what is known of a file beforehand.
type SourceOptions struct {
	Name     string   // for messages
	Kind     string   // KindStatement or KindAttempts
	Profile  *Profile // nil: found out among the built-in ones
	Encoding string
	Zone     *time.Location // of the account, or of the attempts' text; nil: the profile's, else UTC
	Progress func(bytes int64)
	// Line, where given, says on which line of the file a line of what is read
	// stands: pieces of a file are read, too, whose hash nobody asks for.
	Line func(line int) int
}

// Source is one file being read by a profile, in as many passes as its styles
// need.
type Source struct {
	o       SourceOptions
	in      io.ReadSeeker
	text    []byte // instead of in
	size    int64
	sum     hash.Hash
	read    int64 // bytes of this pass
	most    int64 // bytes that progress was told of
	binding *Binding
	table   *tabular.Table
	ahead   []tabular.Row // read to find out about JSON
	early   []tabular.Page
	listing listing
	notes   []string
	probe   bool // only asks whether a profile fits
}

// progressReader counts what a pass reads.
type progressReader struct{ s *Source }

func (r progressReader) Read(p []byte) (int, error) {
	s := r.s
	n, err := s.in.Read(p)
	if s.o.Line == nil {
		s.sum.Write(p[:n]) // a hash never fails
	}
	s.read += int64(n)
	if s.read > s.most {
		if s.o.Progress != nil {
			s.o.Progress(s.read - s.most)
		}
		s.most = s.read
	}
	return n, err //nolint:wrapcheck // io.Reader's own contract: io.EOF must stay itself
}

// OpenFile opens a path; release it with the returned function.
func OpenFile(path string, o SourceOptions) (*Source, func(), error) {
	file, err := os.Open(path) //nolint:gosec // the user names the file to read
	if err != nil {
		return nil, nil, &UsageError{Problem: fmt.Sprintf("read %s: %v", o.Name, err), Advice: "check the path"}
	}
	release := func() { _ = file.Close() } // opened for reading only: nothing is lost
	info, err := file.Stat()
	switch {
	case err != nil: // the first read says it again
	case info.IsDir():
		release()
		return nil, nil, &UsageError{Problem: path + " is a folder", Advice: "name one file"}
	case info.Mode()&fs.ModeDevice != 0: // it may never end
		release()
		return nil, nil, &UsageError{Problem: path + " is a device", Advice: "name a file or a pipe, or - for the standard input"}
	}
	s, err := NewSource(file, o)
	if err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// NewSource reads from a stream. One that cannot seek is held in memory.
func NewSource(r io.Reader, o SourceOptions) (*Source, error) {
	s := &Source{o: o, sum: sha256.New()}
	if seeker, ok := r.(io.ReadSeeker); ok {
		if size, err := seeker.Seek(0, io.SeekEnd); err == nil && size > 0 {
			s.in, s.size = seeker, size
			return s, nil
		}
	}
	held, err := hold(r, o.Name, maxHeld)
	if err != nil {
		return nil, err
	}
	s.in, s.size = bytes.NewReader(held), int64(len(held))
	return s, nil
}

// NewTextSource reads a text in memory, UTF-8 without NUL, to which nobody
// writes any more: rows are parts of it. It has no hash and tells no progress.
func NewTextSource(text []byte, o SourceOptions) *Source {
	return &Source{o: o, sum: sha256.New(), text: text, size: int64(len(text))}
}

// maxHeld bounds what is held of a stream: one that never ends must not take
// the machine with it.
const maxHeld = 2 << 30

// hold reads a stream to its end, which must come within limit bytes.
func hold(r io.Reader, name string, limit int64) ([]byte, error) {
	held, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case int64(len(held)) > limit:
		return nil, &UsageError{
			Problem: fmt.Sprintf("%s does not end within %d MiB, the most that is held of a stream", name, limit>>20),
			Advice:  "give it as a file, which may be of any size",
		}
	}
	return held, nil
}

// Each gives every row of the file to row, after start was told how the file
// is bound. Where a style can only be found in the whole file, start and row
// are called once more from the beginning.
//
// An error of row that is a *tabular.Error is a bad row: it is counted, and
// Each ends in a *Refused. Any other error ends it at once. The movements and
// the information rows are told apart by row's first result.
func (s *Source) Each(ctx context.Context, start func(*Binding) error, row func(tabular.Row) (movement bool, err error)) (Tally, error) {
	tally, err := s.pass(ctx, start, row)
	if errors.Is(err, errUnproven) {
		if err = s.prove(ctx); err == nil {
			tally, err = s.pass(ctx, start, row)
		}
	}
	if errors.Is(err, errUnproven) {
		err = fmt.Errorf("read %s: %w", s.o.Name, err)
	}
	if err != nil {
		return Tally{}, err
	}
	return tally, nil
}

func (s *Source) pass(ctx context.Context, start func(*Binding) error, row func(tabular.Row) (bool, error)) (Tally, error) {
	if err := s.open(); err != nil {
		return Tally{}, err
	}
	if err := start(s.binding); err != nil {
		return Tally{}, err
	}
	var tally Tally
	var bad []*tabular.Error
	err := s.rows(ctx, func(r tabular.Row) error {
		tally.Rows++
		movement, err := row(r)
		if err == nil {
			if movement {
				tally.Movements++
			} else {
				tally.Information++
			}
			return nil
		}
		fault, ok := errors.AsType[*tabular.Error](err)
		if !ok {
			return err
		}
		s.ragged(fault, r)
		tally.Errors++
		if len(bad) < 10 {
			bad = append(bad, fault)
		}
		return nil
	})
	switch {
	case err != nil:
		return tally, err
	case len(bad) > 0:
		return tally, &Refused{Errors: bad, Tally: tally}
	}
	return tally, nil
}

// rows goes through the rows of the open table, to the last byte of the file.
func (s *Source) rows(ctx context.Context, each func(tabular.Row) error) error {
	for n := 0; ; n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return context.Cause(ctx) //nolint:wrapcheck // the caller tells causes apart
		}
		r, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s.wrap(err)
		}
		if s.o.Line != nil {
			r.Line = s.o.Line(r.Line)
		}
		if err := each(r); err != nil {
			return err
		}
	}
	if s.text != nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, progressReader{s}); err != nil { // padding after the end belongs to the hash
		return fmt.Errorf("read %s: %w", s.o.Name, err)
	}
	return nil
}

// wrap names the file where the error does not.
func (s *Source) wrap(err error) error {
	if _, named := errors.AsType[*tabular.Error](err); named {
		return err
	}
	return fmt.Errorf("read %s: %w", s.o.Name, err)
}

func (s *Source) next() (tabular.Row, error) {
	if len(s.ahead) > 0 {
		r := s.ahead[0]
		s.ahead = s.ahead[1:]
		return r, nil
	}
	return s.table.Next() //nolint:wrapcheck // rows wraps it
}

// prove reads the file once only to see how its amounts and dates are written.
func (s *Source) prove(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	b := s.binding
	err := s.rows(ctx, func(r tabular.Row) error {
		for _, a := range b.amounts {
			a.observe(r)
		}
		for _, d := range b.dates {
			d.observe(r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.conclude()
	if d, ok := errors.AsType[*doubt](err); ok {
		return s.placed(ctx, d)
	}
	return err
}

// conclude fixes every style; columns are taken in the order of the fields, so
// that the first mistake is always the same.
func (b *Binding) conclude() error {
	var fallback money.Mark
	for _, field := range fieldsFor(b.Profile.Kind) {
		a := b.amounts[field]
		if a == nil || !a.Has() || a.style.Mark != 0 || a.style.Minor {
			continue
		}
		mark, err := a.proof.Mark()
		if err != nil {
			return a.doubt(err)
		}
		if mark != 0 && fallback == 0 {
			fallback = mark
		}
	}
	for _, field := range fieldsFor(b.Profile.Kind) {
		if a := b.amounts[field]; a != nil && a.Has() && a.style.Mark == 0 && !a.style.Minor && a.open.line != 0 {
			if err := a.conclude(fallback); err != nil {
				return err
			}
		}
		if d := b.dates[field]; d != nil {
			if err := d.conclude(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Expected estimates the rows of the whole file after some were read, 0 where
// it cannot.
func (s *Source) Expected(rows int) int {
	if s.read <= 0 {
		return 0
	}
	return int(int64(rows) * s.size / s.read * 21 / 20)
}

// SHA256 is the hash of the bytes of the last whole pass.
func (s *Source) SHA256() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// Once is Each without a second pass: where the style of a column could only be
// found in the whole file, the error says so.
func (s *Source) Once(ctx context.Context, start func(*Binding) error, row func(tabular.Row) (movement bool, err error)) (Tally, error) {
	return s.pass(ctx, start, row)
}

// Lined tells whether the file is one of lines that can be read piece by piece:
// CSV in UTF-8.
func (s *Source) Lined() bool { return s.table.Format() == "csv" && s.table.Encoding() == "utf-8" }

// Name is that of the file, for messages.
func (s *Source) Name() string { return s.o.Name }

// Profile is the one that the file is read by.
func (s *Source) Profile() *Profile { return s.binding.Profile }
