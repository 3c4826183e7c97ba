// Package cmd is the command line: flags, configuration, environment, clock,
// wiring and exit codes. It is the only package that knows cobra and viper,
// and the only one that reads the process's clock.
//
// It judges nothing itself: files go in through providers and internal/store,
// the comparison is reconcile.Match, and what is printed is made by report.
package cmd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/providers/httpx"
)

// deps is what the commands are given. Nothing in it has been opened.
type deps struct {
	ui.Streams
	program string // what the user types for us, for commands that are shown
	env     environment
	global  *globalOptions
	now     func() time.Time
	log     *slog.Logger
	format  string                 // of the report, by flag, variable and file; "" until they are read
	stages  demoStages             // that this command line started
	trace   func(statement string) // is told each statement before the database gets it; nil: nobody listens
	// What tests put in the place of the world: an opened database, and what is
	// about to ask a provider. Nil: they stay as they are.
	database func(store.Store) store.Store
	asking   func(*httpx.Options)
}

// Main runs one command line, the program's name first, and gives the
// process's exit code. The first interrupt or SIGTERM ends it in order; a
// second one kills the process.
func Main(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return traced(ctx, args, env, stdin, stdout, stderr, nil)
}

// traced is Main with somebody who is told each statement for the database
// before it is sent.
func traced(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer, trace func(string)) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal finds nobody to hold it

	d := &deps{program: "desfecho", env: environmentOf(env), global: &globalOptions{}, now: time.Now, trace: trace}
	d.Streams = ui.Detect(stdin, stdout, stderr, d.env.get)
	if len(args) > 0 {
		d.program, args = args[0], args[1:]
	}
	return int(d.execute(ctx, args))
}

// execute gives the exit code of one command line, having printed its error.
func (d *deps) execute(ctx context.Context, args []string) exitCode {
	if err := d.dispatch(ctx, args); err != nil {
		return d.tell(ctx, err, args)
	}
	return exitDone
}

func (d *deps) dispatch(ctx context.Context, args []string) (err error) {
	defer caught(&err)
	d.stages = demoStages{}
	defer func() { err = errors.Join(err, d.stages.close()) }()
	root := newRootCommand(d)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// tell prints the error, once, and gives its exit code.
func (d *deps) tell(ctx context.Context, err error, args []string) exitCode {
	if code, ok := errors.AsType[verdictError](err); ok {
		return exitCode(code)
	}
	if ui.BrokenPipe(err) {
		return exitDone
	}
	problem := describe(ctx, err)
	show := problem.Print
	if d.jsonErrors(args) {
		show = problem.PrintJSON
	}
	_ = show(d.Err) // where even that cannot be printed, the exit code is what is left
	return exitCode(problem.Code)
}

// jsonErrors tells whether a program reads what is printed: by a flag, also of
// a command line that could not be parsed, else by the configuration, else by
// its variable where the configuration was not read.
func (d *deps) jsonErrors(args []string) bool {
	if jsonInArguments(args) {
		return true
	}
	for _, format := range []string{d.global.format, d.format, d.env.get("DESFECHO_FORMAT")} {
		if format != "" {
			return isJSON(format)
		}
	}
	return false
}
