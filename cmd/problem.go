package cmd

import (
	"context"
	"errors"

	"desfecho/internal/atomicfile"
	"desfecho/internal/mask"
	"desfecho/internal/partition"
	"desfecho/internal/profile"
	"desfecho/internal/pull"
	"desfecho/internal/settle"
	"desfecho/internal/store"
	"desfecho/internal/tabular"
	"desfecho/internal/ui"
)

// describe words an error for a person or a program.
func describe(ctx context.Context, err error) ui.Problem {
	problem := ui.Problem{Message: err.Error()}
	code := codeOf(err)
	if stopped, ok := interruption(ctx); ok && code == exitFailed {
		code = stopped
		problem.Message = code.String() + "; " + leftBy(err)
	}
	problem.Hint = mask.Text(hintOf(err)) // a hint may repeat the cell that it is about
	problem.Code, problem.Name = int(code), code.String()
	return problem
}

// leftBy says what an interrupted command leaves behind.
func leftBy(err error) string {
	if stopped, ok := errors.AsType[*stoppedError](err); ok {
		return stopped.left
	}
	return "no report was written"
}

// stoppedError is a command that ended in the middle of its writes.
type stoppedError struct {
	err  error
	left string // what was written, and what to do
}

func (e *stoppedError) Error() string { return e.err.Error() + "; " + e.left }
func (e *stoppedError) Unwrap() error { return e.err }

// hintOf is what the innermost that knows says to do.
func hintOf(err error) string {
	if hinted, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return hinted.Hint()
	}
	if place, ok := errors.AsType[*tabular.Error](err); ok {
		return place.Hint
	}
	return ""
}

// codeOf is the exit code of an error: 2 where the user can mend the command
// line, the configuration, a file or a schema, 70 for a defect, 75 where
// another run is at work, 8 where a provider refused the credentials, else 1.
func codeOf(err error) exitCode {
	if _, ok := errors.AsType[*defectError](err); ok {
		return exitDefect
	}
	if errors.Is(err, store.ErrLeased) {
		return exitLeased
	}
	if notUsable[*credentialsError](err) {
		return exitCredentials
	}
	if errors.Is(err, store.ErrNoSchema) || errors.Is(err, store.ErrOldSchema) || errors.Is(err, store.ErrNewerSchema) || errors.Is(err, store.ErrNoRun) ||
		notUsable[*store.DescriptionError](err) || notUsable[*store.BadRowError](err) || notUsable[*partition.TwoRowsError](err) ||
		notUsable[*store.UnstorableError](err) || notUsable[*store.ForeignError](err) {
		return exitNotUsable
	}
	if notUsable[*pull.BoundError](err) || notUsable[*usageError](err) || notUsable[*uncoveredError](err) || notUsable[*profile.UsageError](err) || notUsable[*profile.Refused](err) ||
		notUsable[*tabular.Error](err) || notUsable[*atomicfile.RefusedError](err) {
		return exitNotUsable
	}
	if moved := notUsable[*store.MovedError](err); moved || errors.Is(err, settle.ErrDiffers) {
		return exitMoved
	}
	if notUsable[*refusedError](err) || errors.Is(err, settle.ErrRefused) || errors.Is(err, settle.ErrApprovalDue) {
		return exitNotConfirmed
	}
	if errors.Is(err, store.ErrUnconfirmed) {
		return exitUnknown
	}
	return exitFailed
}

func notUsable[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
