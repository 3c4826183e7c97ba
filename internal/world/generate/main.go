// Command generate writes a pair of CSV files for measuring, and prints what a
// reconciliation of them must list.
//
//	go run ./internal/world/generate -rows 1000000 -seed 1 -dir /some/folder
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"desfecho/internal/world"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "attempts to write; the statement has about as many lines")
	seed := flag.Uint64("seed", 1, "another seed, other rows")
	rare := flag.Int("rare", 200, "one sale in so many has each of six mistakes")
	dir := flag.String("dir", ".", "folder for attempts.csv and statement.csv")
	flag.Parse()
	if err := generate(os.Stdout, *dir, world.Workload{Rows: *rows, Seed: *seed, Rare: *rare}); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(out io.Writer, dir string, load world.Workload) (err error) {
	attempts, err := os.Create(filepath.Join(dir, "attempts.csv")) //nolint:gosec // the folder is the caller's choice
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, attempts.Close()) }()
	statement, err := os.Create(filepath.Join(dir, "statement.csv")) //nolint:gosec // the folder is the caller's choice
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	truth, err := load.Write(attempts, statement)
	if err != nil {
		return err
	}
	covers := truth.Covers.From.String() + ".." + truth.Covers.To.String()
	var say strings.Builder
	fmt.Fprintf(&say, "desfecho reconcile --attempts %s --statement %s --covers %s --attempts-cover %s --as-of %s\n",
		attempts.Name(), statement.Name(), covers, covers, truth.AsOf)
	fmt.Fprintf(&say, "attempts\t%d\nlines\t%d\n", truth.Attempts, truth.Lines)
	for _, class := range slices.Sorted(maps.Keys(truth.Classes)) {
		fmt.Fprintf(&say, "%s\t%d\n", class, truth.Classes[class])
	}
	_, err = io.WriteString(out, say.String())
	return err
}
