//go:build unix && !linux

package cmd

import "github.com/rogpeppe/go-internal/testscript"

// personCommand needs a pseudo-terminal, which is opened in another way here.
func personCommand(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("only on Linux") }
