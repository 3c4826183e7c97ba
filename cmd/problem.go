package cmd

import (
	"context"
	"errors"

	"desfecho/internal/atomicfile"
	"desfecho/internal/profile"
	"desfecho/internal/tabular"
	"desfecho/internal/ui"
)

// describe words an error for a person or a program.
func describe(ctx context.Context, err error) ui.Problem {
	problem := ui.Problem{Message: err.Error()}
	code := codeOf(err)
	if stopped, ok := interruption(ctx); ok && code == exitFailed {
		code = stopped
		problem.Message = code.String() + "; no report was written"
	}
	problem.Hint = hintOf(err)
	problem.Code, problem.Name = int(code), code.String()
	return problem
}

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
// line, the configuration or a file, 70 for a defect, else 1.
func codeOf(err error) exitCode {
	if _, ok := errors.AsType[*defectError](err); ok {
		return exitDefect
	}
	if notUsable[*usageError](err) || notUsable[*profile.UsageError](err) || notUsable[*profile.Refused](err) ||
		notUsable[*tabular.Error](err) || notUsable[*atomicfile.RefusedError](err) {
		return exitNotUsable
	}
	return exitFailed
}

func notUsable[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
