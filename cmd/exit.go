package cmd

import (
	"context"
	"errors"
	"slices"
	"syscall"
)

// exitCode is the process's last word. The numbers are a promise to cron.
type exitCode int

const (
	exitDone         exitCode = 0
	exitFailed       exitCode = 1
	exitNotUsable    exitCode = 2
	exitDivergences  exitCode = 3
	exitIncomplete   exitCode = 4
	exitMoved        exitCode = 5
	exitNotConfirmed exitCode = 6
	exitUnknown      exitCode = 7
	exitCredentials  exitCode = 8
	exitDefect       exitCode = 70
	exitLeased       exitCode = 75
	exitInterrupted  exitCode = 130
	exitTerminated   exitCode = 143
)

func (c exitCode) String() string {
	switch c {
	case exitDone:
		return "done"
	case exitFailed:
		return "failed"
	case exitNotUsable:
		return "not_usable"
	case exitDivergences:
		return "divergences"
	case exitIncomplete:
		return "incomplete"
	case exitMoved:
		return "moved"
	case exitNotConfirmed:
		return "not_confirmed"
	case exitUnknown:
		return "outcome_unknown"
	case exitCredentials:
		return "credentials"
	case exitDefect:
		return "defect"
	case exitLeased:
		return "leased"
	case exitInterrupted:
		return "interrupted"
	case exitTerminated:
		return "terminated"
	}
	return "failed"
}

// worst picks the code that wins where several apply: 70, 75, 8, 2, 1, 4, 3.
func worst(codes ...exitCode) exitCode {
	for _, first := range []exitCode{exitDefect, exitLeased, exitCredentials, exitNotUsable, exitFailed, exitIncomplete, exitDivergences} {
		if slices.Contains(codes, first) {
			return first
		}
	}
	return exitDone
}

// verdictError ends a command that did its work and wrote its report with a
// code other than 0. It is not printed: the report has said it.
type verdictError exitCode

func (e verdictError) Error() string { return exitCode(e).String() }

// usageError is a command line, a configuration or an input that cannot be
// used (exit 2). Nothing was written.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string  { return e.hint }

// defectError is a broken invariant of the program itself (exit 70).
type defectError struct{ err error }

func (e *defectError) Error() string { return "defect: " + e.err.Error() }
func (e *defectError) Unwrap() error { return e.err }
func (e *defectError) Hint() string {
	return "this is a bug of desfecho, not of your data: please report it with this text; nothing was changed"
}

// errTimeout is the cause of a context that --timeout ended.
var errTimeout = errors.New("the time of --timeout is over; no report was written")

// interruption gives the exit code of a command that was told to stop; ok is
// false where nobody did.
func interruption(ctx context.Context) (code exitCode, ok bool) {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return exitDone, false
	case cause.Error() == syscall.SIGTERM.String()+" signal received": // Go 1.26 names the signal in the cause
		return exitTerminated, true
	default:
		return exitInterrupted, true
	}
}
