//go:build unix

package cmd

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"desfecho": func() {
		if folder := os.Getenv(everyByte); folder != "" {
			if err := atEveryByte(folder); err != nil {
				_, _ = os.Stderr.WriteString(err.Error())
				os.Exit(1)
			}
			os.Exit(0)
		}
		if addresses := os.Getenv(askedAt); addresses != "" {
			os.Exit(asPlayed(addresses))
		}
		os.Exit(traced(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr, faults()))
	}})
}

// update rewrites what the tests compare with: -update.
var update = flag.Bool("update", false, "rewrite the expected output")

func TestScripts(t *testing.T) {
	t.Parallel()
	shop, err := filepath.Abs("../testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TERM", "xterm")
			env.Setenv("SHOP", shop) // two files of a small shop
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "sqlite": sqliteCommand, "stage": stageCommand, "person": personCommand},
	})
}

// exits CODE PROGRAM ARGS… runs a program and wants its exit code.
func exits(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// sqliteCommand FILE SCRIPT runs the SQL of a file in a SQLite file, which is
// made where it is not there.
func sqliteCommand(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE SCRIPT")
	}
	ts.Check(execSQLite(context.Background(), ts.MkAbs(args[0]), ts.ReadFile(args[1])))
}
