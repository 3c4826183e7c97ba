// Command desfecho gives every payment attempt without an outcome its outcome.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // a bare container must know America/Sao_Paulo too

	"desfecho/cmd"
)

func main() {
	os.Exit(cmd.Main(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
