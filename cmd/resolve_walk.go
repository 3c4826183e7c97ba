package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"desfecho/internal/store"
	"desfecho/internal/ui"
)

// walk goes through the stuck attempts, one at a time. After each that asked
// nothing it waits for the person, who is to read it before the next one.
type walk struct {
	*settling
	ids []string
}

// errStop ends a walk through the list.
var errStop = errors.New("stopped")

func (w *walk) all(ctx context.Context) error {
	settled, worst := 0, error(nil)
	for i, id := range w.ids {
		head := fmt.Sprintf("%d of %d\n", i+1, len(w.ids))
		if w.otherwise = "`stop` to end, anything else to leave it:"; i+1 < len(w.ids) {
			w.otherwise = "`stop` to end, anything else for the next:"
		}
		if i > 0 {
			head = "\n" + head
		}
		if err := w.say(head); err != nil {
			return err
		}
		err := w.one(ctx, id)
		switch {
		case errors.Is(err, errStop):
			return w.ended(settled, worst)
		case err == nil && w.o.dryRun:
			continue
		case err == nil:
			settled++
			continue
		case !passedBy(err):
			return err
		}
		worst = err
		if err := w.say(ui.Clean(strings.TrimRight(describe(ctx, err).Message, "\n")).String() + "\n"); err != nil {
			return err
		}
		if ends, err := w.waits(ctx, err, i+1 == len(w.ids)); ends || err != nil {
			return errors.Join(err, w.ended(settled, worst))
		}
	}
	return w.ended(settled, worst)
}

// waits lets the person read what was not asked about.
func (w *walk) waits(ctx context.Context, left error, last bool) (ends bool, err error) {
	refused, _ := errors.AsType[*refusedError](left)
	if w.terminal == nil || last || refused != nil && refused.answered {
		return false, nil
	}
	typed, err := w.terminal.Ask(ctx, ui.Clean("Enter for the next, `stop` to end:"))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return typed == "stop", err
}

// ended is how the walk ends: as the last attempt did that was not settled.
func (w *walk) ended(settled int, worst error) error {
	if worst == nil {
		return nil
	}
	return &walkedError{fmt.Sprintf("%d of %d stuck attempts were settled; nothing was written to the others", settled, len(w.ids)), worst}
}

// passedBy tells whether the next attempt can be looked at all the same.
func passedBy(err error) bool {
	return notUsable[*refusedError](err) || notUsable[*credentialsError](err) || errors.Is(err, store.ErrMoved)
}

// walkedError is a walk that left attempts as they were, and why the last of
// them: that was told already.
type walkedError struct {
	message string
	err     error
}

func (e *walkedError) Error() string { return e.message }
func (e *walkedError) Unwrap() error { return e.err }
func (e *walkedError) Hint() string  { return "`desfecho stuck` lists them" }
