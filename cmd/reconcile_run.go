package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"desfecho/internal/atomicfile"
	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/store/file"
	"desfecho/internal/twopass"
	"desfecho/internal/ui"
	"desfecho/providers/statementfile"
	"desfecho/reconcile"
)

// matchGCPercent holds a million attempts against a million lines in under
// 1.5 GB for a tenth more CPU time; with 100 it was 1.55 GB.
const matchGCPercent = 40

const readGCPercent = 400

// run is one comparison of files: first what was asked, then what was read.
type run struct {
	d      *deps
	o      *reconcileOptions
	config Config
	failOn reconcile.Severity
	format string
	now    payment.Instant

	statements []statementSource
	attempts   file.Options
	files      []*statementfile.File
	own        *file.Attempts
	sales      []reconcile.Sales // of which no row is among them
}

// newRun reads the profiles and checks the words, so that what cannot be used
// is told before the first file is opened.
func (d *deps) newRun(o *reconcileOptions, config Config) (*run, error) {
	r := &run{d: d, o: o, config: config, now: payment.InstantOf(d.now())}
	if o.parsed.asOf != 0 {
		r.now = o.parsed.asOf
	}
	var err error
	if r.format, err = r.d.reportFormat(config.Format); err != nil {
		return nil, err
	}
	if r.failOn, err = parseFailOn(config.FailOn); err != nil {
		return nil, &usageError{err: err}
	}
	inputs := append([]string{o.attempts, o.attemptsProfile}, o.statements...)
	if err := d.checkOutput(append(inputs, o.profiles...)...); err != nil {
		return nil, err
	}
	if err := r.plan(); err != nil {
		return nil, err
	}
	return r, nil
}

// read reads both sides. Of big files the sales that agree are only summed up.
func (r *run) read(ctx context.Context) error {
	if err := r.readTwice(ctx); !errors.Is(err, twopass.ErrWhole) {
		return err
	}
	return r.readWhole(ctx)
}

// worthTwoPasses is from how many bytes on memory is worth a second pass.
const worthTwoPasses = 32 << 20

// readTwice is twopass.ErrWhole where the files are better read whole.
func (r *run) readTwice(ctx context.Context) error {
	p := r.o.parsed
	if r.bytes() < worthTwoPasses || p.day != nil || p.since != nil || p.until != nil {
		return twopass.ErrWhole
	}
	progress := r.d.Progress("reading", r.bytes())
	defer progress.Done()
	began := r.d.now()
	in := twopass.Input{
		Attempts: twopass.Attempts{Path: r.o.attempts, Options: r.attempts}, Progress: progress.Add, Future: r.now.Add(future),
	}
	for _, s := range r.statements {
		in.Statements = append(in.Statements, twopass.Statement{Path: s.path, Options: s.options})
	}
	rest, err := twopass.Read(ctx, in)
	if err != nil {
		return err //nolint:wrapcheck // it asks to read the whole, or names what cannot be kept
	}
	r.own, r.files, r.sales = rest.Attempts, rest.Statements, rest.Sales
	r.told(ctx, r.o.attempts, r.own.Tally, began)
	for i, f := range r.files {
		r.told(ctx, r.statements[i].path, f.Tally, began)
	}
	return nil
}

// readWhole reads both sides at once. An interrupt ends it at once, also while a
// pipe keeps one of them waiting.
func (r *run) readWhole(ctx context.Context) error {
	r.own, r.files, r.sales = nil, nil, nil
	progress := r.d.Progress("reading", r.bytes())
	defer progress.Done()
	// What is read is kept: collecting while it grows finds next to nothing.
	defer debug.SetGCPercent(debug.SetGCPercent(readGCPercent))
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer caught(&err)
		began := r.d.now()
		if r.own, err = r.readAttempts(reading, progress); err != nil {
			return err
		}
		r.told(reading, r.o.attempts, r.own.Tally, began)
		return nil
	})
	group.Go(func() (err error) {
		defer caught(&err)
		for _, source := range r.statements { // one after the other: the two sides are what fills two cores
			began := r.d.now()
			read, err := r.readStatement(reading, source, progress)
			if err != nil {
				return err
			}
			r.told(reading, source.path, read.Tally, began)
			r.files = append(r.files, read)
		}
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- group.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// told logs that a file was read.
func (r *run) told(ctx context.Context, path string, t profile.Tally, began time.Time) {
	r.d.log.InfoContext(ctx, "read", "file", ui.Clean(nameOf(path)).String(), "rows", t.Rows, "movements", t.Movements,
		"took", r.d.now().Sub(began))
}

// caught turns a panic of a goroutine into the error of a defect, which would
// else end the process without a word about what to do.
func caught(err *error) {
	if broken := recover(); broken != nil {
		*err = &defectError{fmt.Errorf("%v\n%s", broken, debug.Stack())}
	}
}

// worthABar is how much must be read before a bar is more than a flicker.
const worthABar = 16 << 20

// bytes is how much there is to read, as far as the disk tells; 0 where it is
// read in a blink.
func (r *run) bytes() (total int64) {
	for _, path := range append([]string{r.o.attempts}, r.o.statements...) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	if total < worthABar {
		return 0
	}
	return total
}

func (r *run) readAttempts(ctx context.Context, progress *ui.Progress) (*file.Attempts, error) {
	options := r.attempts
	options.Progress = progress.Add
	stream := r.stream(r.o.attempts)
	if stream == nil {
		return file.ReadAttempts(ctx, r.o.attempts, options)
	}
	defer func() { _ = stream.Close() }() // only read
	return file.ReadAttemptsFrom(ctx, stream, nameOf(r.o.attempts), options)
}

func (r *run) readStatement(ctx context.Context, source statementSource, progress *ui.Progress) (*statementfile.File, error) {
	options := source.options
	options.Progress = progress.Add
	stream := r.stream(source.path)
	if stream == nil {
		return statementfile.Read(ctx, source.path, options)
	}
	defer func() { _ = stream.Close() }() // only read
	options.Name = nameOf(source.path)
	return statementfile.ReadFrom(ctx, stream, options)
}

// stream is where a file comes from that is not on the disk; nil where it is.
func (r *run) stream(path string) io.ReadCloser {
	if path == "-" {
		return io.NopCloser(r.d.In)
	}
	return nil
}

// limited lays --timeout over the context.
func (d *deps) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, err := d.global.limit()
	if err != nil || limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, errTimeout)
}

// match judges apart from the caller's goroutine, since the judge knows no
// context: an interrupt ends the command at once.
func match(ctx context.Context, input reconcile.Input, judge func(reconcile.Input) reconcile.Result) (*reconcile.Result, error) {
	var result reconcile.Result
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer caught(&err)
		// Both sides are in memory now and stay: what Match makes on top is
		// better collected early than kept beside them.
		defer debug.SetGCPercent(debug.SetGCPercent(matchGCPercent))
		result = judge(input)
	}()
	select {
	case err := <-done:
		return &result, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// checkOutput refuses an -o that would replace a file that is read: one of the
// inputs, the configuration, or what the standard input comes from.
func (d *deps) checkOutput(inputs ...string) error {
	if !d.global.toFile() {
		return nil
	}
	config, err := configPath(d.global.config, d.env)
	if err != nil {
		return err
	}
	if err := atomicfile.Check(d.global.output, append(inputs, config)...); err != nil {
		return err
	}
	if in, ok := d.In.(*os.File); ok {
		return atomicfile.CheckOpen(d.global.output, in)
	}
	return nil
}

// write puts what the command prints where it belongs: a file, whole or not at
// all, or the standard output.
func (d *deps) write(ctx context.Context, content func(w io.Writer) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d.global.toFile() {
		return atomicfile.Write(d.global.output, content)
	}
	if err := content(d.Out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
